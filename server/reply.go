package server

import (
	"sandtable/odata/batch"
	"sandtable/server/message"
)

// reply is the outcome of an operation, which becomes a response or a part of a
// batch's response. Fields that are "" give no header.
type reply struct {
	status        int
	etag          string
	location      string
	dataServiceID string
	preference    string // what Preference-Applied says
	contentType   string
	body          []byte
	page          *[]byte // the buffer of pages that contains the body, or nil
	errorCode     string  // for records, and for x-ms-error-code where due
	// document is set for the operations on XML documents, whose answers have
	// fewer headers.
	document bool
	// phase is when an error was found, executing for everything else. Only a
	// request that reached execution has a Cache-Control.
	phase phase

	// Where a query continues, as tokens.
	nextPartition, nextRow, nextTable string

	explain string
	// deletedTable is the table that the operation deleted, once that is durable.
	deletedTable string
	cors         corsHeaders

	// For records.
	operation   string
	requestBody []byte
	statistics  Statistics
	members     []Member // of a transaction
	err         error
}

func (r *reply) cacheControl() bool { return r.phase == executing || r.phase == checking }

// writeHeader puts the reply's own headers into h, in the service's spelling. Old
// is that of the protocol.
func (r *reply) writeHeader(h message.Header, old bool) {
	// One array for all values, and each header a slice of it.
	values := make([]string, 0, 12)
	set := func(name, value string) {
		if value != "" {
			values = append(values, value)
			h[name] = values[len(values)-1 : len(values) : len(values)]
		}
	}
	if !r.document {
		if r.cacheControl() {
			set("Cache-Control", "no-cache")
		}
		if !r.phase.beforeService() && !old {
			set("X-Content-Type-Options", "nosniff")
		}
	}
	set("Content-Type", r.contentType)
	set("Preference-Applied", r.preference)
	set("Location", r.location)
	set("DataServiceId", r.dataServiceID)
	set("ETag", r.etag)
	set(continuationPrefix+nextPartitionKey, r.nextPartition)
	set(continuationPrefix+nextRowKey, r.nextRow)
	set(continuationPrefix+nextTableName, r.nextTable)
	set("x-sandtable-explain", r.explain)
}

// usualFields is the number of fields in the part of an insert.
const usualFields = 8

// part returns the reply as a part of a batch's response, with its headers in
// the order in which the service writes them, which depends on the body. They
// are appended to fields, which all parts share.
func (r *reply) part(p *protocol, fields batch.Header, contentID, dataServiceVersion string) (part batch.Response, all batch.Header) {
	all = fields
	add := func(name, value string) {
		if value != "" {
			all = append(all, batch.Field{Name: name, Value: value})
		}
	}
	typeFirst := !p.old() && (r.status == message.StatusCreated || r.status == message.StatusOK)
	if typeFirst {
		add("DataServiceVersion", dataServiceVersion)
		add("Content-Type", r.contentType)
	}
	add("Content-ID", contentID)
	if !p.old() {
		add("X-Content-Type-Options", "nosniff")
	}
	if r.cacheControl() {
		add("Cache-Control", "no-cache")
	}
	add("Preference-Applied", r.preference)
	if !typeFirst {
		add("DataServiceVersion", dataServiceVersion)
		add("Content-Type", r.contentType)
	}
	add("Location", r.location)
	add("DataServiceId", r.dataServiceID)
	add("ETag", r.etag)
	add(continuationPrefix+nextPartitionKey, r.nextPartition)
	add(continuationPrefix+nextRowKey, r.nextRow)
	return batch.Response{Status: r.status, Body: r.body, Header: all[len(fields):len(all):len(all)]}, all
}

// document returns the reply of an operation on an XML document.
func document(status int, body []byte) reply {
	out := reply{status: status, document: true, body: body}
	if len(body) > 0 {
		out.contentType = contentTypeDocument
	}
	return out
}
