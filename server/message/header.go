package message

import "slices"

// Header holds the fields of a request or an answer. A name is canonical,
// "Content-Type", as [CanonicalName] makes it; the fields of an answer that are
// written past the methods keep the spelling they are given.
type Header map[string][]string

// Get returns the first value of a field, "" if there is none.
func (h Header) Get(name string) string {
	if values := h[CanonicalName(name)]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// Values returns all values of a field.
func (h Header) Values(name string) []string { return h[CanonicalName(name)] }

// Set makes a field have one value.
func (h Header) Set(name, value string) { h[CanonicalName(name)] = []string{value} }

// Add gives a field one more value.
func (h Header) Add(name, value string) {
	name = CanonicalName(name)
	h[name] = append(h[name], value)
}

// Del removes a field.
func (h Header) Del(name string) { delete(h, CanonicalName(name)) }

// CanonicalName returns a field's name with each of its words in lower case but
// for their first letter: "x-ms-date" is "X-Ms-Date". One that is canonical
// already costs no memory.
func CanonicalName(name string) string {
	canonical := true
	for i, start := 0, true; i < len(name) && canonical; i++ {
		canonical = name[i] == cased(name[i], start)
		start = name[i] == '-'
	}
	if canonical {
		return name
	}
	b := slices.Grow([]byte(nil), len(name))
	for i, start := 0, true; i < len(name); i++ {
		b = append(b, cased(name[i], start))
		start = name[i] == '-'
	}
	return string(b)
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
