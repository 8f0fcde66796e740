package grid

import (
	"slices"
	"strings"
	"testing"

	"sandtable/odata"
)

func entity(row string, properties ...odata.Property) *odata.Entity {
	return &odata.Entity{PartitionKey: "p", RowKey: row, Properties: properties}
}

func property(name string, v odata.Value) odata.Property { return odata.Property{Name: name, Value: v} }

func TestColumns(t *testing.T) {
	entities := []*odata.Entity{
		entity("1", property("Name", odata.StringValue("a")), property("Age", odata.Int32Value(1))),
		entity("2", property("Age", odata.StringValue("x")), property("Since", odata.DateTimeValue(0))),
	}
	columns, left := Columns(entities, true)
	var got []string
	for _, c := range columns {
		got = append(got, c.Name+" "+c.TypeName())
	}
	want := []string{"PartitionKey ", "RowKey ", "Timestamp DateTime · UTC", "Name String", "Age mixed", "Since DateTime · UTC"}
	if !slices.Equal(got, want) || left != 0 {
		t.Errorf("%q, %d left", got, left)
	}
	if columns, _ = Columns(nil, false); len(columns) != 2 || columns[0].Width <= 0 {
		t.Errorf("of no entities: %+v", columns)
	}
}

func TestColumnsAreCutOff(t *testing.T) {
	e := entity("1")
	for i := range 100 {
		e.Properties = append(e.Properties, property("P"+strings.Repeat("x", i), odata.Int32Value(1)))
	}
	columns, left := Columns([]*odata.Entity{e}, false)
	if len(columns) != MaxColumns || left != 102-MaxColumns {
		t.Errorf("%d columns, %d left", len(columns), left)
	}
	for _, c := range columns {
		if c.Width > maxWidth {
			t.Errorf("%s is %d wide", c.Name, c.Width)
		}
	}
}

func TestCellOf(t *testing.T) {
	long := strings.Repeat("é", 300)
	guid, _ := odata.ParseGuid("a455c695-df98-5678-aaaa-81d3367e5a34")
	tests := []struct {
		name  string
		value odata.Value
		want  Cell
	}{
		{"string", odata.StringValue("a b"), Cell{"a b", "str"}},
		{"empty string", odata.StringValue(""), Cell{"", "str"}},
		{"long string", odata.StringValue(long), Cell{strings.Repeat("é", 120) + "…", "str"}},
		{"int32", odata.Int32Value(-7), Cell{"-7", "num"}},
		{"int64", odata.Int64Value(9007199254740993), Cell{"9007199254740993", "num"}},
		{"double", odata.DoubleValue(3), Cell{"3.0", "num"}},
		{"boolean", odata.BooleanValue(true), Cell{"true", "bool"}},
		{"date", odata.DateTimeValue(odata.MinDateTime), Cell{"1601-01-01T00:00:00Z", "date"}},
		{"guid", odata.GuidValue(guid), Cell{"a455c695-df98-5678-aaaa-81d3367e5a34", "code"}},
		{"few bytes", odata.BinaryValue([]byte{1, 2, 3}), Cell{"AQID", "code"}},
		{"many bytes", odata.BinaryValue(make([]byte, 3277)), Cell{"3.2 KiB", "code"}},
		{"null", odata.Value{}, Cell{"–", "absent"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := CellOf(entity("1", property("X", test.value)), "X"); got != test.want {
				t.Errorf("%+v, want %+v", got, test.want)
			}
		})
	}
	if got := CellOf(entity("1"), "X"); got.Class != "absent" {
		t.Errorf("a missing property is %+v", got)
	}
	if got := CellOf(entity("r"), odata.RowKeyName); got != (Cell{"r", "key row-key"}) {
		t.Errorf("the RowKey is %+v", got)
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[int]string{0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1 << 20: "1.0 MiB"} {
		if got := Bytes(n); got != want {
			t.Errorf("Bytes(%d) is %q, want %q", n, got, want)
		}
	}
}

// TestWindowAt: whatever is in sight is drawn, and never much more than that.
func TestWindowAt(t *testing.T) {
	for _, total := range []int{0, 1, 59, 100, 1000} {
		for top := 0; top <= total*28; top += 7 {
			w := WindowAt(top, 600, 28, total)
			first, last := top/28, min((top+600)/28, total-1)
			if total > 0 && first < total && (w.From > first || w.To <= last) {
				t.Fatalf("at %d of %d rows the window is %+v, in sight are %d to %d", top, total, w, first, last)
			}
			if w.To-w.From > 600/28+2*spare+2*step || w.From < 0 || w.To > total || w.From > w.To {
				t.Fatalf("at %d of %d rows the window is %+v", top, total, w)
			}
		}
	}
	if w := WindowAt(0, 0, 0, 1000); w != (Window{0, FirstWindow}) {
		t.Errorf("before the height is known the window is %+v", w)
	}
	if WindowAt(0, 600, 28, 1000) != WindowAt(28, 600, 28, 1000) {
		t.Error("one row further another window is drawn")
	}
}

func TestReveal(t *testing.T) {
	tests := []struct {
		name             string
		index, top, want int
	}{
		{"in sight", 5, 100, 100},
		{"above", 1, 100, 28},
		{"below", 40, 100, 41*28 - 400 + 32},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := Reveal(test.index, test.top, 400, 28, 32); got != test.want {
				t.Errorf("%d, want %d", got, test.want)
			}
		})
	}
}

func TestMove(t *testing.T) {
	tests := []struct {
		key         string
		index, want int
		ok          bool
	}{
		{"ArrowDown", -1, 0, true}, {"ArrowDown", 9, 9, true}, {"ArrowUp", 0, 0, true}, {"ArrowUp", 5, 4, true},
		{"PageDown", 2, 6, true}, {"PageUp", 2, 0, true}, {"Home", 5, 0, true}, {"End", 5, 9, true}, {"a", 5, 5, false},
	}
	for _, test := range tests {
		if got, ok := Move(test.key, test.index, 10, 4); got != test.want || ok != test.ok {
			t.Errorf("%s from %d: %d %v", test.key, test.index, got, ok)
		}
	}
	if _, ok := Move("ArrowDown", -1, 0, 4); ok {
		t.Error("a key moves in an empty list")
	}
}
