package payload

import (
	"cmp"
	"slices"
	"strings"

	"sandtable/odata"
)

// Level says how much about an entity a response tells beside its values.
type Level uint8

// The metadata levels of JSON.
const (
	// NoMetadata is odata=nometadata: values only.
	NoMetadata Level = iota
	// MinimalMetadata is odata=minimalmetadata: ETags, and the types that
	// JSON cannot show.
	MinimalMetadata
	// FullMetadata is odata=fullmetadata: also the entity's type and addresses.
	FullMetadata
)

// String returns the level's name as media types spell it, such as
// "minimalmetadata".
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

// Context is what a response's JSON depends on beside its data. It is only
// read, so that several goroutines can share one.
type Context struct {
	// Base is the account's address: scheme://authority, and the prefix where
	// addresses have one, without a slash at the end.
	Base string
	// Account is the account's name.
	Account string
	Level   Level
	// WithoutETag leaves odata.etag out at minimal metadata, as versions before
	// 2015-04-05 do.
	WithoutETag bool
	// HasSelect says that the request had a $select option, be it empty.
	HasSelect bool
	// SelectText is the text of that option after percent-decoding.
	SelectText string
	// Select holds the names in it: what [ParseSelect] returns. An entity is
	// shown with exactly these properties, null where it lacks one. Where
	// there is no name, or one of them is "*", it is shown as a whole.
	Select []string
}

// ParseSelect returns the names in the text of a $select option: those between
// the commas, without the blanks around them. Empty ones are left out, and so
// are repetitions.
//
// They come in the order in which the service shows them, which is not that of
// the text: the keys and the Timestamp, then the others ordered by name. One
// recording of the service tells (a projection of an entity that was inserted
// with its properties in a third order).
func ParseSelect(text string) []string {
	var names []string
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return shownOrder(names)
}

// selection returns the names to show, nil for all of them.
func (c *Context) selection() []string {
	if !c.HasSelect || len(c.Select) == 0 || slices.Contains(c.Select, "*") {
		return nil
	}
	return shownOrder(c.Select)
}

// shownOrder returns the names once each in the order of [ParseSelect]. Names
// that have it already are returned as they are.
func shownOrder(names []string) []string {
	for i := 1; i < len(names); i++ {
		if compareShown(names[i-1], names[i]) >= 0 {
			names = slices.Clone(names)
			slices.SortFunc(names, compareShown)
			return slices.Compact(names)
		}
	}
	return names
}

func compareShown(a, b string) int {
	if c := cmp.Compare(shownRank(a), shownRank(b)); c != 0 {
		return c
	}
	return odata.Compare(a, b)
}

// shownRank puts the system properties before all others.
func shownRank(name string) int {
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

// appendMetadata appends the member odata.metadata with a comma behind it, or
// nothing at the level that has none. The fragment is what follows
// "$metadata#".
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

// appendURIText appends s with what cannot be part of a URI percent-encoded.
// Reserved characters, such as the comma, stay as they are.
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
