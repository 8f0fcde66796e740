package draft

import (
	"encoding/hex"
	"errors"
	"strings"

	"sandtable/odata"
	"sandtable/odata/rowfile"
)

// ErrHex is a text that is no Binary in hexadecimal digits, for people to read.
var ErrHex = errors.New("a Binary has two hexadecimal digits for each byte")

// Text returns the value as a field shows it for editing. [Parse] reads it back.
func Text(v odata.Value) string { return rowfile.Text(v) }

// Parse reads a value of the type. Its errors are those of [rowfile.Parse].
func Parse(t odata.Type, text string) (odata.Value, error) { return rowfile.Parse(t, text) }

// parseHex reads a Binary written in hexadecimal digits, with blanks anywhere.
func parseHex(_ odata.Type, text string) (odata.Value, error) {
	bytes, err := hex.DecodeString(strings.Join(strings.Fields(text), ""))
	return odata.BinaryValue(bytes), whether(err == nil, ErrHex)
}

// WriteHex writes the text of a Binary in hexadecimal digits or, with false, in
// base64. A text that has a problem stays as it is.
func (p *Property) WriteHex(on bool) {
	v, err := p.Value()
	if err != nil || v.Type() != odata.EdmBinary {
		return
	}
	p.Hex = on
	p.Text = Text(v)
	if on {
		p.Text = hex.EncodeToString([]byte(v.Text()))
	}
}

func whether(ok bool, problem error) error {
	if ok {
		return nil
	}
	return problem
}
