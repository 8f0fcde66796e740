package server

import (
	"sandtable/odata"
	"sandtable/server/auth"
)

// operation is one operation of the service.
type operation struct {
	// name is the operation's name in the service's reference.
	name     string
	method   string
	resource odata.Resource
	// conditional says whether the operation is the one with or the one without
	// If-Match, where the service has two.
	conditional conditional
	writes      bool
	// body is set where a request has a body in a negotiated representation.
	body bool
	// prefers is set where Prefer counts.
	prefers bool
	need    auth.Need
	// prepare reads and refuses a request; nil for entity group transactions,
	// which run other operations.
	prepare func(*request) (command, error)
}

type conditional uint8

const (
	eitherWay conditional = iota
	withIfMatch
	withoutIfMatch
)

// operations is the table of what the service can do.
//
// Sources: "Table service REST API"; "Create an account SAS" and "Create a
// service SAS" for the permissions.
var operations = []operation{
	{name: "Query Tables", method: "GET", resource: odata.TablesResource,
		need: auth.Need{Type: auth.Container, All: "l"}, prepare: prepareQueryTables},
	{name: "Create Table", method: "POST", resource: odata.TablesResource, writes: true, body: true, prefers: true,
		need: auth.Need{Type: auth.Container, Any: "cw"}, prepare: prepareCreateTable},
	{name: "Get Table", method: "GET", resource: odata.TableResource,
		need: auth.Need{Type: auth.Container, All: "l"}, prepare: prepareGetTable},
	{name: "Delete Table", method: "DELETE", resource: odata.TableResource, writes: true,
		need: auth.Need{Type: auth.Container, All: "d"}, prepare: prepareDeleteTable},
	{name: "Query Entities", method: "GET", resource: odata.EntitiesResource,
		need: auth.Need{Type: auth.Object, All: "r"}, prepare: prepareQueryEntities},
	{name: "Get Entity", method: "GET", resource: odata.EntityResource,
		need: auth.Need{Type: auth.Object, All: "r"}, prepare: prepareGetEntity},
	{name: "Insert Entity", method: "POST", resource: odata.EntitiesResource, writes: true, body: true, prefers: true,
		need: auth.Need{Type: auth.Object, All: "a"}, prepare: prepareInsertEntity},
	{name: "Update Entity", method: "PUT", resource: odata.EntityResource, conditional: withIfMatch, writes: true, body: true,
		need: auth.Need{Type: auth.Object, All: "u"}, prepare: prepareUpdateEntity},
	{name: "Insert Or Replace Entity", method: "PUT", resource: odata.EntityResource, conditional: withoutIfMatch, writes: true, body: true,
		need: auth.Need{Type: auth.Object, All: "au"}, prepare: prepareUpdateEntity},
	{name: "Merge Entity", method: "MERGE", resource: odata.EntityResource, conditional: withIfMatch, writes: true, body: true,
		need: auth.Need{Type: auth.Object, All: "u"}, prepare: prepareMergeEntity},
	{name: "Insert Or Merge Entity", method: "MERGE", resource: odata.EntityResource, conditional: withoutIfMatch, writes: true, body: true,
		need: auth.Need{Type: auth.Object, All: "au"}, prepare: prepareMergeEntity},
	{name: "Delete Entity", method: "DELETE", resource: odata.EntityResource, writes: true,
		need: auth.Need{Type: auth.Object, All: "d"}, prepare: prepareDeleteEntity},
	{name: "Entity Group Transaction", method: "POST", resource: odata.BatchResource, writes: true},
}

// findOperation returns the operation that a request means.
func findOperation(r *request) (*operation, error) {
	if r.query.Has("comp") || r.path.Resource == odata.ServiceResource {
		return nil, errNotImplemented
	}
	for i := range operations {
		o := &operations[i]
		if o.method != r.method || o.resource != r.path.Resource {
			continue
		}
		if o.conditional == eitherWay || (o.conditional == withIfMatch) == (r.header.Get("If-Match") != "") {
			return o, nil
		}
	}
	return nil, errVerb
}
