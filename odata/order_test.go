package odata

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

func units(s string) []uint16 { return utf16.Encode([]rune(s)) }

func TestCompare(t *testing.T) {
	tests := []struct {
		name string
		a, b string
		want int
	}{
		{"both empty", "", "", 0},
		{"empty first", "", "a", -1},
		{"same", "abc", "abc", 0},
		{"prefix first", "ab", "abc", -1},
		{"longer last", "abc", "ab", 1},
		{"upper case before lower case", "B", "a", -1},
		{"digits before letters", "10", "a", -1},
		{"text, not numbers", "10", "9", -1},
		{"two bytes before three", "é", "€", -1},
		{"surrogate pair before private use", "\U0001F600", "\uE000", -1},
		{"surrogate pair before the last of the BMP", "\U0001F600", "\uFFFF", -1},
		{"surrogate pair after the last before surrogates", "\U0001F600", "\uD7FF", 1},
		{"surrogate pairs among themselves", "\U0001F600", "\U0001F601", -1},
		{"difference within a pair", "a\U00010000", "a\U0010FFFF", -1},
		{"private use among itself", "\uE000", "\uFFFD", -1},
		{"difference behind a pair", "\U0001F600a", "\U0001F600b", -1},
		{"NUL after nothing", "a", "a\x00", -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Compare(tt.a, tt.b); got != tt.want {
				t.Errorf("Compare(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
			}
			if got := Compare(tt.b, tt.a); got != -tt.want {
				t.Errorf("Compare(%q, %q) = %d, want %d", tt.b, tt.a, got, -tt.want)
			}
			if got := slices.Compare(units(tt.a), units(tt.b)); got != tt.want {
				t.Errorf("UTF-16 of %q and %q compares as %d, want %d", tt.a, tt.b, got, tt.want)
			}
		})
	}
}

// One of each kind of character, each compared with each: every pair of lead
// bytes that Compare tells apart.
func TestCompareEdges(t *testing.T) {
	edges := []rune{
		0, 1, '/', 'A', 'z', 0x7F, 0x80, 0x7FF, 0x800, 0xFFF, 0x1000, 0xCFFF, 0xD000,
		0xD7FF, 0xE000, 0xEFFF, 0xF000, 0xFFFD, 0xFFFF, 0x10000, 0x1F600, 0xFFFFF, 0x100000, 0x10FFFF,
	}
	for _, x := range edges {
		for _, y := range edges {
			a, b := "p"+string(x)+"s", "p"+string(y)+"s"
			if got, want := Compare(a, b), slices.Compare(units(a), units(b)); got != want {
				t.Errorf("Compare(%U, %U) = %d, want %d", x, y, got, want)
			}
		}
	}
}

func FuzzCompare(f *testing.F) {
	f.Add("", "a")
	f.Add("\U0001F600", "\uE000")
	f.Add("ab\uFFFF", "ab\U00010000")
	f.Fuzz(func(t *testing.T, a, b string) {
		if !utf8.ValidString(a) || !utf8.ValidString(b) {
			_ = UTF16Len(a)
			if Compare(a, b) != -Compare(b, a) {
				t.Errorf("Compare(%q, %q) is not the opposite of its reverse", a, b)
			}
			return
		}
		if got, want := Compare(a, b), slices.Compare(units(a), units(b)); got != want {
			t.Errorf("Compare(%q, %q) = %d, want %d", a, b, got, want)
		}
		if got, want := UTF16Len(a), len(units(a)); got != want {
			t.Errorf("UTF16Len(%q) = %d, want %d", a, got, want)
		}
	})
}

func TestUTF16Len(t *testing.T) {
	tests := []struct {
		name string
		s    string
		want int
	}{
		{"empty", "", 0},
		{"ASCII", "abc", 3},
		{"two bytes", "éü", 2},
		{"three bytes", "€\uFFFF", 2},
		{"surrogate pairs", "\U0001F600\U0010FFFF", 4},
		{"mixed", "a€\U0001F600", 4},
		{"more than eight bytes", "€123\U0001F600 eight é", 14},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := UTF16Len(tt.s); got != tt.want {
				t.Errorf("UTF16Len(%q) = %d, want %d", tt.s, got, tt.want)
			}
		})
	}
}

func BenchmarkCompare(b *testing.B) {
	prefix := strings.Repeat("partition", 4)
	x, y := prefix+"1", prefix+"2"
	for b.Loop() {
		if Compare(x, y) != -1 {
			b.Fatal("wrong order")
		}
	}
}
