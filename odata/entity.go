package odata

import (
	"slices"
	"strings"
)

// The names of the system properties, which every entity has.
const (
	PartitionKeyName = "PartitionKey"
	RowKeyName       = "RowKey"
	TimestampName    = "Timestamp"
)

// Property is a named value of an entity.
type Property struct {
	Name  string
	Value Value
}

// Entity is a row of a table. Its custom properties are in the order of the
// response: that of the request after an insert, sorted by name after a replace
// or a merge.
//
// Entities are immutable once shared.
type Entity struct {
	PartitionKey string
	RowKey       string
	// Timestamp is the time of the last change, set by the engine.
	Timestamp DateTime
	// Properties are the custom properties, without the three system ones.
	Properties []Property
}

// Key returns the entity's primary key.
func (e *Entity) Key() Key { return Key{e.PartitionKey, e.RowKey} }

// ETag returns the entity's tag, which is derived from its Timestamp.
func (e *Entity) ETag() string { return ETag(e.Timestamp) }

// Property returns the custom or system property with this name, and whether the
// entity has it. Names are case-sensitive.
func (e *Entity) Property(name string) (Value, bool) {
	switch name {
	case PartitionKeyName:
		return StringValue(e.PartitionKey), true
	case RowKeyName:
		return StringValue(e.RowKey), true
	case TimestampName:
		return DateTimeValue(e.Timestamp), true
	}
	for i := range e.Properties {
		if e.Properties[i].Name == name {
			return e.Properties[i].Value, true
		}
	}
	return Value{}, false
}

// Size returns the entity's size in bytes as the service counts it, which is
// limited to [MaxEntitySize].
func (e *Entity) Size() int {
	size := 4 + 2*(UTF16Len(e.PartitionKey)+UTF16Len(e.RowKey))
	for i := range e.Properties {
		p := &e.Properties[i]
		size += 8 + 2*UTF16Len(p.Name) + p.Value.Size()
	}
	return size
}

// SortByName sorts properties by name, as the service stores them after a replace.
func SortByName(properties []Property) {
	slices.SortFunc(properties, func(a, b Property) int { return Compare(a.Name, b.Name) })
}

// Merged returns the properties after a merge: those given and those stored only,
// sorted by name as the service stores them.
func Merged(stored, given []Property) []Property {
	all := make([]Property, 0, len(stored)+len(given))
	all = append(append(all, given...), stored...)
	// The sort is stable: of two properties with one name the given one is first.
	slices.SortStableFunc(all, func(a, b Property) int { return Compare(a.Name, b.Name) })
	return slices.CompactFunc(all, func(a, b Property) bool { return a.Name == b.Name })
}

// MergedInPlace returns the properties after a merge as Cosmos DB orders them: those
// stored keep their places, and new ones follow in the order given.
func MergedInPlace(stored, given []Property) []Property {
	all := slices.Clone(stored)
	places := make(map[string]int, len(stored))
	for i, p := range stored {
		places[p.Name] = i
	}
	for _, p := range given {
		if i, ok := places[p.Name]; ok {
			all[i] = p
		} else {
			all = append(all, p)
		}
	}
	return all
}

const (
	etagPrefix = "W/\"datetime'"
	etagSuffix = "'\""
)

// ETag returns the tag of an entity with this Timestamp, such as
// W/"datetime'2021-10-26T20%3A12%3A43.214455Z'".
func ETag(timestamp DateTime) string {
	var scratch [64]byte
	return string(AppendETag(scratch[:0], timestamp))
}

// AppendETag appends what [ETag] returns.
func AppendETag(b []byte, timestamp DateTime) []byte {
	b = append(b, etagPrefix...)
	var scratch [32]byte
	b = AppendETagTime(b, timestamp.AppendText(scratch[:0]))
	return append(b, etagSuffix...)
}

// AppendETagTime appends the variable part of an ETag: what [DateTime.AppendText]
// returns, with its two colons percent-encoded.
func AppendETagTime(b, text []byte) []byte {
	const hour, minute = len("2021-10-26T20"), len("2021-10-26T20:12")
	b = append(b, text[:hour]...)
	b = append(b, "%3A"...)
	b = append(b, text[hour+1:minute]...)
	b = append(b, "%3A"...)
	return append(b, text[minute+1:]...)
}

// ETagTime returns the Timestamp in a tag as [ETag] or [CosmosETag] writes it.
func ETagTime(tag string) (DateTime, bool) {
	text, begins := strings.CutPrefix(tag, etagPrefix)
	text, ends := strings.CutSuffix(text, etagSuffix)
	if !begins || !ends {
		return 0, false
	}
	return ParseDateTime(strings.ReplaceAll(text, "%3A", ":"))
}

// CosmosETag is [ETag] as Cosmos DB writes it, with all seven digits of the
// second's fraction.
func CosmosETag(timestamp DateTime) string {
	text := string(timestamp.AppendFull(nil))
	return etagPrefix + strings.ReplaceAll(text, ":", "%3A") + etagSuffix
}

// StorageETag returns the tag that [ETag] gives where tag is what [CosmosETag]
// does, and any other tag as it is.
func StorageETag(tag string) string {
	if d, _ := ETagTime(tag); CosmosETag(d) == tag {
		return ETag(d)
	}
	return tag
}

// CheckETag reports whether tag is one weak entity tag: W/ and a string in double
// quotes. The service compares such a tag as a whole and refuses all others.
func CheckETag(tag string) bool {
	opaque, ok := strings.CutPrefix(tag, "W/\"")
	if !ok || !strings.HasSuffix(opaque, "\"") {
		return false
	}
	return !strings.Contains(opaque[:len(opaque)-1], "\"")
}
