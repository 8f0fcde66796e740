package payload

import (
	"bytes"
	"iter"

	"sandtable/odata"
)

// AppendEntity appends the response with a single entity. The table's name is the
// one in the request.
func (c *Context) AppendEntity(b []byte, table string, e *odata.Entity) []byte {
	b = append(b, '{')
	b = c.appendMetadata(b, table, elementSuffix)
	w := entities{Context: c, table: table, selection: c.selection()}
	b = w.appendMembers(b, e)
	return append(b, '}')
}

// AppendEntities appends the response with a collection of entities, which may be
// empty. It does not retain them.
func (c *Context) AppendEntities(b []byte, table string, es iter.Seq[*odata.Entity]) []byte {
	b = c.appendListHead(b, table)
	w := entities{Context: c, table: table, selection: c.selection(), start: len(b)}
	for e := range es {
		b = w.appendItem(b, e)
	}
	return append(b, "]}"...)
}

// entities writes the entities of one response. What an entity has in common with the
// one before is copied from there, which is faster than writing it again.
type entities struct {
	*Context
	table     string
	selection []string // nil for all properties
	start     int      // of the list, in the response

	time      [len("2013-08-02T17:37:43.0090000Z")]byte // the memory for a Timestamp
	partition repeated                                  // the last PartitionKey
	names     [16]repeated                              // what comes before the values of the first properties
}

// repeated is a part of the response that the next entity may have, too.
type repeated struct {
	text       string     // the key, or the property's name
	annotation odata.Type // of the property; 0 for none
	start, end int        // where it is in the response; 0 for nowhere yet
}

// appendItem appends an entity of a list.
func (w *entities) appendItem(b []byte, e *odata.Entity) []byte {
	if len(b) > w.start {
		b = append(b, ',')
	}
	b = append(b, '{')
	b = w.appendMembers(b, e)
	return append(b, '}')
}

func (w *entities) appendMembers(b []byte, e *odata.Entity) []byte {
	timestamp := e.Timestamp.AppendText(w.time[:0])
	switch w.Level {
	case FullMetadata:
		b = w.appendType(b, w.table)
		var link []byte
		b, link = w.appendID(b, odata.Path{Resource: odata.EntityResource, Table: w.table, Key: e.Key()})
		b = append(b, ',')
		b = appendETag(b, timestamp)
		b = append(b, ',')
		b = appendEditLink(b, link)
		b = append(b, ',')
	case MinimalMetadata:
		if !w.WithoutETag {
			b = appendETag(b, timestamp)
			b = append(b, ',')
		}
	}
	if w.selection == nil {
		b = w.appendEach(b, e, timestamp)
	} else {
		b = w.appendSelected(b, e, timestamp)
	}
	// Every member ends in a comma; remove the last one.
	return bytes.TrimSuffix(b, []byte(","))
}

// appendEach appends all properties.
func (w *entities) appendEach(b []byte, e *odata.Entity, timestamp []byte) []byte {
	b = w.appendPartitionKey(b, e.PartitionKey)
	b = w.appendKey(b, odata.RowKeyName, e.RowKey)
	b = w.appendTimestamp(b, timestamp)
	for i := range e.Properties {
		b = w.appendProperty(b, i, e.Properties[i].Name, e.Properties[i].Value)
	}
	return b
}

// appendSelected looks for each name after the one found last first: selections
// and entities mostly have their properties in the same order.
func (w *entities) appendSelected(b []byte, e *odata.Entity, timestamp []byte) []byte {
	next := 0
	for at, name := range w.selection {
		switch name {
		case odata.PartitionKeyName:
			b = w.appendPartitionKey(b, e.PartitionKey)
			continue
		case odata.RowKeyName:
			b = w.appendKey(b, name, e.RowKey)
			continue
		case odata.TimestampName:
			b = w.appendTimestamp(b, timestamp)
			continue
		}
		i := indexFrom(e.Properties, next, name)
		if i < 0 {
			b = appendName(b, name)
			b = append(b, "null,"...)
			continue
		}
		b = w.appendProperty(b, at, name, e.Properties[i].Value)
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

func appendETag(b, timestamp []byte) []byte {
	b = append(b, `"odata.etag":"W/\"datetime'`...)
	b = odata.AppendETagTime(b, timestamp)
	return append(b, `'\""`...)
}

func (w *entities) appendPartitionKey(b []byte, key string) []byte {
	if p := &w.partition; p.end > 0 && p.text == key {
		return append(append(b, b[p.start:p.end]...), ',')
	}
	start := len(b)
	b = w.appendKey(b, odata.PartitionKeyName, key)
	w.partition = repeated{text: key, start: start, end: len(b) - 1} // the last member of an entity has no comma
	return b
}

func (w *entities) appendTimestamp(b, timestamp []byte) []byte {
	if w.Level == FullMetadata {
		b = appendAnnotation(b, odata.TimestampName, odata.EdmDateTime)
	}
	b = append(b, `"Timestamp":"`...)
	b = append(b, timestamp...)
	return append(b, `",`...)
}

// appendProperty is [Context.appendProperty] for the property at an index.
func (w *entities) appendProperty(b []byte, i int, name string, v odata.Value) []byte {
	if i >= len(w.names) {
		return w.Context.appendProperty(b, name, v)
	}
	p := &w.names[i]
	if t := w.annotation(v); p.end > 0 && p.text == name && p.annotation == t {
		b = append(b, b[p.start:p.end]...)
	} else {
		start := len(b)
		b = appendPrefix(b, name, t)
		*p = repeated{name, t, start, len(b)}
	}
	b = appendValue(b, v)
	return append(b, ',')
}
