package xmldoc

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"sandtable/odata/xmlscan"
)

// Errors of documents.
var (
	// ErrDocument means malformed XML, or a document of another form.
	ErrDocument = errors.New("xml document is invalid")
	// ErrNodeValue means an invalid text of an element.
	ErrNodeValue = errors.New("xml node has an invalid value")
	// ErrMissingNode means that a required element is missing.
	ErrMissingNode = errors.New("xml node is missing")
)

// ByteOrderMark is before the documents that the service writes.
const ByteOrderMark = "\uFEFF"

const declaration = `<?xml version="1.0" encoding="utf-8"?>`

// maxElements limits the elements of a document, and with it the memory that
// reading one takes. The largest valid document, service properties with five
// CORS rules, has 54.
const maxElements = 100

// node is an element with its text or its children.
type node struct {
	name     string
	text     []byte // appended to, since comments split a text
	children []*node
}

// parse reads a document whose root has the given name. It ignores namespaces.
func parse(body []byte, root string) (*node, error) {
	scanner, ok := xmlscan.New(body)
	if !ok {
		return nil, ErrDocument
	}
	top := &node{}
	open := []*node{top}
	elements := 0
	for {
		kind, err := scanner.Next()
		if err != nil {
			return nil, ErrDocument
		}
		innermost := open[len(open)-1]
		switch kind {
		case xmlscan.Start:
			if elements++; elements > maxElements {
				return nil, ErrDocument
			}
			child := &node{name: scanner.Name.Local}
			innermost.children = append(innermost.children, child)
			open = append(open, child)
		case xmlscan.End:
			open = open[:len(open)-1]
		case xmlscan.Text:
			innermost.text = append(innermost.text, scanner.Chars...)
		case xmlscan.Done:
			if top.children[0].name != root {
				return nil, ErrDocument
			}
			return top.children[0], nil
		}
	}
}

// fields returns the children by name. All names must be known and unique.
func (n *node) fields(known ...string) (map[string]*node, error) {
	if len(bytes.TrimSpace(n.text)) > 0 {
		return nil, ErrDocument
	}
	found := make(map[string]*node, len(n.children))
	for _, child := range n.children {
		if found[child.name] != nil || !slices.Contains(known, child.name) {
			return nil, ErrDocument
		}
		found[child.name] = child
	}
	return found, nil
}

// value returns the text of an element without children. References may denote
// characters that XML lacks, which could not be written again.
func (n *node) value() (string, error) {
	if len(n.children) > 0 || bytes.ContainsFunc(n.text, xmlscan.NotInXML) {
		return "", ErrDocument
	}
	return string(bytes.TrimSpace(n.text)), nil
}

// appendElement writes an element with a text; an empty one is self-closing, as
// the service writes it.
func appendElement(b []byte, name, text string) []byte {
	if text == "" {
		return append(b, "<"+name+" />"...)
	}
	b = append(b, "<"+name+">"...)
	b = append(b, escaper.Replace(text)...)
	return append(b, "</"+name+">"...)
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", "&#xD;")

// AppendError writes the error of an operation on a document.
func AppendError(b []byte, code, message string) []byte {
	b = append(b, declaration+`<m:error xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"><m:code>`...)
	b = append(b, escaper.Replace(code)...)
	b = append(b, `</m:code><m:message xml:lang="en-US">`...)
	b = append(b, escaper.Replace(message)...)
	return append(b, `</m:message></m:error>`...)
}
