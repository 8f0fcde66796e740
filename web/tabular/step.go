package tabular

// Progress is how far the work on a file is.
type Progress struct {
	Doing    string // what is done, in words
	Rows     int    // that are done
	Fraction float64
}

// Step, if it is not nil, is called after each few milliseconds of work. It may pause, so
// that other goroutines run. Its error ends the work.
type Step func(Progress) error

// stepRows is after how many rows a Step is called.
const stepRows = 500

func (s Step) call(p Progress) error {
	if s == nil {
		return nil
	}
	return s(p)
}

// at is called for each row of which the number is known.
func (s Step) at(doing string, row, rows int) error {
	if row%stepRows != 0 {
		return nil
	}
	return s.call(Progress{doing, row, float64(row) / float64(rows)})
}

// read is called for each row that is read, of a file that is read up to an offset.
func (s Step) read(row, offset, size int) error {
	if row%stepRows != 0 {
		return nil
	}
	return s.call(Progress{"Reading", row, float64(offset) / float64(size)})
}
