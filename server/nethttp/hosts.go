package nethttp

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// maxHost is the length of the longest name that DNS has. Responses repeat the host,
// for each entity with full metadata.
const maxHost = 255

// OnlyHosts refuses requests that name another host than this machine: a page
// whose host name was made to point here (DNS rebinding) is of the same origin as
// the server for its browser, and could read everything. Loopback addresses,
// localhost and its subdomains are always allowed, and hosts for which allowed
// returns true.
func OnlyHosts(h http.Handler, allowed func(host string) bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := strings.ToLower(strings.TrimSuffix((&url.URL{Host: r.Host}).Hostname(), "."))
		if host == "" || len(host) <= maxHost && (isLoopback(host) || allowed(host)) {
			h.ServeHTTP(w, r)
			return
		}
		host = host[:min(len(host), maxHost)]
		http.Error(w, fmt.Sprintf("host %q is not allowed: start the server with -host %s", host, host), http.StatusForbidden)
	})
}

// isLoopback reports whether a host, in lower case and without a port, is this
// machine for itself: a loopback address, localhost, or a subdomain of it.
func isLoopback(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().IsLoopback()
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}
