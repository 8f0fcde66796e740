package block

import (
	"encoding/binary"
	"math"

	"sandtable/engine/internal/encoding"
	"sandtable/odata"
)

// shape is a decoded shape header; doc.go says what a shape is.
type shape struct {
	fixed int
	count int
	at    int // where the first type is
	texts int // properties without a fixed width; set by check alone
}

// booleanType is the type of a boolean in a shape. Unlike encoding.False and
// encoding.True, it has its value in a separate byte.
const booleanType encoding.Type = 10

// widths are the sizes of the values of each type: 0 for a string or binary,
// which has its length before it, and -1 for a byte that is no type.
var widths = func() (w [256]int8) {
	for kind := range w {
		w[kind] = -1
	}
	w[encoding.Binary], w[encoding.String] = 0, 0
	w[booleanType], w[encoding.Int32], w[encoding.Guid] = 1, 4, encoding.GuidSize
	w[encoding.DateTime], w[encoding.Double], w[encoding.Int64] = 8, 8, 8
	return w
}()

// typeOf returns the type of a value in a shape.
func typeOf(v odata.Value) encoding.Type {
	switch v.Type() {
	case odata.EdmBinary:
		return encoding.Binary
	case odata.EdmBoolean:
		return booleanType
	case odata.EdmDateTime:
		return encoding.DateTime
	case odata.EdmDouble:
		return encoding.Double
	case odata.EdmGuid:
		return encoding.Guid
	case odata.EdmInt32:
		return encoding.Int32
	case odata.EdmInt64:
		return encoding.Int64
	default:
		return encoding.String
	}
}

func appendShape(b []byte, properties []odata.Property) []byte {
	fixed := 0
	for i := range properties {
		fixed += int(widths[typeOf(properties[i].Value)])
	}
	b = binary.AppendUvarint(b, uint64(fixed))
	b = binary.AppendUvarint(b, uint64(len(properties)))
	for i := range properties {
		b = append(b, typeOf(properties[i].Value))
		b = encoding.AppendText(b, properties[i].Name)
	}
	return b
}

// appendValues appends the values of properties in the order of their shape.
func appendValues(b []byte, properties []odata.Property) []byte {
	for i := range properties {
		b = appendFixed(b, properties[i].Value)
	}
	for i := range properties {
		if v := properties[i].Value; v.Type() == odata.EdmString || v.Type() == odata.EdmBinary {
			b = encoding.AppendText(b, v.Text())
		}
	}
	return b
}

// appendFixed appends a value of fixed width, and nothing for any other.
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

// shapeOffset returns where a shape begins; for the shape after the last, where
// the last one ends.
func (b *Block) shapeOffset(n int) int {
	if n == b.shapes {
		return b.offsets
	}
	return b.uint32(b.offsets + 4*b.count + 8*b.partitions + 4*n)
}

// shapeData returns the encoding of a shape.
func (b *Block) shapeData(n int) string { return b.data[b.shapeOffset(n):b.shapeOffset(n+1)] }

func (b *Block) shape(n int) shape {
	fixed, at := b.uvarint(b.shapeOffset(n))
	count, at := b.uvarint(at)
	return shape{fixed: fixed, count: count, at: at}
}

// properties decodes all properties of the entity whose values are at an
// offset.
func (b *Block) properties(into []odata.Property, s shape, values int) {
	b.names(into, s)
	b.values(into, s, values)
}

// names decodes the names and types of a shape.
func (b *Block) names(into []odata.Property, s shape) {
	at := s.at
	for i := range into {
		p, kind := &into[i], b.data[at]
		p.Name, at = b.text(at + 1)
		p.Value = zeros[kind]
	}
}

// zeros has a value of each type.
var zeros = [...]odata.Value{
	encoding.Binary:   odata.BinaryText(""),
	booleanType:       odata.BooleanValue(false),
	encoding.DateTime: odata.DateTimeValue(0),
	encoding.Double:   odata.DoubleValue(0),
	encoding.Guid:     odata.GuidValue(odata.Guid{}),
	encoding.Int32:    odata.Int32Value(0),
	encoding.Int64:    odata.Int64Value(0),
	encoding.String:   odata.StringValue(""),
}

// values decodes the values at an offset into properties that have the names and
// types of their shape. Calling fixed instead would make a scan a seventh slower.
func (b *Block) values(into []odata.Property, s shape, values int) {
	fixed, text := values, values+s.fixed
	for i := range into {
		switch v := &into[i].Value; v.Type() {
		case odata.EdmString:
			var s string
			s, text = b.text(text)
			*v = odata.StringValue(s)
		case odata.EdmBinary:
			var s string
			s, text = b.text(text)
			*v = odata.BinaryText(s)
		case odata.EdmBoolean:
			*v = odata.BooleanValue(b.data[fixed] != 0)
			fixed++
		case odata.EdmInt32:
			*v = odata.Int32Value(int32(b.uint32(fixed)))
			fixed += 4
		case odata.EdmDateTime:
			*v = odata.DateTimeValue(odata.DateTime(b.uint64(fixed)))
			fixed += 8
		case odata.EdmDouble:
			*v = odata.DoubleValue(math.Float64frombits(b.uint64(fixed)))
			fixed += 8
		case odata.EdmInt64:
			*v = odata.Int64Value(int64(b.uint64(fixed)))
			fixed += 8
		case odata.EdmGuid:
			*v = odata.GuidText(b.data[fixed : fixed+encoding.GuidSize])
			fixed += encoding.GuidSize
		}
	}
}

// fixed decodes the value of fixed width at an offset.
func (b *Block) fixed(kind encoding.Type, at int) odata.Value {
	switch kind {
	case booleanType:
		return odata.BooleanValue(b.data[at] != 0)
	case encoding.DateTime:
		return odata.DateTimeValue(odata.DateTime(b.uint64(at)))
	case encoding.Double:
		return odata.DoubleValue(math.Float64frombits(b.uint64(at)))
	case encoding.Guid:
		return odata.GuidText(b.data[at : at+encoding.GuidSize])
	case encoding.Int32:
		return odata.Int32Value(int32(b.uint32(at)))
	default:
		return odata.Int64Value(int64(b.uint64(at)))
	}
}

func textValue(kind encoding.Type, text string) odata.Value {
	if kind == encoding.Binary {
		return odata.BinaryText(text)
	}
	return odata.StringValue(text)
}
