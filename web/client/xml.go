package client

import (
	"context"
	"errors"
	"strings"

	"sandtable/odata/xmlscan"
)

// errXML means an answer that is not the document that was requested.
var errXML = errors.New("the endpoint answered with a document that is not the one requested")

// node is an element of a small XML document.
type node struct {
	name     string
	text     string
	children []*node
}

// parseXML reads a document with the given root. The scanner bounds its depth.
func parseXML(body []byte, root string) (*node, error) {
	scanner, ok := xmlscan.New(body)
	if !ok {
		return nil, errXML
	}
	top := &node{}
	open := []*node{top}
	for {
		kind, err := scanner.Next()
		if err != nil {
			return nil, errXML
		}
		innermost := open[len(open)-1]
		switch kind {
		case xmlscan.Start:
			child := &node{name: scanner.Name.Local}
			innermost.children = append(innermost.children, child)
			open = append(open, child)
		case xmlscan.End:
			open = open[:len(open)-1]
		case xmlscan.Text:
			innermost.text += string(scanner.Chars)
		case xmlscan.Done:
			if top.children[0].name != root {
				return nil, errXML
			}
			return top.children[0], nil
		}
	}
}

// child returns the first child with a name, or an empty node.
func (n *node) child(name string) *node {
	for _, c := range n.children {
		if c.name == name {
			return c
		}
	}
	return &node{}
}

// value returns the text of a child, "" without one.
func (n *node) value(name string) string { return strings.TrimSpace(n.child(name).text) }

func (n *node) boolean(name string) bool { return strings.EqualFold(n.value(name), "true") }

var xmlEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// element returns an element with a text.
func element(name, text string) string {
	return "<" + name + ">" + xmlEscaper.Replace(text) + "</" + name + ">"
}

// document sends a request whose body and answer are XML.
func (c *Client) document(ctx context.Context, method, resource string, body []byte) ([]byte, error) {
	header := Header{{"Accept", "application/xml"}, {"x-ms-version", version}}
	if body != nil {
		header = append(header, Field{"Content-Type", "application/xml"})
	}
	response, err := Send(ctx, c.Transport, Request{Method: method, URL: c.Base + resource, Header: header, Body: body})
	return response.Body, err
}
