package payload

import (
	"iter"
	"slices"

	"sandtable/odata"
)

// The content types of Atom responses. The entry's is from a recording (version
// 2015-04-05), the feed's by analogy and from the service's library.
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

// xmlDeclaration lacks the standalone="yes" that the service sent until 2012.
const xmlDeclaration = `<?xml version="1.0" encoding="utf-8"?>`

// atomNamespaces are the declarations of the root element. The service's library
// would also declare georss and gml with data service version 3.0, for types that
// tables lack; no recording has them, and no reader needs them.
const atomNamespaces = ` xmlns="` + atomNamespace + `" xmlns:d="` + dataNamespace + `" xmlns:m="` + metadataNamespace + `"`

// emptyAuthor is required by RFC 4287.
const emptyAuthor = "<author><name /></author>"

// Atom encodes responses in Atom, as [Context] does in JSON. It is read-only, so
// goroutines can share it.
//
// The order of elements and attributes is that of a recording of 2017, and of
// the service's library (ODataLib 5): id, category, link, title, updated, author,
// content, without white space. Before 2013 the service had another order and
// line breaks; Sandtable has one form for all versions.
type Atom struct {
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
// one in the request.
func (a *Atom) AppendEntity(b []byte, table string, e *odata.Entity) []byte {
	b = append(b, xmlDeclaration+"<entry"...)
	b = a.appendRoot(b)
	return a.appendEntity(b, table, e, a.selection())
}

// AppendEntities appends the response with a collection of entities, which may be
// empty. It does not retain them.
func (a *Atom) AppendEntities(b []byte, table string, es iter.Seq[*odata.Entity]) []byte {
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

// AppendTables appends the response with a collection of tables, which may be
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
// includes the lines with the request id and the time, with literal line feeds.
func AppendAtomError(b []byte, code, message string) []byte {
	b = append(b, xmlDeclaration+`<error xmlns="`+metadataNamespace+`"><code>`...)
	b = appendXML(b, code)
	b = append(b, `</code><message xml:lang="en-US">`...)
	b = appendXML(b, message)
	return append(b, "</message></error>"...)
}

// AppendOldAtomError is [AppendAtomError] in the layout of service versions
// before 2013-08-15.
func AppendOldAtomError(b []byte, code, message string) []byte {
	b = append(b, `<?xml version="1.0" encoding="utf-8" standalone="yes"?>`+"\r\n"+`<error xmlns="`+metadataNamespace+`">`+"\r\n  <code>"...)
	b = appendXML(b, code)
	b = append(b, "</code>\r\n"+`  <message xml:lang="en-US">`...)
	b = appendXML(b, message)
	return append(b, "</message>\r\n</error>"...)
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

// appendRoot appends the attributes of the root element.
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

// appendFeedTail ends a collection. An empty one has an author of its own: the
// rule of the service's library, not confirmed by a recording.
func appendFeedTail(b []byte, entries int) []byte {
	if entries == 0 {
		b = append(b, emptyAuthor...)
	}
	return append(b, "</feed>"...)
}

// appendEntity appends an entry, starting with the attributes of its element.
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

// appendTable appends an entry without an ETag, starting with the attributes of
// its element.
func (a *Atom) appendTable(b []byte, name string) []byte {
	b = a.appendEntryHead(b, tablesName, odata.Path{Resource: odata.TableResource, Table: name})
	b = appendAtomString(b, tableNameMember, name)
	return append(b, atomEntryEnd...)
}

const atomEntryEnd = "</m:properties></content></entry>"

// appendEntryHead appends the rest of an entry's start tag and everything before
// its properties.
func (a *Atom) appendEntryHead(b []byte, name string, path odata.Path) []byte {
	b = append(b, "><id>"...)
	b = appendXML(b, a.Base)
	// Paths need no escaping in XML.
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
