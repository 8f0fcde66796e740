package rowfile

import (
	"encoding/base64"
	"errors"
	"strconv"
	"strings"

	"sandtable/odata"
)

// The reasons why a text is not a value of its type. Users see them.
var (
	ErrInt32    = errors.New("an Int32 is a whole number from -2147483648 to 2147483647")
	ErrInt64    = errors.New("an Int64 is a whole number from -9223372036854775808 to 9223372036854775807")
	ErrDouble   = errors.New("a Double is a number such as 3.5 or 1E+20, or NaN, Infinity, -Infinity")
	ErrBoolean  = errors.New("a Boolean is true or false")
	ErrDateTime = errors.New("a DateTime looks like 2026-11-20T18:30:00Z")
	ErrRange    = errors.New("a DateTime lies between 1601-01-01 and the end of 9999")
	ErrGuid     = errors.New("a Guid looks like a455c695-df98-5678-aaaa-81d3367e5a34")
	ErrBinary   = errors.New("a Binary is written in base64, four characters for three bytes")
)

// Text returns the value as a field shows it for editing. [Parse] reads it back.
func Text(v odata.Value) string {
	switch v.Type() {
	case odata.EdmString:
		return v.Text()
	case odata.EdmBinary:
		return base64.StdEncoding.EncodeToString([]byte(v.Text()))
	case odata.EdmBoolean:
		return strconv.FormatBool(v.Bool())
	case odata.EdmDateTime:
		return v.DateTime().String()
	case odata.EdmDouble:
		return string(odata.AppendDouble(nil, v.Float()))
	case odata.EdmGuid:
		return v.Guid().String()
	case odata.EdmInt32, odata.EdmInt64:
		return strconv.FormatInt(v.Int(), 10)
	default:
		return ""
	}
}

// Parse reads a value of the type. Blanks around it count in strings alone.
// The errors are those of this package.
func Parse(t odata.Type, text string) (odata.Value, error) {
	if t != odata.EdmString {
		text = strings.TrimSpace(text)
	}
	switch t {
	case odata.EdmString:
		return odata.StringValue(text), nil
	case odata.EdmInt32:
		n, err := strconv.ParseInt(text, 10, 32)
		return odata.Int32Value(int32(n)), whether(err == nil, ErrInt32)
	case odata.EdmInt64:
		n, err := strconv.ParseInt(text, 10, 64)
		return odata.Int64Value(n), whether(err == nil, ErrInt64)
	case odata.EdmDouble:
		return parseDouble(text)
	case odata.EdmBoolean:
		return odata.BooleanValue(text == "true"), whether(text == "true" || text == "false", ErrBoolean)
	case odata.EdmDateTime:
		d, ok := odata.ParseDateTime(text)
		if ok && !d.InRange() {
			return odata.Value{}, ErrRange
		}
		return odata.DateTimeValue(d), whether(ok, ErrDateTime)
	case odata.EdmGuid:
		g, ok := odata.ParseGuid(text)
		return odata.GuidValue(g), whether(ok, ErrGuid)
	default:
		bytes, err := base64.StdEncoding.DecodeString(text)
		return odata.BinaryValue(bytes), whether(err == nil, ErrBinary)
	}
}

// parseDouble takes what strconv takes without its extras: hexadecimal digits,
// underscores and other spellings of the infinities.
func parseDouble(text string) (odata.Value, error) {
	switch text {
	case "NaN", "Infinity", "-Infinity":
	default:
		if strings.Trim(text, "0123456789+-.eE") != "" {
			return odata.Value{}, ErrDouble
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	return odata.DoubleValue(f), whether(err == nil, ErrDouble)
}

func whether(ok bool, problem error) error {
	if ok {
		return nil
	}
	return problem
}
