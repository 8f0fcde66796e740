package server

import (
	"strings"

	"sandtable/server/message"
)

// corsHeaders are the CORS headers of a response. Fields that are "" or false
// give no header.
type corsHeaders struct {
	origin      string
	methods     string
	headers     string
	maxAge      string
	credentials bool
	exposed     []string // names and patterns of names
	vary        bool
}

// write adds the CORS headers to the others, which ExposedHeaders may name. Document is
// set for answers of the operations on XML documents.
func (c *corsHeaders) write(h message.Header, document bool) {
	set := func(name, value string) {
		if value != "" {
			h[name] = []string{value}
		}
	}
	set("Access-Control-Expose-Headers", c.exposedNames(h, document))
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

// exposable are the headers that a response can have, in the order in which the
// service lists exposed ones.
var exposable = []string{
	"x-ms-request-id", "x-ms-client-request-id", "Server", "x-ms-version", "X-Content-Type-Options", "Cache-Control", "Preference-Applied",
	continuationPrefix + nextPartitionKey, continuationPrefix + nextRowKey, continuationPrefix + nextTableName,
	"Location", "DataServiceId", "ETag", "x-ms-error-code", "Content-Type",
}

// exposedNames lists the names that the rule exposes, whether the response has these
// headers or not, and the response's headers that match its patterns; a star stands for
// all of them. All this is recorded, but for the order of names and patterns in one rule.
func (c *corsHeaders) exposedNames(h message.Header, document bool) string {
	if len(c.exposed) == 0 {
		return "" // as for most requests
	}
	var names, patterns []string
	for _, name := range c.exposed {
		switch {
		case strings.HasSuffix(name, "*"):
			patterns = append(patterns, name)
		case message.IsToken(name):
			names = append(names, name)
		}
	}
	add := func(name string) {
		if matchHeader(patterns, name) && !matchHeader(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range exposable {
		if len(h[name]) > 0 && !(document && name == "Content-Type") {
			add(name)
		}
	}
	for _, name := range []string{"Content-Length", "Date", "Transfer-Encoding"} {
		add(name)
	}
	return strings.Join(names, ",")
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
