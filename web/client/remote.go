package client

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"sandtable/odata/connection"
	"sandtable/web/sas"
)

// Remote is an account of another endpoint, with its credentials: of a native
// Sandtable, Azurite, or the service itself.
type Remote struct {
	Account  string `json:"account"`
	Endpoint string `json:"endpoint"`        // the account's address without a slash at its end
	Key      string `json:"key,omitempty"`   // in Base64; "" with a SAS
	SAS      string `json:"sas,omitempty"`   // without a question mark; "" with a key
	Table    string `json:"table,omitempty"` // the only table that the SAS reaches; "" for all
}

// ID distinguishes the account from those of this browser and of other endpoints,
// in addresses and as a key: "contosodata@core.windows.net".
func (r Remote) ID() string {
	u, err := url.Parse(r.Endpoint)
	if err != nil {
		return r.Account + "@"
	}
	host := strings.TrimPrefix(strings.TrimPrefix(u.Host, r.Account+"."), "table.")
	if u.Scheme == "http" && u.Port() == "" {
		host += ":80" // another endpoint than that of https
	}
	return r.Account + "@" + host + strings.TrimSuffix(u.EscapedPath(), "/"+r.Account)
}

// Valid reports whether the account can be used: a stored one may be anything.
func (r Remote) Valid() bool {
	_, err := connection.New(r.Endpoint, r.Account, r.Key, r.SAS)
	return err == nil && r.Account != ""
}

// Client returns a client that signs its requests, or adds the SAS. They reach
// the network even if a service worker has an account of the same address.
func (r Remote) Client(t Transport) *Client {
	key, _ := sas.DecodeKey(r.Key) // an invalid one is refused by the endpoint
	return &Client{Base: r.Endpoint, Transport: &remoteTransport{remote: r, key: key, next: t, now: time.Now}}
}

// networkMark at the end of an address leaves a request to the network: the
// service worker answers no address that has it. Browsers send no fragments.
const networkMark = "#network"

// remoteTransport authorizes requests for an account.
type remoteTransport struct {
	remote Remote
	key    []byte
	next   Transport
	now    func() time.Time
}

// Do implements [Transport].
func (t *remoteTransport) Do(ctx context.Context, r Request) (Response, error) {
	// Only Sandtable knows this header, and a CORS rule need not allow it.
	r.Header = slices.DeleteFunc(slices.Clone(r.Header), func(f Field) bool { return f.Name == explainHeader })
	if t.remote.SAS != "" {
		r.URL = withOption(r.URL, t.remote.SAS)
	} else {
		u, err := url.Parse(r.URL)
		if err != nil {
			return Response{}, err
		}
		date := t.now().UTC().Format(TimeFormat)
		r.Header = append(r.Header, Field{"x-ms-date", date}, Field{"Authorization", sas.SharedKey(t.remote.Account, t.key, sas.Request{
			Method: r.Method, Path: u.EscapedPath(), Comp: u.Query().Get("comp"), ContentType: r.Header.Get("Content-Type"), Date: date,
		})})
	}
	r.URL += networkMark
	response, err := t.next.Do(ctx, r)
	if !errors.Is(err, ErrNoAnswer) {
		return response, err
	}
	why := t.diagnose(ctx, err)
	if why.Reason == CORSBlocked && r.Method == MethodGet {
		// The endpoint may have come up between the request and its diagnosis.
		if response, err := t.next.Do(ctx, r); !errors.Is(err, ErrNoAnswer) {
			return response, err
		}
	}
	return Response{}, why
}

// withOption adds options to an address that may have some.
func withOption(address, options string) string {
	if strings.Contains(address, "?") {
		return address + "&" + options
	}
	return address + "?" + options
}

// Check makes sure that the account can be used: that it answers, accepts the
// credentials, and lets the page see the headers that say where lists continue.
func (c *Client) Check(ctx context.Context, table string) error {
	resource := "/Tables?$top=1"
	if table != "" {
		resource = TablePath(table) + "()?$top=1"
	}
	response, err := Send(ctx, c.Transport, Request{Method: MethodGet, URL: c.Base + resource,
		Header: Header{{"Accept", "application/json;odata=nometadata"}, {"x-ms-version", version}}})
	if err == nil && response.Header.Get("x-ms-version") == "" && response.Header.Get("x-ms-request-id") == "" {
		return &Unreachable{Reason: HeadersHidden, Endpoint: c.Base, Origin: pageOrigin(), cause: errXML}
	}
	return err
}

// Reason is why a page gets no answer from an endpoint.
type Reason uint8

// The reasons. CORSBlocked means that the endpoint is there, but that the
// browser keeps its answer from the page.
const (
	Down Reason = iota
	Offline
	MixedContent
	CORSBlocked
	HeadersHidden
)

// Unreachable means that the page did not get the answer to a request to another
// endpoint. It wraps [ErrNoAnswer].
type Unreachable struct {
	Reason   Reason
	Endpoint string
	Origin   string // of the page, which a CORS rule must name
	cause    error
}

// Error says what is wrong in a sentence.
func (e *Unreachable) Error() string {
	host := hostOf(e.Endpoint)
	switch e.Reason {
	case Offline:
		return "This computer is offline, and " + host + " is not on it. The tables of this browser work as always."
	case MixedContent:
		return "This page came over https, so the browser sends nothing to " + host + " over http. Use an https address, or open this page from this computer (http://localhost)."
	case CORSBlocked:
		return host + " answers, but the browser keeps the answer from this page: the account has no CORS rule for it."
	case HeadersHidden:
		return host + " answers, but its CORS rule exposes no headers, so this page cannot see where a long list continues."
	}
	if connection.IsLoopback(host) {
		return "Nothing answers at " + host + ". Is the server running? The browser may also have to be allowed to reach this computer."
	}
	return "Nothing answers at " + host + ". Check the address and the network."
}

func (e *Unreachable) Unwrap() []error { return []error{ErrNoAnswer, e.cause} }

// Rule is the CORS rule that lets the page use the account; ok is false where
// none would help.
func (e *Unreachable) Rule() (rule CORSRule, ok bool) {
	return CORSRule{Origins: e.Origin, Methods: "DELETE,GET,HEAD,MERGE,OPTIONS,PATCH,POST,PUT", AllowedHeaders: "*", Exposed: "*", MaxAge: "3600"},
		e.Reason == CORSBlocked || e.Reason == HeadersHidden
}

// diagnoser is a transport that can say why there was no answer.
type diagnoser interface {
	Diagnose(ctx context.Context, address string) Reason
}

func (t *remoteTransport) diagnose(ctx context.Context, err error) *Unreachable {
	e := &Unreachable{Endpoint: t.remote.Endpoint, Origin: pageOrigin(), cause: err}
	if d, ok := t.next.(diagnoser); ok {
		e.Reason = d.Diagnose(ctx, t.remote.Endpoint+"/Tables"+networkMark)
	}
	return e
}

func hostOf(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil {
		return endpoint
	}
	return u.Host
}
