package grid

import (
	"strings"
	"unicode/utf8"

	"sandtable/odata"
)

// Column is a column of the grid.
type Column struct {
	Name string
	// Type is that of all values in the column, 0 where they differ.
	Type  odata.Type
	Width int // in pixels; wider where there is room
}

// TypeName returns the type as the column's head shows it: "Int32", "mixed".
// The columns of the keys show none.
func (c Column) TypeName() string {
	switch {
	case c.IsKey():
		return ""
	case c.Type == 0:
		return "mixed"
	case c.Type == odata.EdmDateTime:
		return "DateTime · UTC"
	}
	return ShortType(c.Type)
}

// IsKey reports whether the column is one of the two keys.
func (c Column) IsKey() bool {
	return c.Name == odata.PartitionKeyName || c.Name == odata.RowKeyName
}

// IsNumber reports whether the column's values are numbers, which stand at the right.
func (c Column) IsNumber() bool { return isNumber(c.Type) }

// ShortType returns a type's name without "Edm.".
func ShortType(t odata.Type) string { return strings.TrimPrefix(t.String(), "Edm.") }

const (
	// MaxColumns bounds what is drawn: each cell has its cost, and nobody
	// reads further to the right. A $select shows others.
	MaxColumns = 40
	// sample is how many of the first entities say how wide a column is.
	sample = 200

	// Widths in pixels of the characters in a head: the name's on average, the
	// type's; of those in a cell it is in half pixels. All are rounded up.
	headWidth      = 9
	typeWidth      = 7
	characterWidth = 15
	padding        = 21
	maxWidth       = 300
)

// Columns returns the columns that the entities need: the keys, the Timestamp
// if it is wanted, then all properties in the order in which they come first.
// More than [MaxColumns] are cut off; left says how many.
func Columns(entities []*odata.Entity, timestamp bool) (columns []Column, left int) {
	columns = []Column{{Name: odata.PartitionKeyName, Type: odata.EdmString}, {Name: odata.RowKeyName, Type: odata.EdmString}}
	if timestamp {
		columns = append(columns, Column{Name: odata.TimestampName, Type: odata.EdmDateTime})
	}
	index := map[string]int{}
	for _, e := range entities {
		for _, p := range e.Properties {
			i, seen := index[p.Name]
			if !seen {
				index[p.Name] = len(columns)
				columns = append(columns, Column{Name: p.Name, Type: p.Value.Type()})
			} else if columns[i].Type != p.Value.Type() {
				columns[i].Type = 0
			}
		}
	}
	left = max(0, len(columns)-MaxColumns)
	columns = columns[:len(columns)-left]
	for i := range columns {
		columns[i].Width = width(columns[i], entities[:min(len(entities), sample)])
	}
	return columns, left
}

func width(c Column, entities []*odata.Entity) int {
	head := headWidth*utf8.RuneCountInString(c.Name) + typeWidth*utf8.RuneCountInString(c.TypeName()) + 12
	longest := 0
	for _, e := range entities {
		longest = max(longest, utf8.RuneCountInString(CellOf(e, c.Name).Text))
	}
	return min(max(longest*characterWidth/2, head)+padding, maxWidth)
}
