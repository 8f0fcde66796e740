package bulkedit

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/bulk"
	"sandtable/web/grid"
	"sandtable/web/humanize"
	"sandtable/web/ui"
)

var kinds = []ui.Choice{{Value: string(bulk.Set), Label: "Set"}, {Value: string(bulk.Remove), Label: "Remove"},
	{Value: string(bulk.Rename), Label: "Rename"}, {Value: string(bulk.Retype), Label: "Change type"}}

var kindNotes = map[bulk.EditKind]string{
	bulk.Set:    "merges this one property into each entity",
	bulk.Remove: "replaces each entity by one without the property",
	bulk.Rename: "replaces each entity; the value stays",
	bulk.Retype: "writes the same value in another type, where it fits",
}

// drawFields draws what is to be changed. Rows that do not concern the kind of
// edit are hidden: coming and going they would move others into each other's
// elements.
func (d *Dialog) drawFields() app.UI {
	kind := d.edit.Kind
	return ui.Div("options",
		option("Change", kindNotes[kind], ui.Segments("Change", string(kind), kinds, d.onKind)),
		option("Property", d.propertyWords(), d.propertyField()),
		option("New name", "entities that have it already are left out", app.Input().Class("input code").Type("text").Aria("label", "New name").
			AutoComplete(false).Spellcheck(false).Attr("autocapitalize", "off").DataSet("testid", "edit-to").OnInput(d.onTo)).Hidden(kind != bulk.Rename),
		option("Type", "", d.typeField()).Hidden(kind != bulk.Set && kind != bulk.Retype),
		optionWith("Value", d.valueWords(), &ui.Keyed{Key: "value" + strconv.FormatBool(d.edit.Type == odata.EdmBoolean), Draw: d.valueField}).Hidden(kind != bulk.Set),
		option("If one changed", d.forceWords(), ui.Segments("If one changed", strconv.FormatBool(d.force),
			[]ui.Choice{{Value: "false", Label: "skip its transaction"}, {Value: "true", Label: "overwrite"}}, d.onOverlook)),
		app.Div().Hidden(d.problem == "").Body(ui.Problem(d.problem)))
}

func optionWith(label string, note app.UI, control app.UI) app.HTMLDiv {
	return ui.Div("option", app.B().Text(label), control, note)
}

func option(label, note string, control app.UI) app.HTMLDiv {
	return optionWith(label, ui.Span("hint", note), control)
}

func (d *Dialog) propertyField() app.UI {
	var names []app.UI
	for _, k := range d.Known {
		names = append(names, app.Option().Value(k.Name))
	}
	return app.Div().Body(
		app.Input().ID(propertyID).Class("input code").Type("text").Aria("label", "Property").AutoComplete(false).Spellcheck(false).
			Attr("autocapitalize", "off").List(propertyID+"-names").Aria("invalid", d.problem != "").DataSet("testid", "edit-property").OnInput(d.onProperty),
		app.DataList().ID(propertyID+"-names").Body(names...))
}

func (d *Dialog) typeField() app.UI {
	var options []app.UI
	for _, t := range odata.Types() {
		options = append(options, app.Option().Value(t.String()).Selected(t == d.edit.Type).Text(grid.ShortType(t)))
	}
	return app.Select().Class("input code").Aria("label", "Type").DataSet("testid", "edit-type").OnChange(d.onType).Body(options...)
}

func (d *Dialog) valueField() app.UI {
	if d.edit.Type == odata.EdmBoolean {
		return app.Select().Class("input code").Aria("label", "Value").DataSet("testid", "edit-value").OnChange(d.onValue).Body(
			app.Option().Value("false").Selected(d.text != "true").Text("false"),
			app.Option().Value("true").Selected(d.text == "true").Text("true"))
	}
	return app.Textarea().Class("input code").Rows(1).Aria("label", "Value").Spellcheck(false).Attr("autocapitalize", "off").
		Aria("invalid", d.misfit != "").DataSet("testid", "edit-value").Attr("value", d.text).OnInput(d.onValue)
}

// valueWords says what the value is for, or what is wrong with it.
func (d *Dialog) valueWords() app.UI {
	class, text := "hint", "the same for all"
	if d.misfit != "" {
		class, text = "problem", ui.Sentence(d.misfit)
	}
	return app.Span().Class(class).Role("status").DataSet("testid", "edit-misfit").Text(text)
}

// missing reports whether the value that is to be set cannot be read.
func (d *Dialog) missing() bool {
	return d.edit.Kind == bulk.Set && (d.misfit != "" || d.text == "" && d.edit.Type != odata.EdmString && d.edit.Type != odata.EdmBinary)
}

// propertyWords says how many entities have the property.
func (d *Dialog) propertyWords() string {
	p := d.plan
	if d.edit.Property == "" || d.problem != "" || d.missing() {
		return ""
	}
	all, _ := d.rows.Data()
	words := list{}
	have := len(all) - p.Absent
	switch d.edit.Kind {
	case bulk.Set:
		words.add(p.Absent, "has none", "have none")
		words.add(have-p.Same, "has another value", "have another value")
		words.add(p.Same, "has it already", "have it already")
	case bulk.Retype:
		words.add(len(p.Changed), "changes", "change")
		words.add(p.Same, "has this type already", "have this type already")
		words.add(len(p.Impossible)-len(d.gone), "does not fit it", "do not fit it")
		words.add(p.Absent, "has none", "have none")
	default:
		words.add(have, "has it", "have it")
		words.add(p.Absent, "has none", "have none")
	}
	return words.text
}

// list joins counted things with commas.
type list struct{ text string }

func (l *list) add(n int, one, many string) {
	if n == 0 {
		return
	}
	if l.text != "" {
		l.text += ", "
	}
	l.text += humanize.Count(n, one, many)
}

func (d *Dialog) forceWords() string {
	if d.force {
		return "what others wrote meanwhile is lost, and there is no undo"
	}
	return "every write names the ETag that was read"
}

func (d *Dialog) onKind(_ app.Context, event app.Event) {
	d.edit.Kind = bulk.EditKind(ui.Data(event, "choice"))
	d.check()
}

func (d *Dialog) onProperty(_ app.Context, event app.Event) { d.name(ui.Text(event)) }

// name takes the property, and the type that it has in the table.
func (d *Dialog) name(property string) {
	d.edit.Property = property
	if d.edit.Kind == bulk.Set {
		for _, k := range d.Known {
			if k.Name == property && k.Type != 0 {
				d.retype(k.Type)
			}
		}
	}
	d.check()
}

func (d *Dialog) onTo(_ app.Context, event app.Event) {
	d.edit.To = ui.Text(event)
	d.check()
}

func (d *Dialog) onType(_ app.Context, event app.Event) {
	if t, ok := odata.ParseType(ui.Text(event)); ok {
		d.retype(t)
		d.check()
	}
}

// retype changes the type. The list of a Boolean's values always has one.
func (d *Dialog) retype(t odata.Type) {
	d.edit.Type = t
	if t == odata.EdmBoolean && d.text != "true" {
		d.text = "false"
	}
}

func (d *Dialog) onValue(_ app.Context, event app.Event) {
	d.text = ui.Text(event)
	d.check()
}

func (d *Dialog) onOverlook(_ app.Context, event app.Event) {
	d.force = ui.Data(event, "choice") == "true"
}
