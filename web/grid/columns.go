package grid

import (
	"strings"

	"sandtable/odata"
)

// Column is a column of the grid.
type Column struct {
	Name string
	// Type is that of all values in the column, 0 where they differ.
	Type odata.Type
	// IsNumber reports whether all values are numbers, which are aligned right.
	IsNumber bool
	Width    int // in pixels; wider where there is space
	Hidden   bool
}

// TypeName returns the type as the column's head shows it: "Int32", "mixed".
// The columns of the keys show none.
func (c Column) TypeName() string {
	switch {
	case c.IsKey():
		return ""
	case c.Type == 0:
		return "mixed"
	}
	return ShortType(c.Type)
}

// IsKey reports whether the column is one of the two keys.
func (c Column) IsKey() bool {
	return c.Name == odata.PartitionKeyName || c.Name == odata.RowKeyName
}

// ShortType returns a type's name without "Edm.".
func ShortType(t odata.Type) string { return strings.TrimPrefix(t.String(), "Edm.") }

const (
	// MaxColumns bounds what is drawn: each cell has its cost, and nobody
	// reads further to the right. The menu of columns shows others.
	MaxColumns = 40
	// sample is how many of the first entities say how wide a column is.
	sample = 200

	// Average widths of a character, rounded up: of the name and of the type in a head
	// in pixels, and in a cell in half pixels.
	headWidth      = 9
	typeWidth      = 7
	characterWidth = 15
	padding        = 21
	maxWidth       = 300
)
