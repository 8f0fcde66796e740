package message

import "strings"

// Header holds the fields of a request or an answer. A name is canonical,
// "Content-Type", as [CanonicalName] makes it; the fields of an answer that are
// written past the methods keep the spelling they are given.
type Header map[string][]string

// Get returns the values of a field, joined by commas as a browser joins them before
// a service worker sees them, and "" for a field without values.
func (h Header) Get(name string) string { return strings.Join(h.Values(name), ", ") }

// Values returns all values of a field.
func (h Header) Values(name string) []string {
	if isCanonical(name) {
		return h[name]
	}
	var buffer [longestName]byte
	return h[string(appendCanonical(buffer[:0], name))] // the conversion does not allocate
}

// Set makes a field have one value.
func (h Header) Set(name, value string) { h[CanonicalName(name)] = []string{value} }

// CanonicalName returns a field's name in lower case except for the first letter
// of each word: "x-ms-date" is "X-Ms-Date". It allocates nothing for a canonical
// name or one that most requests have.
func CanonicalName(name string) string {
	if isCanonical(name) {
		return name
	}
	var buffer [longestName]byte
	canonical := appendCanonical(buffer[:0], name)
	if known, ok := frequent[string(canonical)]; ok {
		return known
	}
	return string(canonical)
}

// longestName is longer than every known name.
const longestName = 64

// frequent are canonical names in requests of browsers and SDKs; fetch sends all
// names in lower case.
var frequent = func() map[string]string {
	names := []string{
		"Accept", "Accept-Charset", "Accept-Language", "Authorization", "Cache-Control", "Content-Length", "Content-Type",
		"Dataserviceversion", "Date", "If-Match", "If-None-Match", "Maxdataserviceversion", "Origin", "Pragma", "Prefer",
		"Referer", "User-Agent", "X-Http-Method", "X-Ms-Client-Request-Id", "X-Ms-Date", "X-Ms-Return-Client-Request-Id",
		"X-Ms-Useragent", "X-Ms-Version",
	}
	known := make(map[string]string, len(names))
	for _, name := range names {
		known[name] = name
	}
	return known
}()

func isCanonical(name string) bool {
	for i, start := 0, true; i < len(name); i++ {
		if name[i] != cased(name[i], start) {
			return false
		}
		start = name[i] == '-'
	}
	return true
}

func appendCanonical(b []byte, name string) []byte {
	for i, start := 0, true; i < len(name); i++ {
		b = append(b, cased(name[i], start))
		start = name[i] == '-'
	}
	return b
}

func cased(c byte, upper bool) byte {
	switch {
	case upper && 'a' <= c && c <= 'z':
		return c - 'a' + 'A'
	case !upper && 'A' <= c && c <= 'Z':
		return c - 'A' + 'a'
	}
	return c
}

// IsToken reports whether a string can be a header's name (RFC 9110, 5.6.2).
func IsToken(name string) bool {
	for i := 0; i < len(name); i++ {
		if !tokenCharacter[name[i]] {
			return false
		}
	}
	return name != ""
}

var tokenCharacter = func() (is [256]bool) {
	for _, c := range "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" {
		is[c] = true
	}
	return is
}()
