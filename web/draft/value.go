package draft

import (
	"encoding/hex"
	"errors"
	"strings"

	"sandtable/odata"
	"sandtable/odata/rowfile"
)

// ErrHex means that a text is not a Binary in hexadecimal digits.
var ErrHex = errors.New("a Binary has two hexadecimal digits for each byte")

// parseHex reads a Binary written in hexadecimal digits, with blanks anywhere.
func parseHex(_ odata.Type, text string) (odata.Value, error) {
	bytes, err := hex.DecodeString(strings.Join(strings.Fields(text), ""))
	if err != nil {
		return odata.Value{}, ErrHex
	}
	return odata.BinaryValue(bytes), nil
}

// WriteHex writes the text of a Binary in hexadecimal digits or, with false, in
// base64. A text that has a problem stays as it is.
func (p *Property) WriteHex(on bool) {
	v, err := p.Value()
	if err != nil || v.Type() != odata.EdmBinary {
		return
	}
	p.Hex = on
	p.Text = rowfile.Text(v)
	if on {
		p.Text = hex.EncodeToString([]byte(v.Text()))
	}
}
