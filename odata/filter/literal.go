package filter

import (
	"encoding/hex"
	"math"
	"strconv"
	"strings"

	"sandtable/odata"
)

// literalTypes has the type of each kind of literal.
var literalTypes = [...]odata.Type{
	stringLiteral:   odata.EdmString,
	integerLiteral:  odata.EdmInt32,
	int64Literal:    odata.EdmInt64,
	doubleLiteral:   odata.EdmDouble,
	dateTimeLiteral: odata.EdmDateTime,
	guidLiteral:     odata.EdmGuid,
	binaryLiteral:   odata.EdmBinary,
}

// literalValue returns the value of a literal, and whether it is valid.
func literalValue(t token) (odata.Value, bool) {
	switch t.kind {
	case stringLiteral:
		return odata.StringValue(strings.ReplaceAll(quotedPart(t.text), "''", "'")), true
	case integerLiteral:
		n, err := strconv.ParseInt(t.text, 10, 32)
		return odata.Int32Value(int32(n)), err == nil
	case int64Literal:
		n, err := strconv.ParseInt(t.text[:len(t.text)-1], 10, 64)
		return odata.Int64Value(n), err == nil
	case doubleLiteral:
		return doubleValue(strings.TrimRight(t.text, "Dd"))
	case dateTimeLiteral:
		d, ok := odata.ParseDateTime(quotedPart(t.text))
		// An offset can lead out of the range of years.
		return odata.DateTimeValue(d), ok && d >= 0 && d <= odata.MaxDateTime
	case guidLiteral:
		g, ok := odata.ParseGuid(quotedPart(t.text))
		return odata.GuidValue(g), ok
	case binaryLiteral:
		bytes, err := hex.DecodeString(quotedPart(t.text))
		return odata.BinaryText(string(bytes)), err == nil
	default:
		return odata.Value{}, false
	}
}

// quotedPart returns the text between the first and the last quote.
func quotedPart(text string) string {
	return text[strings.IndexByte(text, '\'')+1 : len(text)-1]
}

// doubleValue reads a number or -INF.
func doubleValue(text string) (odata.Value, bool) {
	f, err := strconv.ParseFloat(text, 64)
	return odata.DoubleValue(f), err == nil
}

// appendLiteral appends the value as a literal of its type.
func appendLiteral(b []byte, v odata.Value) []byte {
	switch v.Type() {
	case odata.EdmString:
		return appendString(b, v.Text())
	case odata.EdmBoolean:
		return strconv.AppendBool(b, v.Bool())
	case odata.EdmInt32:
		return strconv.AppendInt(b, v.Int(), 10)
	case odata.EdmInt64:
		return append(strconv.AppendInt(b, v.Int(), 10), 'L')
	case odata.EdmDouble:
		return appendDouble(b, v.Float())
	case odata.EdmDateTime:
		return append(v.DateTime().AppendText(append(b, "datetime'"...)), '\'')
	case odata.EdmGuid:
		return append(v.Guid().AppendText(append(b, "guid'"...)), '\'')
	case odata.EdmBinary:
		return append(hex.AppendEncode(append(b, "X'"...), []byte(v.Text())), '\'')
	default:
		return append(b, "null"...)
	}
}

func appendString(b []byte, s string) []byte {
	b = append(b, '\'')
	for {
		quote := strings.IndexByte(s, '\'')
		if quote < 0 {
			return append(append(b, s...), '\'')
		}
		b = append(append(b, s[:quote]...), "''"...)
		s = s[quote+1:]
	}
}

func appendDouble(b []byte, f float64) []byte {
	switch {
	case math.IsInf(f, 1):
		return append(b, infinity...)
	case math.IsInf(f, -1):
		return append(b, "-"+infinity...)
	default:
		return odata.AppendDouble(b, f)
	}
}
