package payload

import (
	"bytes"
	"encoding/base64"
	"iter"
	"math"
	"strconv"

	"sandtable/odata"
)

// elementSuffix follows the collection's name in responses with a single item.
const elementSuffix = "/@Element"

// tablesName is the collection of tables.
const tablesName = "Tables"

// AppendEntity appends the response with a single entity. The table's name is the
// one in the request.
func (c *Context) AppendEntity(b []byte, table string, e *odata.Entity) []byte {
	b = append(b, '{')
	b = c.appendMetadata(b, table, elementSuffix)
	b = c.appendMembers(b, table, e, c.selection())
	return append(b, '}')
}

// AppendEntities appends the response with a collection of entities, which may be
// empty.
func (c *Context) AppendEntities(b []byte, table string, es []*odata.Entity) []byte {
	b = c.appendListHead(b, table)
	selection, start := c.selection(), len(b)
	for _, e := range es {
		b = c.appendItem(b, start, table, e, selection)
	}
	return append(b, "]}"...)
}

// AppendAll is [Context.AppendEntities] for a sequence. It does not retain the
// entities.
func (c *Context) AppendAll(b []byte, table string, es iter.Seq[*odata.Entity]) []byte {
	b = c.appendListHead(b, table)
	selection, start := c.selection(), len(b)
	for e := range es {
		b = c.appendItem(b, start, table, e, selection)
	}
	return append(b, "]}"...)
}

func (c *Context) appendListHead(b []byte, fragment string) []byte {
	b = append(b, '{')
	b = c.appendMetadata(b, fragment, "")
	return append(b, `"value":[`...)
}

// appendItem appends an entity of a list whose items start at start.
func (c *Context) appendItem(b []byte, start int, table string, e *odata.Entity, selection []string) []byte {
	if len(b) > start {
		b = append(b, ',')
	}
	b = append(b, '{')
	b = c.appendMembers(b, table, e, selection)
	return append(b, '}')
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

// appendMembers appends the members of an entity, all of them if the selection is
// nil.
func (c *Context) appendMembers(b []byte, table string, e *odata.Entity, selection []string) []byte {
	switch c.Level {
	case FullMetadata:
		b = c.appendType(b, table)
		var link []byte
		b, link = c.appendID(b, odata.Path{Resource: odata.EntityResource, Table: table, Key: e.Key()})
		b = append(b, ',')
		b = appendETag(b, e)
		b = append(b, ',')
		b = appendEditLink(b, link)
		b = append(b, ',')
	case MinimalMetadata:
		if !c.WithoutETag {
			b = appendETag(b, e)
			b = append(b, ',')
		}
	}
	if selection == nil {
		b = c.appendAll(b, e)
	} else {
		b = c.appendSelected(b, e, selection)
	}
	// Every member ends in a comma; remove the last one.
	return bytes.TrimSuffix(b, []byte(","))
}

func (c *Context) appendAll(b []byte, e *odata.Entity) []byte {
	b = c.appendKey(b, odata.PartitionKeyName, e.PartitionKey)
	b = c.appendKey(b, odata.RowKeyName, e.RowKey)
	b = c.appendTimestamp(b, e)
	for i := range e.Properties {
		b = c.appendProperty(b, e.Properties[i].Name, e.Properties[i].Value)
	}
	return b
}

// appendSelected looks for each name after the one found last first: selections
// and entities mostly have their properties in the same order.
func (c *Context) appendSelected(b []byte, e *odata.Entity, selection []string) []byte {
	next := 0
	for _, name := range selection {
		switch name {
		case odata.PartitionKeyName:
			b = c.appendKey(b, name, e.PartitionKey)
			continue
		case odata.RowKeyName:
			b = c.appendKey(b, name, e.RowKey)
			continue
		case odata.TimestampName:
			b = c.appendTimestamp(b, e)
			continue
		}
		i := indexFrom(e.Properties, next, name)
		if i < 0 {
			b = appendName(b, name)
			b = append(b, "null,"...)
			continue
		}
		b = c.appendProperty(b, name, e.Properties[i].Value)
		next = i + 1
	}
	return b
}

func indexFrom(properties []odata.Property, from int, name string) int {
	for i := from; i < len(properties); i++ {
		if properties[i].Name == name {
			return i
		}
	}
	for i := range min(from, len(properties)) {
		if properties[i].Name == name {
			return i
		}
	}
	return -1
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

func appendETag(b []byte, e *odata.Entity) []byte {
	b = append(b, `"odata.etag":"W/\"datetime'`...)
	b = odata.AppendETagTime(b, e.Timestamp)
	return append(b, `'\""`...)
}

func (c *Context) appendKey(b []byte, name, key string) []byte {
	b = appendName(b, name)
	b = AppendString(b, key)
	return append(b, ',')
}

func (c *Context) appendTimestamp(b []byte, e *odata.Entity) []byte {
	if c.Level == FullMetadata {
		b = appendAnnotation(b, odata.TimestampName, odata.EdmDateTime)
	}
	b = append(b, `"Timestamp":"`...)
	b = e.Timestamp.AppendText(b)
	return append(b, `",`...)
}

func (c *Context) appendProperty(b []byte, name string, v odata.Value) []byte {
	if c.Level != NoMetadata && annotated(v) {
		b = appendAnnotation(b, name, v.Type())
	}
	b = appendName(b, name)
	b = appendValue(b, v)
	return append(b, ',')
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
