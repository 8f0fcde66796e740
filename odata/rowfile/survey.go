package rowfile

import (
	"errors"
	"fmt"
	"io"

	"sandtable/odata"
)

// Survey reads a CSV file, and returns its columns with the narrowest type that
// fits the cells of each: a String if none does, or if it has no cells. One cell in a
// thousand may be wrong: its row is refused later.
func Survey(from io.Reader) ([]Column, error) {
	r, err := NewReader(from, CSV, nil)
	if err != nil {
		return nil, err
	}
	found := make([]survey, len(r.layout.Columns))
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
			found[i].add(cell)
		}
	}
}

// survey counts the cells of a column.
type survey struct {
	typed   bool // the file names types
	present int
	misfits [len(Inferred)]int
}

// maxMisfits is how many cells are compared with a type that does not fit.
const maxMisfits = 1000

func (s *survey) add(c Cell) {
	s.typed = s.typed || c.Type != 0
	if !c.Present || s.typed {
		return
	}
	s.present++
	for i, t := range Inferred {
		if s.misfits[i] <= maxMisfits && !LooksLike(c.Text, t) {
			s.misfits[i]++
		}
	}
}

// infer returns the type of a column, 0 if its cells name theirs.
func (s *survey) infer() odata.Type {
	if s.typed {
		return 0
	}
	for i, t := range Inferred {
		if s.present > 0 && s.misfits[i] <= min(maxMisfits, s.present/1000) {
			return t
		}
	}
	return odata.EdmString
}

func (r *Reader) describe(found []survey) ([]Column, error) {
	columns := make([]Column, len(found))
	keys := map[string]bool{}
	for i, target := range Targets(r.layout.Columns) {
		columns[i] = Column{r.layout.Columns[i], target, found[i].infer()}
		keys[target] = true
	}
	for _, name := range []string{odata.PartitionKeyName, odata.RowKeyName} {
		if !keys[name] {
			return nil, fmt.Errorf("%w: none becomes the %s", ErrHeader, name)
		}
	}
	return columns, nil
}
