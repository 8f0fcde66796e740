package payload

import (
	"encoding/base64"
	"math"
	"strconv"

	"sandtable/odata"
)

// elementSuffix follows the collection's name in responses with a single item.
const elementSuffix = "/@Element"

// tablesName is the collection of tables.
const tablesName = "Tables"

func (c *Context) appendListHead(b []byte, fragment string) []byte {
	b = append(b, '{')
	b = c.appendMetadata(b, fragment, "")
	return append(b, `"value":[`...)
}

// AppendTable appends the response with a single table.
func (c *Context) AppendTable(b []byte, name string) []byte {
	b = append(b, '{')
	b = c.appendMetadata(b, tablesName, elementSuffix)
	b = c.appendTableMembers(b, name)
	return append(b, '}')
}

// AppendTables appends the response with a collection of tables, which may be
// empty.
func (c *Context) AppendTables(b []byte, names []string) []byte {
	b = c.appendListHead(b, tablesName)
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '{')
		b = c.appendTableMembers(b, name)
		b = append(b, '}')
	}
	return append(b, "]}"...)
}

// AppendError appends the body of an error response, which is the same at all
// levels. The message includes the lines with the request id and the time.
func AppendError(b []byte, code, message string) []byte {
	return appendError(b, code, "en-US", message)
}

func appendError(b []byte, code, language, message string) []byte {
	b = append(b, `{"odata.error":{"code":`...)
	b = AppendString(b, code)
	b = append(b, `,"message":{"lang":`...)
	b = AppendString(b, language)
	b = append(b, `,"value":`...)
	b = AppendString(b, message)
	return append(b, "}}}"...)
}

func (c *Context) appendTableMembers(b []byte, name string) []byte {
	if c.Level == FullMetadata {
		var link []byte
		b = c.appendType(b, tablesName)
		b, link = c.appendID(b, odata.Path{Resource: odata.TableResource, Table: name})
		b = append(b, ',')
		b = appendEditLink(b, link)
		b = append(b, ',')
	}
	b = append(b, `"TableName":`...)
	return AppendString(b, name)
}

func (c *Context) appendType(b []byte, name string) []byte {
	b = append(b, `"odata.type":"`...)
	b = appendText(b, c.Account)
	b = append(b, '.')
	b = appendText(b, name)
	return append(b, `",`...)
}

// appendID appends the member odata.id, and also returns its part that is the
// edit link. Paths need no escaping in JSON.
func (c *Context) appendID(b []byte, path odata.Path) (all, link []byte) {
	b = append(b, `"odata.id":"`...)
	b = appendText(b, c.Base)
	start := len(b)
	b = path.AppendText(b)
	link = b[start+1:]
	return append(b, '"'), link
}

func appendEditLink(b, link []byte) []byte {
	b = append(b, `"odata.editLink":"`...)
	b = append(b, link...)
	return append(b, '"')
}

func (c *Context) appendKey(b []byte, name, key string) []byte {
	b = appendName(b, name)
	b = AppendString(b, key)
	return append(b, ',')
}

func (c *Context) appendProperty(b []byte, name string, v odata.Value) []byte {
	b = appendPrefix(b, name, c.annotation(v))
	b = appendValue(b, v)
	return append(b, ',')
}

// appendPrefix appends what comes before the value of a property.
func appendPrefix(b []byte, name string, annotation odata.Type) []byte {
	if annotation != 0 {
		b = appendAnnotation(b, name, annotation)
	}
	return appendName(b, name)
}

// annotation returns the type that the value is annotated with, 0 for none.
func (c *Context) annotation(v odata.Value) odata.Type {
	if c.Level != NoMetadata && annotated(v) {
		return v.Type()
	}
	return 0
}

// annotated reports whether JSON does not determine the value's type.
func annotated(v odata.Value) bool {
	switch v.Type() {
	case odata.EdmBinary, odata.EdmDateTime, odata.EdmGuid, odata.EdmInt64:
		return true
	case odata.EdmDouble:
		return isSpecial(v.Float())
	default:
		return false
	}
}

// isSpecial reports whether JSON cannot represent f as a number.
func isSpecial(f float64) bool { return math.IsNaN(f) || math.IsInf(f, 0) }

func appendAnnotation(b []byte, name string, t odata.Type) []byte {
	b = append(b, '"')
	b = appendText(b, name)
	b = append(b, `@odata.type":"`...)
	b = append(b, t.String()...)
	return append(b, `",`...)
}

func appendName(b []byte, name string) []byte {
	b = append(b, '"')
	b = appendText(b, name)
	return append(b, `":`...)
}

func appendValue(b []byte, v odata.Value) []byte {
	switch v.Type() {
	case odata.EdmString:
		return AppendString(b, v.Text())
	case odata.EdmInt32:
		return strconv.AppendInt(b, v.Int(), 10)
	case odata.EdmBoolean:
		return strconv.AppendBool(b, v.Bool())
	case odata.EdmDouble:
		if !isSpecial(v.Float()) {
			return odata.AppendDouble(b, v.Float())
		}
	case 0:
		return append(b, "null"...)
	}
	b = append(b, '"')
	switch v.Type() {
	case odata.EdmDouble:
		b = odata.AppendDouble(b, v.Float())
	case odata.EdmInt64:
		b = strconv.AppendInt(b, v.Int(), 10)
	case odata.EdmDateTime:
		b = v.DateTime().AppendText(b)
	case odata.EdmGuid:
		b = v.Guid().AppendText(b)
	case odata.EdmBinary:
		b = base64.StdEncoding.AppendEncode(b, []byte(v.Text()))
	}
	return append(b, '"')
}
