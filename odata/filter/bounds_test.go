package filter

import (
	"strings"
	"testing"

	"sandtable/odata"
)

func TestBounds(t *testing.T) {
	for _, b := range readBlocks(t, "bounds.txt") {
		t.Run(b.lines[0], func(t *testing.T) {
			r := Bounds(mustParse(t, b.lines[0]))
			if got := rangeText(r); got != b.lines[1] {
				t.Errorf("bounds.txt:%d: got %s, want %s", b.line, got, b.lines[1])
			}
			if none := b.lines[1] == "none"; r.IsEmpty() != none {
				t.Errorf("bounds.txt:%d: empty is %v", b.line, r.IsEmpty())
			}
		})
	}
}

func rangeText(r odata.KeyRange) string {
	switch {
	case r == odata.KeyRange{}:
		return "all"
	case r.IsEmpty():
		return "none"
	case !r.Bounded:
		return keyText(r.From) + " to end"
	default:
		return keyText(r.From) + " to " + keyText(r.To)
	}
}

func keyText(k odata.Key) string {
	return strings.ReplaceAll(k.PartitionKey+"|"+k.RowKey, "\x00", ".")
}

func TestBoundsWithoutFilter(t *testing.T) {
	if r := Bounds(nil); r != (odata.KeyRange{}) {
		t.Errorf("no filter is bounded by %v", r)
	}
}

// A filter for one key gives a range of one key, which the engine treats as a
// point read.
func TestBoundsOfOneKey(t *testing.T) {
	k := odata.Key{PartitionKey: "a", RowKey: "x"}
	want := odata.KeyRange{From: k, To: k.Next(), Bounded: true}
	if got := Bounds(mustParse(t, "RowKey eq 'x' and (A eq 1 and 'a' eq PartitionKey)")); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Parse refuses to compare a key with another type. Such a filter built by hand
// has no bounds, because every key is smaller than the constant.
func TestBoundsOfOtherTypes(t *testing.T) {
	for _, name := range []string{odata.PartitionKeyName, odata.RowKeyName} {
		x := &Comparison{Property: name, Operator: LessThan, Constant: odata.Int32Value(5)}
		if !Match(x, &odata.Entity{PartitionKey: "p"}) {
			t.Errorf("%s does not match", x)
		}
		if r := Bounds(x); r != (odata.KeyRange{}) {
			t.Errorf("%s is bounded by %s", x, rangeText(r))
		}
	}
}

func TestRemainder(t *testing.T) {
	tests := map[string]string{
		"PartitionKey eq 'a'":                                     "",
		"PartitionKey ge 'a' and PartitionKey lt 'b'":             "",
		"PartitionKey eq 'a' and RowKey gt 'b' and RowKey lt 'c'": "",
		"(PartitionKey eq 'a' and RowKey eq 'b') and A eq 1":      "A eq 1",
		"A eq 1 and PartitionKey eq 'a' and B":                    "A eq 1 and B",
		"RowKey ge 'b'":                                           "RowKey ge 'b'",
		"PartitionKey ge 'a' and RowKey ge 'b'":                   "RowKey ge 'b'",
		"PartitionKey ne 'a' and RowKey ne 'b'":                   "PartitionKey ne 'a' and RowKey ne 'b'",
		"PartitionKey eq 'a' or PartitionKey eq 'b'":              "PartitionKey eq 'a' or PartitionKey eq 'b'",
		"not (PartitionKey eq 'a')":                               "not (PartitionKey eq 'a')",
	}
	for text, want := range tests {
		got := ""
		if x := Remainder(mustParse(t, text)); x != nil {
			got = x.String()
		}
		if want != "" {
			want = mustParse(t, want).String()
		}
		if got != want {
			t.Errorf("%s leaves %q, want %q", text, got, want)
		}
	}
	if x := Remainder(nil); x != nil {
		t.Errorf("no filter leaves %v", x)
	}
}
