package tabular

import (
	"sandtable/odata"
	"sandtable/odata/rowfile"
)

// infer returns the narrowest type that fits the cells of a column: a String if
// none does, or if it has no cells. One cell in a thousand may be wrong: it is
// reported as a problem then.
func (s *Source) infer(column int) odata.Type {
	present := 0
	for _, r := range s.rows {
		if r.cells[column].Present {
			present++
		}
	}
	for _, t := range rowfile.Inferred {
		if present > 0 && s.fits(column, t, present/1000) {
			return t
		}
	}
	return odata.EdmString
}

// fits reports whether all cells of a column but so many look like a type.
func (s *Source) fits(column int, t odata.Type, mayDiffer int) bool {
	for _, r := range s.rows {
		if c := r.cells[column]; c.Present && !rowfile.LooksLike(c.Text, t) {
			if mayDiffer--; mayDiffer < 0 {
				return false
			}
		}
	}
	return true
}
