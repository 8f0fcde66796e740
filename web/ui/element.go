package ui

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Div is a div of a class.
func Div(class string, body ...app.UI) app.HTMLDiv { return app.Div().Class(class).Body(body...) }

// Span is a span of a class with a text.
func Span(class, text string) app.HTMLSpan { return app.Span().Class(class).Text(text) }

// P is a paragraph of a class with a text.
func P(class, text string) app.HTMLP { return app.P().Class(class).Text(text) }

// Heads is the head of a table, with the names of its columns.
func Heads(names ...string) app.HTMLTHead {
	var all []app.UI
	for _, name := range names {
		all = append(all, app.Th().Scope("col").Text(name))
	}
	return app.THead().Body(app.Tr().Body(all...))
}
