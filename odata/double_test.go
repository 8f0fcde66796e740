package odata

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
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
		{"scientific with digits", 1234567890123450000, "1.23456789012345E+18"},
		{"sixteen digits are fixed up to 1E+17", 1234567890123456, "1234567890123456.0"},
		{"sixteen digits with a fraction", 1234567890123456.5, "1234567890123456.5"},
		{"seventeen digits, the last fixed", -99999999999999984, "-99999999999999984.0"},
		{"seventeen digits, the first scientific", 123456789012345680, "1.2345678901234568E+17"},
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
	for _, seed := range []float64{
		0, 1, -1, 0.1, 1e15, 1e-5, 123456789012345678, math.MaxFloat64, math.NaN(), math.Inf(1),
		smallestNormal, math.Nextafter(smallestNormal, 0), 5e-320,
	} {
		f.Add(math.Float64bits(seed))
	}
	f.Fuzz(func(t *testing.T, bits uint64) { checkDouble(t, math.Float64frombits(bits)) })
}

// TestAppendRandomDoubles prints doubles of all sizes, subnormal ones, and decimals.
func TestAppendRandomDoubles(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		bits := random.Uint64()
		checkDouble(t, math.Float64frombits(bits))
		checkDouble(t, math.Float64frombits(bits>>12>>random.IntN(52)))
		checkDouble(t, float64(bits%1e17)/math.Pow10(random.IntN(18)))
	}
}

// checkDouble compares the digits with the definition: 15 if they round-trip, else 17,
// and an exponent where the point would be after more digits than that.
func checkDouble(t *testing.T, f float64) {
	t.Helper()
	text := string(AppendDouble(nil, f))
	got, err := strconv.ParseFloat(text, 64)
	switch {
	case math.IsNaN(f) && math.IsNaN(got):
		return
	case err != nil || got != f || math.Signbit(got) != math.Signbit(f):
		t.Fatalf("%x prints as %s, which reads as %x, %v", f, text, got, err)
	case math.IsInf(f, 0):
		return
	}
	want, most := strconv.FormatFloat(f, 'e', 14, 64), 15
	if short, err := strconv.ParseFloat(want, 64); err != nil || short != f {
		want, most = strconv.FormatFloat(f, 'e', 16, 64), 17
	}
	exponent, _ := strconv.Atoi(want[strings.IndexByte(want, 'e')+1:])
	if scientific := exponent >= most || exponent <= -5; strings.Contains(text, "E") != scientific {
		t.Errorf("%x prints as %s: an exponent is wanted: %t", f, text, scientific)
	}
	if digitsOf(text) != digitsOf(want) {
		t.Errorf("%x prints as %s, want the digits of %s", f, text, want)
	}
}

// digitsOf returns the digits of a decimal without the zeros around them.
func digitsOf(text string) string {
	mantissa, _, _ := strings.Cut(strings.ToLower(text), "e")
	return strings.Trim(strings.NewReplacer("-", "", ".", "").Replace(mantissa), "0")
}

func BenchmarkAppendDouble(b *testing.B) {
	var buf [64]byte
	for b.Loop() {
		AppendDouble(buf[:0], 1234.1234)
	}
}
