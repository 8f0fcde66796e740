package server

import (
	"cmp"
	"errors"
	"time"

	"sandtable/engine"
	"sandtable/server/auth"
	"sandtable/server/xmldoc"
)

// session is what the operations of one HTTP request share: the endpoint that
// it addresses and what its credentials allow there.
type session struct {
	endpoint
	grant      auth.Grant
	now        func() time.Time
	deleted    *deletions
	replyShare *share
	// only lists the operations that the request may perform, comma-separated; ""
	// for all. By it a page limits the sandboxes whose requests it forwards.
	only string
}

// authenticate checks the credentials of the request.
func (x *exchange) authenticate() (session, error) {
	in := x.http
	// EscapedPath would escape characters that were sent as they are; the signature covers
	// the path as it was sent.
	path := cmp.Or(in.URL.RawPath, in.URL.EscapedPath())
	grant, err := auth.Authenticate(auth.Request{
		Method: in.Method, Path: path, Query: x.query, Header: in.Header,
		HTTPS: in.TLS, IP: hostname(in.RemoteAddr), Version: in.Header.Get("x-ms-version"),
	}, auth.Account{
		Name: x.account.Name, Keys: x.account.Keys, Open: x.account.Access == engine.OpenAccess, Policy: x.policy,
	}, x.options.Now())
	if x.unread != nil {
		err = x.unread
	}
	return session{endpoint: x.endpoint, grant: grant, now: x.options.Now, deleted: x.deleted, replyShare: &x.replyShare, only: in.Header.Get(onlyHeader)}, err
}

// policy finds the stored access policy that a signature names. Without the table, or
// with a document that cannot be parsed, there is no such policy.
func (x *exchange) policy(table, id string) (found auth.Policy, ok bool) {
	document, err := x.store.Policies(x.http.Context, x.account.Name, table)
	if err != nil && !errors.Is(err, engine.ErrTableNotFound) && !errors.Is(err, engine.ErrAccountNotFound) {
		x.unread = err
		return found, false
	}
	policies, _ := xmldoc.ParsePolicies([]byte(document))
	for _, p := range policies {
		if p.ID == id {
			found, ok = auth.Policy{Start: p.Start, Expiry: p.Expiry, Permission: p.Permission}, true
		}
	}
	return found, ok
}
