package server

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"sandtable/odata"
	"sandtable/server/message"
)

// hostSuffixes follow an account's name in the host of its table endpoint: in
// the public cloud, the sovereign ones and Cosmos DB.
//
// Source: "Addressing Table service resources".
var hostSuffixes = []string{
	".table.core.windows.net",
	".table.core.chinacloudapi.cn",
	".table.core.usgovcloudapi.net",
	".table.core.cloudapi.de",
	".table.cosmosdb.azure.com",
	".table.cosmos.azure.com",
}

// isCosmos reports whether a host is one of Cosmos DB's Table API; cosmos.go
// has the differences.
func isCosmos(host string) bool { return strings.Contains(strings.ToLower(host), ".table.cosmos") }

// endpoint is the account that a request addresses, and how.
type endpoint struct {
	account   string
	secondary bool // the read-only endpoint
	cosmos    bool
	// guessed is set for a host that names an account only if one exists.
	guessed bool
	// base precedes a resource in the addresses that the service writes, without
	// a final slash.
	base string
	// prefix is the part of base that belongs to the path: "" where the
	// account is in the host.
	prefix string
	// path is the escaped path behind prefix.
	path string
}

// findEndpoint reads the account from the host or, for other hosts, from the
// first segment of the path, which may follow sameOrigin.
func findEndpoint(in *message.Request, sameOrigin string) endpoint {
	if label, ok := serviceLabel(in.Host); ok {
		return hostEndpoint(in, label)
	}
	below := sameOrigin != "" && strings.HasPrefix(in.URL.EscapedPath(), sameOrigin+"/")
	if label, ok := accountLabel(in.Host); ok && !below {
		e := hostEndpoint(in, label)
		e.guessed = true
		return e
	}
	return pathEndpoint(in, sameOrigin)
}

func hostEndpoint(in *message.Request, label string) endpoint {
	e := endpoint{base: Scheme(in) + "://" + in.Host, path: in.URL.EscapedPath(), cosmos: isCosmos(in.Host)}
	e.account, e.secondary = strings.CutSuffix(label, odata.SecondarySuffix)
	return e
}

// pathEndpoint reads the account from the path. On a page's own origin it follows
// sameOrigin.
func pathEndpoint(in *message.Request, sameOrigin string) endpoint {
	path, prefix := in.URL.EscapedPath(), ""
	if rest, ok := strings.CutPrefix(path, sameOrigin+"/"); ok {
		prefix, path = sameOrigin, "/"+rest
	}
	segment, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	prefix += "/" + segment
	e := endpoint{base: Scheme(in) + "://" + in.Host + prefix, prefix: prefix, path: strings.TrimPrefix(path, "/"+segment)}
	e.account, e.secondary = strings.CutSuffix(segment, odata.SecondarySuffix)
	return e
}

// accountLabel returns the first label of a host that may name an account.
func accountLabel(host string) (string, bool) {
	name := hostname(host)
	label, _, dotted := strings.Cut(strings.ToLower(name), ".")
	if !dotted || !odata.CheckAccountName(strings.TrimSuffix(label, odata.SecondarySuffix)) {
		return "", false
	}
	_, err := netip.ParseAddr(name)
	return label, err != nil
}

// serviceLabel returns the first label of a host that is the service's, one
// with a known suffix. A page's own host is not, even if it begins like an account.
func serviceLabel(host string) (string, bool) {
	label, domain, _ := strings.Cut(strings.ToLower(hostname(host)), ".")
	return label, slices.Contains(hostSuffixes, "."+domain)
}

// IsServiceHost reports whether a host is one of the service's, such as
// ACCOUNT.table.core.windows.net, with or without a port.
func IsServiceHost(host string) bool {
	_, ok := serviceLabel(host)
	return ok
}

// ServiceSuffixes returns what follows an account's name in the service's hosts,
// such as ".table.core.windows.net", which comes first.
func ServiceSuffixes() []string { return slices.Clone(hostSuffixes) }

// hostname returns a host without its port, and an IPv6 address without its
// brackets.
func hostname(host string) string { return (&url.URL{Host: host}).Hostname() }

// Scheme returns "https" for a request that came over TLS, else "http". An
// absolute request target may claim either, so it does not count.
func Scheme(in *message.Request) string {
	if in.TLS {
		return "https"
	}
	return "http"
}
