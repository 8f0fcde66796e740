package server

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/server/message"
)

// hostSuffixes are what follows an account's name in the host of its table
// endpoint, in the public cloud, the sovereign ones and Cosmos DB.
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

// isCosmos reports whether a host is one of Cosmos DB's Table API, which
// answers in some points as Table Storage does not.
func isCosmos(host string) bool { return strings.Contains(strings.ToLower(host), ".table.cosmos") }

const (
	secondarySuffix = "-secondary"
	// samePrefix comes before the account in addresses on the origin of a page.
	samePrefix = "/table"
)

// endpoint is the account that a request addresses, and how.
type endpoint struct {
	account   string
	secondary bool
	cosmos    bool
	// base is what comes before a resource in the addresses that the service
	// writes, without a final slash.
	base string
	// prefix is the part of base that belongs to the path: "" where the
	// account is in the host.
	prefix string
	// path is the escaped path behind prefix.
	path string
}

// findEndpoint reads the account from the host or, for other hosts, from the
// first segment of the path.
//
// Where a handler answers on a page's own origin, the service is below /table.
func findEndpoint(r *message.Request, db *engine.DB, sameOrigin bool) endpoint {
	origin := Scheme(r) + "://" + r.Host
	path := r.URL.EscapedPath()
	if label, ok := accountLabel(r.Host, db); ok {
		e := endpoint{base: origin, path: path, cosmos: isCosmos(r.Host)}
		e.account, e.secondary = strings.CutSuffix(label, secondarySuffix)
		return e
	}
	prefix := ""
	if rest, ok := strings.CutPrefix(path, samePrefix+"/"); ok && sameOrigin {
		prefix, path = samePrefix, "/"+rest
	}
	segment, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	prefix += "/" + segment
	e := endpoint{base: origin + prefix, prefix: prefix, path: strings.TrimPrefix(path, "/"+segment)}
	e.account, e.secondary = strings.CutSuffix(segment, secondarySuffix)
	return e
}

// accountLabel returns the first label of a host that is an account's: one
// with a known suffix, or any whose first label is an account of ours.
func accountLabel(host string, db *engine.DB) (string, bool) {
	if label, ok := serviceLabel(host); ok {
		return label, true
	}
	name := hostname(host)
	label, _, dotted := strings.Cut(strings.ToLower(name), ".")
	if _, err := netip.ParseAddr(name); !dotted || err == nil {
		return "", false
	}
	known := false
	if account := strings.TrimSuffix(label, secondarySuffix); odata.CheckAccountName(account) {
		_ = db.View(func(tx *engine.Tx) error {
			_, err := tx.Account(account)
			known = err == nil
			return nil
		})
	}
	return label, known
}

// serviceLabel returns the first label of a host that is the service's, one
// with a known suffix. A page's own host is not, even if it begins like an account.
func serviceLabel(host string) (string, bool) {
	name := hostname(host)
	label, _, _ := strings.Cut(strings.ToLower(name), ".")
	for _, suffix := range hostSuffixes {
		if strings.EqualFold(name[len(label):], suffix) {
			return label, true
		}
	}
	return "", false
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

// Scheme returns "https" or "http", as the request was sent.
func Scheme(r *message.Request) string {
	switch {
	case r.URL.Scheme != "":
		return r.URL.Scheme
	case r.TLS:
		return "https"
	}
	return "http"
}
