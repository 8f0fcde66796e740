package tabular

import (
	"math"
	"strconv"
	"strings"

	"sandtable/odata"
	"sandtable/web/humanize"
)

// Found is what a plan found in a column, in words.
type Found struct {
	Text     string
	Problems int
}

// columnFound is what a plan finds in a column.
type columnFound struct {
	empty, problems int
	values, numbers int
	least, most     odata.Value
}

// add counts a value of the column.
func (f *columnFound) add(v odata.Value) {
	f.values++
	if !v.Type().IsNumber() || math.IsNaN(float(v)) {
		return
	}
	if f.numbers == 0 || less(v, f.least) {
		f.least = v
	}
	if f.numbers == 0 || less(f.most, v) {
		f.most = v
	}
	f.numbers++
}

// less compares numbers. Integers are compared exactly.
func less(a, b odata.Value) bool {
	if a.Type() != odata.EdmDouble && b.Type() != odata.EdmDouble {
		return a.Int() < b.Int()
	}
	return float(a) < float(b)
}

func float(v odata.Value) float64 {
	if v.Type() == odata.EdmDouble {
		return v.Float()
	}
	return float64(v.Int())
}

// text says in words what was found.
func (f columnFound) text(c Column, rows, partitions int) string {
	var parts []string
	if f.problems > 0 {
		parts = append(parts, humanize.Count(f.problems, "problem", "problems"))
	}
	switch {
	case c.Target == "" && c.Name == odata.TimestampName:
		return "set by the service"
	case c.Target == "":
		return "left out"
	case f.empty == rows:
		parts = append(parts, "all empty")
	case f.empty+f.problems+f.values == 0: // without a key no row is looked at
	case c.Target == odata.PartitionKeyName:
		if f.empty > 0 { // that is a key, too
			parts = append(parts, humanize.Number(f.empty)+" empty")
		}
		parts = append(parts, humanize.Count(partitions, "value", "values"))
	case c.Target == odata.RowKeyName && f.empty > 0:
		parts = append(parts, humanize.Number(f.empty)+" empty")
	case f.empty > 0:
		parts = append(parts, humanize.Number(f.empty)+" empty, left out")
	case f.numbers > 1 && f.least == f.most:
		parts = append(parts, "always "+shortNumber(f.least))
	case f.numbers > 0:
		parts = append(parts, shortNumber(f.least)+" to "+shortNumber(f.most))
	case f.problems == 0:
		parts = append(parts, "all rows")
	}
	return strings.Join(parts, " · ")
}

// shortNumber writes an integer whole, and a Double with six digits.
func shortNumber(v odata.Value) string {
	if v.Type() == odata.EdmDouble && math.IsInf(v.Float(), 0) {
		return string(odata.AppendDouble(nil, v.Float()))
	}
	if v.Type() == odata.EdmDouble {
		return strconv.FormatFloat(v.Float(), 'g', 6, 64)
	}
	return strconv.FormatInt(v.Int(), 10)
}
