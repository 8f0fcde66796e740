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

// schemaOf returns the schema of entities.
func schemaOf(entities ...*odata.Entity) *Schema {
	s := &Schema{}
	for _, e := range entities {
		s.Add(e)
	}
	return s
}

func described(columns []Column) (all []string) {
	for _, c := range columns {
		all = append(all, c.Name+" "+c.TypeName())
	}
	return all
}

func TestColumns(t *testing.T) {
	s := schemaOf(
		entity("1", property("Name", odata.StringValue("a")), property("Age", odata.Int32Value(1))),
		entity("2", property("Age", odata.StringValue("x")), property("Since", odata.DateTimeValue(0))))
	shown, left := Shown(s.Columns(Settings{}))
	if want := []string{"PartitionKey ", "RowKey ", "Name String", "Age mixed", "Since DateTime"}; !slices.Equal(described(shown), want) || left != 0 {
		t.Errorf("got %q, %d left", described(shown), left)
	}
	shown, _ = Shown(s.Columns(Settings{}.Hide("Timestamp", false).Hide("Name", true)))
	if want := []string{"PartitionKey ", "RowKey ", "Timestamp DateTime", "Age mixed", "Since DateTime"}; !slices.Equal(described(shown), want) {
		t.Errorf("got %q", described(shown))
	}
	if shown, _ = Shown(new(Schema).Columns(Settings{})); len(shown) != 2 || shown[0].Width <= 0 {
		t.Errorf("of no entities: %+v", shown)
	}
}

// TestNumericColumns: a column of numbers of several types is aligned as one of numbers.
func TestNumericColumns(t *testing.T) {
	for _, c := range []struct {
		name          string
		first, second odata.Value
		want          bool
	}{
		{"one type", odata.Int32Value(1), odata.Int32Value(2), true},
		{"two types of numbers", odata.Int32Value(1), odata.DoubleValue(1.5), true},
		{"a number and a text", odata.Int32Value(1), odata.StringValue("x"), false},
		{"texts", odata.StringValue("a"), odata.StringValue("b"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			columns := schemaOf(entity("1", property("A", c.first)), entity("2", property("A", c.second))).Columns(Settings{})
			if got := columns[len(columns)-1].IsNumber; got != c.want {
				t.Errorf("IsNumber is %t, want %t", got, c.want)
			}
		})
	}
}

func TestColumnsInTheUsersOrder(t *testing.T) {
	s := schemaOf(entity("1", property("A", odata.Int32Value(1)), property("B", odata.Int32Value(1))))
	all := s.Columns(Settings{})
	settings := Settings{}.Move(all, "B", "PartitionKey").Resize("A", 5)
	shown, _ := Shown(s.Columns(settings))
	if want := []string{"B Int32", "PartitionKey ", "RowKey ", "A Int32"}; !slices.Equal(described(shown), want) {
		t.Errorf("got %q, want %q", described(shown), want)
	}
	if shown[3].Width != minWidth || !settings.Valid() {
		t.Errorf("A is %d wide, settings %+v", shown[3].Width, settings)
	}
	s.Add(entity("2", property("New", odata.Int32Value(1))))
	shown, _ = Shown(s.Columns(settings.Move(s.Columns(settings), "B", "")))
	if want := []string{"PartitionKey ", "RowKey ", "A Int32", "New Int32", "B Int32"}; !slices.Equal(described(shown), want) {
		t.Errorf("got %q, want %q", described(shown), want)
	}
}

func TestSettingsThatCannotBeUsed(t *testing.T) {
	for name, s := range map[string]Settings{
		"a column twice":      {Order: []string{"A", "A"}},
		"a column of no name": {Order: []string{""}},
		"too narrow":          {Widths: map[string]int{"A": 3}},
		"too wide":            {Widths: map[string]int{"A": 1 << 30}},
		"too many":            {Order: make([]string, maxSettings+1)},
	} {
		if s.Valid() {
			t.Errorf("%s is valid", name)
		}
	}
}

func TestColumnsAreCutOff(t *testing.T) {
	e := entity("1")
	for i := range 100 {
		e.Properties = append(e.Properties, property("P"+strings.Repeat("x", i), odata.Int32Value(1)))
	}
	shown, left := Shown(schemaOf(e).Columns(Settings{}))
	if len(shown) != MaxColumns || left != 102-MaxColumns {
		t.Errorf("%d columns, %d left", len(shown), left)
	}
	for _, c := range shown {
		if c.Width > maxWidth {
			t.Errorf("%s is %d wide", c.Name, c.Width)
		}
	}
}

func TestSchemaKnowsRanges(t *testing.T) {
	s := schemaOf(entity("1", property("Age", odata.Int32Value(30))), entity("2", property("Age", odata.Int32Value(20))), entity("3"))
	stat, ok := s.Property("Age")
	if !ok || stat.Count != 2 || stat.Min.Int() != 20 || stat.Max.Int() != 30 || stat.Type != odata.EdmInt32 {
		t.Errorf("%+v", stat)
	}
	if _, ok := s.Property("age"); ok {
		t.Error("names ignore case")
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
		{"string", odata.StringValue("a b"), Cell{Text: "a b", Class: "str"}},
		{"empty string", odata.StringValue(""), Cell{Text: "", Class: "str"}},
		{"long string", odata.StringValue(long), Cell{Text: strings.Repeat("é", 120) + "…", Class: "str"}},
		{"int32", odata.Int32Value(-7), Cell{Text: "-7", Class: "num"}},
		{"int64", odata.Int64Value(9007199254740993), Cell{Text: "9007199254740993", Class: "num"}},
		{"double", odata.DoubleValue(3), Cell{Text: "3.0", Class: "num"}},
		{"boolean", odata.BooleanValue(true), Cell{Text: "true", Class: "bool"}},
		{"date", odata.DateTimeValue(odata.MinDateTime), Cell{Text: "1601-01-01T00:00:00Z", Class: "date"}},
		{"guid", odata.GuidValue(guid), Cell{Text: "a455c695-df98-5678-aaaa-81d3367e5a34", Class: "code"}},
		{"few bytes", odata.BinaryValue([]byte{1, 2, 3}), Cell{Text: "AQID", Class: "code"}},
		{"many bytes", odata.BinaryValue(make([]byte, 3277)), Cell{Text: "3.2 KiB", Class: "code"}},
		{"null", odata.Value{}, Cell{Text: "–", Class: "absent"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := CellOf(entity("1", property("X", test.value)), "X", Format{}); got != test.want {
				t.Errorf("%+v, want %+v", got, test.want)
			}
		})
	}
	if got := CellOf(entity(""), odata.RowKeyName, Format{}); got.Text != "(empty)" {
		t.Errorf("an empty key is %+v", got)
	}
	if got := CellOf(entity("1", property("X", odata.StringValue("a\r\nb\n c"))), "X", Format{}); got.Text != "a↵b↵ c" {
		t.Errorf("three lines are %+v", got)
	}
	if got := CellOf(entity("1"), "X", Format{}); got.Class != "absent" {
		t.Errorf("a missing property is %+v", got)
	}
	if got := CellOf(entity("r"), odata.RowKeyName, Format{}); got != (Cell{Text: "r", Class: "key row-key"}) {
		t.Errorf("the RowKey is %+v", got)
	}
}

// TestWindow: whatever is visible is drawn, and never much more than that.
func TestWindow(t *testing.T) {
	for _, total := range []int{0, 1, 59, 100, 1000} {
		for top := 0; top <= total*28; top += 7 {
			w := View{top, 600, 28, total}.Window()
			first, last := top/28, min((top+600)/28, total-1)
			if total > 0 && first < total && (w.From > first || w.To <= last) {
				t.Fatalf("at %d of %d rows the window is %+v, visible are %d to %d", top, total, w, first, last)
			}
			if w.To-w.From > 600/28+2*spare+2*step || w.From < 0 || w.To > total || w.From > w.To {
				t.Fatalf("at %d of %d rows the window is %+v", top, total, w)
			}
		}
	}
	if w := (View{0, 0, 0, 1000}).Window(); w != (Window{0, firstWindow}) {
		t.Errorf("before the height is known the window is %+v", w)
	}
	if (View{0, 600, 28, 1000}).Window() != (View{28, 600, 28, 1000}).Window() {
		t.Error("one row further another window is drawn")
	}
}

// TestScaledView scrolls through more rows than a browser can lay out.
func TestScaledView(t *testing.T) {
	v := View{Height: 600, Row: 28, Total: 1_000_000}
	if !v.Scaled() || v.Pixels() != maxPixels {
		t.Fatalf("%d pixels", v.Pixels())
	}
	v.Top = v.Pixels() - v.Height
	if w := v.Window(); w.To != v.Total {
		t.Errorf("at the end the window is %+v", w)
	}
	for _, index := range []int{0, 1, 499_999, 999_999} {
		v.Top = v.Reveal(index, 32)
		w := v.Window()
		y := v.Before(w) + (index-w.From)*v.Row - v.Top
		if index < w.From || index >= w.To || y < -1 || y > v.Height {
			t.Errorf("row %d is at %d of %d visible pixels, window %+v", index, y, v.Height, w)
		}
	}
}

func TestReveal(t *testing.T) {
	tests := []struct {
		name             string
		index, top, want int
	}{
		{"visible", 5, 100, 100},
		{"above", 1, 100, 28},
		{"below", 40, 100, 41*28 - 400 + 32},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := (View{test.top, 400, 28, 1000}).Reveal(test.index, 32); got != test.want {
				t.Errorf("got %d, want %d", got, test.want)
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
