package payload

import (
	"iter"
	"slices"

	"sandtable/odata"
)

// The content types of Atom responses. The entry's is from a recording (version
// 2015-04-05), the feed's by analogy and from the service's library. Versions
// before 2013-08-15 have one for both, as recorded.
const (
	AtomEntryType = "application/atom+xml;type=entry;charset=utf-8"
	AtomFeedType  = "application/atom+xml;type=feed;charset=utf-8"
	OldAtomType   = "application/atom+xml;charset=utf-8"
)

// The namespaces of Atom bodies.
const (
	atomNamespace     = "http://www.w3.org/2005/Atom"
	dataNamespace     = "http://schemas.microsoft.com/ado/2007/08/dataservices"
	metadataNamespace = dataNamespace + "/metadata"
	categoryScheme    = dataNamespace + "/scheme"

	spatialNamespaces = ` xmlns:georss="http://www.georss.org/georss" xmlns:gml="http://www.opengis.net/gml"`
)

// Atom encodes responses in Atom, as [Context] does in JSON. It is read-only, so
// goroutines can share it.
type Atom struct {
	// Old selects the layout of service versions before 2013-08-15.
	Old bool
	// Spatial declares the namespaces of spatial types, which tables lack. The service
	// does so with data service version 3.0. The old layout has none.
	Spatial bool
	// Base and Account are those of [Context].
	Base    string
	Account string
	// Updated is the time of the response, in whole seconds. It is unrelated to
	// the entities.
	Updated odata.DateTime
	// Select and HasSelect are those of [Context]. Names that are invalid for a
	// property are left out, where JSON has a null: they are invalid for an
	// element, too.
	Select    []string
	HasSelect bool
}

// AppendEntity appends the response with a single entity. The table's name is the
// one in the request, which is valid.
func (a *Atom) AppendEntity(b []byte, table string, e *odata.Entity) []byte {
	return a.append(b, &a.layout().entry, &atomItem{name: table, path: entityPath(table, e), entity: e, selection: a.selection()})
}

// AppendEntities appends the response with a collection of entities, which may be
// empty. It does not retain them.
func (a *Atom) AppendEntities(b []byte, table string, es iter.Seq[*odata.Entity]) []byte {
	start := len(b)
	item := atomItem{name: table, path: feedPath(table), selection: a.selection()}
	b = a.append(b, &a.layout().feed, &item)
	for e := range es {
		item.path, item.entity = entityPath(table, e), e
		b = a.append(b, &a.layout().feedEntry, &item)
	}
	return a.endFeed(b, start, &item)
}

// AppendTable appends the response with a single table.
func (a *Atom) AppendTable(b []byte, name string) []byte {
	return a.append(b, &a.layout().entry, &atomItem{name: tablesName, path: tablePath(name)})
}

// AppendTables appends the response with a collection of tables, which may be
// empty.
func (a *Atom) AppendTables(b []byte, names []string) []byte {
	start := len(b)
	item := atomItem{name: tablesName, path: feedPath(tablesName)}
	b = a.append(b, &a.layout().feed, &item)
	for _, name := range names {
		item.path = tablePath(name)
		b = a.append(b, &a.layout().feedEntry, &item)
	}
	return a.endFeed(b, start, &item)
}

// AppendAtomError appends the body of an error response in XML. The message
// includes the lines with the request id and the time, with literal line feeds.
// Old is that of [Atom].
func AppendAtomError(b []byte, old bool, code, message string) []byte {
	a := Atom{Old: old}
	return a.append(b, &a.layout().error, &atomItem{code: code, message: message})
}

// atomItem has the fields of one entry, feed or error.
type atomItem struct {
	name      string // of the collection
	path      odata.Path
	entity    *odata.Entity // nil for a table
	selection []string
	// Those of an error.
	code, message string
}

func feedPath(name string) odata.Path {
	return odata.Path{Resource: odata.EntitiesResource, Table: name}
}

func entityPath(table string, e *odata.Entity) odata.Path {
	return odata.Path{Resource: odata.EntityResource, Table: table, Key: e.Key()}
}

func tablePath(name string) odata.Path {
	return odata.Path{Resource: odata.TableResource, Table: name}
}

// selection returns the names to encode, nil for all.
func (a *Atom) selection() []string {
	c := Context{HasSelect: a.HasSelect, Select: a.Select}
	names := c.selection()
	if slices.ContainsFunc(names, isInvalidName) {
		names = slices.DeleteFunc(slices.Clone(names), isInvalidName)
	}
	return names
}

func isInvalidName(name string) bool { return odata.CheckPropertyName(name) != nil }

func (a *Atom) layout() *atomLayout {
	if a.Old {
		return oldLayout
	}
	return newLayout
}

// endFeed ends the collection that starts at an index of b. The path of last is still the
// feed's if the collection is empty: then all of it is written again, because an empty
// one begins differently.
func (a *Atom) endFeed(b []byte, start int, last *atomItem) []byte {
	if last.path == feedPath(last.name) {
		return a.append(b[:start], &a.layout().emptyFeed, last)
	}
	return a.append(b, &a.layout().feedEnd, last)
}

// append appends a template with the fields of an item.
func (a *Atom) append(b []byte, t *atomTemplate, item *atomItem) []byte {
	var start, end int // of the path
	for i := range t.steps {
		s := &t.steps[i]
		b = append(b, s.text...)
		switch s.field {
		case atomRoot:
			b = appendXMLAttribute(b, a.Base)
		case atomBase:
			b = appendXML(b, a.Base)
		case atomAccount:
			b = appendXMLAttribute(b, a.Account)
		case atomName:
			b = appendXMLAttribute(b, item.name) // Cosmos DB's names may have any character
		case atomUpdated:
			const ticksPerSecond = 10_000_000
			b = (a.Updated - a.Updated%ticksPerSecond).AppendText(b)
		case atomSpatial:
			if a.Spatial {
				b = append(b, spatialNamespaces...)
			}
		case atomETag:
			b = appendAtomETag(b, item.entity)
		case atomPath:
			start = len(b)
			b = item.path.AppendText(b) // it needs no escaping in XML
			end = len(b)
		case atomLink:
			b = append(b, b[start+len("/"):end]...)
		case atomProperties:
			b = item.appendProperties(b, t.indent)
		case atomCode:
			b = appendXML(b, item.code)
		case atomMessage:
			b = appendXML(b, item.message)
		}
	}
	return append(b, t.end...)
}

// appendAtomETag appends the attribute of an entity; a table has none.
func appendAtomETag(b []byte, e *odata.Entity) []byte {
	if e == nil {
		return b
	}
	var scratch [64]byte
	tag := odata.AppendETag(scratch[:0], e.Timestamp)
	b = append(b, ` m:etag="W/&quot;`...)
	b = append(b, tag[len(`W/"`):len(tag)-len(`"`)]...)
	return append(b, `&quot;"`...)
}

func (i *atomItem) appendProperties(b []byte, indent string) []byte {
	switch {
	case i.entity == nil:
		return appendAtomString(appendIndent(b, indent), tableNameMember, i.path.Table)
	case i.selection == nil:
		return appendAtomAll(b, indent, i.entity)
	default:
		return appendAtomSelected(b, indent, i.entity, i.selection)
	}
}
