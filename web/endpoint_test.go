package web

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync"

	"sandtable/odata"
	"sandtable/odata/payload"
	"sandtable/web/tableclient"
)

// transportFunc is a transport that is a function.
type transportFunc func(tableclient.Request) (tableclient.Response, error)

func (f transportFunc) Do(_ context.Context, r tableclient.Request) (tableclient.Response, error) {
	return f(r)
}

// fakeEndpoint answers like a Sandtable with one account, as far as the page
// asks. Filters it does not understand: it knows one that is wrong.
type fakeEndpoint struct {
	mu       sync.Mutex
	tables   map[string][]*odata.Entity // ordered by key
	clock    odata.DateTime
	requests []string
	refuse   string   // "METHOD" to be answered with an error
	bypassed bool     // requests go past the worker
	store    string   // the worker's
	full     bool     // the worker's browser has no room
	findings []string // of verify
}

func newEndpoint() *fakeEndpoint {
	return &fakeEndpoint{tables: map[string][]*odata.Entity{}, clock: odata.MinDateTime}
}

const badFilter = "Age qe 21"

func (f *fakeEndpoint) Do(_ context.Context, r tableclient.Request) (tableclient.Response, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	u, err := url.Parse(r.URL)
	if err != nil {
		return tableclient.Response{}, err
	}
	f.requests = append(f.requests, r.Method+" "+u.Path)
	if f.refuse == r.Method {
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
	case odata.TablesResource, odata.TableResource:
		return f.table(r, path), nil
	case odata.EntitiesResource:
		return f.collection(r, path, u.Query()), nil
	}
	return f.entity(r, path), nil
}

func (f *fakeEndpoint) control(path string) tableclient.Response {
	answers := map[string]any{
		"/status":                               map[string]any{"build": "b", "store": "indexeddb", "durability": "relaxed"},
		"/worker":                               f.worker(),
		"/verify":                               map[string]any{"tables": 3, "entities": 1204, "blocks": 5, "found": len(f.findings), "findings": append([]string{}, f.findings...)},
		"/accounts":                             map[string]any{"accounts": []map[string]any{{"name": "devstoreaccount1", "access": "open"}}},
		"/accounts/devstoreaccount1/connection": map[string]any{"connectionString": "TableEndpoint=x", "sasUrl": "https://x"},
	}
	body, err := json.Marshal(answers[path])
	if err != nil || answers[path] == nil {
		return tableclient.Response{Status: 404}
	}
	return tableclient.Response{Status: 200, Body: body}
}

// worker is what the worker in front of the endpoint says of itself.
func (f *fakeEndpoint) worker() any {
	if f.bypassed {
		return nil
	}
	return map[string]any{"sandtable": 1, "build": "b", "store": f.store, "full": f.full}
}

func serviceError(status int, code, message string) tableclient.Response {
	return tableclient.Response{Status: status, Body: payload.AppendError(nil, code, message)}
}

func (f *fakeEndpoint) table(r tableclient.Request, path odata.Path) tableclient.Response {
	c := payload.Context{Level: payload.MinimalMetadata}
	switch r.Method {
	case "GET":
		var names []string
		for name := range f.tables {
			names = append(names, name)
		}
		slices.Sort(names)
		return tableclient.Response{Status: 200, Body: c.AppendTables(nil, names)}
	case "POST":
		name, _ := payload.DecodeTableName(r.Body)
		if _, taken := f.tables[name]; taken {
			return serviceError(409, tableclient.CodeTableAlreadyExists, "The table specified already exists.")
		}
		f.tables[name] = []*odata.Entity{}
	case "DELETE":
		delete(f.tables, path.Table)
	}
	return tableclient.Response{Status: 204}
}

func (f *fakeEndpoint) find(table string, key odata.Key) (int, bool) {
	return slices.BinarySearchFunc(f.tables[table], key, func(e *odata.Entity, k odata.Key) int { return e.Key().Compare(k) })
}

func (f *fakeEndpoint) collection(r tableclient.Request, path odata.Path, options url.Values) tableclient.Response {
	c := payload.Context{Level: payload.MinimalMetadata}
	all, known := f.tables[path.Table]
	switch {
	case !known:
		return serviceError(404, "TableNotFound", "The table specified does not exist.")
	case r.Method == "POST":
		return f.write(path.Table, r.Body, false)
	case options.Get("$filter") == badFilter:
		return serviceError(400, "InvalidInput", "Syntax error at position 6 in 'Age qe 21'.\nRequestId:1\nTime:2")
	}
	from, _ := f.find(path.Table, odata.Key{PartitionKey: options.Get("NextPartitionKey"), RowKey: options.Get("NextRowKey")})
	page := all[from:min(len(all), from+pageSize)]
	header := tableclient.Header{{Name: "x-sandtable-explain", Value: "kind=table scan;examined=3;returned=2"}}
	if end := from + pageSize; end < len(all) {
		header = append(header, tableclient.Field{Name: "x-ms-continuation-NextPartitionKey", Value: all[end].PartitionKey},
			tableclient.Field{Name: "x-ms-continuation-NextRowKey", Value: all[end].RowKey})
	}
	return tableclient.Response{Status: 200, Header: header, Body: c.AppendEntities(nil, path.Table, page)}
}

func (f *fakeEndpoint) entity(r tableclient.Request, path odata.Path) tableclient.Response {
	i, found := f.find(path.Table, path.Key)
	if !found {
		return serviceError(404, tableclient.CodeResourceNotFound, "The specified resource does not exist.")
	}
	stored := f.tables[path.Table][i]
	if ifMatch := r.Header.Get("If-Match"); r.Method != "GET" && ifMatch != "*" && ifMatch != stored.ETag() {
		return serviceError(412, tableclient.CodeConditionNotMet, "The update condition specified in the request was not satisfied.")
	}
	switch r.Method {
	case "PUT":
		return f.write(path.Table, r.Body, true)
	case "DELETE":
		f.tables[path.Table] = slices.Delete(f.tables[path.Table], i, i+1)
		return tableclient.Response{Status: 204}
	}
	c := payload.Context{Level: payload.MinimalMetadata}
	return tableclient.Response{Status: 200, Body: c.AppendEntity(nil, path.Table, stored)}
}

func (f *fakeEndpoint) write(table string, body []byte, over bool) tableclient.Response {
	b, err := payload.DecodeEntity(body)
	if err != nil {
		return serviceError(400, "InvalidInput", err.Error())
	}
	key, _ := b.Key()
	i, found := f.find(table, key)
	if found && !over {
		return serviceError(409, tableclient.CodeEntityAlreadyExists, "The specified entity already exists.")
	}
	f.clock++
	e := &odata.Entity{PartitionKey: key.PartitionKey, RowKey: key.RowKey, Timestamp: f.clock, Properties: b.Properties}
	if found {
		f.tables[table][i] = e
	} else {
		f.tables[table] = slices.Insert(f.tables[table], i, e)
	}
	return tableclient.Response{Status: 204}
}
