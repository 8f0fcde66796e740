package server

import (
	"strconv"
	"strings"

	"sandtable/engine"
	"sandtable/server/message"
	"sandtable/server/xmldoc"
)

// Cross-origin resource sharing,
// https://learn.microsoft.com/rest/api/storageservices/cross-origin-resource-sharing--cors--support-for-the-azure-storage-services
// Preflight Table Request, https://learn.microsoft.com/rest/api/storageservices/preflight-table-request

// permissive is the rule of accounts without one, where the server is told to
// let all pages in.
var permissive = []xmldoc.CorsRule{{
	Origins:        []string{"*"},
	Methods:        []string{"DELETE", "GET", "HEAD", "MERGE", "POST", "OPTIONS", "PUT", "PATCH"},
	AllowedHeaders: []string{"*"},
	ExposedHeaders: []string{"*"},
	MaxAgeSeconds:  86400,
}}

// corsRules returns the rules that hold for an account: its own, or if it has
// none what the settings say.
func (h *Handler) corsRules(account engine.Account) []xmldoc.CorsRule {
	rules := h.ownRules(account)
	if len(rules) == 0 && h.permissiveCORS.Load() {
		return permissive
	}
	return rules
}

// ownRules returns the rules of an account. Parsed ones are kept, since every
// request of a page asks.
func (h *Handler) ownRules(account engine.Account) []xmldoc.CorsRule {
	if account.Properties == "" {
		return nil
	}
	if kept, ok := h.rules.Load(account.Name); ok && kept.(parsedRules).document == account.Properties {
		return kept.(parsedRules).rules
	}
	properties, err := propertiesOf(account)
	if err != nil {
		return nil // a document that was stored can be read; a damaged one allows nothing
	}
	h.rules.Store(account.Name, parsedRules{account.Properties, properties.Cors})
	return properties.Cors
}

type parsedRules struct {
	document string
	rules    []xmldoc.CorsRule
}

// matchRule returns the first rule for an origin and a method, and the name by
// which it allows the origin: "*" or the origin itself.
func matchRule(rules []xmldoc.CorsRule, origin, method string) (rule *xmldoc.CorsRule, allowed string) {
	for i := range rules {
		allowed := matchOrigin(rules[i].Origins, origin)
		if allowed == "" {
			continue
		}
		for _, m := range rules[i].Methods {
			if m == method {
				return &rules[i], allowed
			}
		}
	}
	return nil, ""
}

func matchOrigin(origins []string, origin string) string {
	for _, o := range origins {
		if o == "*" {
			return "*"
		}
		if origin == "" {
			continue
		}
		prefix, suffix, wildcard := strings.Cut(o, "*.")
		if o == origin || wildcard && len(origin) > len(prefix)+len(suffix)+1 &&
			strings.HasPrefix(origin, prefix) && strings.HasSuffix(origin, "."+suffix) {
			return origin
		}
	}
	return ""
}

// matchHeader reports whether a header's name is one of those of a rule.
func matchHeader(names []string, header string) bool {
	for _, name := range names {
		prefix, wildcard := strings.CutSuffix(name, "*")
		if wildcard && len(header) >= len(prefix) && strings.EqualFold(header[:len(prefix)], prefix) || strings.EqualFold(name, header) {
			return true
		}
	}
	return false
}

// preflight answers an OPTIONS request, which is never authenticated and is
// about an account, whether or not the resource is there.
func (x *exchange) preflight() (*reply, error) {
	h := x.http.Header
	origin, method, headers := h.Get("Origin"), h.Get("Access-Control-Request-Method"), h.Get("Access-Control-Request-Headers")
	if origin == "" || method == "" {
		return nil, errPreflightHeader
	}
	rule, allowed := matchRule(x.handler.corsRules(x.account), origin, method)
	if rule == nil {
		return nil, errPreflight
	}
	for name := range strings.SplitSeq(headers, ",") {
		if name = strings.TrimSpace(name); name != "" && !matchHeader(rule.AllowedHeaders, name) {
			return nil, errPreflight
		}
	}
	return &reply{status: message.StatusOK, cors: corsHeaders{
		origin: allowed, methods: method, headers: headers, maxAge: strconv.Itoa(rule.MaxAgeSeconds), credentials: allowed != "*",
	}, document: true}, nil
}

// corsHeaders are what a response says to a browser. Fields that are "" or
// false give no header.
type corsHeaders struct {
	origin      string
	methods     string
	headers     string
	maxAge      string
	credentials bool
	exposed     []string // patterns of names
	vary        bool
}

// allowOrigin adds to a reply what the account's rules say about the request's
// origin.
func (x *exchange) allowOrigin(done *reply) {
	rules := x.handler.corsRules(x.account)
	if len(rules) == 0 || x.http.Method == message.MethodOptions {
		return
	}
	reads := x.http.Method == message.MethodGet || x.http.Method == message.MethodHead
	rule, allowed := matchRule(rules, x.http.Header.Get("Origin"), x.http.Method)
	if rule == nil {
		done.cors.vary = reads
		return
	}
	exact := allowed != "*"
	done.cors = corsHeaders{origin: allowed, exposed: rule.ExposedHeaders, credentials: exact, vary: exact && reads}
}

// write puts the headers of CORS beside those that are there.
func (c *corsHeaders) write(h message.Header) {
	set := func(name, value string) {
		if value != "" {
			h[name] = []string{value}
		}
	}
	set("Access-Control-Expose-Headers", c.exposedNames(h))
	set("Access-Control-Allow-Origin", c.origin)
	set("Access-Control-Allow-Methods", c.methods)
	set("Access-Control-Allow-Headers", c.headers)
	set("Access-Control-Max-Age", c.maxAge)
	if c.credentials {
		set("Access-Control-Allow-Credentials", "true")
	}
	if c.vary {
		set("Vary", "Origin")
	}
}

// exposable are the headers that a response can have, in the order in which
// the service lists those that it exposes.
var exposable = []string{
	"x-ms-request-id", "x-ms-client-request-id", "Server", "x-ms-version", "X-Content-Type-Options", "Cache-Control", "Preference-Applied",
	continuationPrefix + nextPartitionKey, continuationPrefix + nextRowKey, continuationPrefix + nextTableName,
	"Location", "DataServiceId", "ETag", "x-ms-error-code", "Content-Type",
}

// exposedNames lists the headers of this response that the rule exposes; a
// star stands for all of them.
func (c *corsHeaders) exposedNames(h message.Header) string {
	var names []string
	for _, name := range exposable {
		if len(h[name]) > 0 && matchHeader(c.exposed, name) {
			names = append(names, name)
		}
	}
	for _, name := range []string{"Content-Length", "Date", "Transfer-Encoding"} {
		if matchHeader(c.exposed, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ",")
}
