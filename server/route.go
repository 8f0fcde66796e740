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
	// comp is the value of the query parameter comp, which the operations on XML
	// documents have.
	comp string
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
	{name: "Get Table ACL", method: "GET", resource: odata.EntitiesResource, comp: "acl",
		need: auth.Need{Type: auth.NoSAS}, prepare: prepareGetTableACL},
	{name: "Set Table ACL", method: "PUT", resource: odata.EntitiesResource, comp: "acl", writes: true,
		need: auth.Need{Type: auth.NoSAS}, prepare: prepareSetTableACL},
	{name: "Get Table Service Properties", method: "GET", resource: odata.ServiceResource, comp: "properties",
		need: auth.Need{Type: auth.Service, All: "r"}, prepare: prepareGetServiceProperties},
	{name: "Set Table Service Properties", method: "PUT", resource: odata.ServiceResource, comp: "properties", writes: true,
		need: auth.Need{Type: auth.Service, All: "w"}, prepare: prepareSetServiceProperties},
	{name: "Get Table Service Stats", method: "GET", resource: odata.ServiceResource, comp: "stats",
		need: auth.Need{Type: auth.Service, All: "r"}, prepare: prepareGetServiceStats},
	{name: "Entity Group Transaction", method: "POST", resource: odata.BatchResource, writes: true},
}

// entityGroupTransaction is the last of the table.
var entityGroupTransaction = &operations[len(operations)-1]

// findOperation returns the operation that a request means.
func findOperation(r *request) (*operation, error) {
	if err := checkComponent(r); err != nil {
		return nil, err
	}
	for i := range operations {
		o := &operations[i]
		if o.method != r.method || o.resource != r.path.Resource || o.comp != r.query.Get("comp") {
			continue
		}
		if o.conditional == withoutIfMatch && r.version < versionUpsert {
			return nil, errIfMatchMissing
		}
		if o.conditional == eitherWay || (o.conditional == withIfMatch) == (r.header.Get("If-Match") != "") {
			return o, nil
		}
	}
	return nil, errVerb
}

// checkComponent refuses a comp that the resource does not have.
func checkComponent(r *request) error {
	comp := r.query.Get("comp")
	if r.path.Resource != odata.ServiceResource {
		if comp != "" && (comp != "acl" || r.path.Resource != odata.EntitiesResource) {
			return errQueryValue
		}
		return nil
	}
	switch {
	case comp == "" && !r.query.Has("restype"):
		return errNotImplemented
	case r.query.Get("restype") != "service" || comp != "properties" && comp != "stats":
		return errQueryValue
	}
	return nil
}
