package tabular

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// ErrEncoding means that the user has to choose the encoding of a file.
var ErrEncoding = errors.New("the file is not UTF-8")

// Encoding is how a file encodes its text.
type Encoding uint8

// The encodings that are read. Detect reads a byte order mark and takes the file
// for UTF-8 without one.
const (
	Detect Encoding = iota
	UTF8
	Windows1252
	UTF16
)

// String returns the encoding's name.
func (e Encoding) String() string {
	return [...]string{"detected", "UTF-8", "Windows-1252", "UTF-16"}[e]
}

// EncodingError says where a file is not UTF-8, and how its first wrong line
// reads in each encoding. It wraps [ErrEncoding].
type EncodingError struct {
	Byte    byte
	Line    int // from 1
	Column  int // of the byte in its line, from 1
	Guess   Encoding
	Samples []EncodingSample
}

// EncodingSample is how a line reads in an encoding.
type EncodingSample struct {
	Encoding Encoding
	Text     string // with U+FFFD for what is not a character
	Possible bool
}

func (e *EncodingError) Error() string {
	return fmt.Sprintf("%v: byte 0x%02X at line %d, column %d", ErrEncoding, e.Byte, e.Line, e.Column)
}

// Unwrap returns [ErrEncoding].
func (e *EncodingError) Unwrap() error { return ErrEncoding }

// decode returns the text of a file without its byte order mark, and the
// encoding in words.
func decode(data []byte, as Encoding, step Step) (text, encoding string, err error) {
	switch {
	case as == Windows1252:
		encoding = "Windows-1252"
		text, err = inPieces(data, step, windows1252Text, func(int) bool { return true })
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		encoding = "UTF-16, big-endian"
		text, err = readUTF16(data[2:], 1, 0, step)
	case as == UTF16, bytes.HasPrefix(data, []byte("\xff\xfe")):
		encoding = "UTF-16, little-endian"
		text, err = readUTF16(bytes.TrimPrefix(data, []byte("\xff\xfe")), 0, 1, step)
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		encoding = "UTF-8 with byte order mark"
		text, err = readUTF8(data[3:], as, step)
	default:
		encoding = "UTF-8"
		text, err = readUTF8(data, as, step)
	}
	return text, encoding, err
}

func readUTF16(data []byte, low, high int, step Step) (string, error) {
	data = data[:len(data)/2*2]
	return inPieces(data, step, func(piece []byte) string { return utf16Text(piece, low, high) },
		func(at int) bool { return at%2 == 0 && data[at+high]&0xfc != 0xdc }) // not inside a surrogate pair
}

func readUTF8(data []byte, as Encoding, step Step) (string, error) {
	wrong, read := -1, 0
	text, err := inPieces(data, step, func(piece []byte) string {
		text := string(piece)
		if i := invalidUTF8(text); i >= 0 && wrong < 0 {
			wrong = read + i
		}
		read += len(piece)
		if as == UTF8 {
			return strings.ToValidUTF8(text, "\ufffd")
		}
		return text
	}, func(at int) bool { return utf8.RuneStart(data[at]) })
	if isUTF16(text) { // that of ASCII is valid UTF-8
		wrong = strings.IndexByte(text, 0)
	}
	if err == nil && as != UTF8 && wrong >= 0 {
		return "", encodingError(text, wrong)
	}
	return text, err
}

// pieceSize is how much of a file is decoded between two steps: a few milliseconds of work.
const pieceSize = 1 << 20

// inPieces decodes a file piece by piece. Each ends where a character begins.
func inPieces(data []byte, step Step, text func(piece []byte) string, begins func(at int) bool) (string, error) {
	var b strings.Builder
	b.Grow(len(data))
	for at := 0; at < len(data); {
		if err := step.call(Progress{Doing: "Decoding", Fraction: float64(at) / float64(len(data))}); err != nil {
			return "", err
		}
		end := min(at+pieceSize, len(data))
		for end < len(data) && end > at+pieceSize-4 && !begins(end) {
			end--
		}
		b.WriteString(text(data[at:end]))
		at = end
	}
	return b.String(), nil
}

// encodingError describes a text that is wrong at an offset.
func encodingError(text string, at int) *EncodingError {
	const shown = 80
	start := strings.LastIndexByte(text[:at], '\n') + 1
	end := len(text)
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		end = at + i
	}
	line := []byte(text[max(start, at-shown/2):min(end, at+shown/2)])
	isUTF16 := isUTF16(text)
	e := &EncodingError{Byte: text[at], Line: 1 + strings.Count(text[:start], "\n"), Column: at - start + 1, Guess: Windows1252,
		Samples: []EncodingSample{
			{UTF8, strings.ToValidUTF8(strings.ReplaceAll(string(line), "\x00", "\ufffd"), "\ufffd"), true},
			{Windows1252, windows1252Text(line), !isUTF16},
			{UTF16, "", isUTF16},
		}}
	if isUTF16 {
		e.Guess = UTF16
		e.Samples[2].Text = utf16Text(line[(max(start, at-shown/2))%2:], 0, 1)
	}
	return e
}

// isUTF16 reports whether so many bytes are zero that they must be halves of characters.
// Single ones can be in values.
func isUTF16(text string) bool {
	start := text[:min(len(text), 4096)]
	return strings.Count(start, "\x00") > len(start)/4
}

func utf16Text(data []byte, low, high int) string {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = uint16(data[2*i+low]) | uint16(data[2*i+high])<<8
	}
	return string(utf16.Decode(units))
}

// windows1252 are the characters of the bytes 0x80 to 0x9F. The five bytes that
// the code page leaves undefined are control characters, as in browsers.
var windows1252 = [32]rune{
	'€', 0x81, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0x8d, 'Ž', 0x8f,
	0x90, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0x9d, 'ž', 'Ÿ',
}

func windows1252Text(data []byte) string {
	var b strings.Builder
	b.Grow(len(data))
	for _, c := range data {
		if c >= 0x80 && c < 0xa0 {
			b.WriteRune(windows1252[c-0x80])
		} else {
			b.WriteRune(rune(c))
		}
	}
	return b.String()
}

func invalidUTF8(text string) int {
	if utf8.ValidString(text) {
		return -1
	}
	for i, r := range text {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				return i
			}
		}
	}
	return -1
}
