package tabular

import (
	"errors"
	"io"
	"strings"
)

var (
	errOpenQuote  = errors.New("a quote is not closed")
	errAfterQuote = errors.New("there is text after a closing quote")
)

// scanner reads the records of RFC 4180. encoding/csv does not serve here: it
// turns CR LF inside cells into LF, and does not tell "" from nothing.
type scanner struct {
	text      string
	delimiter byte
	start     int // of the record read last
	at        int
	line      int // of what is read next, from 1
}

// scanned is a cell as it stands in the file.
type scanned struct {
	text   string
	quoted bool
}

// record returns the next record that is not an empty line, and the line that it
// begins in. After an error the scanner is at the next line; the last one is
// io.EOF.
func (s *scanner) record() (cells []scanned, line int, err error) {
	for s.at < len(s.text) && (s.text[s.at] == '\n' || s.text[s.at] == '\r') {
		s.newline()
	}
	s.start, line = s.at, s.line
	if s.at == len(s.text) {
		return nil, line, io.EOF
	}
	for {
		c, err := s.cell()
		if err != nil {
			s.skipLine()
			return nil, line, err
		}
		cells = append(cells, c)
		if s.at == len(s.text) {
			return cells, line, nil
		}
		if s.text[s.at] != s.delimiter {
			s.newline()
			return cells, line, nil
		}
		s.at++
		if s.at == len(s.text) { // a delimiter at the very end
			return append(cells, scanned{}), line, nil
		}
	}
}

// cell reads up to a delimiter, an end of a line, or the end of the text.
func (s *scanner) cell() (scanned, error) {
	if s.text[s.at] == '"' {
		return s.quotedCell()
	}
	end := strings.IndexAny(s.text[s.at:], string(s.delimiter)+"\r\n")
	if end < 0 {
		end = len(s.text) - s.at
	}
	text := s.text[s.at : s.at+end]
	s.at += end
	return scanned{text: text}, nil
}

func (s *scanner) quotedCell() (scanned, error) {
	start, line := s.at+1, s.line
	var b strings.Builder
	for at := start; ; {
		end := strings.IndexByte(s.text[at:], '"')
		if end < 0 {
			return scanned{}, errOpenQuote
		}
		end += at
		line += strings.Count(s.text[at:end], "\n")
		if end+1 < len(s.text) && s.text[end+1] == '"' {
			b.WriteString(s.text[at : end+1])
			at = end + 2
			continue
		}
		b.WriteString(s.text[at:end])
		s.at, s.line = end+1, line
		break
	}
	if s.at < len(s.text) && s.text[s.at] != s.delimiter && s.text[s.at] != '\r' && s.text[s.at] != '\n' {
		return scanned{}, errAfterQuote
	}
	return scanned{text: b.String(), quoted: true}, nil
}

// newline goes past one end of a line: LF, CR LF or CR.
func (s *scanner) newline() {
	if s.text[s.at] == '\r' && s.at+1 < len(s.text) && s.text[s.at+1] == '\n' {
		s.at++
	}
	s.at++
	s.line++
}

func (s *scanner) skipLine() {
	end := strings.IndexAny(s.text[s.at:], "\r\n")
	if end < 0 {
		s.at = len(s.text)
		return
	}
	s.at += end
	s.newline()
}
