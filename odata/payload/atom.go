package payload

import (
	"iter"
	"slices"

	"sandtable/odata"
)

// The content types of Atom, as the service spells them. The entry's is in a
// recording of the service (version 2015-04-05); the feed's follows it, and
// is how the library that the service is built on spells it elsewhere.
const (
	AtomEntryType = "application/atom+xml;type=entry;charset=utf-8"
	AtomFeedType  = "application/atom+xml;type=feed;charset=utf-8"
)

// The namespaces of Atom bodies.
const (
	atomNamespace     = "http://www.w3.org/2005/Atom"
	dataNamespace     = "http://schemas.microsoft.com/ado/2007/08/dataservices"
	metadataNamespace = dataNamespace + "/metadata"
	categoryScheme    = dataNamespace + "/scheme"
)

// xmlDeclaration has no standalone="yes", which the service sent until 2012.
const xmlDeclaration = `<?xml version="1.0" encoding="utf-8"?>`

// atomNamespaces are the declarations of a body's first element. With data
// service version 3.0 the library of the service would declare georss and gml
// behind them, for types that tables do not have; no recording shows these,
// and no reader needs them.
const atomNamespaces = ` xmlns="` + atomNamespace + `" xmlns:d="` + dataNamespace + `" xmlns:m="` + metadataNamespace + `"`

// emptyAuthor is there because RFC 4287 asks for an author.
const emptyAuthor = "<author><name /></author>"

// Atom is what a response's Atom depends on beside its data, as [Context] is
// for JSON. It is only read, so that several goroutines can share one.
//
// The order of elements and attributes is that of a table's entry in a
// recording of the service of 2017, and of the library it is built on
// (ODataLib 5): id, category, link, title, updated, author, content, without
// blanks between them. Before 2013 the service had another order, and lines;
// Sandtable has one for all versions.
type Atom struct {
	// Base is the account's address: scheme://authority, and the prefix where
	// addresses have one, without a slash at the end.
	Base string
	// Account is the account's name.
	Account string
	// Updated is the time of the response, shown in whole seconds. It says
	// nothing about the entities.
	Updated odata.DateTime
	// Select and HasSelect are those of [Context]. A name in it that no
	// property can have is left out, where JSON shows a null: it is no
	// element's name either.
	Select    []string
	HasSelect bool
}

// AppendEntity appends the response with a single entity. The table's name is
// shown as the request wrote it.
func (a *Atom) AppendEntity(b []byte, table string, e *odata.Entity) []byte {
	b = append(b, xmlDeclaration+"<entry"...)
	b = a.appendRoot(b)
	return a.appendEntity(b, table, e, a.selection())
}

// AppendEntities appends the response with a collection of entities, which
// can be empty.
func (a *Atom) AppendEntities(b []byte, table string, es []*odata.Entity) []byte {
	selection := a.selection()
	b = a.appendFeedHead(b, table)
	for _, e := range es {
		b = append(b, "<entry"...)
		b = a.appendEntity(b, table, e, selection)
	}
	return appendFeedTail(b, len(es))
}

// AppendAll is [Atom.AppendEntities] for entities that come one by one. It
// keeps nothing of them.
func (a *Atom) AppendAll(b []byte, table string, es iter.Seq[*odata.Entity]) []byte {
	selection := a.selection()
	b = a.appendFeedHead(b, table)
	n := 0
	for e := range es {
		b = append(b, "<entry"...)
		b = a.appendEntity(b, table, e, selection)
		n++
	}
	return appendFeedTail(b, n)
}

// AppendTable appends the response with a single table.
func (a *Atom) AppendTable(b []byte, name string) []byte {
	b = append(b, xmlDeclaration+"<entry"...)
	b = a.appendRoot(b)
	return a.appendTable(b, name)
}

// AppendTables appends the response with a collection of tables, which can be
// empty.
func (a *Atom) AppendTables(b []byte, names []string) []byte {
	b = a.appendFeedHead(b, tablesName)
	for _, name := range names {
		b = append(b, "<entry"...)
		b = a.appendTable(b, name)
	}
	return appendFeedTail(b, len(names))
}

// AppendAtomError appends the body of an error response in XML. The message
// comes with its lines about the request, whose line feeds stay as they are.
func AppendAtomError(b []byte, code, message string) []byte {
	b = append(b, xmlDeclaration+`<error xmlns="`+metadataNamespace+`"><code>`...)
	b = appendXML(b, code)
	b = append(b, `</code><message xml:lang="en-US">`...)
	b = appendXML(b, message)
	return append(b, "</message></error>"...)
}

// selection returns the names to show, nil for all of them.
func (a *Atom) selection() []string {
	c := Context{HasSelect: a.HasSelect, Select: a.Select}
	names := c.selection()
	if slices.ContainsFunc(names, isNoProperty) {
		names = slices.DeleteFunc(slices.Clone(names), isNoProperty)
	}
	return names
}

func isNoProperty(name string) bool { return odata.CheckPropertyName(name) != nil }

// appendRoot appends the attributes of a body's first element.
func (a *Atom) appendRoot(b []byte) []byte {
	b = append(b, ` xml:base="`...)
	b = appendXMLAttribute(b, a.Base)
	b = append(b, `/"`...)
	return append(b, atomNamespaces...)
}

// appendFeedHead appends a collection up to its first entry.
func (a *Atom) appendFeedHead(b []byte, name string) []byte {
	b = append(b, xmlDeclaration+"<feed"...)
	b = a.appendRoot(b)
	b = append(b, "><id>"...)
	b = appendXML(b, a.Base)
	b = append(b, '/')
	b = appendXML(b, name)
	b = append(b, `</id><title type="text">`...)
	b = appendXML(b, name)
	b = append(b, "</title>"...)
	b = a.appendUpdated(b)
	b = append(b, `<link rel="self" title="`...)
	b = appendXMLAttribute(b, name)
	b = append(b, `" href="`...)
	b = appendXMLAttribute(b, name)
	return append(b, `" />`...)
}

// appendFeedTail ends a collection. One without entries has an author of its
// own: that is the library's rule, no recording of the service shows it.
func appendFeedTail(b []byte, entries int) []byte {
	if entries == 0 {
		b = append(b, emptyAuthor...)
	}
	return append(b, "</feed>"...)
}

// appendEntity appends an entry from the attributes of its element on.
func (a *Atom) appendEntity(b []byte, table string, e *odata.Entity, selection []string) []byte {
	var scratch [64]byte
	b = append(b, ` m:etag="`...)
	for _, c := range odata.AppendETag(scratch[:0], e.Timestamp) {
		if c == '"' {
			b = append(b, "&quot;"...)
		} else {
			b = append(b, c)
		}
	}
	b = append(b, '"')
	b = a.appendEntryHead(b, table, odata.Path{Resource: odata.EntityResource, Table: table, Key: e.Key()})
	if selection == nil {
		b = appendAtomAll(b, e)
	} else {
		b = appendAtomSelected(b, e, selection)
	}
	return append(b, atomEntryEnd...)
}

// appendTable appends an entry, without an ETag, from the attributes of its
// element on.
func (a *Atom) appendTable(b []byte, name string) []byte {
	b = a.appendEntryHead(b, tablesName, odata.Path{Resource: odata.TableResource, Table: name})
	b = appendAtomString(b, tableNameMember, name)
	return append(b, atomEntryEnd...)
}

const atomEntryEnd = "</m:properties></content></entry>"

// appendEntryHead appends the rest of the start of an entry's element, and
// what comes before its properties.
func (a *Atom) appendEntryHead(b []byte, name string, path odata.Path) []byte {
	b = append(b, "><id>"...)
	b = appendXML(b, a.Base)
	// Paths have no character that XML would mind.
	start := len(b)
	b = path.AppendText(b)
	link := b[start+1:]
	b = append(b, `</id><category term="`...)
	b = appendXMLAttribute(b, a.Account)
	b = append(b, '.')
	b = appendXMLAttribute(b, name)
	b = append(b, `" scheme="`+categoryScheme+`" /><link rel="edit" title="`...)
	b = appendXMLAttribute(b, name)
	b = append(b, `" href="`...)
	b = append(b, link...)
	b = append(b, `" /><title />`...)
	b = a.appendUpdated(b)
	return append(b, emptyAuthor+`<content type="application/xml"><m:properties>`...)
}

func (a *Atom) appendUpdated(b []byte) []byte {
	const ticksPerSecond = 10_000_000
	b = append(b, "<updated>"...)
	b = (a.Updated - a.Updated%ticksPerSecond).AppendText(b)
	return append(b, "</updated>"...)
}
