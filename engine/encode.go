package engine

import (
	"encoding/binary"
	"fmt"
	"math"

	"sandtable/odata"
)

// The types of stored values. They are numbers of the format, not those of
// package odata.
const (
	storedBinary   = 1
	storedFalse    = 2
	storedTrue     = 3
	storedDateTime = 4
	storedDouble   = 5
	storedGuid     = 6
	storedInt32    = 7
	storedInt64    = 8
	storedString   = 9
)

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendKey(b []byte, k odata.Key) []byte {
	return appendText(appendText(b, k.PartitionKey), k.RowKey)
}

// appendEntity appends an entity as the log has it: its key, its Timestamp in
// eight bytes, the number of its properties, and of each the name, the type and
// the value.
func appendEntity(b []byte, e *odata.Entity) []byte {
	b = appendKey(b, e.Key())
	b = binary.LittleEndian.AppendUint64(b, uint64(e.Timestamp))
	b = binary.AppendUvarint(b, uint64(len(e.Properties)))
	for i := range e.Properties {
		b = appendText(b, e.Properties[i].Name)
		b = appendValue(b, e.Properties[i].Value)
	}
	return b
}

func appendValue(b []byte, v odata.Value) []byte {
	switch v.Type() {
	case odata.EdmBinary:
		return appendText(append(b, storedBinary), v.Text())
	case odata.EdmBoolean:
		if v.Bool() {
			return append(b, storedTrue)
		}
		return append(b, storedFalse)
	case odata.EdmDateTime:
		return binary.LittleEndian.AppendUint64(append(b, storedDateTime), uint64(v.DateTime()))
	case odata.EdmDouble:
		return binary.LittleEndian.AppendUint64(append(b, storedDouble), math.Float64bits(v.Float()))
	case odata.EdmGuid:
		return append(append(b, storedGuid), v.Text()...)
	case odata.EdmInt32:
		return binary.AppendVarint(append(b, storedInt32), v.Int())
	case odata.EdmInt64:
		return binary.AppendVarint(append(b, storedInt64), v.Int())
	default:
		return appendText(append(b, storedString), v.Text())
	}
}

// reader takes a text apart from the left. After the first thing that does
// not fit it is bad, and returns zeros.
type reader struct {
	s   string
	bad bool
}

// end is the error of a text that did not fit, or was not used up.
func (r *reader) end() error {
	switch {
	case r.bad:
		return fmt.Errorf("%w: wrong form", ErrCorrupt)
	case r.s != "":
		return fmt.Errorf("%w: %d bytes too many", ErrCorrupt, len(r.s))
	}
	return nil
}

func (r *reader) fail() {
	r.s, r.bad = "", true
}

func (r *reader) take(n uint64) string {
	if n > uint64(len(r.s)) {
		r.fail()
		return ""
	}
	s := r.s[:n]
	r.s = r.s[n:]
	return s
}

func (r *reader) byte() byte {
	if r.s == "" {
		r.fail()
		return 0
	}
	c := r.s[0]
	r.s = r.s[1:]
	return c
}

func (r *reader) uint32() uint32 {
	var b [4]byte
	copy(b[:], r.take(4))
	return binary.LittleEndian.Uint32(b[:])
}

func (r *reader) uint64() uint64 {
	var b [8]byte
	copy(b[:], r.take(8))
	return binary.LittleEndian.Uint64(b[:])
}

func (r *reader) uvarint() uint64 {
	var n uint64
	for shift := 0; shift < 64; shift += 7 {
		c := r.byte()
		if shift == 63 && c > 1 {
			break
		}
		n |= uint64(c&0x7F) << shift
		if c < 0x80 {
			return n
		}
	}
	r.fail()
	return 0
}

func (r *reader) varint() int64 {
	n := r.uvarint()
	return int64(n>>1) ^ -int64(n&1)
}

func (r *reader) text() string { return r.take(r.uvarint()) }

func (r *reader) skipText() { r.take(r.uvarint()) }

func (r *reader) tableID() TableID {
	n := r.uvarint()
	if n > math.MaxUint32 {
		r.fail()
	}
	return TableID(n)
}

func (r *reader) key() odata.Key {
	return odata.Key{PartitionKey: r.text(), RowKey: r.text()}
}

// entity reads what appendEntity wrote. The entity's texts are parts of r's.
func (r *reader) entity() *odata.Entity {
	partition := r.text()
	e := r.row()
	e.PartitionKey = partition
	return e
}

// row reads an entity without its partition key.
func (r *reader) row() *odata.Entity {
	e := &odata.Entity{RowKey: r.text(), Timestamp: odata.DateTime(r.uint64())}
	n := r.uvarint()
	// A property has two bytes at least: what follows bounds what is made.
	if n > uint64(len(r.s))/2 {
		r.fail()
		return e
	}
	e.Properties = make([]odata.Property, n)
	for i := range e.Properties {
		e.Properties[i] = odata.Property{Name: r.text(), Value: r.value()}
	}
	return e
}

func (r *reader) value() odata.Value {
	switch r.byte() {
	case storedBinary:
		return odata.BinaryText(r.text())
	case storedFalse:
		return odata.BooleanValue(false)
	case storedTrue:
		return odata.BooleanValue(true)
	case storedDateTime:
		return odata.DateTimeValue(odata.DateTime(r.uint64()))
	case storedDouble:
		return odata.DoubleValue(math.Float64frombits(r.uint64()))
	case storedGuid:
		return odata.GuidText(r.take(16))
	case storedInt32:
		n := r.varint()
		if n != int64(int32(n)) {
			r.fail()
		}
		return odata.Int32Value(int32(n))
	case storedInt64:
		return odata.Int64Value(r.varint())
	case storedString:
		return odata.StringValue(r.text())
	default:
		r.fail()
		return odata.Value{}
	}
}
