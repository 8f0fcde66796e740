package server

import (
	"slices"
	"strconv"
	"strings"

	"sandtable/engine"
	"sandtable/server/message"
	"sandtable/server/xmldoc"
)

// Cross-origin resource sharing,
// https://learn.microsoft.com/rest/api/storageservices/cross-origin-resource-sharing--cors--support-for-the-azure-storage-services
// Preflight Table Request, https://learn.microsoft.com/rest/api/storageservices/preflight-table-request

// permissive is the rule of accounts without one if Options.PermissiveCORS is on.
var permissive = []xmldoc.CorsRule{{
	Origins:        []string{"*"},
	Methods:        []string{"DELETE", "GET", "HEAD", "MERGE", "POST", "OPTIONS", "PUT", "PATCH"},
	AllowedHeaders: []string{"*"},
	ExposedHeaders: []string{"*"},
	MaxAgeSeconds:  86400,
}}

// corsRules returns the rules of an account or, if it has none, those of
// Options.PermissiveCORS.
func (h *Handler) corsRules(account engine.Account) []xmldoc.CorsRule {
	rules := h.ownRules(account)
	if len(rules) == 0 && h.permissiveCORS.Load() {
		return permissive
	}
	return rules
}

// ownRules returns the rules stored for an account. Parsed ones are cached, since
// every request of a page needs them.
func (h *Handler) ownRules(account engine.Account) []xmldoc.CorsRule {
	if account.Properties == "" {
		return nil
	}
	if kept, ok := h.rules.Load(account.Name); ok && kept.(parsedRules).document == account.Properties {
		return kept.(parsedRules).rules
	}
	properties, err := propertiesOf(account)
	if err != nil {
		return nil // a corrupt document allows nothing
	}
	h.rules.Store(account.Name, parsedRules{account.Properties, properties.Cors})
	return properties.Cors
}

type parsedRules struct {
	document string
	rules    []xmldoc.CorsRule
}

// propertiesOf reads the stored service properties of an account.
func propertiesOf(account engine.Account) (xmldoc.Properties, error) {
	if account.Properties == "" {
		return xmldoc.Properties{}, nil
	}
	return xmldoc.ParseProperties([]byte(account.Properties))
}

// matchRule returns the first rule for an origin and a method, and the value of
// Access-Control-Allow-Origin: "*" or the origin itself.
func matchRule(rules []xmldoc.CorsRule, origin, method string) (rule *xmldoc.CorsRule, allowed string) {
	for i := range rules {
		allowed := matchOrigin(rules[i].Origins, origin)
		if allowed != "" && slices.Contains(rules[i].Methods, method) {
			return &rules[i], allowed
		}
	}
	return nil, ""
}

func matchOrigin(origins []string, origin string) string {
	for _, o := range origins {
		if o == "*" {
			return "*"
		}
		prefix, suffix, wildcard := strings.Cut(o, "*.")
		if o == origin || wildcard && len(origin) > len(prefix)+len(suffix)+1 &&
			strings.HasPrefix(origin, prefix) && strings.HasSuffix(origin, "."+suffix) {
			return origin
		}
	}
	return ""
}

// preflight answers an OPTIONS request. It is never authenticated, and the
// resource need not exist.
func (x *exchange) preflight() *reply {
	h := x.http.Header
	p := x.protocol
	p.document = true // its errors are XML
	origin, method, headers := h.Get("Origin"), h.Get("Access-Control-Request-Method"), h.Get("Access-Control-Request-Headers")
	if origin == "" || method == "" {
		return x.fail(p, errPreflightHeader)
	}
	rule, allowed := matchRule(x.corsRules(x.account), origin, method)
	if rule == nil {
		return x.fail(p, errPreflight)
	}
	for name := range strings.SplitSeq(headers, ",") {
		if name = strings.TrimSpace(name); name != "" && !matchHeader(rule.AllowedHeaders, name) {
			return x.fail(p, errPreflight)
		}
	}
	return &reply{status: message.StatusOK, cors: corsHeaders{
		origin: allowed, methods: method, headers: headers, maxAge: strconv.Itoa(rule.MaxAgeSeconds), credentials: allowed != "*",
	}, document: true}
}

// allowOrigin adds the CORS headers for the request's origin to a reply. Reads have
// them without an origin, too, for caches that give their answer to any page.
func (x *exchange) allowOrigin(out *reply) {
	rules := x.corsRules(x.account)
	reads := x.http.Method == message.MethodGet || x.http.Method == message.MethodHead
	origin := x.http.Header.Get("Origin")
	if len(rules) == 0 || x.http.Method == message.MethodOptions || origin == "" && !reads {
		return
	}
	rule, allowed := matchRule(rules, origin, x.http.Method)
	if rule == nil {
		out.cors.vary = reads
		return
	}
	exact := allowed != "*"
	out.cors = corsHeaders{origin: allowed, exposed: rule.ExposedHeaders, credentials: exact, vary: exact && reads}
}
