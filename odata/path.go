package odata

import (
	"net/url"
	"strings"
	"unicode/utf8"
)

// Resource is the kind of a [Path].
type Resource uint8

// The resources of an account.
const (
	// ServiceResource is the account itself, "/".
	ServiceResource Resource = iota
	// TablesResource is the collection of tables, "/Tables".
	TablesResource
	// TableResource is one table, "/Tables('T')".
	TableResource
	// EntitiesResource is the collection of a table's entities, "/T" or "/T()".
	EntitiesResource
	// EntityResource is one entity, "/T(PartitionKey='p',RowKey='r')".
	EntityResource
	// BatchResource takes entity group transactions, "/$batch".
	BatchResource
)

const (
	tablesSegment = "Tables"
	batchSegment  = "$batch"
	// metadataSegment is OData's metadata document, which the service lacks.
	metadataSegment = "$metadata"
)

// Path is the address of a resource within an account.
//
// Source: "Addressing Table service resources",
// https://learn.microsoft.com/rest/api/storageservices/addressing-table-service-resources.
type Path struct {
	Resource Resource
	// Table is the table's name as written; "" for the service, the collection
	// of tables and batches.
	Table string
	// Key is that of an EntityResource.
	Key Key
}

// ParsePath parses a path as sent, percent-encoded and without the account's
// segment of path-style URLs. It accepts spaces around the commas and equal signs
// of a key predicate, and the keys in either order. It refuses invalid UTF-8,
// which could not be stored and returned unchanged.
//
// The error is one of those of resource paths. For ErrKeyCount,
// ErrPathNotImplemented and errors about keys, the Path has the resource.
func ParsePath(escaped string) (Path, error) {
	text := escaped
	if strings.Contains(escaped, "%") { // looking costs less than decoding
		var err error
		if text, err = url.PathUnescape(escaped); err != nil {
			return Path{}, ErrPathSyntax
		}
	}
	if !utf8.ValidString(text) {
		return Path{}, ErrPathSyntax
	}
	// The SDK for Go up to 1.0 puts a slash between the path and a SAS (C48).
	text = strings.TrimSuffix(strings.TrimPrefix(text, "/"), "/")
	switch {
	case text == "":
		return Path{Resource: ServiceResource}, nil
	case strings.EqualFold(text, batchSegment):
		return Path{Resource: BatchResource}, nil
	case strings.EqualFold(text, metadataSegment):
		return Path{}, ErrPathNotImplemented
	}
	name, rest := cutName(text)
	if name == "" {
		return Path{}, ErrPathUnknown
	}
	if strings.EqualFold(name, tablesSegment) {
		return parseTables(rest)
	}
	return parseEntities(name, rest)
}

// cutName splits a path after its first name, before "(" or "/".
func cutName(text string) (name, rest string) {
	if i := strings.IndexAny(text, "(/"); i >= 0 {
		return text[:i], text[i:]
	}
	return text, ""
}

func parseTables(rest string) (Path, error) {
	path := Path{Resource: TablesResource}
	predicate, rest, err := cutPredicate(rest)
	switch {
	case err != nil:
		return path, err
	case rest != "":
		return path, ErrPathNotImplemented
	case predicate == nil:
		return path, nil
	case len(predicate) != 1 || predicate[0].name != "" && predicate[0].name != "TableName":
		return path, ErrKeyCount
	}
	return Path{Resource: TableResource, Table: predicate[0].value}, nil
}

func parseEntities(table, rest string) (Path, error) {
	path := Path{Resource: EntitiesResource, Table: table}
	predicate, rest, err := cutPredicate(rest)
	if err != nil {
		return path, err
	}
	if rest != "" {
		// What follows a table is parsed as another collection with its keys,
		// whose errors come first: DELETE /T/Tables('T') is an error of keys, and
		// GET /T/U(PartitionKey='p',RowKey='r') is not.
		_, after := cutName(strings.TrimPrefix(rest, "/"))
		if keys, _, _ := cutPredicate(after); keys != nil {
			if _, err := entityKey(keys); err != nil {
				return path, err
			}
		}
		return path, ErrPathNotImplemented
	}
	if predicate == nil {
		return path, nil
	}
	path.Resource = EntityResource
	if path.Key, err = entityKey(predicate); err != nil {
		return path, err
	}
	for _, key := range predicate {
		if err := checkAddressKey(key.value); err != nil {
			return path, err
		}
	}
	return path, nil
}

// entityKey returns the key that a predicate names, or ErrKeyCount.
func entityKey(predicate []keyValue) (key Key, err error) {
	var seen [2]bool
	for _, part := range predicate {
		switch part.name {
		case PartitionKeyName:
			key.PartitionKey, seen[0] = part.value, true
		case RowKeyName:
			key.RowKey, seen[1] = part.value, true
		default:
			return key, ErrKeyCount
		}
	}
	if len(predicate) != 2 || !seen[0] || !seen[1] {
		return key, ErrKeyCount
	}
	return key, nil
}

// keyValue is one key of a predicate; the name is "" for a bare value.
type keyValue struct{ name, value string }

// cutPredicate parses a leading "(…)". It returns nil if there is none, or an
// empty one.
func cutPredicate(text string) (keys []keyValue, rest string, err error) {
	text, ok := strings.CutPrefix(text, "(")
	if !ok {
		return nil, text, nil
	}
	text = strings.TrimLeft(text, " ")
	if rest, ok := strings.CutPrefix(text, ")"); ok {
		return nil, rest, nil
	}
	keys = make([]keyValue, 0, 3) // three are as wrong as a million
	for {
		var key keyValue
		if quote := strings.IndexByte(text, '\''); quote > 0 {
			name, found := strings.CutSuffix(strings.TrimSpace(text[:quote]), "=")
			if !found {
				return nil, "", ErrPathSyntax
			}
			key.name, text = strings.TrimSpace(name), text[quote:]
		}
		if key.value, text, ok = cutQuoted(text); !ok {
			return nil, "", ErrPathSyntax
		}
		if len(keys) < cap(keys) {
			keys = append(keys, key)
		}
		text = strings.TrimLeft(text, " ")
		switch {
		case strings.HasPrefix(text, ","):
			text = strings.TrimLeft(text[1:], " ")
		case strings.HasPrefix(text, ")"):
			return keys, text[1:], nil
		default:
			return nil, "", ErrPathSyntax
		}
	}
}

// cutQuoted parses a string in single quotes, in which a quote is doubled.
func cutQuoted(text string) (value, rest string, ok bool) {
	text, ok = strings.CutPrefix(text, "'")
	if !ok {
		return "", "", false
	}
	for i := 0; i < len(text); i++ {
		if text[i] != '\'' {
			continue
		}
		if i+1 < len(text) && text[i+1] == '\'' {
			i++
			continue
		}
		return strings.ReplaceAll(text[:i], "''", "'"), text[i+1:], true
	}
	return "", "", false
}

// String returns the path as the service writes it, starting with a slash:
// quotes, parentheses, commas and equal signs are literal, a quote within a key
// is doubled, and everything but the unreserved characters is percent-encoded.
// Those are the ones of RFC 2396, including "!*()".
func (p Path) String() string { return string(p.AppendText(nil)) }

// AppendText appends what [Path.String] returns.
func (p Path) AppendText(b []byte) []byte { return p.append(b, false) }

// AppendUnescaped appends the address as Cosmos DB writes it, without
// percent-encoding.
func (p Path) AppendUnescaped(b []byte) []byte { return p.append(b, true) }

func (p Path) append(b []byte, raw bool) []byte {
	b = append(b, '/')
	switch p.Resource {
	case TablesResource:
		b = append(b, tablesSegment...)
	case TableResource:
		b = append(b, tablesSegment+"("...)
		b = appendKey(b, p.Table, raw)
		b = append(b, ')')
	case EntitiesResource:
		b = appendSegment(b, p.Table, raw)
	case EntityResource:
		b = appendSegment(b, p.Table, raw)
		b = append(b, "(PartitionKey="...)
		b = appendKey(b, p.Key.PartitionKey, raw)
		b = append(b, ",RowKey="...)
		b = appendKey(b, p.Key.RowKey, raw)
		b = append(b, ')')
	case BatchResource:
		b = append(b, batchSegment...)
	}
	return b
}

// appendKey appends a key in quotes; quotes within it are doubled.
func appendKey(b []byte, key string, raw bool) []byte {
	b = append(b, '\'')
	for {
		before, rest, found := strings.Cut(key, "'")
		b = appendSegment(b, before, raw)
		if !found {
			return append(b, '\'')
		}
		b = append(b, "''"...)
		key = rest
	}
}

func appendSegment(b []byte, s string, raw bool) []byte {
	if raw {
		return append(b, s...)
	}
	const hex = "0123456789ABCDEF"
	for i := range len(s) {
		if c := s[i]; unreserved[c] {
			b = append(b, c)
		} else {
			b = append(b, '%', hex[c>>4], hex[c&15])
		}
	}
	return b
}

var unreserved = func() (is [256]bool) {
	for c := range is {
		is[c] = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_.~!*()", byte(c)) >= 0
	}
	return is
}()
