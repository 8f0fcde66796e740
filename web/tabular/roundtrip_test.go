package tabular

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"sandtable/odata"
	"sandtable/odata/rowfile"
)

const manyRows = 20_000

var awkwardTexts = []string{
	"plain", "", " blanks ", `quotes " and ""`, `"`, "lines\r\nand\nmore\r", "comma, semicolon; tab\t", "Elif Yılmaz 🍑 名前 שלום",
	"\ufeffa byte order mark", "e\u0301 combined", "=1+1", "null", "007", "true", "{\"json\":[1]}", "back\\slash\\n", "\u2028\u2029", "<b>&amp;</b>",
}

var awkwardDoubles = []float64{0, math.Copysign(0, -1), 1, -1.5, 1e21, 1e-7, math.MaxFloat64, math.SmallestNonzeroFloat64, math.Inf(1), math.Inf(-1), math.NaN()}

// awkward returns the entity of a row: every type, and in every seventh row
// nothing but the keys.
func awkward(i int) *odata.Entity {
	when, _ := odata.ParseDateTime("2024-01-10T08:30:00.1234567Z")
	text := awkwardTexts[i%len(awkwardTexts)]
	e := &odata.Entity{PartitionKey: fmt.Sprintf("Zürich, \"%03d\"", i/1000), RowKey: fmt.Sprintf("%06d", i), Timestamp: when}
	if i%7 == 6 {
		return e
	}
	var id odata.Guid
	id[0], id[15] = byte(i), byte(i>>8)
	e.Properties = []odata.Property{
		{Name: "S", Value: odata.StringValue(text)}, {Name: "I", Value: odata.Int32Value(int32(math.MinInt32 + i))},
		{Name: "L", Value: odata.Int64Value(math.MaxInt64 - int64(i))}, {Name: "D", Value: odata.DoubleValue(awkwardDoubles[i%len(awkwardDoubles)])},
		{Name: "B", Value: odata.BooleanValue(i%2 == 0)}, {Name: "W", Value: odata.DateTimeValue(when + odata.DateTime(i))},
		{Name: "G", Value: odata.GuidValue(id)}, {Name: "X", Value: odata.BinaryValue([]byte(text))},
	}
	return e
}

// TestRoundTripOfManyRows writes 20,000 entities and reads them back equal.
func TestRoundTripOfManyRows(t *testing.T) {
	for _, w := range []rowfile.Writer{
		{Format: rowfile.CSV, Types: true, Timestamp: true, Mark: true},
		{Format: rowfile.JSONLines, Timestamp: true},
	} {
		t.Run(strings.TrimPrefix(w.Extension(), "."), func(t *testing.T) {
			w.Columns = []string{"S", "I", "L", "D", "B", "W", "G", "X"}
			file := w.Begin(nil)
			for i := range manyRows {
				file = w.Append(file, awkward(i))
			}
			s, err := Open("a"+w.Extension(), w.End(file), Options{})
			if err != nil {
				t.Fatal(err)
			}
			p := plan(s)
			if len(p.Problems) > 0 || len(p.Rows) != manyRows {
				t.Fatalf("%d entities, want %d; the first problems: %v", len(p.Rows), manyRows, p.Problems[:min(3, len(p.Problems))])
			}
			for i, r := range p.Rows {
				want := awkward(i)
				if r.Entity.Key() != want.Key() || !slices.EqualFunc(r.Entity.Properties, want.Properties, sameProperty) {
					t.Fatalf("line %d: got %v, want %v", r.Line, r.Entity, want)
				}
			}
		})
	}
}

func sameProperty(a, b odata.Property) bool {
	return a.Name == b.Name && a.Value.Type() == b.Value.Type() && a.Value.Equal(b.Value)
}
