package odata

import (
	"math"
	"strconv"
	"testing"
)

func TestAppendDouble(t *testing.T) {
	tests := []struct {
		name string
		f    float64
		want string
	}{
		{"zero", 0, "0.0"},
		{"negative zero", math.Copysign(0, -1), "-0.0"},
		{"whole", 3, "3.0"},
		{"negative whole", -20, "-20.0"},
		{"fraction", 3.1, "3.1"},
		{"recorded fraction", 1234.1234, "1234.1234"},
		{"noise of the last digits is cut", 1.1000000000000001, "1.1"},
		{"sixteen digits need seventeen", 0.30000000000000004, "0.30000000000000004"},
		{"third", 1.0 / 3, "0.33333333333333331"},
		{"last fixed", 123456789012345, "123456789012345.0"},
		{"last fixed with zeros", 100000000000000, "100000000000000.0"},
		{"first scientific", 1e15, "1E+15"},
		{"scientific with digits", 1234567890123456, "1.234567890123456E+15"},
		{"recorded scientific", 1.23456789012346e24, "1.23456789012346E+24"},
		{"three digits of exponent", 1e100, "1E+100"},
		{"smallest fixed", 0.0001, "0.0001"},
		{"small fixed", 0.000123, "0.000123"},
		{"first small scientific", 0.00001, "1E-05"},
		{"small scientific with digits", -0.0000123, "-1.23E-05"},
		{"largest", math.MaxFloat64, "1.7976931348623157E+308"},
		{"smallest", math.SmallestNonzeroFloat64, "4.94065645841247E-324"},
		{"not a number", math.NaN(), "NaN"},
		{"infinity", math.Inf(1), "Infinity"},
		{"negative infinity", math.Inf(-1), "-Infinity"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(AppendDouble([]byte("x"), tt.f)); got != "x"+tt.want {
				t.Errorf("AppendDouble(%g) = %s, want x%s", tt.f, got, tt.want)
			}
		})
	}
}

func TestAppendDoubleAllocations(t *testing.T) {
	buf := make([]byte, 0, 64)
	allocations := testing.AllocsPerRun(100, func() { buf = AppendDouble(buf[:0], 1234.1234) })
	if allocations != 0 {
		t.Errorf("AppendDouble allocates %v times", allocations)
	}
}

func FuzzAppendDouble(f *testing.F) {
	for _, seed := range []float64{0, 1, -1, 0.1, 1e15, 1e-5, 123456789012345678, math.MaxFloat64, math.NaN(), math.Inf(1)} {
		f.Add(math.Float64bits(seed))
	}
	f.Fuzz(func(t *testing.T, bits uint64) {
		want := math.Float64frombits(bits)
		text := string(AppendDouble(nil, want))
		got, err := strconv.ParseFloat(text, 64)
		same := got == want && math.Signbit(got) == math.Signbit(want)
		if err != nil || !same && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%x prints as %s, which reads as %x, %v", bits, text, math.Float64bits(got), err)
		}
	})
}

func BenchmarkAppendDouble(b *testing.B) {
	var buf [64]byte
	for b.Loop() {
		AppendDouble(buf[:0], 1234.1234)
	}
}
