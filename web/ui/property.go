package ui

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/draft"
	"sandtable/web/grid"
)

// PropertyHandlers are what the parts of a [Property] call. All find out which
// property they are about with [Data](e, "property").
// Key gets the keys of the value's field.
type PropertyHandlers struct{ Name, Type, Text, Key, Remove app.EventHandler }

// PropertyNameID returns the id of the field for the name of a new property.
func PropertyNameID(id int) string { return "property-name-" + strconv.Itoa(id) }

// Property draws the fields of a property: its name, which can only be chosen
// while it is new, its type and its value, and what is wrong with them.
func Property(p draft.Property, problem string, h PropertyHandlers) app.HTMLDiv {
	name := p.Name
	if name == "" {
		name = "the new property"
	}
	body := []app.UI{propertyName(p, problem, h), propertyType(p, name, h), propertyValue(p, name, problem, h),
		IconButton(Tiny, IconClose, "Remove "+name, h.Remove).DataSet("testid", "remove-property")}
	switch {
	case problem != "":
		body = append(body, Problem(problem))
	case p.Type == odata.EdmBinary && p.Text != "":
		if v, err := p.Value(); err == nil {
			body = append(body, app.Div().Class("hint").Body(app.Text(grid.Bytes(len(v.Text()))+", in base64")))
		}
	}
	return app.Div().Class("field").DataSet("property", p.ID).Body(body...)
}

func propertyName(p draft.Property, problem string, h PropertyHandlers) app.UI {
	if p.Fixed {
		return app.Span().Class("name").Title(p.Name).DataSet("testid", "property-name").Body(app.Text(p.Name))
	}
	return app.Input().ID(PropertyNameID(p.ID)).Class("input short").Type("text").Placeholder("Name").
		Aria("label", "Name of the property").AutoComplete(false).Spellcheck(false).Attr("autocapitalize", "off").
		Aria("invalid", problem != "").DataSet("testid", "property-name").Value(p.Name).OnInput(h.Name)
}

func propertyType(p draft.Property, name string, h PropertyHandlers) app.UI {
	var options []app.UI
	for _, t := range odata.Types() {
		options = append(options, app.Option().Value(t.String()).Selected(t == p.Type).Body(app.Text(grid.ShortType(t))))
	}
	return app.Select().Class("input short type").Aria("label", "Type of "+name).DataSet("testid", "property-type").
		OnChange(h.Type).Body(options...)
}

func propertyValue(p draft.Property, name, problem string, h PropertyHandlers) app.UI {
	label := "Value of " + name
	switch p.Type {
	case odata.EdmBoolean:
		return app.Select().Class("input short code value").Aria("label", label).DataSet("testid", "property-value").OnChange(h.Text).Body(
			app.Option().Value("false").Selected(p.Text != "true").Body(app.Text("false")),
			app.Option().Value("true").Selected(p.Text == "true").Body(app.Text("true")))
	}
	// One element for all of these: when the type changes, what is being typed
	// goes on in the same field.
	field := app.Textarea().Class("input short code value").Rows(1).Aria("label", label).Spellcheck(false).
		Attr("autocapitalize", "off").Aria("invalid", problem != "").Placeholder(placeholders[p.Type]).
		DataSet("testid", "property-value").DataSet("type", p.Type.String()).Attr("value", p.Text).OnInput(h.Text).OnKeyDown(h.Key)
	if p.Type == odata.EdmInt32 || p.Type == odata.EdmInt64 {
		field = field.Attr("inputmode", "numeric")
	}
	return field
}

var placeholders = [...]string{
	odata.EdmDateTime: "2026-11-20T18:30:00Z",
	odata.EdmDouble:   "0.0",
	odata.EdmGuid:     "a455c695-df98-5678-aaaa-81d3367e5a34",
	odata.EdmInt32:    "0",
	odata.EdmInt64:    "0",
	odata.EdmString:   "",
}
