package server

import (
	"bytes"
	"errors"
	"strconv"

	"sandtable/engine"
	"sandtable/odata/batch"
	"sandtable/odata/payload"
	"sandtable/server/message"
)

// cosmosFailure returns the reply for an error. It is JSON for every operation,
// with full metadata unless the request is a GET or an insert, or is refused
// before the operation, and a line of its own.
func (x *exchange) cosmosFailure(p protocol, known serviceError) *reply {
	contentType := p.errorType
	switch known.code {
	case "PropertiesNeedValue":
		contentType = cosmosTypes[payload.FullMetadata]
	case "Forbidden":
		contentType = p.entryType()
	}
	text := known.message + x.cosmosTail(known.phase)
	return &reply{
		status: known.status, errorCode: known.code, phase: known.phase,
		contentType: contentType, body: append(payload.AppendCosmosError(nil, known.code, text), "\r\n"...),
	}
}

// cosmosTail ends the text of an error: with the id in x-ms-request-id and, if the
// layer below refused the request, the same id and the build there.
func (x *exchange) cosmosTail(found phase) string {
	tail := "\nRequestID:" + x.id + "\n"
	switch found {
	case belowCosmos:
		return "\r\nActivityId: " + x.id + ", documentdb-dotnet-sdk/2.11.0 Host/64-bit MicrosoftWindowsNT/6.2.9200.0" + tail
	case inChangeset:
		return "\n" + tail
	}
	return tail
}

// notOfCosmos are the headers of the Table service that Cosmos DB lacks.
var notOfCosmos = []string{
	"Server", "x-ms-version", "x-ms-client-request-id", "Cache-Control", "X-Content-Type-Options", "DataServiceId", "x-ms-error-code",
}

func removeForeignHeaders(h message.Header) {
	for _, name := range notOfCosmos {
		delete(h, name)
	}
}

// cosmosPart returns a reply as a part of a batch's response. Its Content-ID is
// its position, counted from 1. The fields are appended to fields.
func (r *reply) cosmosPart(fields batch.Header, index int) (p batch.Response, all batch.Header) {
	all = fields
	add := func(name, value string) {
		if value != "" {
			all = append(all, batch.Field{Name: name, Value: value})
		}
	}
	add("ETag", r.etag)
	add("Preference-Applied", r.preference)
	add("Content-Type", r.contentType)
	add("Location", r.location)
	if r.errorCode == "" {
		add("Content-ID", strconv.Itoa(index+1))
	}
	return batch.Response{Status: r.status, Body: r.body, Header: all[len(fields):len(all):len(all)]}, all
}

// failedCosmosPart returns the part for an operation that failed. Its text
// always has the position of the operation, unless the table is missing.
func (x *exchange) failedCosmosPart(p protocol, known serviceError, index int, err error) []batch.Response {
	if !errors.Is(err, engine.ErrTableNotFound) {
		known.message = strconv.Itoa(index) + ":" + known.message
		if known.phase != belowCosmos {
			known.phase = inChangeset
		}
	}
	part, _ := x.failure(p, known).cosmosPart(nil, index)
	part.Body = bytes.TrimSuffix(part.Body, []byte("\r\n")) // a part ends its line itself
	return []batch.Response{part}
}
