package pgstore

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"sandtable/odata"
)

func TestKeysKeepTheirOrder(t *testing.T) {
	keys := []string{"", "\x00", "\x00\x00", "a", "a\x00", "aa", "b", "é", "\u07FF", "\u0800", "\uD7FF", "\U00010000", "\U0001F600",
		"\U0010FFFF", "\uE000", "\uE000a", "\uEFFF", "\uF000", "\uFFFF", "\uFFFFz"}
	for i, a := range keys {
		for j, b := range keys {
			want := odata.Compare(a, b)
			if want != compareInts(i, j) {
				t.Fatalf("%q and %q are not in order here", a, b)
			}
			if got := bytes.Compare(encodeKey(a), encodeKey(b)); got != want {
				t.Errorf("stored, %q and %q compare as %d, want %d", a, b, got, want)
			}
		}
		if got := decodeKey(encodeKey(a)); got != a {
			t.Errorf("%q is read as %q", a, got)
		}
	}
}

func compareInts(a, b int) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func FuzzKeys(f *testing.F) {
	f.Add("a", "\uFFFF\U0001F600")
	f.Fuzz(func(t *testing.T, a, b string) {
		a, b = strings.ToValidUTF8(a, ""), strings.ToValidUTF8(b, "")
		if decodeKey(encodeKey(a)) != a {
			t.Errorf("%q is read as another key", a)
		}
		if got, want := bytes.Compare(encodeKey(a), encodeKey(b)), odata.Compare(a, b); got != want {
			t.Errorf("stored, %q and %q compare as %d, want %d", a, b, got, want)
		}
	})
}

func TestCheckKey(t *testing.T) {
	longest := strings.Repeat("k", odata.MaxKeyLength)
	if err := checkKey(odata.Key{PartitionKey: longest, RowKey: longest}); err != nil {
		t.Errorf("the longest keys in ASCII: %v", err)
	}
	wide := strings.Repeat("\uFFFF", odata.MaxKeyLength)
	if err := checkKey(odata.Key{PartitionKey: wide}); !errors.Is(err, odata.ErrKeyOutOfRange) {
		t.Errorf("a key of %d bytes: %v, want ErrKeyOutOfRange", len(wide), err)
	}
}
