package engine

import (
	"encoding/binary"
	"math"

	"sandtable/odata"
)

// A shape is the names and types of an entity's properties, in their order.
// Most entities of a block share one:
//
//	fixed        how many bytes the values of fixed width take
//	properties   how many
//	of each      its type, 1 byte, and its name
//
// The values of an entity stand in the order of its shape, but those of fixed
// width before the others: so each of them is at the same place in all entities
// of a shape.
type shape struct {
	fixed int
	count int
	at    int // where the first type stands
	texts int // how many have no fixed width; only check knows
}

// storedBoolean is the type of a shape that stands for storedFalse and
// storedTrue, the value being a byte of its own.
const storedBoolean = 10

// widths of the values of each type: 0 for a text, which has its length before
// it, and -1 for what is no type of a shape.
var widths = func() (w [256]int8) {
	for kind := range w {
		w[kind] = -1
	}
	w[storedBinary], w[storedString] = 0, 0
	w[storedBoolean], w[storedInt32], w[storedGuid] = 1, 4, 16
	w[storedDateTime], w[storedDouble], w[storedInt64] = 8, 8, 8
	return w
}()

// storedType returns the type of a value as a shape has it.
func storedType(v odata.Value) byte {
	switch v.Type() {
	case odata.EdmBinary:
		return storedBinary
	case odata.EdmBoolean:
		return storedBoolean
	case odata.EdmDateTime:
		return storedDateTime
	case odata.EdmDouble:
		return storedDouble
	case odata.EdmGuid:
		return storedGuid
	case odata.EdmInt32:
		return storedInt32
	case odata.EdmInt64:
		return storedInt64
	default:
		return storedString
	}
}

func appendShape(b []byte, properties []odata.Property) []byte {
	fixed := 0
	for i := range properties {
		fixed += int(widths[storedType(properties[i].Value)])
	}
	b = binary.AppendUvarint(b, uint64(fixed))
	b = binary.AppendUvarint(b, uint64(len(properties)))
	for i := range properties {
		b = append(b, storedType(properties[i].Value))
		b = appendText(b, properties[i].Name)
	}
	return b
}

// appendValues appends the values of properties as their shape has them.
func appendValues(b []byte, properties []odata.Property) []byte {
	for i := range properties {
		b = appendFixed(b, properties[i].Value)
	}
	for i := range properties {
		if v := properties[i].Value; v.Type() == odata.EdmString || v.Type() == odata.EdmBinary {
			b = appendText(b, v.Text())
		}
	}
	return b
}

// appendFixed appends a value of fixed width, and nothing of another.
func appendFixed(b []byte, v odata.Value) []byte {
	switch v.Type() {
	case odata.EdmBoolean:
		if v.Bool() {
			return append(b, 1)
		}
		return append(b, 0)
	case odata.EdmDateTime:
		return binary.LittleEndian.AppendUint64(b, uint64(v.DateTime()))
	case odata.EdmDouble:
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(v.Float()))
	case odata.EdmGuid:
		return append(b, v.Text()...)
	case odata.EdmInt32:
		return binary.LittleEndian.AppendUint32(b, uint32(v.Int()))
	case odata.EdmInt64:
		return binary.LittleEndian.AppendUint64(b, uint64(v.Int()))
	}
	return b
}

// shapeTable returns where the offsets of the shapes stand.
func (b *block) shapeTable() int { return b.table + 4*b.count + 8*b.runs }

// shapeStart returns where a shape stands; the one after the last would stand
// where the offsets do.
func (b *block) shapeStart(n int) int {
	if n == b.shapes {
		return b.table
	}
	return b.uint32(b.shapeTable() + 4*n)
}

func (b *block) shape(n int) shape {
	fixed, at := b.uvarint(b.shapeStart(n))
	count, at := b.uvarint(at)
	return shape{fixed: fixed, count: count, at: at}
}

// properties reads all properties of an entity, whose values stand somewhere.
func (b *block) properties(into []odata.Property, s shape, values int) {
	at, fixed, text := s.at, values, values+s.fixed
	for i := range into {
		p, kind := &into[i], b.text[at]
		p.Name, at = b.string(at + 1)
		if width := int(widths[kind]); width > 0 {
			p.Value = b.fixed(kind, fixed)
			fixed += width
			continue
		}
		var value string
		value, text = b.string(text)
		p.Value = textValue(kind, value)
	}
}

// fixed returns the value of fixed width that stands somewhere.
func (b *block) fixed(kind byte, at int) odata.Value {
	switch kind {
	case storedBoolean:
		return odata.BooleanValue(b.text[at] != 0)
	case storedDateTime:
		return odata.DateTimeValue(odata.DateTime(b.uint64(at)))
	case storedDouble:
		return odata.DoubleValue(math.Float64frombits(b.uint64(at)))
	case storedGuid:
		return odata.GuidText(b.text[at : at+16])
	case storedInt32:
		return odata.Int32Value(int32(b.uint32(at)))
	default:
		return odata.Int64Value(int64(b.uint64(at)))
	}
}

func textValue(kind byte, text string) odata.Value {
	if kind == storedBinary {
		return odata.BinaryText(text)
	}
	return odata.StringValue(text)
}

// column is where the entities of one shape have a property.
type column struct {
	name string
	kind byte // its type, or one of those below
	at   int  // in the values; of a text, where the first text stands
	skip int  // of a text: how many are before it
}

// The kinds of columns that no shape has.
const (
	columnMissing      = 0
	columnPartitionKey = 0xFF
	columnRowKey       = 0xFE
	columnTimestamp    = 0xFD
)

// edmType returns the type of the property, if it is there.
func (c *column) edmType() odata.Type {
	switch c.kind {
	case storedBinary:
		return odata.EdmBinary
	case storedBoolean:
		return odata.EdmBoolean
	case storedDateTime, columnTimestamp:
		return odata.EdmDateTime
	case storedDouble:
		return odata.EdmDouble
	case storedGuid:
		return odata.EdmGuid
	case storedInt32:
		return odata.EdmInt32
	case storedInt64:
		return odata.EdmInt64
	default:
		return odata.EdmString
	}
}

// column looks a property up in a shape.
func (b *block) column(s shape, name string) column {
	c := column{name: name}
	switch name {
	case odata.PartitionKeyName:
		c.kind = columnPartitionKey
		return c
	case odata.RowKeyName:
		c.kind = columnRowKey
		return c
	case odata.TimestampName:
		c.kind = columnTimestamp
		return c
	}
	at, fixed, texts := s.at, 0, 0
	for range s.count {
		kind := b.text[at]
		var found string
		found, at = b.string(at + 1)
		width := int(widths[kind])
		switch {
		case found == name && width > 0:
			c.kind, c.at = kind, fixed
			return c
		case found == name:
			c.kind, c.at, c.skip = kind, s.fixed, texts
			return c
		case width > 0:
			fixed += width
		default:
			texts++
		}
	}
	return c
}

// value returns what an entity, whose values stand somewhere, has in the
// column of a property that is there.
func (b *block) value(c *column, values int) odata.Value {
	if widths[c.kind] > 0 {
		return b.fixed(c.kind, values+c.at)
	}
	return textValue(c.kind, b.textOf(c, values))
}

// textOf returns what an entity, whose values stand somewhere, has in the
// column of a text.
func (b *block) textOf(c *column, values int) string {
	at := values + c.at
	for range c.skip {
		n, start := b.uvarint(at)
		at = start + n
	}
	text, _ := b.string(at)
	return text
}
