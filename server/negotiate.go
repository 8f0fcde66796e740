package server

import (
	"net/url"
	"strings"

	"sandtable/odata/payload"
)

// format is a family of representations.
type format uint8

const (
	formatJSON format = iota
	formatAtom
)

// representation is the form in which a request wants its answer.
type representation struct {
	format format
	level  payload.Level // of JSON
	// anyLevel is set where a request to Cosmos DB names JSON but no level.
	anyLevel bool
	// xmlErrors is set where Accept does not name JSON.
	xmlErrors bool
	// anything is set for JSON that Accept does not name: a POST is answered in Atom, as
	// recorded, although the version refuses the name of Atom (C2).
	anything bool
}

// contentTypes of JSON bodies, by metadata level.
var contentTypes = [...]string{
	payload.NoMetadata:      "application/json;odata=nometadata;streaming=true;charset=utf-8",
	payload.MinimalMetadata: "application/json;odata=minimalmetadata;streaming=true;charset=utf-8",
	payload.FullMetadata:    "application/json;odata=fullmetadata;streaming=true;charset=utf-8",
}

const (
	// contentTypeXML is for errors of OData operations.
	contentTypeXML = "application/xml;charset=utf-8"
	// contentTypeDocument is for XML documents and errors about them.
	contentTypeDocument = "application/xml"
	// contentTypeFrontEnd is for JSON errors from before the table service.
	contentTypeFrontEnd = "application/json"
)

// negotiate reads $format, which takes precedence from data service version 3.0
// on, and Accept. The error means that the version lacks the representation; the
// one returned with it suits the answer that says so.
//
// Source: "Payload format for Table service operations", and recordings.
func negotiate(query url.Values, h header, version string) (representation, error) {
	accept := h.Get("Accept")
	if format := query.Get("$format"); format != "" && dataService(h, version) == 3 {
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
				return representation{level: payload.MinimalMetadata, xmlErrors: true, anything: true}, nil
			}
			return atom, nil
		case "application/atom+xml", "application/xml":
			return negotiateAtom(version)
		}
	}
	return negotiateAtom(version)
}

func negotiateJSON(parameters, version string) (representation, error) {
	if version < versionJSON {
		return representation{level: payload.MinimalMetadata, xmlErrors: true}, errJSONFormat
	}
	level, err := metadataLevel(parameters)
	return representation{level: level}, err
}

var atom = representation{format: formatAtom, level: payload.MinimalMetadata, xmlErrors: true}

// negotiateAtom is for requests that name Atom, or nothing.
func negotiateAtom(version string) (representation, error) {
	if version >= versionWithoutAtom {
		return atom, errAtomFormat
	}
	return atom, nil
}

// metadataLevel reads the parameters of application/json and ignores unknown
// ones.
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

// bodyFormat returns the format of a request's body by its Content-Type.
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
