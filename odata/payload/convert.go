package payload

import (
	"encoding/base64"
	"math"
	"strconv"
	"strings"

	"sandtable/odata"
)

// convert converts a value that is not null to a type, or without one (0) to the
// type inferred from JSON. It reports false if the value does not fit.
func convert(t token, typ odata.Type) (odata.Value, bool) {
	switch typ {
	case 0:
		return infer(t)
	case odata.EdmInt32:
		n, err := strconv.ParseInt(t.text, 10, 32)
		return odata.Int32Value(int32(n)), err == nil
	case odata.EdmInt64:
		n, err := strconv.ParseInt(t.text, 10, 64)
		return odata.Int64Value(n), err == nil
	case odata.EdmDouble:
		return convertDouble(t)
	case odata.EdmBoolean:
		return convertBoolean(t)
	}
	if t.kind != kindString {
		return odata.Value{}, false
	}
	switch typ {
	case odata.EdmDateTime:
		d, ok := odata.ParseDateTime(t.text)
		return odata.DateTimeValue(d), ok
	case odata.EdmGuid:
		g, ok := odata.ParseGuid(t.text)
		return odata.GuidValue(g), ok
	case odata.EdmBinary:
		data, err := base64.StdEncoding.DecodeString(t.text)
		return odata.BinaryValue(data), err == nil
	default:
		return odata.StringValue(t.text), true
	}
}

// infer converts a value without an annotation. A number without point and
// exponent is an Int32 if it fits, else a Double.
func infer(t token) (odata.Value, bool) {
	switch t.kind {
	case kindString:
		return odata.StringValue(t.text), true
	case kindTrue, kindFalse:
		return odata.BooleanValue(t.kind == kindTrue), true
	case kindNumber:
		if strings.ContainsAny(t.text, ".eE") { // an error of ParseInt costs more
			return convertDouble(t)
		}
		if n, err := strconv.ParseInt(t.text, 10, 32); err == nil {
			return odata.Int32Value(int32(n)), true
		}
		return convertDouble(t)
	default:
		return odata.Value{}, false
	}
}

// convertDouble converts numbers, numbers in strings, and the names of NaN and the
// infinities. A number too large for a Double does not fit.
func convertDouble(t token) (odata.Value, bool) {
	switch t.text {
	case "NaN":
		return odata.DoubleValue(math.NaN()), true
	case "Infinity":
		return odata.DoubleValue(math.Inf(1)), true
	case "-Infinity":
		return odata.DoubleValue(math.Inf(-1)), true
	}
	// strconv accepts more forms than JSON.
	if numberLen(t.text) != len(t.text) {
		return odata.Value{}, false
	}
	f, err := strconv.ParseFloat(t.text, 64)
	return odata.DoubleValue(f), err == nil
}

func convertBoolean(t token) (odata.Value, bool) {
	switch {
	case t.kind == kindTrue, t.kind == kindString && strings.EqualFold(t.text, "true"):
		return odata.BooleanValue(true), true
	case t.kind == kindFalse, t.kind == kindString && strings.EqualFold(t.text, "false"):
		return odata.BooleanValue(false), true
	default:
		return odata.Value{}, false
	}
}
