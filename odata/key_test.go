package odata

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func TestKeyCompare(t *testing.T) {
	tests := []struct {
		name string
		a, b Key
		want int
	}{
		{"same", Key{"p", "r"}, Key{"p", "r"}, 0},
		{"empty keys are the first", Key{}, Key{"", "\x00"}, -1},
		{"partition before row", Key{"a", "z"}, Key{"b", "a"}, -1},
		{"row within a partition", Key{"a", "1"}, Key{"a", "2"}, -1},
		{"keys are not joined", Key{"ab", ""}, Key{"a", "b"}, 1},
		{"by UTF-16", Key{"\U0001F600", ""}, Key{"\uFFFF", ""}, -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.a.Compare(tt.b); got != tt.want {
				t.Errorf("%v.Compare(%v) = %d, want %d", tt.a, tt.b, got, tt.want)
			}
			if got := tt.b.Compare(tt.a); got != -tt.want {
				t.Errorf("%v.Compare(%v) = %d, want %d", tt.b, tt.a, got, -tt.want)
			}
			if got := tt.a.Less(tt.b); got != (tt.want < 0) {
				t.Errorf("%v.Less(%v) = %t", tt.a, tt.b, got)
			}
		})
	}
}

func TestKeyNext(t *testing.T) {
	k := Key{"p", "r"}
	if next := k.Next(); !k.Less(next) || !next.Less(Key{"p", "r\x01"}) || !next.Less(Key{"p", "ra"}) {
		t.Errorf("%v.Next() = %q is not the next key", k, next)
	}
	next := k.NextPartition()
	if !(Key{"p", "\uFFFF\uFFFF"}).Less(next) || !next.Less(Key{"p\x01", ""}) || !next.Less(Key{"pa", ""}) {
		t.Errorf("%v.NextPartition() = %q is not the first key of what follows", k, next)
	}
}

// rangeOf returns a range of rows within the partition "p".
func rangeOf(from, to string) KeyRange { return KeyRange{Key{"p", from}, Key{"p", to}, true} }

func TestKeyRange(t *testing.T) {
	from := func(row string) KeyRange { return KeyRange{From: Key{"p", row}} }
	all, none := KeyRange{}, rangeOf("b", "b")
	tests := []struct {
		name                  string
		r, other              KeyRange
		intersection, spanned KeyRange
	}{
		{"everything twice", all, all, all, all},
		{"everything and a part", all, rangeOf("a", "c"), rangeOf("a", "c"), all},
		{"overlap", rangeOf("a", "c"), rangeOf("b", "d"), rangeOf("b", "c"), rangeOf("a", "d")},
		{"within", rangeOf("a", "d"), rangeOf("b", "c"), rangeOf("b", "c"), rangeOf("a", "d")},
		{"apart", rangeOf("a", "b"), rangeOf("c", "d"), rangeOf("c", "b"), rangeOf("a", "d")},
		{"side by side", rangeOf("a", "b"), rangeOf("b", "c"), none, rangeOf("a", "c")},
		{"open and bounded", from("b"), rangeOf("a", "c"), rangeOf("b", "c"), from("a")},
		{"two open ones", from("a"), from("b"), from("b"), from("a")},
		{"empty and a part", none, rangeOf("c", "d"), rangeOf("c", "b"), rangeOf("c", "d")},
		{"empty and everything", none, all, none, all},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.r.Intersect(tt.other); got != tt.intersection {
				t.Errorf("Intersect gives %v, want %v", got, tt.intersection)
			}
			if got := tt.other.Intersect(tt.r); got != tt.intersection {
				t.Errorf("Intersect the other way gives %v, want %v", got, tt.intersection)
			}
			if got := tt.r.Span(tt.other); got != tt.spanned {
				t.Errorf("Span gives %v, want %v", got, tt.spanned)
			}
			if got := tt.other.Span(tt.r); got != tt.spanned {
				t.Errorf("Span the other way gives %v, want %v", got, tt.spanned)
			}
		})
	}
}

func TestKeyRangeIsEmpty(t *testing.T) {
	tests := []struct {
		name string
		r    KeyRange
		want bool
	}{
		{"everything", KeyRange{}, false},
		{"open", KeyRange{From: Key{"p", "r"}}, false},
		{"one key", KeyRange{Key{"p", "r"}, Key{"p", "r"}.Next(), true}, false},
		{"no key", rangeOf("a", "a"), true},
		{"backwards", rangeOf("b", "a"), true},
		{"up to the first key", KeyRange{Bounded: true}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.r.IsEmpty(); got != tt.want {
				t.Errorf("IsEmpty of %v = %t, want %t", tt.r, got, tt.want)
			}
		})
	}
}

// Random ranges over a few keys: an intersection contains what both contain, a
// span at least what either contains.
func TestKeyRangeProperties(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var keys []Key
	for i := range 25 {
		keys = append(keys, Key{fmt.Sprint(i / 5), fmt.Sprint(i % 5)})
	}
	pick := func() KeyRange {
		return KeyRange{keys[random.IntN(25)], keys[random.IntN(25)], random.IntN(4) > 0}
	}
	for range 2000 {
		r, other := pick(), pick()
		both, either := r.Intersect(other), r.Span(other)
		held := 0
		for _, k := range keys {
			if got, want := both.Contains(k), r.Contains(k) && other.Contains(k); got != want {
				t.Fatalf("%v.Intersect(%v) holds %v: %t, want %t", r, other, k, got, want)
			}
			if (r.Contains(k) || other.Contains(k)) && !either.Contains(k) {
				t.Fatalf("%v.Span(%v) does not hold %v", r, other, k)
			}
			if r.Contains(k) {
				held++
			}
		}
		if r.IsEmpty() && held > 0 {
			t.Fatalf("%v is empty and holds %d keys", r, held)
		}
	}
}
