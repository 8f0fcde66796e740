package server

import (
	"sandtable/odata"
	"sandtable/odata/batch"
	"sandtable/server/message"
)

// reply is the outcome of an operation, before it is known whether it becomes
// a response or a part of a batch's response. Fields that are "" or nil give
// no header.
type reply struct {
	status        int
	etag          string
	location      string
	dataServiceID string
	preference    string // what Preference-Applied says
	contentType   string
	body          []byte
	errorCode     string // for the log, and for x-ms-error-code where due
	// document is set for the operations on XML documents, whose answers have
	// fewer headers.
	document bool
	// phase is when an error was found, executing for all else. Only a request
	// that came to be executed has a Cache-Control.
	phase phase

	nextKey   *odata.Key // where a query of entities goes on
	nextTable string     // the token of where a list of tables goes on
	explain   string
	// statistics is what a query did, for the journal.
	statistics Statistics
	// deletedTable is the table that the operation deleted, once that is durable.
	deletedTable string
	cors         corsHeaders
}

func (r *reply) cacheControl() bool { return r.phase == executing || r.phase == checking }

// writeHeader puts the reply's own headers into h, in the service's spelling.
func (r *reply) writeHeader(h message.Header) {
	// One array for all values: a header is a slice of one of them.
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
		if r.phase != frontEnd {
			set("X-Content-Type-Options", "nosniff")
		}
	}
	set("Content-Type", r.contentType)
	set("Preference-Applied", r.preference)
	set("Location", r.location)
	set("DataServiceId", r.dataServiceID)
	set("ETag", r.etag)
	if r.nextKey != nil {
		set(continuationPrefix+nextPartitionKey, encodeToken(r.nextKey.PartitionKey))
		set(continuationPrefix+nextRowKey, encodeToken(r.nextKey.RowKey))
	}
	set(continuationPrefix+nextTableName, r.nextTable)
	set("x-sandtable-explain", r.explain)
}

// usualFields is how many fields the part of an insert has.
const usualFields = 8

// part returns the reply as a part of a batch's response, with its headers in
// the order in which the service writes them: bodies change it. They stand
// behind those of other parts, and are returned with them.
func (r *reply) part(before batch.Header, contentID, dataServiceVersion string) (p batch.Response, all batch.Header) {
	all = before
	add := func(name, value string) {
		if value != "" {
			all = append(all, batch.Field{Name: name, Value: value})
		}
	}
	created := r.status == message.StatusCreated || r.status == message.StatusOK
	if created {
		add("DataServiceVersion", dataServiceVersion)
		add("Content-Type", r.contentType)
	}
	add("Content-ID", contentID)
	add("X-Content-Type-Options", "nosniff")
	if r.cacheControl() {
		add("Cache-Control", "no-cache")
	}
	add("Preference-Applied", r.preference)
	if !created {
		add("DataServiceVersion", dataServiceVersion)
		add("Content-Type", r.contentType)
	}
	add("Location", r.location)
	add("DataServiceId", r.dataServiceID)
	add("ETag", r.etag)
	return batch.Response{Status: r.status, Body: r.body, Header: all[len(before):len(all):len(all)]}, all
}
