package playground

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/humanize"
	"sandtable/web/ui"
)

// shown is a value as the console shows it. The sandbox has bounded its depth,
// its members and its texts.
type shown struct {
	Name    string   `json:"name"` // of a member
	Text    string   `json:"text"` // in one line
	Kind    string   `json:"kind"` // "string", "number", "boolean", "date", "none" or ""
	Members []*shown `json:"members"`
	More    int      `json:"more"` // members that are left out

	open bool
}

// drawValues draws the arguments of one call, with what can be opened.
func drawValues(values []*shown) app.UI {
	var all []app.UI
	for i, v := range values {
		if i > 0 {
			all = append(all, app.Text(" "))
		}
		all = append(all, drawValue(v))
	}
	return ui.Div("values", all...)
}

func drawValue(v *shown) app.UI {
	if len(v.Members) > 0 {
		return &tree{Value: v}
	}
	return app.Span().Body(v.line()...)
}

// line is the value with the name that it has in another.
func (v *shown) line() []app.UI {
	text := app.Span().Class("value", v.kind()).Text(v.Text)
	if v.Name == "" {
		return []app.UI{text}
	}
	return []app.UI{ui.Span("name", v.Name), app.Text(": "), text}
}

// kind is a name of ours, never what a program sent.
func (v *shown) kind() string {
	switch v.Kind {
	case "string", "number", "boolean", "date", "none":
		return "is-" + v.Kind
	}
	return "is-plain"
}

// tree is a value that can be opened. Its members are drawn once it is, so that
// the console has few elements however much was printed.
type tree struct {
	app.Compo
	Value *shown
}

// Render draws the line of the value, and its members if it is open.
func (t *tree) Render() app.UI {
	v := t.Value
	body := []app.UI{app.Summary().Body(v.line()...)}
	if v.open {
		var members []app.UI
		for _, m := range v.Members {
			members = append(members, app.Li().Body(drawValue(m)))
		}
		if v.More > 0 {
			members = append(members, app.Li().Class("more").Text(humanize.Number(v.More)+" more"))
		}
		body = append(body, app.Ul().Body(members...))
	}
	return app.Details().Class("tree").Open(v.open).OnToggle(t.onToggle).Body(body...)
}

func (t *tree) onToggle(ctx app.Context, _ app.Event) { t.Value.open = ctx.JSSrc().Get("open").Bool() }
