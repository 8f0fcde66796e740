package rowfile

import (
	"errors"
	"io"
	"strings"
)

var (
	errOpenQuote  = errors.New("a quote is not closed")
	errAfterQuote = errors.New("there is text after a closing quote")
)

// Scanner reads the records of RFC 4180. encoding/csv does not serve here: it
// turns CR LF inside cells into LF, and does not tell "" from nothing.
type Scanner struct {
	Text      string
	Delimiter byte
	Start     int // of the record read last
	At        int
	Line      int // of what is read next, from 1
}

// Field is a cell as it stands in the file.
type Field struct {
	Text   string
	Quoted bool
}

// Record returns the next record that is not an empty line, and the line that it
// begins in. After an error the scanner is at the next line; the last one is
// io.EOF.
func (s *Scanner) Record() (cells []Field, line int, err error) {
	for s.At < len(s.Text) && (s.Text[s.At] == '\n' || s.Text[s.At] == '\r') {
		s.newline()
	}
	s.Start, line = s.At, s.Line
	if s.At == len(s.Text) {
		return nil, line, io.EOF
	}
	for {
		c, err := s.cell()
		if err != nil {
			s.skipLine()
			return nil, line, err
		}
		cells = append(cells, c)
		if s.At == len(s.Text) {
			return cells, line, nil
		}
		if s.Text[s.At] != s.Delimiter {
			s.newline()
			return cells, line, nil
		}
		s.At++
		if s.At == len(s.Text) { // a delimiter at the very end
			return append(cells, Field{}), line, nil
		}
	}
}

// cell reads up to a delimiter, an end of a line, or the end of the text.
func (s *Scanner) cell() (Field, error) {
	if s.Text[s.At] == '"' {
		return s.quotedCell()
	}
	end := strings.IndexAny(s.Text[s.At:], string(s.Delimiter)+"\r\n")
	if end < 0 {
		end = len(s.Text) - s.At
	}
	text := s.Text[s.At : s.At+end]
	s.At += end
	return Field{Text: text}, nil
}

func (s *Scanner) quotedCell() (Field, error) {
	start, line := s.At+1, s.Line
	var b strings.Builder
	for at := start; ; {
		end := strings.IndexByte(s.Text[at:], '"')
		if end < 0 {
			return Field{}, errOpenQuote
		}
		end += at
		line += strings.Count(s.Text[at:end], "\n")
		if end+1 < len(s.Text) && s.Text[end+1] == '"' {
			b.WriteString(s.Text[at : end+1])
			at = end + 2
			continue
		}
		b.WriteString(s.Text[at:end])
		s.At, s.Line = end+1, line
		break
	}
	if s.At < len(s.Text) && s.Text[s.At] != s.Delimiter && s.Text[s.At] != '\r' && s.Text[s.At] != '\n' {
		return Field{}, errAfterQuote
	}
	return Field{Text: b.String(), Quoted: true}, nil
}

// newline goes past one end of a line: LF, CR LF or CR.
func (s *Scanner) newline() {
	if s.Text[s.At] == '\r' && s.At+1 < len(s.Text) && s.Text[s.At+1] == '\n' {
		s.At++
	}
	s.At++
	s.Line++
}

func (s *Scanner) skipLine() {
	end := strings.IndexAny(s.Text[s.At:], "\r\n")
	if end < 0 {
		s.At = len(s.Text)
		return
	}
	s.At += end
	s.newline()
}
