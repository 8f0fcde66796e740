package block

import (
	"sandtable/engine/internal/encoding"
	"sandtable/odata"
)

// column is where the entities of one shape have a property.
type column struct {
	name string
	kind encoding.Type // or one of the kinds below
	at   int           // offset in the values; of a string or binary, where the first of them is
	skip int           // how many strings and binaries come before it
}

// The kinds of columns that are not in a shape.
const (
	missingColumn      = 0
	partitionKeyColumn = 0xFF
	rowKeyColumn       = 0xFE
	timestampColumn    = 0xFD
)

// edmType returns the type of the property, unless it is missing.
func (c *column) edmType() odata.Type {
	switch c.kind {
	case encoding.Binary:
		return odata.EdmBinary
	case booleanType:
		return odata.EdmBoolean
	case encoding.DateTime, timestampColumn:
		return odata.EdmDateTime
	case encoding.Double:
		return odata.EdmDouble
	case encoding.Guid:
		return odata.EdmGuid
	case encoding.Int32:
		return odata.EdmInt32
	case encoding.Int64:
		return odata.EdmInt64
	default:
		return odata.EdmString
	}
}

// column finds a property in a shape.
func (b *Block) column(s shape, name string) column {
	switch name {
	case odata.PartitionKeyName:
		return column{name: name, kind: partitionKeyColumn}
	case odata.RowKeyName:
		return column{name: name, kind: rowKeyColumn}
	case odata.TimestampName:
		return column{name: name, kind: timestampColumn}
	}
	at, fixed, texts := s.at, 0, 0
	for range s.count {
		kind := b.data[at]
		var found string
		found, at = b.text(at + 1)
		width := int(widths[kind])
		switch {
		case found == name && width > 0:
			return column{name: name, kind: kind, at: fixed}
		case found == name:
			return column{name: name, kind: kind, at: s.fixed, skip: texts}
		case width > 0:
			fixed += width
		default:
			texts++
		}
	}
	return column{name: name, kind: missingColumn}
}

// value decodes the property in a column of a shape, for the entity whose values
// are at an offset.
func (b *Block) value(c *column, values int) odata.Value {
	if widths[c.kind] > 0 {
		return b.fixed(c.kind, values+c.at)
	}
	return textValue(c.kind, b.textIn(c, values))
}

// textIn returns the string or binary in a column.
func (b *Block) textIn(c *column, values int) string {
	at := values + c.at
	for range c.skip {
		n, start := b.uvarint(at)
		at = start + n
	}
	text, _ := b.text(at)
	return text
}
