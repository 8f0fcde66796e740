package ui

import (
	"cmp"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Kind is how a button looks: what it is for.
type Kind string

// The kinds of buttons. There is one primary button in a place at most.
const (
	Plain   Kind = "btn"
	Primary Kind = "btn primary"
	Quiet   Kind = "btn quiet"
	Danger  Kind = "btn quiet danger"
	Square  Kind = "btn quiet square"
	Tiny    Kind = "btn quiet small square"
	Small   Kind = "btn quiet small"
)

// Button draws a button with a label.
func Button(kind Kind, label string, h app.EventHandler) app.HTMLButton {
	return app.Button().Type("button").Class(string(kind)).OnClick(h).Text(label)
}

// AddButton draws a button with a plus before its label, which says what is added.
func AddButton(kind Kind, label string, h app.EventHandler) app.HTMLButton {
	return app.Button().Type("button").Class(string(kind)).Aria("label", "Add "+label).OnClick(h).Body(Icon(IconPlus), app.Text(label))
}

// IconButton draws a button that is an icon alone; the label is its name and
// what it shows when the pointer rests on it.
func IconButton(kind Kind, icon IconName, label string, h app.EventHandler) app.HTMLButton {
	return app.Button().Type("button").Class(string(kind)).Title(label).Aria("label", label).OnClick(h).Body(Icon(icon))
}

// CloseButton draws the button that closes a panel or a dialog, as Escape does. Dragging
// a sheet down presses it (assets/js/sheet.js).
func CloseButton(h app.EventHandler) app.HTMLButton {
	return IconButton(Square, IconClose, "Close (Esc)", h).Class("close")
}

// TerseButton draws a button with an icon and words; on a narrow screen the words
// are only its name for screen readers.
func TerseButton(kind Kind, icon IconName, label string, h app.EventHandler) app.HTMLButton {
	return app.Button().Type("button").Class(string(kind), "terse").Title(label).OnClick(h).
		Body(Icon(icon), Span("words", label))
}

// SubmitButton draws the primary button of a form. While the form is busy it
// says so and cannot be pressed again.
func SubmitButton(label string, busy bool) app.HTMLButton {
	b := app.Button().Type("submit").Class(string(Primary)).Disabled(busy).Aria("busy", busy)
	if busy {
		b = b.Class("busy")
	}
	return b.Text(label)
}

// Toggle draws one of several things that can be on together, with the code that
// the protocol has for it.
func Toggle(label, code string, on bool, h app.EventHandler) app.HTMLButton {
	body := []app.UI{app.Span().Text(label)}
	if on {
		body = []app.UI{Icon(IconDone), body[0]}
	}
	if code != "" {
		body = append(body, app.Code().Text(code))
	}
	return app.Button().Type("button").Class("toggle").Aria("pressed", on).OnClick(h).Body(body...)
}

// Choice is one of the alternatives of [Segments].
type Choice struct {
	Value, Label string
	After        []app.UI // follows the label
}

// Segments draws a choice between a few alternatives, side by side. The
// handler finds the value with [Data](e, "choice").
func Segments(label, chosen string, choices []Choice, h app.EventHandler) app.UI {
	var all []app.UI
	for _, c := range choices {
		all = append(all, app.Button().Type("button").DataSet("choice", c.Value).
			Aria("pressed", c.Value == chosen).OnClick(h).Body(
			append([]app.UI{app.Text(c.Label)}, c.After...)...))
	}
	return app.Div().Class("seg").Role("group").Aria("label", label).Body(all...)
}

// Data returns the data-{name} attribute of the closest element around where
// the event came from, "" if there is none.
func Data(e app.Event, name string) string {
	target := e.Get("target")
	if !target.Truthy() || !target.Get("closest").Truthy() {
		return ""
	}
	element := target.Call("closest", "[data-"+name+"]")
	if !element.Truthy() {
		return ""
	}
	return element.Call("getAttribute", "data-"+name).String()
}

// Text returns the text in the field where the event came from.
func Text(e app.Event) string {
	value := e.Get("target").Get("value")
	if !value.Truthy() {
		return ""
	}
	return value.String()
}

// Keyed draws what Draw returns, and replaces the elements with new ones when its
// key changes.
type Keyed struct {
	app.Compo
	Key  string
	Draw func() app.UI
}

// CompoID returns the key.
func (k *Keyed) CompoID() string { return k.Key }

// Render draws.
func (k *Keyed) Render() app.UI { return k.Draw() }

// AccessModes are the ways in which an account treats unsigned requests.
var AccessModes = []Choice{{Value: "open", Label: "accepted (open)"}, {Value: "strict", Label: "refused (strict)"}}

// Verb draws a request's method as a badge; each kind has its colour.
func Verb(name string) app.UI {
	kind := map[string]string{"GET": "reads", "HEAD": "reads", "OPTIONS": "reads", "POST": "adds", "DELETE": "deletes"}[name]
	return app.Span().Class("verb", cmp.Or(kind, "changes")).Text(name)
}
