package server

import (
	"slices"
	"strings"

	"sandtable/odata"
	"sandtable/server/auth"
	"sandtable/server/message"
)

// operations lists what the service can do.
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
	{name: "Update Entity", method: "PUT", resource: odata.EntityResource, conditional: withIfMatch, writes: true, body: true, prefers: true,
		need: auth.Need{Type: auth.Object, All: "u"}, prepare: prepareUpdateEntity},
	{name: "Insert Or Replace Entity", method: "PUT", resource: odata.EntityResource, conditional: withoutIfMatch, writes: true, body: true, prefers: true,
		need: auth.Need{Type: auth.Object, All: "au"}, prepare: prepareUpdateEntity},
	{name: "Merge Entity", method: "MERGE", resource: odata.EntityResource, conditional: withIfMatch, writes: true, body: true, prefers: true,
		need: auth.Need{Type: auth.Object, All: "u"}, prepare: prepareMergeEntity},
	{name: "Insert Or Merge Entity", method: "MERGE", resource: odata.EntityResource, conditional: withoutIfMatch, writes: true, body: true, prefers: true,
		need: auth.Need{Type: auth.Object, All: "au"}, prepare: prepareMergeEntity},
	{name: "Delete Entity", method: "DELETE", resource: odata.EntityResource, writes: true,
		need: auth.Need{Type: auth.Object, All: "d"}, prepare: prepareDeleteEntity},
	{name: "Get Table ACL", method: "GET", resource: odata.EntitiesResource, comp: "acl",
		need: auth.Need{Type: auth.NoSAS}, prepare: prepareGetTableACL},
	{name: "Set Table ACL", method: "PUT", resource: odata.EntitiesResource, comp: "acl", writes: true, storageOnly: true,
		need: auth.Need{Type: auth.NoSAS}, prepare: prepareSetTableACL},
	{name: "Get Table Service Properties", method: "GET", resource: odata.ServiceResource, comp: "properties",
		need: auth.Need{Type: auth.Service, All: "r"}, prepare: prepareGetServiceProperties},
	{name: "Set Table Service Properties", method: "PUT", resource: odata.ServiceResource, comp: "properties", writes: true, storageOnly: true,
		need: auth.Need{Type: auth.Service, All: "w"}, prepare: prepareSetServiceProperties},
	{name: "Get Table Service Stats", method: "GET", resource: odata.ServiceResource, comp: "stats", storageOnly: true,
		need: auth.Need{Type: auth.Service, All: "r"}, prepare: prepareGetServiceStats},
	{name: "Entity Group Transaction", method: "POST", resource: odata.BatchResource, writes: true},
}

// entityGroupTransaction is the last of the table.
var entityGroupTransaction = &operations[len(operations)-1]

// IsOperation reports whether an operation of the service has this name.
func IsOperation(name string) bool {
	return slices.ContainsFunc(operations, func(o operation) bool { return o.name == name })
}

// onlyHeader names the operations that a request may be, those of its batch included.
const onlyHeader = "X-Sandtable-Operations"

// admit finds the operation that a request means, and refuses it if the
// request's grant does not reach it.
func (r *request) admit() error {
	o, err := findOperation(r)
	if err != nil {
		return err
	}
	r.operation = o
	if r.only != "" && !slices.Contains(strings.Split(r.only, ","), o.name) {
		return auth.ErrPermissionMismatch
	}
	if err := r.grant.Check(o.need, r.path.Table); err != nil {
		return err
	}
	switch {
	case r.cosmos && o.storageOnly:
		return errCosmosUnsupported
	case r.cosmos && r.grant.Keys() != odata.KeyRange{}:
		return errCosmosKeyRange
	}
	return nil
}

// prepare checks the headers that every operation has, and lets the operation
// read the rest.
func (r *request) prepare() (command, error) {
	if err := r.checkConditions(); err != nil {
		return command{}, err
	}
	if r.operation.prefers {
		r.preference = r.readPreference(r.method, r.header)
	}
	return r.operation.prepare(r)
}

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
	if !slices.Contains(knownVerbs, r.method) {
		return nil, errUnknownVerb
	}
	if r.document {
		return nil, errVerb
	}
	return nil, errMethodNotAllowed
}

// knownVerbs are the methods that some resource has, and HEAD. A PATCH has become a MERGE
// before they are looked up.
var knownVerbs = []string{message.MethodGet, message.MethodPost, message.MethodPut, message.MethodDelete, "MERGE", message.MethodHead}

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
		if r.method == message.MethodGet {
			return errNotImplemented
		}
		return nil
	case r.query.Get("restype") != "service" || comp != "properties" && comp != "stats":
		return errQueryValue
	}
	return nil
}
