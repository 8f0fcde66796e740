package server

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/server/auth"
	"sandtable/server/message"
)

// Options say how a [Handler] answers. The zero value is a handler for the
// native server: no page shares its origin, and CORS follows the accounts' rules.
type Options struct {
	// SameOrigin also answers the service under /table/ACCOUNT, for a handler
	// that shares the origin of a page.
	SameOrigin bool
	// TableDeletion is how long the name of a deleted table stays blocked; the
	// service takes 40 seconds or more. 0 does not block it.
	TableDeletion time.Duration
	// PermissiveCORS lets pages of all origins in where an account has no rules
	// of its own. [Handler.SetPermissiveCORS] changes it.
	PermissiveCORS bool
	// Observers learn about every request, in their order.
	Observers []Observer
	// Now is the clock for signatures, error texts, records and the time limit of
	// a query; time.Now if nil. Timestamps come from the engine's clock.
	Now func() time.Time
}

// Handler answers the REST API of the table service for the accounts of a
// database. It is safe for concurrent use.
type Handler struct {
	db             *engine.DB
	options        Options
	rules          sync.Map // account name to parsedRules
	deleted        *deletions
	permissiveCORS atomic.Bool
}

// New returns a handler over a database.
func New(db *engine.DB, options Options) *Handler {
	if options.Now == nil {
		options.Now = time.Now
	}
	h := &Handler{db: db, options: options, deleted: newDeletions(options.TableDeletion, options.Now)}
	h.permissiveCORS.Store(options.PermissiveCORS)
	return h
}

// SetPermissiveCORS changes Options.PermissiveCORS for the requests that follow.
func (h *Handler) SetPermissiveCORS(on bool) { h.permissiveCORS.Store(on) }

// UnblockDeletedTables frees the names that Options.TableDeletion blocks.
func (h *Handler) UnblockDeletedTables() { h.deleted.clear() }

// exchange is a request on its way through the handler.
type exchange struct {
	handler   *Handler
	http      *message.Request
	endpoint  endpoint
	account   engine.Account // as it was when the request came
	scope     scope
	request   request
	operation *operation
	requestID string
	started   time.Time
	// sentVersion is x-ms-version as it came.
	sentVersion string
	statistics  Statistics // of a query in a batch
}

// Serve answers one request.
func (h *Handler) Serve(w message.ResponseWriter, r *message.Request) {
	x := &exchange{handler: h, http: r, requestID: newRequestID(), started: h.options.Now()}
	done, err := x.guarded()
	if err != nil {
		done = x.fail(err)
	}
	x.allowOrigin(done)
	x.write(w, done)
	x.observe(w.Header(), done, err)
}

// guarded answers the request, and turns a panic, a fault of ours, into an
// error: nothing was changed, and the server goes on.
func (x *exchange) guarded() (done *reply, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("panic: %v\n%s", fault, debug.Stack())
		}
	}()
	return x.answer()
}

// answer is the order in which a request is examined; what comes first is
// refused first. Source: observed precedence of errors.
func (x *exchange) answer() (*reply, error) {
	query, queryErr := parseQuery(x.http.URL.RawQuery)
	x.endpoint = findEndpoint(x.http, x.handler.db, x.handler.options.SameOrigin)
	x.scope = scope{
		account: x.endpoint.account, base: x.endpoint.base,
		secondary: x.endpoint.secondary, cosmos: x.endpoint.cosmos, deleted: x.handler.deleted, now: x.handler.options.Now,
	}
	x.request = request{scope: &x.scope, method: x.http.Method, query: query, header: x.http.Header, document: query.Has("comp")}
	versionErr := x.readVersion()
	r := &x.request
	var formatErr, err error
	r.representation, formatErr = negotiate(query, r.header, r.version)
	if versionErr != nil {
		return nil, versionErr
	}
	if err := x.findAccount(); err != nil {
		return nil, err
	}
	if x.http.Method == message.MethodOptions {
		return x.preflight()
	}
	if x.speaksOldest() {
		r.version = versionOldest
		r.representation, formatErr = negotiate(query, r.header, r.version)
	}
	if err := x.authenticate(); err != nil {
		return nil, err
	}
	if r.method, err = tunnelled(strings.ToUpper(r.method), x.http.Header.Values("X-HTTP-Method")); err != nil {
		return nil, err
	}
	if queryErr != nil {
		return nil, odata.ErrPathSyntax
	}
	pathErr := x.readPath()
	switch {
	case pathErr == nil && r.path.Resource == odata.BatchResource:
		return x.answerBatch() // whose parts have representations of their own
	case formatErr != nil && !r.document:
		return nil, formatErr
	case pathErr != nil:
		return nil, pathErr
	}
	return x.answerOne()
}

// answerOne runs any operation but an entity group transaction.
func (x *exchange) answerOne() (*reply, error) {
	r := &x.request
	o, err := x.permitted(r)
	if err != nil {
		return nil, err
	}
	x.operation = o
	if o.writes && x.endpoint.secondary {
		return nil, errSecondaryWrite
	}
	if o.body {
		if r.bodyFormat, err = bodyFormat(r.header.Get("Content-Type"), r.version); err != nil {
			return nil, err
		}
	}
	if r.body, err = readBody(x.http); err != nil {
		return nil, err
	}
	run, err := prepare(o, r)
	if err != nil {
		return nil, err
	}
	transaction := x.handler.db.View
	if o.writes {
		transaction = x.handler.db.Update
	}
	var done *reply
	err = transaction(func(tx *engine.Tx) (err error) {
		done, err = run(tx)
		return err
	})
	if err == nil && done.deletedTable != "" {
		x.handler.deleted.add(r.account, done.deletedTable)
	}
	return done, err
}

// permitted finds the operation that a request means and checks that the
// request's grant reaches it.
func (x *exchange) permitted(r *request) (*operation, error) {
	o, err := findOperation(r)
	if err != nil {
		return nil, err
	}
	if err := r.grant.Check(o.need, r.path.Table); err != nil {
		return nil, err
	}
	return o, nil
}

// prepare reads and refuses a request, whose operation is known.
func prepare(o *operation, r *request) (command, error) {
	if err := r.checkConditions(); err != nil {
		return nil, err
	}
	if o.prefers {
		r.preference = preferenceOf(r.header, r.version)
	}
	return o.prepare(r)
}

// readVersion finds the version of the service that the request speaks. One
// without a version and without a signature is our own extension and is taken
// to speak the newest.
func (x *exchange) readVersion() error {
	r := &x.request
	x.sentVersion = r.header.Get("x-ms-version")
	r.version = x.sentVersion
	switch sv := r.query.Get("sv"); {
	case !r.query.Has("sig") || r.header.Get("Authorization") != "":
	case checkVersion(sv) && sv < versionOwnOfSAS:
		r.version = sv
	default:
		for _, version := range []string{r.query.Get("api-version"), x.sentVersion, r.query.Get("sv")} {
			if r.version = version; version != "" {
				break
			}
		}
	}
	switch {
	case r.version == "" && r.header.Get("Authorization") == "":
		r.version = versionNewest
	case r.version == "":
		r.version = versionOldest
	case !checkVersion(r.version):
		r.version = versionNewest
		return errVersion
	}
	return nil
}

// speaksOldest reports whether a request is one without a version and without a
// signature to a strict account, which takes it as the service does.
func (x *exchange) speaksOldest() bool {
	r := &x.request
	return x.account.Access == engine.StrictAccess && x.sentVersion == "" && !r.query.Has("sig") && r.header.Get("Authorization") == ""
}

func (x *exchange) findAccount() error {
	r := &x.request
	err := x.handler.db.View(func(tx *engine.Tx) (err error) {
		x.account, err = tx.Account(r.account)
		return err
	})
	if !errors.Is(err, engine.ErrAccountNotFound) {
		return err
	}
	// Who shows credentials for an account that is not there learns no more
	// than that they are wrong.
	if r.header.Get("Authorization") != "" || r.query.Has("sig") {
		return &auth.Refusal{Err: auth.ErrAuthenticationFailed, Reason: "there is no account " + r.account}
	}
	return errNoAccount
}

func (x *exchange) authenticate() error {
	r := &x.request
	var err error
	r.grant, err = auth.Authenticate(auth.Request{
		Method: x.http.Method, Path: x.http.URL.EscapedPath(), Query: r.query, Header: r.header,
		HTTPS: Scheme(x.http) == "https", IP: hostname(x.http.RemoteAddr), Version: x.sentVersion,
	}, auth.Account{
		Name: x.account.Name, Keys: x.account.Keys, Open: x.account.Access == engine.OpenAccess, Policy: x.policy,
	}, x.handler.options.Now())
	return err
}

func (x *exchange) readPath() error {
	var err error
	x.request.path, err = odata.ParsePath(x.endpoint.path)
	switch {
	case errors.Is(err, odata.ErrKeyCount):
		return keyCountError(x.endpoint.account + "." + x.request.path.Table)
	case errors.Is(err, odata.ErrPathNotImplemented) && x.insertsBelow():
		return nil
	}
	return err
}

// insertsBelow reports whether a request makes a table below a table, which the
// service takes for an insert into the latter, as recorded.
func (x *exchange) insertsBelow() bool {
	r := &x.request
	return r.method == message.MethodPost && r.path.Resource == odata.EntitiesResource && strings.HasSuffix(x.endpoint.path, "/Tables")
}

// newRequestID returns an id in the form of the service's.
func newRequestID() string {
	a, b := rand.Uint64(), rand.Uint64()
	return fmt.Sprintf("%08x-%x002-00%02x-%04x-%06x000000",
		uint32(a), uint8(a>>32)&0xF, uint8(a>>40), uint16(a>>48), uint32(b)&0xFFFFFF)
}
