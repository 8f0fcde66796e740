package odata

import (
	"slices"
	"strings"
	"testing"
)

// TestCompareBehindPrefix places a difference at every offset of the eight bytes that
// Compare reads at once, and after them.
func TestCompareBehindPrefix(t *testing.T) {
	characters := []string{"", "a", "b", "\x00", "\uD7FF", "\uE000", "\uFFFF", "\U0001F600", "\U0010FFFF"}
	for n := range 20 {
		prefix := strings.Repeat("x", n)
		for _, x := range characters {
			for _, y := range characters {
				for _, tail := range []string{"", "later text"} {
					a, b := prefix+x+tail, prefix+y+tail
					if got, want := Compare(a, b), slices.Compare(units(a), units(b)); got != want {
						t.Fatalf("Compare(%q, %q) = %d, want %d", a, b, got, want)
					}
				}
			}
		}
	}
}
