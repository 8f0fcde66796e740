package server

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"time"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/server/auth"
	"sandtable/server/message"
)

// exchange is one HTTP request on its way to an answer: what its address and
// headers say before any of it is checked. Later stages have values of their own.
type exchange struct {
	*Handler
	http    *message.Request
	id      string
	started time.Time

	query    url.Values
	queryErr error
	endpoint endpoint
	protocol protocol
	// versionErr is why the version that the request names cannot be applied.
	versionErr error
	// account is the zero value until locate found it.
	account engine.Account
	// unread is why a policy that the signature names could not be read.
	unread error

	injection *injection // nil unless the account has faults

	bodyShare, replyShare share // of Options.BodyMemory and Options.ReplyMemory

	// The values of the later stages, here to share the allocation. Only answer
	// uses these fields.
	session session
	request request
	command command
	scope   Scope
	key     [1]odata.Key // of the scope, where it is one
	reply   reply
}

func (h *Handler) newExchange(in *message.Request) *exchange {
	return &exchange{
		Handler: h, http: in, id: newRequestID(), started: h.options.Now(),
		bodyShare: share{of: &h.bodies}, replyShare: share{of: &h.replies},
	}
}

// receive reads the first two stages, endpoint and protocol.
func (x *exchange) receive() {
	x.query, x.queryErr = parseQuery(x.http.URL.RawQuery)
	x.endpoint = findEndpoint(x.http, x.options.SameOrigin)
	x.protocol, x.versionErr = readProtocol(x.query, x.http.Header, x.endpoint.cosmos)
}

// locate looks the account up, once. A host of one's own, such as
// ACCOUNT.localhost, names an account only if there is one of that name;
// otherwise the account is in the path.
func (x *exchange) locate() error {
	err := x.findAccount(x.endpoint.account)
	if x.endpoint.guessed && errors.Is(err, engine.ErrAccountNotFound) {
		x.endpoint = pathEndpoint(x.http, x.options.SameOrigin)
		err = x.findAccount(x.endpoint.account)
	}
	anonymous := x.http.Header.Get("Authorization") == "" && !x.query.Has("sig")
	switch {
	case x.versionErr != nil:
		return x.versionErr
	case errors.Is(err, engine.ErrAccountNotFound) && anonymous:
		return errNoAccount
	case errors.Is(err, engine.ErrAccountNotFound):
		// With credentials for an account that does not exist, the caller learns no
		// more than that they are wrong.
		return &auth.Refusal{Err: auth.ErrAuthenticationFailed, Reason: "there is no account " + x.endpoint.account}
	case anonymous && x.account.Access == engine.StrictAccess && !x.protocol.named:
		// Our extension, the newest version, is for open accounts.
		x.protocol = x.protocol.asOldest(x.query, x.http.Header)
	}
	return err
}

func (x *exchange) findAccount(name string) (err error) {
	x.account, err = x.store.Account(x.http.Context, name)
	return err
}

// maxParameters is how many parameters an address may have; the service knows about
// thirty. Each takes far more memory than it has bytes.
const maxParameters = 100

var errParameters = fmt.Errorf("a request has at most %d query parameters", maxParameters)

// parseQuery reads the query of an address. A semicolon is a character like
// any other: clients write it in $format.
func parseQuery(text string) (url.Values, error) {
	switch {
	case text == "":
		return nil, nil
	case strings.Count(text, "&") >= maxParameters:
		return nil, errParameters
	}
	return url.ParseQuery(strings.ReplaceAll(text, ";", "%3B"))
}

// clientRequestID returns the client's id of the request, "" if it is not one
// that the service echoes.
func (x *exchange) clientRequestID() string {
	id := x.http.Header.Get("x-ms-client-request-id")
	notVisible := func(r rune) bool { return r < 0x20 || r > 0x7E }
	if len(id) > 1024 || strings.IndexFunc(id, notVisible) >= 0 {
		return ""
	}
	return id
}

// newRequestID returns an id in the form of the service's:
// xxxxxxxx-x002-00xx-xxxx-xxxxxx000000.
func newRequestID() string {
	id := randomGuid()
	id[4], id[5], id[6] = id[4]&0xF0, 0x02, 0x00
	clear(id[13:])
	return id.String()
}

func randomGuid() (id odata.Guid) {
	binary.LittleEndian.PutUint64(id[:], rand.Uint64())
	binary.LittleEndian.PutUint64(id[8:], rand.Uint64())
	return id
}
