package server

import (
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
	versionErrorCodeHeader = "2017-07-29" // x-ms-error-code
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
)

// representation is what a request wants to be answered in.
type representation struct {
	level payload.Level
	// xmlErrors is set where no JSON was asked for by name.
	xmlErrors bool
}

// negotiate reads $format, which wins, and Accept. The error is one for a
// representation that Sandtable does not have; the representation is right for
// answering it.
//
// Source: "Payload format for Table service operations", and recordings.
func negotiate(format, accept, version string) (representation, error) {
	if format != "" {
		accept = format
	}
	for accept != "" {
		var media string
		media, accept, _ = strings.Cut(accept, ",")
		name, parameters, _ := strings.Cut(media, ";")
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "application/json":
			level, err := metadataLevel(parameters)
			if err == nil && version < versionJSON {
				err = errJSONFormat
			}
			return representation{level: level, xmlErrors: err == errJSONFormat}, err
		case "*/*", "application/*":
			return representation{level: payload.MinimalMetadata, xmlErrors: true}, nil
		case "application/atom+xml", "application/xml":
			return representation{level: payload.MinimalMetadata, xmlErrors: true}, errAtomFormat
		}
	}
	return representation{level: payload.MinimalMetadata, xmlErrors: true}, errAtomFormat
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

// checkContentType reports why a request's body cannot be read, or nil.
func checkContentType(contentType string) error {
	media, _, _ := strings.Cut(contentType, ";")
	switch strings.ToLower(strings.TrimSpace(media)) {
	case "application/json":
		return nil
	case "application/atom+xml":
		return errAtomFormat
	}
	return errMediaType
}
