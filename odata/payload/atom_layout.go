package payload

import "strings"

// atomText is one layout of Atom. A name in braces is an atomField.
type atomText struct {
	declaration string
	root        string // the attributes of the root element
	// feed has the children of a feed before its entries. Only an empty feed has an
	// author.
	feed string
	// entry has the children of an entry. The white space before {properties} is
	// before each of them.
	entry  string
	author string
	error  string // the children of an error
	end    string // the white space before the end tag of the root element
}

// newAtom is the layout of recordings of 2015 to 2020, and of the service's library
// (ODataLib 5). That an empty feed has an author is a rule of that library.
var newAtom = atomText{
	declaration: `<?xml version="1.0" encoding="utf-8"?>`,
	root:        ` xml:base="{root}/" xmlns="` + atomNamespace + `" xmlns:d="` + dataNamespace + `" xmlns:m="` + metadataNamespace + `"{spatial}{etag}`,
	feed: `<id>{base}{path}</id><title type="text">{name}</title><updated>{updated}</updated>` +
		`<link rel="self" title="{name}" href="{link}" />{author}`,
	entry: `<id>{base}{path}</id><category term="{account}.{name}" scheme="` + categoryScheme + `" />` +
		`<link rel="edit" title="{name}" href="{link}" /><title /><updated>{updated}</updated>` +
		`{author}<content type="application/xml"><m:properties>{properties}</m:properties></content>`,
	author: `<author><name /></author>`,
	error:  `<code>{code}</code><message xml:lang="en-US">{message}</message>`,
}

// oldAtom is the layout of versions before 2013-08-15, in some 200 recordings of
// 2013 with version 2011-08-18, and in the reference's samples since 2009.
var oldAtom = atomText{
	declaration: `<?xml version="1.0" encoding="utf-8" standalone="yes"?>` + "\n",
	root:        ` xml:base="{root}/" xmlns:d="` + dataNamespace + `" xmlns:m="` + metadataNamespace + `"{etag} xmlns="` + atomNamespace + `"`,
	feed: `
  <title type="text">{name}</title>
  <id>{base}{path}</id>
  <updated>{updated}</updated>{author}
  <link rel="self" title="{name}" href="{link}" />`,
	entry: `
  <id>{base}{path}</id>
  <title type="text"></title>
  <updated>{updated}</updated>{author}
  <link rel="edit" title="{name}" href="{link}" />
  <category term="{account}.{name}" scheme="` + categoryScheme + `" />
  <content type="application/xml">
    <m:properties>
      {properties}
    </m:properties>
  </content>`,
	author: `
  <author>
    <name />
  </author>`,
	error: `
  <code>{code}</code>
  <message xml:lang="en-US">{message}</message>`,
	end: "\n",
}

// atomLayout is a compiled atomText: a template for each document, and those of
// a feed's entries and its end.
type atomLayout struct{ entry, feed, emptyFeed, feedEntry, feedEnd, error atomTemplate }

var newLayout, oldLayout = newAtom.compile(), oldAtom.compile()

func (t *atomText) compile() *atomLayout {
	start := func(name, attributes string) string { return t.declaration + "<" + name + attributes + ">" }
	withAuthor := func(children, author string) string { return strings.Replace(children, "{author}", author, 1) }
	entry := withAuthor(t.entry, t.author) + t.end + "</entry>"
	feed, feedEnd := start("feed", t.root), t.end+"</feed>"
	return &atomLayout{
		entry:     compileAtom(start("entry", t.root) + entry),
		feed:      compileAtom(feed + withAuthor(t.feed, "")),
		emptyFeed: compileAtom(feed + withAuthor(t.feed, t.author) + feedEnd),
		feedEntry: compileAtom(strings.ReplaceAll(t.end+"<entry{etag}>"+entry, "\n", "\n  ")),
		feedEnd:   compileAtom(feedEnd),
		error:     compileAtom(start("error", ` xmlns="`+metadataNamespace+`"`) + t.error + t.end + "</error>"),
	}
}

// atomTemplate is a text with fields.
type atomTemplate struct {
	steps []atomStep
	end   string
	// indent is the white space before each property.
	indent string
}

// atomStep is a text and the field after it.
type atomStep struct {
	text  string
	field atomField
}

func compileAtom(text string) (t atomTemplate) {
	t.end = strings.ReplaceAll(text, "\n", "\r\n")
	for {
		before, rest, found := strings.Cut(t.end, "{")
		if !found {
			return t
		}
		name, rest, _ := strings.Cut(rest, "}")
		s := atomStep{before, atomFields[name]}
		if s.field == atomProperties {
			s.text = strings.TrimRight(before, "\r\n ")
			t.indent = before[len(s.text):]
		}
		t.steps, t.end = append(t.steps, s), rest
	}
}

// atomField is a field of a template.
type atomField int

const (
	atomRoot atomField = iota // the base as an attribute
	atomBase
	atomAccount
	atomName
	atomUpdated
	atomSpatial // attributes
	atomETag    // an attribute
	atomPath
	atomLink // the path without its slash, and only after it
	atomProperties
	atomCode
	atomMessage
)

var atomFields = map[string]atomField{
	"root": atomRoot, "base": atomBase, "account": atomAccount, "name": atomName, "updated": atomUpdated, "spatial": atomSpatial, "etag": atomETag,
	"path": atomPath, "link": atomLink, "properties": atomProperties, "code": atomCode, "message": atomMessage,
}
