package pagetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"sandtable/odata"
	"sandtable/odata/batch"
	"sandtable/odata/payload"
	"sandtable/web/client"
)

// Transport is a client.Transport that is a function.
type Transport func(client.Request) (client.Response, error)

// Do calls f.
func (f Transport) Do(_ context.Context, r client.Request) (client.Response, error) {
	return f(r)
}

// Endpoint answers like a Sandtable with one account, as far as pages ask. It
// ignores filters, and refuses BadFilter.
type Endpoint struct {
	Tables   map[string][]*odata.Entity // in the order of their keys
	Requests []string                   // "METHOD path" of each
	Refuse   string                     // a method that is answered with an error
	Bypassed bool                       // requests do not reach the worker
	Store    string                     // identity of the worker's store
	Full     bool                       // the worker's browser has no space
	Findings []string                   // of verify
	Gain     int                        // of a compaction, in bytes
	PageSize int                        // entities per page
	Sent     map[string]string          // documents that were put, by their address; they are answered again
	Deny     string                     // code with which documents are refused

	mu    sync.Mutex
	clock odata.DateTime
}

// NewEndpoint returns an endpoint without tables.
func NewEndpoint() *Endpoint {
	return &Endpoint{Tables: map[string][]*odata.Entity{}, PageSize: 100, clock: odata.MinDateTime}
}

// BadFilter is a filter that the endpoint refuses.
const BadFilter = "Age qe 21"

// Do implements [client.Transport].
func (f *Endpoint) Do(_ context.Context, r client.Request) (client.Response, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	u, err := url.Parse(r.URL)
	if err != nil {
		return client.Response{}, err
	}
	f.Requests = append(f.Requests, r.Method+" "+u.Path)
	if u.Query().Has("comp") {
		return f.document(r, u.RequestURI()), nil
	}
	if f.Refuse == r.Method {
		return serviceError(500, "InternalError", "Server encountered an internal error."), nil
	}
	if path, ok := strings.CutPrefix(u.Path, "/_sandtable"); ok {
		return f.control(path), nil
	}
	path, err := odata.ParsePath(strings.TrimPrefix(u.EscapedPath(), "/table/devstoreaccount1"))
	if err != nil {
		return serviceError(400, "InvalidInput", err.Error()), nil
	}
	switch path.Resource {
	case odata.BatchResource:
		return f.batch(r), nil
	case odata.TablesResource, odata.TableResource:
		return f.table(r, path), nil
	case odata.EntitiesResource:
		return f.collection(r, path, u.Query()), nil
	}
	return f.entity(r, path), nil
}

func (f *Endpoint) control(path string) client.Response {
	answers := map[string]any{
		"/status":                               map[string]any{"build": "b", "store": "indexeddb", "durability": "relaxed"},
		"/worker":                               f.worker(),
		"/verify":                               map[string]any{"tables": 3, "entities": 1204, "blocks": 5, "problemCount": len(f.Findings), "problems": append([]string{}, f.Findings...)},
		"/compact":                              map[string]any{"blocks": 7, "bytes": f.Gain, "before": map[string]any{"blocks": 9, "bytes": 3 << 20, "walRecords": 40}, "after": map[string]any{"blocks": 4, "bytes": 1 << 20}},
		"/load":                                 map[string]any{"accounts": 1, "tables": 1, "entities": 2, "bytes": 1},
		"/reset":                                map[string]any{},
		"/accounts":                             map[string]any{"accounts": []map[string]any{{"name": "devstoreaccount1", "access": "open"}}},
		"/accounts/devstoreaccount1/tables":     f.tableCounts(),
		"/accounts/devstoreaccount1/connection": map[string]any{"connectionString": "TableEndpoint=x", "sasUrl": "https://x", "endpoint": "https://devstoreaccount1.table.core.windows.net"},
		"/accounts/devstoreaccount1/keys":       map[string]any{"primary": "c2VjcmV0", "secondary": ""},
		"/accounts/devstoreaccount1/snapshots":  map[string]any{"limit": 32, "snapshots": []any{}},
		"/accounts/devstoreaccount1":            map[string]any{},
		"/settings":                             map[string]any{"durability": "relaxed", "permissiveCORS": false, "recordBodies": true, "tableDeletion": "0s"},
	}
	answer, err := JSON(answers[path])
	if err != nil || answers[path] == nil {
		return client.Response{Status: 404}
	}
	return answer
}

// worker is what the worker in front of the endpoint says of itself.
func (f *Endpoint) worker() any {
	if f.Bypassed {
		return nil
	}
	return map[string]any{"sandtable": 1, "build": "b", "store": f.Store, "full": f.Full}
}

// JSON answers with a document.
func JSON(document any) (client.Response, error) {
	body, err := json.Marshal(document)
	return client.Response{Status: 200, Body: body}, err
}

func serviceError(status int, code, message string) client.Response {
	return client.Response{Status: status, Body: payload.AppendError(nil, code, message)}
}

func noTable() client.Response {
	return serviceError(404, client.CodeTableNotFound, "The table specified does not exist.")
}

func (f *Endpoint) table(r client.Request, path odata.Path) client.Response {
	c := payload.Context{Level: payload.MinimalMetadata}
	switch r.Method {
	case "GET":
		var names []string
		for name := range f.Tables {
			names = append(names, name)
		}
		slices.Sort(names)
		return client.Response{Status: 200, Body: c.AppendTables(nil, names)}
	case "POST":
		name, _ := payload.DecodeTableName(r.Body)
		if _, taken := f.Tables[name]; taken {
			return serviceError(409, client.CodeTableAlreadyExists, "The table specified already exists.")
		}
		f.Tables[name] = []*odata.Entity{}
	case "DELETE":
		delete(f.Tables, path.Table)
	}
	return client.Response{Status: 204}
}

func (f *Endpoint) find(table string, key odata.Key) (int, bool) {
	return slices.BinarySearchFunc(f.Tables[table], key, func(e *odata.Entity, k odata.Key) int { return e.Key().Compare(k) })
}

func (f *Endpoint) collection(r client.Request, path odata.Path, options url.Values) client.Response {
	c := payload.Context{Level: payload.MinimalMetadata, HasSelect: options.Has("$select"), Select: payload.ParseSelect(options.Get("$select"))}
	all, known := f.Tables[path.Table]
	switch {
	case !known:
		return noTable()
	case r.Method == "POST":
		return f.Write(path.Table, r.Body, false)
	case options.Get("$filter") == BadFilter:
		return serviceError(400, "InvalidInput", "Syntax error at position 6 in 'Age qe 21'.\nRequestId:1\nTime:2")
	}
	from, _ := f.find(path.Table, odata.Key{PartitionKey: options.Get("NextPartitionKey"), RowKey: options.Get("NextRowKey")})
	size := f.PageSize
	if top, err := strconv.Atoi(options.Get("$top")); err == nil {
		size = min(size, top)
	}
	page := all[from:min(len(all), from+size)]
	header := client.Header{{Name: "x-sandtable-explain", Value: "kind=table scan;examined=3;returned=2"}}
	if end := from + size; end < len(all) {
		header = append(header, client.Field{Name: "x-ms-continuation-NextPartitionKey", Value: all[end].PartitionKey},
			client.Field{Name: "x-ms-continuation-NextRowKey", Value: all[end].RowKey})
	}
	return client.Response{Status: 200, Header: header, Body: c.AppendEntities(nil, path.Table, slices.Values(page))}
}

func (f *Endpoint) entity(r client.Request, path odata.Path) client.Response {
	if _, known := f.Tables[path.Table]; !known {
		return noTable()
	}
	i, found := f.find(path.Table, path.Key)
	if !found {
		return serviceError(404, client.CodeResourceNotFound, "The specified resource does not exist.")
	}
	stored := f.Tables[path.Table][i]
	if ifMatch := r.Header.Get("If-Match"); r.Method != "GET" && ifMatch != "*" && ifMatch != stored.ETag() {
		return serviceError(412, client.CodeConditionNotMet, "The update condition specified in the request was not satisfied.")
	}
	switch r.Method {
	case "PUT":
		return f.Write(path.Table, r.Body, true)
	case "MERGE":
		return f.merge(stored, r.Body)
	case "DELETE":
		f.Tables[path.Table] = slices.Delete(f.Tables[path.Table], i, i+1)
		return client.Response{Status: 204}
	}
	c := payload.Context{Level: payload.MinimalMetadata}
	return client.Response{Status: 200, Body: c.AppendEntity(nil, path.Table, stored)}
}

// merge sets the properties in a request body.
func (f *Endpoint) merge(stored *odata.Entity, body []byte) client.Response {
	b, err := payload.DecodeEntity(body)
	if err != nil {
		return serviceError(400, "InvalidInput", err.Error())
	}
	f.clock++
	stored.Timestamp, stored.Properties = f.clock, odata.Merged(stored.Properties, b.Properties)
	return written(stored)
}

// Write stores the entity in a request body; over allows replacing one.
func (f *Endpoint) Write(table string, body []byte, over bool) client.Response {
	b, err := payload.DecodeEntity(body)
	if err != nil {
		return serviceError(400, "InvalidInput", err.Error())
	}
	key, _ := b.Key()
	i, found := f.find(table, key)
	if found && !over {
		return serviceError(409, client.CodeEntityAlreadyExists, "The specified entity already exists.")
	}
	f.clock++
	e := &odata.Entity{PartitionKey: key.PartitionKey, RowKey: key.RowKey, Timestamp: f.clock, Properties: b.Properties}
	if found {
		f.Tables[table][i] = e
	} else {
		f.Tables[table] = slices.Insert(f.Tables[table], i, e)
	}
	return written(e)
}

func written(e *odata.Entity) client.Response {
	return client.Response{Status: 204, Header: client.Header{{Name: "ETag", Value: e.ETag()}}}
}

// Filled returns an endpoint with a table Customers of n entities.
func Filled(n int) *Endpoint {
	f := NewEndpoint()
	f.Tables["Customers"] = nil
	for i := range n {
		f.clock++
		f.Tables["Customers"] = append(f.Tables["Customers"], &odata.Entity{PartitionKey: "p", RowKey: fmt.Sprintf("%05d", i), Timestamp: f.clock,
			Properties: []odata.Property{{Name: "Age", Value: odata.Int32Value(int32(i))}}})
	}
	return f
}

// Account is the account of an [Endpoint].
const Account = "devstoreaccount1"

func (f *Endpoint) tableCounts() any {
	tables := []client.Table{}
	for _, name := range slices.Sorted(maps.Keys(f.Tables)) {
		tables = append(tables, client.Table{Name: name, Entities: len(f.Tables[name])})
	}
	return map[string]any{"tables": tables}
}

// batch does the operations of a transaction one after the other, all or none.
func (f *Endpoint) batch(r client.Request) client.Response {
	request, err := batch.Parse(r.Header.Get("Content-Type"), r.Body, 100)
	if err != nil {
		return serviceError(400, "InvalidInput", err.Error())
	}
	var answers []batch.Response
	before := f.copied()
	for i, o := range request.Operations {
		header := client.Header{}
		for _, field := range o.Header {
			header = append(header, client.Field(field))
		}
		target, _ := url.Parse(o.Target)
		path, err := odata.ParsePath(strings.TrimPrefix(target.EscapedPath(), "/table/devstoreaccount1"))
		if err != nil {
			return serviceError(400, "InvalidInput", err.Error())
		}
		each := client.Request{Method: o.Method, URL: o.Target, Header: header, Body: o.Body}
		answer := f.entity(each, path)
		if o.Method == "POST" {
			answer = f.Write(path.Table, o.Body, false)
		}
		if answer.Status >= 400 {
			f.Tables = before
			body := bytes.Replace(answer.Body, []byte(`"value":"`), fmt.Appendf(nil, `"value":"%d:`, i), 1)
			answers = []batch.Response{{Status: answer.Status, Header: batch.Header{{Name: "Content-Type", Value: "application/json"}}, Body: body}}
			break
		}
		answered := batch.Response{Status: answer.Status}
		if tag := answer.Header.Get("ETag"); tag != "" {
			answered.Header = batch.Header{{Name: "ETag", Value: tag}}
		}
		answers = append(answers, answered)
	}
	return client.Response{Status: 202, Header: client.Header{{Name: "Content-Type", Value: "multipart/mixed; boundary=b"}},
		Body: batch.AppendResponses(nil, "b", "c", answers)}
}

// copied returns the tables as they are now.
func (f *Endpoint) copied() map[string][]*odata.Entity {
	all := map[string][]*odata.Entity{}
	for name, entities := range f.Tables {
		all[name] = []*odata.Entity{}
		for _, e := range entities {
			same := *e
			all[name] = append(all[name], &same)
		}
	}
	return all
}
