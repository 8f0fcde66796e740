package tabular

import (
	"strconv"
	"strings"

	"sandtable/odata"
	"sandtable/web/draft"
)

// inferred are the types that a column without types may get, from the
// narrowest to the widest.
var inferred = []odata.Type{odata.EdmBoolean, odata.EdmInt32, odata.EdmInt64, odata.EdmDouble, odata.EdmDateTime, odata.EdmGuid}

// infer returns the narrowest type that fits the cells of a column: a String if
// none does, or if it has no cells. One cell in a thousand may be wrong: it is
// reported as a problem then.
func (s *Source) infer(column int) odata.Type {
	present := 0
	for _, r := range s.rows {
		if r.cells[column].present {
			present++
		}
	}
	for _, t := range inferred {
		if present > 0 && s.fits(column, t, present/1000) {
			return t
		}
	}
	return odata.EdmString
}

// fits reports whether all cells of a column but so many look like a type.
func (s *Source) fits(column int, t odata.Type, mayDiffer int) bool {
	for _, r := range s.rows {
		if c := r.cells[column]; c.present && !looksLike(c.text, t) {
			if mayDiffer--; mayDiffer < 0 {
				return false
			}
		}
	}
	return true
}

// looksLike reports whether a text is a value of the type, and nothing would be
// lost: a number with leading zeros is a text.
func looksLike(text string, t odata.Type) bool {
	digits := strings.TrimPrefix(text, "-")
	padded := len(digits) > 1 && digits[0] == '0' && digits[1] != '.'
	switch t {
	case odata.EdmInt32, odata.EdmInt64:
		if padded {
			return false
		}
	case odata.EdmDouble:
		if padded || strings.Trim(text, "0123456789+-.eE") != "" {
			return false
		}
		// Digits that a Double cannot hold stay text.
		if f, err := strconv.ParseFloat(text, 64); err != nil || !strings.ContainsAny(text, ".eE") && strconv.FormatFloat(f, 'f', -1, 64) != text {
			return false
		}
	case odata.EdmDateTime:
		if !strings.Contains(text, "T") {
			return false
		}
	case odata.EdmGuid:
		if strings.Count(text, "-") != 4 {
			return false
		}
	}
	_, err := parse(t, text)
	return err == nil
}

// parse reads a value as [draft.Parse] does, and takes booleans in any case.
func parse(t odata.Type, text string) (odata.Value, error) {
	if t == odata.EdmBoolean {
		text = strings.ToLower(text)
	}
	return draft.Parse(t, text)
}
