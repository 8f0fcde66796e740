package rowfile

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxRow bounds a row, and so what is in memory: an entity has at most 1 MiB, and
// each of its characters may be escaped.
const maxRow = 8 << 20

// errRowTooLong means that a row is longer than maxRow.
var errRowTooLong = fmt.Errorf("the row has more than %d MiB", maxRow>>20)

// chunk is how much is read at a time; a test changes it.
var chunk = 256 << 10

// window is the part of a file that is in memory.
type window struct {
	from  io.Reader
	text  string
	at    int // of what is read next
	line  int // of that, from 1
	ended bool
}

func newWindow(from io.Reader) *window { return &window{from: from, line: 1} }

// grow reads more of the file, and drops what the caller has consumed. The text that
// is not consumed yet doubles with each call, so a long row takes few of them.
func (w *window) grow() error {
	rest := w.text[w.at:]
	b := make([]byte, max(chunk, len(rest)))
	n, err := io.ReadFull(w.from, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		w.ended, err = true, nil
	}
	w.text, w.at = rest+string(b[:n]), 0
	return err
}

// full reports whether a row may not become longer.
func (w *window) full() bool { return w.ended || len(w.text)-w.at > maxRow }

// skipLine leaves out the rest of a line.
func (w *window) skipLine() error {
	for {
		if end := strings.IndexByte(w.text[w.at:], '\n'); end >= 0 {
			w.at += end + 1
			w.line++
			return nil
		}
		w.at = len(w.text)
		if w.ended {
			return nil
		}
		if err := w.grow(); err != nil {
			return err
		}
	}
}

// record returns the next record of CSV and its line. The last error is io.EOF; a
// [RowError] concerns one row.
func (w *window) record(delimiter byte) ([]Field, int, error) {
	for {
		s := Scanner{Text: w.text, Delimiter: delimiter, At: w.at, Line: w.line}
		record, line, err := s.Record()
		if errors.Is(err, io.EOF) {
			w.at, w.line = s.At, s.Line // past blank lines
		}
		atEnd := s.At == len(s.Text)
		if !w.full() && (atEnd || errors.Is(err, errOpenQuote)) {
			if err := w.grow(); err != nil {
				return nil, line, err
			}
			continue
		}
		if atEnd && !w.ended {
			w.at, w.line = s.Start, line
			return nil, line, w.refuse(line, errRowTooLong)
		}
		w.at, w.line = s.At, s.Line
		if err != nil && !errors.Is(err, io.EOF) {
			err = &RowError{Line: line, Err: err}
		}
		return record, line, err
	}
}

// refuse skips the rest of a line.
func (w *window) refuse(line int, why error) error {
	if err := w.skipLine(); err != nil {
		return err
	}
	return &RowError{Line: line, Err: why}
}

// next returns the next line that is not blank.
func (w *window) next() (text string, line int, err error) {
	for {
		end := strings.IndexByte(w.text[w.at:], '\n')
		switch {
		case end < 0 && !w.full():
			if err := w.grow(); err != nil {
				return "", w.line, err
			}
			continue
		case end < 0 && !w.ended, end > maxRow:
			line := w.line
			return "", line, w.refuse(line, errRowTooLong)
		case end < 0:
			end = len(w.text) - w.at
		}
		text, line = strings.TrimSpace(w.text[w.at:w.at+end]), w.line
		if w.at += end + 1; w.at > len(w.text) {
			w.at = len(w.text)
		}
		w.line++
		if text != "" {
			return text, line, nil
		}
		if w.ended && w.at == len(w.text) {
			return "", line, io.EOF
		}
	}
}
