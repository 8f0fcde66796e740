package server

import (
	"cmp"
	"errors"
	"net/url"
	"strings"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/server/auth"
	"sandtable/server/message"
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
	// storageOnly is set where Cosmos DB lacks the operation.
	storageOnly bool
	need        auth.Need
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

// command is what is left of a request once it was read and accepted: the part
// that needs a transaction.
type command struct {
	key   odata.Key     // of the entity that it touches
	keyed bool          // it touches one
	query *engine.Query // that it runs, but for the deadline; nil for none
	table string        // that it creates
	// run gets the table that the request's path names, nil for operations on
	// the account and on the list of tables.
	run func(tx Tx, table Table) (reply, error)
}

// requestLine is an operation as it was sent, alone or in a batch.
type requestLine struct {
	method    string
	overrides []string // values of X-HTTP-Method
	base      string   // of the addresses in the answer, see [endpoint]
	path      string   // escaped, below the account
	query     url.Values
	queryErr  error
	header    header
}

// request is one operation as it was requested, alone or in a batch.
type request struct {
	*session
	protocol
	method    string // MERGE for its synonym PATCH, and as X-HTTP-Method says
	base      string
	path      odata.Path
	query     url.Values
	header    header
	operation *operation // from admit on

	bodyFormat format
	body       []byte
}

// read sets r to what a request line means.
func (r *request) read(s *session, p protocol, line requestLine) error {
	if p.cosmos && line.method == message.MethodPatch {
		return errCosmosPatch
	}
	method, err := tunnelled(strings.ToUpper(line.method), line.overrides)
	if err != nil {
		return err
	}
	if line.queryErr != nil {
		return odata.ErrPathSyntax
	}
	*r = request{session: s, protocol: p.forMethod(method), method: method, base: line.base, query: line.query, header: line.header}
	if r.path, err = s.parsePath(method, line.path); err == nil && r.path.Resource == odata.BatchResource {
		return nil // whose operations have representations of their own
	}
	if r.formatErr != nil {
		return r.formatErr
	}
	return err
}

func (s *session) parsePath(method, escaped string) (odata.Path, error) {
	path, err := odata.ParsePath(escaped)
	switch {
	case s.cosmos && (errors.Is(err, odata.ErrKeyCount) || errors.Is(err, odata.ErrPathNotImplemented)):
		return path, errCosmosAddress
	case errors.Is(err, odata.ErrKeyCount):
		return path, keyCountError(s.account + "." + cmp.Or(path.Table, "Tables"))
	case errors.Is(err, odata.ErrPathNotImplemented) && method == message.MethodPost &&
		path.Resource == odata.EntitiesResource && !strings.Contains(escaped, "("):
		// The service takes whatever is posted below a table for an insert into it: a
		// new table, as recorded, and a batch, as reported.
		return path, nil
	}
	return path, err
}

// tunnelled returns the method that a request means: that of X-HTTP-Method
// for a POST that has one, and MERGE for its synonym PATCH.
func tunnelled(method string, overrides []string) (string, error) {
	switch {
	case strings.Contains(strings.Join(overrides, ","), ","):
		return method, errMethodCount
	case len(overrides) == 1 && method != message.MethodPost:
		return method, errMethodNotPost
	case len(overrides) == 1:
		switch method = strings.ToUpper(overrides[0]); method {
		case "MERGE", message.MethodPatch, message.MethodPut, message.MethodDelete:
		default:
			return method, errMethodValue
		}
	}
	if method == message.MethodPatch {
		return "MERGE", nil
	}
	return method, nil
}

// checkContentType reads the format of the body, if the operation has one.
func (r *request) checkContentType() (err error) {
	if r.operation.body {
		r.bodyFormat, err = bodyFormat(r.header.Get("Content-Type"), r.version)
	}
	return err
}

// openTable finds the table whose entities or policies the operation works on.
func (r *request) openTable(tx Tx) (Table, error) {
	if r.path.Resource != odata.EntitiesResource && r.path.Resource != odata.EntityResource {
		return nil, nil
	}
	table, err := tx.Table()
	switch {
	case err == engine.ErrTableNotFound && r.deleted.has(r.account, r.path.Table):
		return nil, errTableBeingDeleted
	case err != nil:
		return nil, err
	}
	table.SetRules(engine.EntityRules{Size: r.limits.EntitySize, Properties: r.limits.Properties, AsGiven: r.cosmos})
	return table, nil
}
