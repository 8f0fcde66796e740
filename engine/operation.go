package engine

import (
	"strings"

	"sandtable/odata"
)

// Condition is the precondition of a Replace, a Merge or a Delete: the value of
// an If-Match header.
type Condition string

const (
	// Upsert expects nothing: a missing entity is inserted. For a Delete it is the
	// same as MustExist.
	Upsert Condition = ""
	// MustExist expects any entity.
	MustExist Condition = "*"
)

// IfMatch expects an entity with exactly this ETag.
func IfMatch(etag string) Condition { return Condition(etag) }

// check checks the condition against the stored entity, nil for none. Existence
// comes first: a stale ETag of a missing entity is ErrEntityNotFound.
func (c Condition) check(stored *odata.Entity) error {
	switch {
	case c == Upsert:
		return nil
	case stored == nil:
		return ErrEntityNotFound
	case c != MustExist && string(c) != stored.ETag():
		return ErrConditionNotMet
	}
	return nil
}

// CheckDelete checks the condition of a Delete against the stored entity, nil
// for none.
func (c Condition) CheckDelete(stored *odata.Entity) error {
	if c == Upsert {
		c = MustExist
	}
	return c.check(stored)
}

// EntityRules are the limits of an entity and the order of its properties. Their
// methods are the operations of [Table] as functions, for stores that keep their
// entities elsewhere: each takes the stored entity, nil for none, and returns the one
// to store, which shares no memory with its arguments and has no Timestamp yet.
type EntityRules struct {
	Size       int // in the bytes that [odata.Entity.Size] counts
	Properties int // custom ones
	// AsGiven makes Replace and Merge keep properties in the order given, as Cosmos DB
	// does. The Table service sorts them by name. Insert always keeps the order.
	AsGiven bool
}

// DefaultRules are those of the Table service.
var DefaultRules = EntityRules{Size: odata.MaxEntitySize, Properties: odata.MaxProperties}

// Insert is [Table.Insert].
func (r EntityRules) Insert(stored *odata.Entity, key odata.Key, properties []odata.Property) (*odata.Entity, error) {
	if stored != nil {
		return nil, ErrEntityExists
	}
	return r.build(key, properties)
}

// Replace is [Table.Replace].
func (r EntityRules) Replace(stored *odata.Entity, key odata.Key, properties []odata.Property, c Condition) (*odata.Entity, error) {
	if err := c.check(stored); err != nil {
		return nil, err
	}
	e, err := r.build(key, properties)
	if err == nil && !r.AsGiven {
		odata.SortByName(e.Properties)
	}
	return e, err
}

// Merge is [Table.Merge].
func (r EntityRules) Merge(stored *odata.Entity, key odata.Key, properties []odata.Property, c Condition) (*odata.Entity, error) {
	if err := c.check(stored); err != nil {
		return nil, err
	}
	var kept []odata.Property
	if stored != nil {
		kept = stored.Properties
	}
	if r.AsGiven {
		return r.build(key, odata.MergedInPlace(kept, properties))
	}
	return r.build(key, odata.Merged(kept, properties))
}

func (r EntityRules) build(key odata.Key, properties []odata.Property) (*odata.Entity, error) {
	e := compact(key, properties)
	if len(e.Properties) > r.Properties {
		return nil, odata.ErrTooManyProperties
	}
	// Counting UTF-16 units is worth it only near the limit: a string has at most
	// as many units as bytes, and the rest of a property is under 24 bytes.
	bound := 4 + 2*textSize(e.Key(), e.Properties) + 24*len(e.Properties)
	if bound > r.Size && e.Size() > r.Size {
		return nil, odata.ErrEntityTooLarge
	}
	return e, nil
}

func textSize(key odata.Key, properties []odata.Property) int {
	n := len(key.PartitionKey) + len(key.RowKey)
	for i := range properties {
		n += len(properties[i].Name) + len(properties[i].Value.Text())
	}
	return n
}

// compact returns an entity whose strings are parts of one string of its own, so
// that it does not keep the request in memory.
func compact(key odata.Key, properties []odata.Property) *odata.Entity {
	var b strings.Builder
	b.Grow(textSize(key, properties))
	b.WriteString(key.PartitionKey)
	b.WriteString(key.RowKey)
	for i := range properties {
		b.WriteString(properties[i].Name)
		b.WriteString(properties[i].Value.Text())
	}
	texts := b.String()
	cut := func(n int) (s string) {
		s, texts = texts[:n], texts[n:]
		return s
	}
	e := &odata.Entity{PartitionKey: cut(len(key.PartitionKey)), RowKey: cut(len(key.RowKey))}
	e.Properties = make([]odata.Property, len(properties))
	for i, p := range properties {
		e.Properties[i] = odata.Property{Name: cut(len(p.Name)), Value: withText(p.Value, cut(len(p.Value.Text())))}
	}
	return e
}

// withText returns v with an equal string instead of its own.
func withText(v odata.Value, text string) odata.Value {
	switch v.Type() {
	case odata.EdmString:
		return odata.StringValue(text)
	case odata.EdmBinary:
		return odata.BinaryText(text)
	case odata.EdmGuid:
		return odata.GuidText(text)
	}
	return v
}
