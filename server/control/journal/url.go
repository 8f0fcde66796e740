package journal

import (
	"net/url"
	"strings"

	"sandtable/server"
	"sandtable/server/message"
)

// address returns the URL of a request without credentials: values of query
// parameters that the service does not define, such as sig, are redacted.
func address(r *message.Request) string {
	u := r.URL
	scheme, host := server.Scheme(r), r.Host
	if u.Host != "" {
		host = u.Host
	}
	path := u.Path
	if len(path) <= maxURL { // otherwise not escaped: it will be cut anyway
		path = u.EscapedPath()
	}
	var b strings.Builder
	b.Grow(len(scheme) + len("://") + min(len(host)+len(path)+len(u.RawQuery)+1, maxURL))
	b.WriteString(scheme)
	b.WriteString("://")
	b.WriteString(cut(host, maxField))
	b.WriteString(cut(path, maxURL))
	query, separator := u.RawQuery, byte('?')
	for query != "" {
		if b.Len() > maxURL {
			b.WriteString("…")
			break
		}
		parameter, rest, next := nextParameter(query)
		b.WriteByte(separator)
		writeParameter(&b, parameter)
		query, separator = rest, next
	}
	return b.String()
}

// nextParameter splits a query at "&" or, as in $format, at ";".
func nextParameter(query string) (parameter, rest string, separator byte) {
	i := strings.IndexAny(query, "&;")
	if i < 0 {
		return query, "", '&'
	}
	return query[:i], query[i+1:], query[i]
}

func writeParameter(b *strings.Builder, parameter string) {
	name, value, hasValue := strings.Cut(parameter, "=")
	if !recordedParameter(name) {
		value = Redacted
		if !hasValue || len(name) > maxParameter {
			name = Redacted // perhaps a signature without a name
		}
	}
	b.WriteString(name)
	if hasValue {
		b.WriteByte('=')
		b.WriteString(cut(value, maxURL))
	}
}

// maxParameter limits the recorded name of a query parameter, in bytes.
const maxParameter = 24

// recordedParameter reports whether the value of a query parameter is recorded.
func recordedParameter(name string) bool {
	if len(name) > maxParameter {
		return false
	}
	decoded, err := url.QueryUnescape(name)
	return err == nil && recordedParameters[strings.ToLower(decoded)]
}

// recordedParameters are the query parameters of the service and of a SAS, in
// lower case, but for the signature.
//
// Sources: "Query Entities", "Query timeout and pagination", "Create an account
// SAS", "Create a service SAS".
var recordedParameters = map[string]bool{
	"$filter": true, "$select": true, "$top": true, "$format": true, "odata": true, "timeout": true, "comp": true, "restype": true, "api-version": true,
	"nextpartitionkey": true, "nextrowkey": true, "nexttablename": true,
	"sv": true, "ss": true, "srt": true, "sp": true, "st": true, "se": true, "sip": true, "spr": true, "si": true, "tn": true,
	"spk": true, "srk": true, "epk": true, "erk": true, "sr": true,
}
