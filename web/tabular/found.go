package tabular

import (
	"fmt"
	"strconv"
	"strings"

	"sandtable/odata"
)

// Found is what a plan found in a column, in words.
type Found struct {
	Text     string
	Problems int
}

// columnFound is what a plan finds in a column.
type columnFound struct {
	empty, problems int
	numbers         int
	least, most     float64
}

// add counts a value of the column.
func (f *columnFound) add(v odata.Value) {
	var n float64
	switch v.Type() {
	case odata.EdmInt32, odata.EdmInt64:
		n = float64(v.Int())
	case odata.EdmDouble:
		n = v.Float()
	default:
		return
	}
	if f.numbers == 0 || n < f.least {
		f.least = n
	}
	if f.numbers == 0 || n > f.most {
		f.most = n
	}
	f.numbers++
}

// describe says in words what was found.
func (f columnFound) describe(c Column, rows, partitions int) Found {
	return Found{Text: f.text(c, rows, partitions), Problems: f.problems}
}

func (f columnFound) text(c Column, rows, partitions int) string {
	var parts []string
	if f.problems > 0 {
		parts = append(parts, plural(f.problems, "problem"))
	}
	switch {
	case c.Target == "" && c.Name == odata.TimestampName:
		return "set by the service"
	case c.Target == "":
		return "left out"
	case f.empty == rows:
		parts = append(parts, "all empty")
	case f.empty > 0:
		parts = append(parts, fmt.Sprintf("%d empty, left out", f.empty))
	case c.Target == odata.PartitionKeyName:
		parts = append(parts, plural(partitions, "value"))
	case f.numbers > 0 && f.most <= 1<<53 && f.least >= -1<<53:
		parts = append(parts, shortNumber(f.least)+" to "+shortNumber(f.most))
	case f.problems == 0:
		parts = append(parts, "all rows")
	}
	return strings.Join(parts, " · ")
}

func shortNumber(n float64) string { return strconv.FormatFloat(n, 'g', 6, 64) }

func plural(n int, word string) string {
	if n != 1 {
		word += "s"
	}
	return fmt.Sprintf("%d %s", n, word)
}
