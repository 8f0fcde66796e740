package odata

import (
	"math"
	"strings"
	"testing"
	"unsafe"
)

func TestTypes(t *testing.T) {
	for _, typ := range Types() {
		if got, ok := ParseType(typ.String()); !ok || got != typ {
			t.Errorf("ParseType(%q) = %v, %t, want %v", typ, got, ok, typ)
		}
	}
	if got := len(Types()); got != 8 {
		t.Errorf("there are %d types, want 8", got)
	}
	for _, name := range []string{"", "Edm.Null", "edm.string", "Edm.string", "String", "Edm.Decimal", "Edm.Int32 "} {
		if typ, ok := ParseType(name); ok {
			t.Errorf("ParseType(%q) = %v, want a refusal", name, typ)
		}
	}
	for _, typ := range []Type{0, EdmString + 1, 255} {
		if got := typ.String(); got != "Edm.Null" {
			t.Errorf("Type %d is %q", typ, got)
		}
	}
}

func TestValue(t *testing.T) {
	guid, _ := ParseGuid("c9da6455-213d-42c9-9a79-3e9149a57833")
	tests := []struct {
		name string
		v    Value
		typ  Type
		size int
		kept bool // what went in comes out
	}{
		{"string", StringValue("a€\U0001F600"), EdmString, 2*4 + 4, StringValue("x").Text() == "x"},
		{"empty string", StringValue(""), EdmString, 4, StringValue("").Text() == ""},
		{"binary", BinaryValue([]byte{0, 255}), EdmBinary, 2 + 4, BinaryValue([]byte{0, 255}).Text() == "\x00\xff"},
		{"binary text", BinaryText("\x00\xff"), EdmBinary, 2 + 4, BinaryText("\x00").Text() == "\x00"},
		{"true", BooleanValue(true), EdmBoolean, 1, BooleanValue(true).Bool()},
		{"false", BooleanValue(false), EdmBoolean, 1, !BooleanValue(false).Bool()},
		{"int32", Int32Value(math.MinInt32), EdmInt32, 4, Int32Value(math.MinInt32).Int() == math.MinInt32},
		{"int64", Int64Value(math.MinInt64), EdmInt64, 8, Int64Value(math.MinInt64).Int() == math.MinInt64},
		{"double", DoubleValue(-0.5), EdmDouble, 8, DoubleValue(-0.5).Float() == -0.5},
		{"datetime", DateTimeValue(MaxDateTime), EdmDateTime, 8, DateTimeValue(MaxDateTime).DateTime() == MaxDateTime},
		{"guid", GuidValue(guid), EdmGuid, 16, GuidValue(guid).Guid() == guid},
		{"guid text", GuidText(string(guid[:])), EdmGuid, 16, GuidText(string(guid[:])).Guid() == guid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.v.Type(); got != tt.typ {
				t.Errorf("type is %v, want %v", got, tt.typ)
			}
			if got := tt.v.Size(); got != tt.size {
				t.Errorf("size is %d, want %d", got, tt.size)
			}
			if tt.v.IsZero() || !tt.kept {
				t.Errorf("%v does not keep its value", tt.v)
			}
			if !tt.v.Equal(tt.v) || tt.v.Equal(Value{}) {
				t.Errorf("%v is not equal to itself alone", tt.v)
			}
		})
	}
	if !(Value{}).IsZero() || !GuidText("short").IsZero() {
		t.Error("a value without a type is not zero")
	}
	if size := unsafe.Sizeof(Value{}); size > 32 {
		t.Errorf("a value takes %d bytes, want at most 32", size)
	}
}

func TestBinaryValueCopies(t *testing.T) {
	data := []byte("abc")
	v := BinaryValue(data)
	data[0] = 'x'
	if got := v.Text(); got != "abc" {
		t.Errorf("a binary changed to %q with the bytes that it was made of", got)
	}
}

func TestValueEqual(t *testing.T) {
	other := math.Float64frombits(math.Float64bits(math.NaN()) ^ 1)
	tests := []struct {
		name string
		v, w Value
		want bool
	}{
		{"types differ", Int32Value(1), Int64Value(1), false},
		{"string and binary", StringValue("a"), BinaryText("a"), false},
		{"strings made apart", StringValue(strings.Repeat("a", 2)), StringValue("aa"), true},
		{"case", StringValue("a"), StringValue("A"), false},
		{"NaN", DoubleValue(math.NaN()), DoubleValue(math.NaN()), true},
		{"NaN of other bits", DoubleValue(other), DoubleValue(-math.NaN()), true},
		{"zero values", Value{}, Value{}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.v.Equal(tt.w); got != tt.want {
				t.Errorf("Equal is %t, want %t", got, tt.want)
			}
		})
	}
}

func TestCompareValues(t *testing.T) {
	low, _ := ParseGuid("0f000000-0000-0000-0000-000000000000")
	high, _ := ParseGuid("f0000000-0000-0000-0000-000000000000")
	tests := []struct {
		name string
		v, w Value
		want int
		ok   bool
	}{
		{"strings by UTF-16", StringValue("\U0001F600"), StringValue("\uFFFF"), -1, true},
		{"strings as text", StringValue("10"), StringValue("9"), -1, true},
		{"binaries by unsigned byte", BinaryText("\x7f"), BinaryText("\x80"), -1, true},
		{"binaries by length", BinaryText("a"), BinaryText("a\x00"), -1, true},
		{"false before true", BooleanValue(false), BooleanValue(true), -1, true},
		{"int32", Int32Value(-1), Int32Value(1), -1, true},
		{"int64 extremes", Int64Value(math.MinInt64), Int64Value(math.MaxInt64), -1, true},
		{"doubles", DoubleValue(-0.5), DoubleValue(0.25), -1, true},
		{"zeros", DoubleValue(math.Copysign(0, -1)), DoubleValue(0), 0, true},
		{"infinities", DoubleValue(math.Inf(-1)), DoubleValue(math.Inf(1)), -1, true},
		{"instants", DateTimeValue(MinDateTime), DateTimeValue(MaxDateTime), -1, true},
		{"guids as text", GuidValue(low), GuidValue(high), -1, true},
		{"same", Int32Value(7), Int32Value(7), 0, true},
		{"NaN has no order", DoubleValue(math.NaN()), DoubleValue(1), 0, false},
		{"nor with itself", DoubleValue(math.NaN()), DoubleValue(math.NaN()), 0, false},
		{"types differ", Int32Value(1), Int64Value(1), 0, false},
		{"no type", Value{}, Value{}, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, ok := CompareValues(tt.v, tt.w); got != tt.want || ok != tt.ok {
				t.Errorf("CompareValues = %d, %t, want %d, %t", got, ok, tt.want, tt.ok)
			}
			if got, ok := CompareValues(tt.w, tt.v); got != -tt.want || ok != tt.ok {
				t.Errorf("CompareValues the other way = %d, %t, want %d, %t", got, ok, -tt.want, tt.ok)
			}
		})
	}
}
