package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/netip"
	"strings"

	"sandtable/server/message"
)

var (
	errHost  = &controlError{403, "HostNotAllowed", "The control API is for this machine: ask for it at 127.0.0.1 or localhost.", ""}
	errToken = &controlError{401, "TokenRequired", "The control API needs its token, as \"Authorization: Bearer …\" or as ?token=….", ""}
)

// admit refuses a request of the control API that does not have the token,
// where there is one. A page of another site cannot have it; and a page whose
// host's name was made to lead here, DNS rebinding, is told by that name.
func (h *Handler) admit(r *message.Request) error {
	if h.options.ControlToken == "" {
		return nil
	}
	if !isLoopback(r.Host) {
		return errHost
	}
	scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		query, _ := parseQuery(r.URL.RawQuery)
		given = query.Get("token")
	}
	// Of hashes, so that not even the length shows.
	want, got := sha256.Sum256([]byte(h.options.ControlToken)), sha256.Sum256([]byte(given))
	if subtle.ConstantTimeCompare(want[:], got[:]) != 1 {
		return errToken
	}
	return nil
}

// isLoopback reports whether a Host header names this machine to itself.
func isLoopback(host string) bool {
	name := host
	if at, err := netip.ParseAddrPort(host); err == nil {
		return at.Addr().Unmap().IsLoopback()
	}
	if i := strings.LastIndexByte(name, ':'); i >= 0 && !strings.HasSuffix(name, "]") {
		name = name[:i]
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
	if ip, err := netip.ParseAddr(name); err == nil {
		return ip.Unmap().IsLoopback()
	}
	return strings.EqualFold(name, "localhost")
}
