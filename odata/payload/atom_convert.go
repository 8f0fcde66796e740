package payload

import (
	"encoding/base64"
	"math"
	"strconv"
	"strings"

	"sandtable/odata"
	"sandtable/odata/xmlscan"
)

// key returns the property as a key. An empty type is not a string, as in the
// service (azure-sdk-for-php issue 255).
func (p *atomProperty) key() BodyKey {
	switch {
	case p.null:
		return BodyKey{}
	case p.typed && p.typ != odata.EdmString.String():
		return BodyKey{State: KeyMistyped}
	default:
		return BodyKey{State: KeyGiven, Text: p.text}
	}
}

// convert converts the value to its type, by default a string. It reports false if
// the value does not fit.
//
// White space around other values than strings is ignored, as in XML Schema.
func (p *atomProperty) convert() (odata.Value, bool) {
	if !p.typed {
		return odata.StringValue(p.text), true
	}
	typ, ok := odata.ParseType(p.typ)
	if !ok {
		return odata.Value{}, false
	}
	if typ == odata.EdmString {
		return odata.StringValue(p.text), true
	}
	return convertXML(typ, strings.Trim(p.text, xmlscan.Spaces))
}

func convertXML(typ odata.Type, text string) (odata.Value, bool) {
	switch typ {
	case odata.EdmInt32:
		n, err := strconv.ParseInt(text, 10, 32)
		return odata.Int32Value(int32(n)), err == nil
	case odata.EdmInt64:
		n, err := strconv.ParseInt(text, 10, 64)
		return odata.Int64Value(n), err == nil
	case odata.EdmDouble:
		f, ok := parseXMLDouble(text)
		return odata.DoubleValue(f), ok
	case odata.EdmBoolean:
		b, ok := parseXMLBoolean(text)
		return odata.BooleanValue(b), ok
	case odata.EdmDateTime:
		d, ok := odata.ParseDateTime(text)
		return odata.DateTimeValue(d), ok
	case odata.EdmGuid:
		g, ok := odata.ParseGuid(text)
		return odata.GuidValue(g), ok
	default:
		data, err := base64.StdEncoding.DecodeString(withoutSpace(text))
		return odata.BinaryValue(data), err == nil
	}
}

// parseXMLBoolean accepts what the service's library does: the forms of XML Schema
// and of .NET.
func parseXMLBoolean(text string) (value, ok bool) {
	switch text {
	case "true", "True", "1":
		return true, true
	case "false", "False", "0":
		return false, true
	default:
		return false, false
	}
}

// parseXMLDouble parses a decimal number, or a name of XML Schema or, as .NET does,
// of JSON. A number too large for a Double does not fit.
func parseXMLDouble(text string) (float64, bool) {
	switch text {
	case "NaN":
		return math.NaN(), true
	case "INF", "Infinity":
		return math.Inf(1), true
	case "-INF", "-Infinity":
		return math.Inf(-1), true
	}
	// strconv accepts more forms.
	if strings.Trim(text, "0123456789+-.eE") != "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil
}

// withoutSpace removes the white space that base64 may contain.
func withoutSpace(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(xmlscan.Spaces, r) {
			return -1
		}
		return r
	}, text)
}
