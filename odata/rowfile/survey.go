package rowfile

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"sandtable/odata"
)

// Survey reads a CSV file, and returns its columns with the type of each, which an
// [Inference] finds.
func Survey(from io.Reader) ([]Column, error) {
	r, err := NewReader(from, CSV, nil)
	if err != nil {
		return nil, err
	}
	found := make([]Inference, len(r.layout.Columns))
	for {
		cells, _, err := r.cells()
		var bad *RowError
		switch {
		case errors.Is(err, io.EOF):
			return r.describe(found)
		case errors.As(err, &bad):
			continue
		case err != nil:
			return nil, err
		}
		for i, cell := range cells {
			found[i].Add(cell)
		}
	}
}

// Inference finds the type of a column from its cells.
type Inference struct {
	typed   bool // the file names types
	present int
	misfits [len(inferred)]int
}

// maxMisfits is how many cells are compared with a type that does not fit.
const maxMisfits = 1000

// Add counts a cell of the column. The word null says nothing about the type: it is a
// missing property, or in a column of strings a text.
func (n *Inference) Add(c Cell) {
	n.typed = n.typed || c.Type != 0
	if !c.Present || n.typed || c.Text == missing {
		return
	}
	n.present++
	for i, t := range inferred {
		if n.misfits[i] > maxMisfits || looksLike(c.Text, t) {
			continue
		}
		n.misfits[i]++
		if v, err := parseCell(t, c.Text); err == nil && Text(v) != c.Text && (t.IsNumber() || strings.Contains(c.Text, "T")) {
			n.misfits[i] = maxMisfits + 1 // it would not be refused later, but changed
		}
	}
}

// Type returns the narrowest type that fits the cells: a String if none does, or if
// there are no cells; 0 if the cells name theirs. One cell in a thousand may be wrong:
// its row is refused later.
func (n *Inference) Type() odata.Type {
	if n.typed {
		return 0
	}
	for i, t := range inferred {
		if n.present > 0 && n.misfits[i] <= min(maxMisfits, n.present/1000) {
			return t
		}
	}
	return odata.EdmString
}

func (r *Reader) describe(found []Inference) ([]Column, error) {
	columns := make([]Column, len(found))
	keys := map[string]bool{}
	for i, target := range Targets(r.layout.Columns) {
		columns[i] = Column{r.layout.Columns[i], target, found[i].Type()}
		keys[target] = true
	}
	for _, name := range []string{odata.PartitionKeyName, odata.RowKeyName} {
		if !keys[name] {
			return nil, fmt.Errorf("%w: none becomes the %s", ErrHeader, name)
		}
	}
	return columns, nil
}
