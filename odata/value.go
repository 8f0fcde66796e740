package odata

import (
	"cmp"
	"math"
	"strings"
)

// Type is one of the eight EDM types of properties. The zero Type is invalid; a
// null property is an absent one.
type Type uint8

// The EDM types, in the order of their names on the wire.
const (
	EdmBinary Type = iota + 1
	EdmBoolean
	EdmDateTime
	EdmDouble
	EdmGuid
	EdmInt32
	EdmInt64
	EdmString
)

var typeNames = [...]string{
	EdmBinary:   "Edm.Binary",
	EdmBoolean:  "Edm.Boolean",
	EdmDateTime: "Edm.DateTime",
	EdmDouble:   "Edm.Double",
	EdmGuid:     "Edm.Guid",
	EdmInt32:    "Edm.Int32",
	EdmInt64:    "Edm.Int64",
	EdmString:   "Edm.String",
}

// Types lists the EDM types in the order of their names.
func Types() []Type {
	return []Type{EdmBinary, EdmBoolean, EdmDateTime, EdmDouble, EdmGuid, EdmInt32, EdmInt64, EdmString}
}

// String returns the type's name on the wire, such as "Edm.Int32".
func (t Type) String() string {
	if t == 0 || int(t) >= len(typeNames) {
		return "Edm.Null"
	}
	return typeNames[t]
}

// IsNumber reports whether values of the type are numbers.
func (t Type) IsNumber() bool { return t == EdmInt32 || t == EdmInt64 || t == EdmDouble }

// ParseType returns the type with the given name on the wire. Names are
// case-sensitive.
func ParseType(name string) (Type, bool) {
	for t := EdmBinary; t <= EdmString; t++ {
		if typeNames[t] == name {
			return t, true
		}
	}
	return 0, false
}

// Value is an immutable value of one EDM type. The zero Value has no type and
// represents an absent value.
//
// It has 32 bytes and at most one pointer. A value can be a substring of a
// larger encoding, without a copy.
type Value struct {
	text   string // String, Binary, Guid
	number uint64 // all others
	typ    Type
}

// StringValue returns an Edm.String.
func StringValue(s string) Value { return Value{typ: EdmString, text: s} }

// BinaryValue returns an Edm.Binary with a copy of b.
func BinaryValue(b []byte) Value { return Value{typ: EdmBinary, text: string(b)} }

// BinaryText returns an Edm.Binary with the bytes of s, without a copy.
func BinaryText(s string) Value { return Value{typ: EdmBinary, text: s} }

// BooleanValue returns an Edm.Boolean.
func BooleanValue(b bool) Value {
	v := Value{typ: EdmBoolean}
	if b {
		v.number = 1
	}
	return v
}

// Int32Value returns an Edm.Int32.
func Int32Value(n int32) Value { return Value{typ: EdmInt32, number: uint64(int64(n))} }

// Int64Value returns an Edm.Int64.
func Int64Value(n int64) Value { return Value{typ: EdmInt64, number: uint64(n)} }

// DoubleValue returns an Edm.Double. All NaNs become the same one, because they
// have one name on the wire.
func DoubleValue(f float64) Value {
	if f != f {
		f = math.NaN()
	}
	return Value{typ: EdmDouble, number: math.Float64bits(f)}
}

// DateTimeValue returns an Edm.DateTime.
func DateTimeValue(d DateTime) Value { return Value{typ: EdmDateTime, number: uint64(d)} }

// GuidValue returns an Edm.Guid.
func GuidValue(g Guid) Value { return Value{typ: EdmGuid, text: string(g[:])} }

// GuidText returns an Edm.Guid from its sixteen bytes in textual order, without
// a copy. A string of another length gives the zero Value.
func GuidText(s string) Value {
	if len(s) != len(Guid{}) {
		return Value{}
	}
	return Value{typ: EdmGuid, text: s}
}

// Type returns the value's type, 0 for the zero Value.
func (v Value) Type() Type { return v.typ }

// IsZero reports whether v is the zero Value, which has no type.
func (v Value) IsZero() bool { return v.typ == 0 }

// Text returns the text of an Edm.String, the bytes of an Edm.Binary or the
// sixteen bytes of an Edm.Guid, uncopied; "" for other types.
func (v Value) Text() string { return v.text }

// Bool returns the value of an Edm.Boolean.
func (v Value) Bool() bool { return v.number != 0 }

// Int returns the value of an Edm.Int32 or Edm.Int64.
func (v Value) Int() int64 { return int64(v.number) }

// Float returns the value of an Edm.Double.
func (v Value) Float() float64 { return math.Float64frombits(v.number) }

// DateTime returns the value of an Edm.DateTime.
func (v Value) DateTime() DateTime { return DateTime(v.number) }

// Guid returns the value of an Edm.Guid.
func (v Value) Guid() Guid {
	var g Guid
	copy(g[:], v.text)
	return g
}

// Equal reports whether v and w have the same type and value. NaN equals NaN,
// unlike in [CompareValues].
func (v Value) Equal(w Value) bool { return v == w }

// CompareValues compares two values of one type as $filter does: numbers by
// value, strings by UTF-16 code unit, false before true, times by instant,
// binaries and GUIDs byte by byte. It reports false if they have no order: the
// types differ, or one of two doubles is NaN.
//
// Source: "Querying tables and entities", and live test suites for GUIDs.
func CompareValues(v, w Value) (int, bool) {
	if v.typ != w.typ {
		return 0, false
	}
	switch v.typ {
	case EdmString:
		return Compare(v.text, w.text), true
	case EdmBinary, EdmGuid:
		return strings.Compare(v.text, w.text), true
	case EdmDouble:
		a, b := v.Float(), w.Float()
		if a != a || b != b {
			return 0, false
		}
		return cmp.Compare(a, b), true
	case EdmBoolean, EdmInt32, EdmInt64, EdmDateTime:
		return cmp.Compare(int64(v.number), int64(w.number)), true
	default:
		return 0, false
	}
}

// Size returns the value's size in bytes as the service counts it for the limit
// of an entity: a string is UTF-16 with a length of four bytes.
//
// Source: "How to calculate the size of table storage" of the storage team.
func (v Value) Size() int {
	switch v.typ {
	case EdmString:
		return 2*UTF16Len(v.text) + 4
	case EdmBinary:
		return len(v.text) + 4
	case EdmGuid:
		return 16
	case EdmBoolean:
		return 1
	case EdmInt32:
		return 4
	default:
		return 8
	}
}
