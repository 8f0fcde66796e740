package server

import (
	"net/url"
	"strings"
	"time"

	"sandtable/odata/payload"
)

// Versions of the service from which something differs.
//
// Source: "Versioning for the Azure Storage services".
const (
	versionOldest          = "2009-04-14"
	versionJSON            = "2013-08-15" // JSON, Prefer
	versionUpsert          = "2011-08-18" // PUT and MERGE without If-Match
	versionOwnOfSAS        = "2014-02-14" // a SAS before it sets the request's version, too
	versionWithoutAtom     = "2015-12-11"
	versionErrorCodeHeader = "2017-07-29" // x-ms-error-code
	versionMismatches      = "2017-11-09" // a SAS that lacks something hears what
	versionClientRequestID = "2019-02-02" // x-ms-client-request-id is echoed
	versionChallenge       = "2020-12-06" // 401 for requests without credentials
	versionNewest          = "2026-06-06"
)

// checkVersion reports whether an x-ms-version or api-version is a date. The
// service knows some dates; Sandtable takes them all.
func checkVersion(version string) bool {
	_, err := time.Parse(time.DateOnly, version)
	return err == nil
}

// format is a family of representations.
type format uint8

const (
	formatJSON format = iota
	formatAtom
)

// representation is what a request wants to be answered in.
type representation struct {
	format format
	level  payload.Level // of JSON
	// xmlErrors is set where no JSON was asked for by name.
	xmlErrors bool
}

// contentTypes of JSON bodies, by metadata level.
var contentTypes = [...]string{
	payload.NoMetadata:      "application/json;odata=nometadata;streaming=true;charset=utf-8",
	payload.MinimalMetadata: "application/json;odata=minimalmetadata;streaming=true;charset=utf-8",
	payload.FullMetadata:    "application/json;odata=fullmetadata;streaming=true;charset=utf-8",
}

const (
	// contentTypeXML is that of errors of OData operations.
	contentTypeXML = "application/xml;charset=utf-8"
	// contentTypeDocument is that of XML documents and of errors about them.
	contentTypeDocument = "application/xml"
	// contentTypeFrontEnd is that of JSON errors from before the table service.
	contentTypeFrontEnd = "application/json"
)

// entryType is the content type of a single entity or table.
func (r representation) entryType() string {
	if r.format == formatAtom {
		return payload.AtomEntryType
	}
	return contentTypes[r.level]
}

// feedType is the content type of a collection.
func (r representation) feedType() string {
	if r.format == formatAtom {
		return payload.AtomFeedType
	}
	return contentTypes[r.level]
}

// negotiate reads $format, which wins from data service version 3.0 on, and
// Accept. The error is one for a representation that the version does not
// have; the representation that comes with it is right for answering it.
//
// Source: "Payload format for Table service operations", and recordings.
func negotiate(query url.Values, h header, version string) (representation, error) {
	accept := h.Get("Accept")
	if format := query.Get("$format"); format != "" && speaksDataService3(h) {
		accept = format
	}
	for accept != "" {
		var media string
		media, accept, _ = strings.Cut(accept, ",")
		name, parameters, _ := strings.Cut(media, ";")
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "application/json":
			return negotiateJSON(parameters, version)
		case "*/*", "application/*":
			if version >= versionWithoutAtom {
				return representation{level: payload.MinimalMetadata, xmlErrors: true}, nil
			}
			return negotiateAtom(version)
		case "application/atom+xml", "application/xml":
			return negotiateAtom(version)
		}
	}
	return negotiateAtom(version)
}

// speaksDataService3 reports whether a request speaks data service version
// 3.0, by which one of the two headers says so or by saying nothing.
func speaksDataService3(h header) bool {
	version := h.Get("MaxDataServiceVersion")
	if version == "" {
		version = h.Get("DataServiceVersion")
	}
	return version == "" || strings.HasPrefix(version, "3")
}

func negotiateJSON(parameters, version string) (representation, error) {
	if version < versionJSON {
		return representation{level: payload.MinimalMetadata, xmlErrors: true}, errJSONFormat
	}
	level, err := metadataLevel(parameters)
	return representation{level: level}, err
}

func negotiateAtom(version string) (representation, error) {
	r := representation{format: formatAtom, level: payload.MinimalMetadata, xmlErrors: true}
	if version >= versionWithoutAtom {
		return r, errAtomFormat
	}
	return r, nil
}

// metadataLevel reads the parameters of application/json. What is unknown
// among them is ignored.
func metadataLevel(parameters string) (payload.Level, error) {
	for parameters != "" {
		var parameter string
		parameter, parameters, _ = strings.Cut(parameters, ";")
		name, value, _ := strings.Cut(strings.ToLower(strings.TrimSpace(parameter)), "=")
		if strings.TrimSpace(name) != "odata" {
			continue
		}
		switch strings.TrimSpace(value) {
		case "nometadata":
			return payload.NoMetadata, nil
		case "fullmetadata":
			return payload.FullMetadata, nil
		case "verbose":
			return payload.MinimalMetadata, errJSONVerbose
		}
	}
	return payload.MinimalMetadata, nil
}

// bodyFormat returns the format of a request's body, or why it cannot be read.
func bodyFormat(contentType, version string) (format, error) {
	media, _, _ := strings.Cut(contentType, ";")
	switch strings.ToLower(strings.TrimSpace(media)) {
	case "application/json":
		if version < versionJSON {
			return formatJSON, errJSONFormat
		}
		return formatJSON, nil
	case "application/atom+xml":
		if version >= versionWithoutAtom {
			return formatAtom, errAtomFormat
		}
		return formatAtom, nil
	}
	return formatJSON, errMediaType
}
