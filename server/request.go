package server

import (
	"bytes"
	"iter"
	"net/url"
	"strings"
	"sync"
	"time"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/odata/payload"
	"sandtable/server/auth"
)

// header is what a request's headers and those of an operation in a batch
// have in common.
type header interface{ Get(name string) string }

// scope is what the operations of a batch have in common, and a single one has
// too: who asks, and what for.
type scope struct {
	account string
	base    string
	grant   auth.Grant
	version string
	// secondary is set at the read-only endpoint.
	secondary bool
	// cosmos is set at the endpoints of Cosmos DB.
	cosmos bool
	// now is the handler's clock.
	now func() time.Time
	// deleted knows the tables that are being deleted.
	deleted *deletions
	// shared is the table of all operations of a batch; nil outside of one.
	shared *sharedTable
}

// request is one operation as it was asked for, alone or in a batch.
type request struct {
	*scope
	// document is set for operations on XML documents, the ones with comp.
	document bool

	method string // MERGE for its synonym PATCH, and as X-HTTP-Method says
	path   odata.Path
	query  url.Values
	header header
	body   []byte

	bodyFormat     format
	representation representation
	// preference is the Prefer that the operation honours, else "".
	preference string
}

// sharedTable is a table that many operations of one transaction look for.
type sharedTable struct {
	tx    *engine.Tx
	table *engine.Table
}

// command is what is left of a request once it was read and found good: the
// part that needs a transaction.
type command func(tx *engine.Tx) (*reply, error)

// encoder writes entities and tables in one representation.
type encoder interface {
	AppendEntity(b []byte, table string, e *odata.Entity) []byte
	AppendAll(b []byte, table string, es iter.Seq[*odata.Entity]) []byte
	AppendTable(b []byte, name string) []byte
	AppendTables(b []byte, names []string) []byte
}

// encoder returns how the answer is to be written, at a time that Atom shows.
func (r *request) encoder(s selection, now odata.DateTime) encoder {
	if r.representation.format == formatAtom {
		return &payload.Atom{Base: r.base, Account: r.account, Updated: now, HasSelect: s.asked, Select: s.names}
	}
	return &payload.Context{
		Base: r.base, Account: r.account, Level: r.representation.level,
		HasSelect: s.asked, SelectText: s.text, Select: s.names,
	}
}

// bodyBuffer returns room for the representation of an entity. Growing a large
// body step by step costs more than guessing its size: what the service counts
// for names and values, and what the names of types and the metadata of a level
// take beside that.
func bodyBuffer(e *odata.Entity) []byte {
	return make([]byte, 0, 512+e.Size()+32*len(e.Properties))
}

// pages keeps the memory in which pages are written, whose size is known only
// when they are.
var pages = sync.Pool{New: func() any { return new([]byte) }}

// keptPage is how large the memory for a page is at most that is kept.
const keptPage = 1 << 20

// written returns what is appended, in memory of its own.
func written(appended func([]byte) []byte) []byte {
	room := pages.Get().(*[]byte)
	page := appended((*room)[:0])
	if cap(page) > keptPage {
		return page
	}
	*room = page
	defer pages.Put(room)
	return bytes.Clone(page)
}

// decodeEntity reads the body of an insert, a replace or a merge.
func (r *request) decodeEntity() (payload.Body, error) {
	if r.bodyFormat == formatAtom {
		return payload.DecodeAtomEntity(r.body)
	}
	return payload.DecodeEntityInPlace(r.body)
}

// checkEntity checks the properties of a body.
func (r *request) checkEntity(properties []odata.Property) error {
	if r.cosmos {
		return odata.CheckCosmosEntity(properties)
	}
	return odata.CheckEntity(properties)
}

// table finds the table whose entities a request is about.
func (r *request) table(tx *engine.Tx) (*engine.Table, error) {
	if r.shared != nil && r.shared.tx == tx {
		return r.shared.table, nil
	}
	table, err := tx.Table(r.account, r.path.Table)
	switch {
	case err == engine.ErrTableNotFound && r.deleted.has(r.account, r.path.Table):
		return nil, errTableBeingDeleted
	case err != nil:
		return nil, err
	}
	if r.cosmos {
		table.LimitEntities(odata.MaxCosmosEntitySize, odata.MaxCosmosProperties)
	}
	if r.shared != nil {
		*r.shared = sharedTable{tx, table}
	}
	return table, nil
}

// decodeTableName reads the body of a request that makes a table.
func (r *request) decodeTableName() (string, error) {
	if r.bodyFormat == formatAtom {
		return payload.DecodeAtomTableName(r.body)
	}
	return payload.DecodeTableName(r.body)
}

// ifMatch returns the condition that the request states.
//
// Source: "Specifying conditional headers for Table service operations".
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
	return engine.IfMatch(tag), nil
}

// conditionError returns what a failed condition is called: the service has
// another name for tags that it can read but would never write.
func (r *request) conditionError(err error) error {
	if err == engine.ErrConditionNotMet && strings.Contains(r.header.Get("If-Match"), "''") {
		return errOddTag
	}
	return err
}

// checkConditions refuses headers that an operation cannot have.
func (r *request) checkConditions() error {
	if r.header.Get("If-None-Match") == "" {
		return nil
	}
	switch {
	case r.header.Get("If-Match") != "":
		return errBothConditions
	case r.method == "PUT":
		return errIfNoneMatchPut
	case r.method == "DELETE":
		return errIfNoneMatchDelete
	}
	return nil
}

// tunnelled returns the method that a request means: that of X-HTTP-Method
// for a POST that has one, and MERGE for its synonym PATCH.
func tunnelled(method string, override []string) (string, error) {
	switch {
	case len(override) > 1:
		return method, errMethodCount
	case len(override) == 1 && method != "POST":
		return method, errMethodNotPost
	case len(override) == 1:
		switch method = strings.ToUpper(override[0]); method {
		case "MERGE", "PATCH", "PUT", "DELETE":
		default:
			return method, errMethodValue
		}
	}
	if method == "PATCH" {
		return "MERGE", nil
	}
	return method, nil
}

// preferenceOf returns what of the Prefer header the service honours.
func preferenceOf(h header, version string) string {
	switch prefer := h.Get("Prefer"); {
	case version < versionJSON:
	case prefer == preferContent, prefer == preferNoContent:
		return prefer
	}
	return ""
}

const (
	preferContent   = "return-content"
	preferNoContent = "return-no-content"
)
