package server

import (
	"strings"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/server/message"
)

// Headers that say under which condition an operation runs, and what it returns.
//
// Source: "Specifying conditional headers for Table service operations".

// ifMatch returns the condition that the request states.
func (r *request) ifMatch() (engine.Condition, error) {
	tag := r.header.Get("If-Match")
	switch {
	case tag == "":
		return engine.Upsert, nil
	case tag == "*":
		return engine.MustExist, nil
	case !odata.CheckETag(tag):
		return engine.Upsert, tagError(tag)
	}
	if r.cosmos {
		tag = odata.StorageETag(tag)
	}
	return engine.IfMatch(tag), nil
}

// conditionError returns the error for a failed condition: the service has
// another one for tags that it can read but would never write.
func (r *request) conditionError(err error) error {
	if err == engine.ErrConditionNotMet && strings.Contains(r.header.Get("If-Match"), "''") {
		return errOddTag
	}
	return err
}

// checkConditions refuses headers that a write of an entity cannot have. For all else
// they mean nothing.
func (r *request) checkConditions() error {
	writes := r.path.Resource == odata.EntityResource && r.method != message.MethodGet
	if !writes || r.header.Get("If-None-Match") == "" {
		return nil
	}
	switch {
	case r.header.Get("If-Match") != "":
		return errBothConditions
	case r.method == message.MethodPut:
		return errIfNoneMatchPut
	case r.method == message.MethodDelete:
		return errIfNoneMatchDelete
	}
	return nil
}

const (
	preferContent   = "return-content"
	preferNoContent = "return-no-content"
)

// readPreference returns the Prefer header if the service honours it. Updates
// return no content whatever it says, and repeat only that.
func (p protocol) readPreference(method string, h header) string {
	if p.dataService < 3 || p.cosmos && method != message.MethodPost {
		return ""
	}
	switch prefer := h.Get("Prefer"); {
	case prefer == preferNoContent, prefer == preferContent && method == message.MethodPost:
		return prefer
	}
	return ""
}
