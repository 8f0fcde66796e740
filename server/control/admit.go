package control

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/netip"
	"net/url"
	"strings"

	"sandtable/server/message"
)

var (
	errHost  = &controlError{403, "HostNotAllowed", "The control API is for this machine only: use 127.0.0.1 or localhost.", ""}
	errToken = &controlError{401, "TokenRequired", "The control API needs its token, as \"Authorization: Bearer TOKEN\" or ?token=TOKEN.", ""}
	errSite  = &controlError{403, "CrossSiteRequest", "Another site sent this request.", ""}
	errForm  = &controlError{403, "CrossSiteRequest", "A request that changes something needs Content-Type application/json or application/x-ndjson, or an X-Sandtable header: " +
		"the form of another site can send neither.", ""}
)

// admit refuses requests that other sites may have made, and requests without
// the token if there is one.
func (h *Handler) admit(r *message.Request) error {
	if h.options.Token != "" {
		// The host first: a page whose name was made to point here (DNS rebinding)
		// learns nothing.
		if !h.options.AnyHost && !isLoopback(r.Host) {
			return errHost
		}
		if !h.hasToken(r) {
			return errToken
		}
	}
	return checkSite(r)
}

func (h *Handler) hasToken(r *message.Request) bool {
	scheme, got, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		query, _ := url.ParseQuery(r.URL.RawQuery)
		got = query.Get("token")
	}
	// Hashed, so that the comparison reveals not even the length.
	want, sum := sha256.Sum256([]byte(h.options.Token)), sha256.Sum256([]byte(got))
	return subtle.ConstantTimeCompare(want[:], sum[:]) == 1
}

// checkSite refuses a mutating request that a page of another site could make a
// browser send. A form can POST to any address, but it cannot set headers, and
// only three content types.
//
// Sources: "Fetch", https://fetch.spec.whatwg.org/#cors-safelisted-request-header;
// "Fetch Metadata Request Headers", https://www.w3.org/TR/fetch-metadata/.
func checkSite(r *message.Request) error {
	switch r.Method {
	case message.MethodGet, message.MethodHead, message.MethodOptions:
		return nil
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
	default:
		return errSite
	}
	media, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	switch strings.ToLower(strings.TrimSpace(media)) {
	case "application/json", "application/x-ndjson":
		return nil
	}
	if r.Header.Get("X-Sandtable") == "" && r.Header.Get("Authorization") == "" {
		return errForm
	}
	return nil
}

// isLoopback reports whether a Host header names this machine itself. Subdomains of
// localhost, which are addresses of accounts, do not.
func isLoopback(host string) bool {
	name := (&url.URL{Host: host}).Hostname()
	if ip, err := netip.ParseAddr(name); err == nil {
		return ip.Unmap().IsLoopback()
	}
	return strings.EqualFold(name, "localhost")
}
