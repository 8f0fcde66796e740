package encoding

import (
	"encoding/binary"
	"math"

	"sandtable/odata"
)

// Type is the type of a stored value. The numbers belong to the format and differ
// from the numbers in package odata.
type Type = byte

// The stored types.
const (
	Binary   Type = 1
	False    Type = 2
	True     Type = 3
	DateTime Type = 4
	Double   Type = 5
	Guid     Type = 6
	Int32    Type = 7
	Int64    Type = 8
	String   Type = 9
)

// GuidSize is how many bytes a value of type [Guid] has.
const GuidSize = 16

// AppendText appends a string and, before it, its length.
func AppendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// AppendKey appends a partition key and a row key.
func AppendKey(b []byte, k odata.Key) []byte {
	return AppendText(AppendText(b, k.PartitionKey), k.RowKey)
}

// AppendEntity appends an entity in the form that the package comment describes.
func AppendEntity(b []byte, e *odata.Entity) []byte {
	b = AppendKey(b, e.Key())
	b = binary.LittleEndian.AppendUint64(b, uint64(e.Timestamp))
	b = binary.AppendUvarint(b, uint64(len(e.Properties)))
	for i := range e.Properties {
		b = AppendText(b, e.Properties[i].Name)
		b = appendValue(b, e.Properties[i].Value)
	}
	return b
}

func appendValue(b []byte, v odata.Value) []byte {
	switch v.Type() {
	case odata.EdmBinary:
		return AppendText(append(b, Binary), v.Text())
	case odata.EdmBoolean:
		if v.Bool() {
			return append(b, True)
		}
		return append(b, False)
	case odata.EdmDateTime:
		return binary.LittleEndian.AppendUint64(append(b, DateTime), uint64(v.DateTime()))
	case odata.EdmDouble:
		return binary.LittleEndian.AppendUint64(append(b, Double), math.Float64bits(v.Float()))
	case odata.EdmGuid:
		return append(append(b, Guid), v.Text()...)
	case odata.EdmInt32:
		return binary.AppendVarint(append(b, Int32), v.Int())
	case odata.EdmInt64:
		return binary.AppendVarint(append(b, Int64), v.Int())
	default:
		return AppendText(append(b, String), v.Text())
	}
}

// Entity reads an entity that [AppendEntity] wrote. Its strings share the
// payload's memory.
func (r *Reader) Entity() *odata.Entity {
	e := &odata.Entity{PartitionKey: r.Text(), RowKey: r.Text(), Timestamp: odata.DateTime(r.Uint64())}
	// A property has at least two bytes, so the rest limits how many can follow.
	n := r.UvarintUpTo(uint64(r.Len()) / 2)
	e.Properties = make([]odata.Property, n)
	for i := range e.Properties {
		e.Properties[i] = odata.Property{Name: r.Text(), Value: r.value()}
	}
	return e
}

func (r *Reader) value() odata.Value {
	switch r.Byte() {
	case Binary:
		return odata.BinaryText(r.Text())
	case False:
		return odata.BooleanValue(false)
	case True:
		return odata.BooleanValue(true)
	case DateTime:
		return odata.DateTimeValue(odata.DateTime(r.Uint64()))
	case Double:
		return odata.DoubleValue(math.Float64frombits(r.Uint64()))
	case Guid:
		return odata.GuidText(r.Take(GuidSize))
	case Int32:
		n := r.Varint()
		if n != int64(int32(n)) {
			r.Fail()
		}
		return odata.Int32Value(int32(n))
	case Int64:
		return odata.Int64Value(r.Varint())
	case String:
		return odata.StringValue(r.Text())
	default:
		r.Fail()
		return odata.Value{}
	}
}
