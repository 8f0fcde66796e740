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
