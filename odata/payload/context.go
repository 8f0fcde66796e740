package payload

import (
	"cmp"
	"slices"
	"strings"

	"sandtable/odata"
)

// Level is the amount of metadata in a response.
type Level uint8

// The metadata levels of JSON.
const (
	// NoMetadata is odata=nometadata: values only.
	NoMetadata Level = iota
	// MinimalMetadata is odata=minimalmetadata: ETags, and the types that JSON
	// lacks.
	MinimalMetadata
	// FullMetadata is odata=fullmetadata: also the entity's type and links.
	FullMetadata
)

// String returns the level's name in media types, such as "minimalmetadata".
func (l Level) String() string {
	switch l {
	case NoMetadata:
		return "nometadata"
	case MinimalMetadata:
		return "minimalmetadata"
	default:
		return "fullmetadata"
	}
}

// Context encodes responses in JSON. It is read-only, so goroutines can share it.
type Context struct {
	// Base is the account's URL: scheme://authority, plus the account's segment
	// of path-style URLs, without a trailing slash.
	Base string
	// Account is the account's name.
	Account string
	Level   Level
	// WithoutETag leaves odata.etag out at minimal metadata, as versions before
	// 2015-04-05 do.
	WithoutETag bool
	// HasSelect means that the request had a $select option, even an empty one.
	HasSelect bool
	// SelectText is the percent-decoded text of that option.
	SelectText string
	// Select has the names in it, from [ParseSelect]. An entity is encoded with
	// exactly these properties, null for those it lacks. Without a name, or with
	// "*", it is encoded as a whole.
	Select []string
}

// ParseSelect returns the names in a $select option: separated by commas, trimmed,
// without empty ones and duplicates.
//
// They are in the order of the service's responses: the keys and the Timestamp,
// then the others sorted by name. The evidence is one recording, of an entity
// that was inserted with its properties in another order.
func ParseSelect(text string) []string {
	var names []string
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return sortSelection(names)
}

// selection returns the names to encode, nil for all. Metadata cannot be selected:
// null would hide what its level has.
func (c *Context) selection() []string {
	if !c.HasSelect || len(c.Select) == 0 || slices.Contains(c.Select, "*") {
		return nil
	}
	names := c.Select
	if slices.ContainsFunc(names, isMetadata) {
		names = slices.DeleteFunc(slices.Clone(names), isMetadata)
	}
	return sortSelection(names)
}

func isMetadata(name string) bool {
	return strings.HasPrefix(name, metadataPrefix) || strings.Contains(name, "@"+metadataPrefix)
}

// sortSelection returns the names without duplicates in the order of
// [ParseSelect]. Sorted names are returned as they are.
func sortSelection(names []string) []string {
	for i := 1; i < len(names); i++ {
		if compareSelected(names[i-1], names[i]) >= 0 {
			names = slices.Clone(names)
			slices.SortFunc(names, compareSelected)
			return slices.Compact(names)
		}
	}
	return names
}

func compareSelected(a, b string) int {
	if c := cmp.Compare(selectedRank(a), selectedRank(b)); c != 0 {
		return c
	}
	return odata.Compare(a, b)
}

// selectedRank sorts the system properties before all others.
func selectedRank(name string) int {
	switch name {
	case odata.PartitionKeyName:
		return 0
	case odata.RowKeyName:
		return 1
	case odata.TimestampName:
		return 2
	default:
		return 3
	}
}

// appendMetadata appends the member odata.metadata and a comma, or nothing if the
// level has none. The fragment follows "$metadata#".
func (c *Context) appendMetadata(b []byte, fragment, suffix string) []byte {
	if c.Level == NoMetadata {
		return b
	}
	b = append(b, `"odata.metadata":"`...)
	b = appendText(b, c.Base)
	b = append(b, "/$metadata#"...)
	b = appendText(b, fragment)
	b = append(b, suffix...)
	if c.HasSelect && fragment != tablesName {
		b = append(b, "&$select="...)
		b = appendURIText(b, c.SelectText)
	}
	return append(b, `",`...)
}

// appendURIText appends s with everything percent-encoded that a URI cannot
// contain. Reserved characters, such as the comma, are literal.
func appendURIText(b []byte, s string) []byte {
	const hex = "0123456789ABCDEF"
	for i := range len(s) {
		switch c := s[i]; {
		case c <= ' ' || c >= 0x7F || strings.IndexByte("\"%<>\\^`{|}", c) >= 0:
			b = append(b, '%', hex[c>>4], hex[c&15])
		default:
			b = append(b, c)
		}
	}
	return b
}
