package ui

import (
	"cmp"
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/draft"
	"sandtable/web/grid"
	"sandtable/web/humanize"
)

// PropertyHandlers are what the parts of a [Property] call. All find out which
// property they are about with [Data](e, "property").
// Key gets the keys of the value's field.
// Digits changes between base64 and hexadecimal digits of a Binary; it finds
// which with [Data](e, "choice").
type PropertyHandlers struct {
	Name, Type, Text, Key, Remove, Digits app.EventHandler
}

// PropertyNameID returns the id of the field for the name of a new property.
func PropertyNameID(id int) string { return "property-name-" + strconv.Itoa(id) }

// PropertyValueID returns the id of the field for the value of a property.
func PropertyValueID(id int) string { return "property-value-" + strconv.Itoa(id) }

// Property draws the fields of a property: its name, which can only be chosen
// while it is new, its type and its value, and what is wrong with them.
func Property(p draft.Property, problem string, h PropertyHandlers) app.HTMLDiv {
	name := cmp.Or(p.Name, "the new property")
	body := []app.UI{propertyName(p, problem, h), propertyType(p, name, h), propertyValue(p, name, problem, h),
		IconButton(Tiny, IconClose, "Remove "+name, h.Remove).DataSet("testid", "remove-property")}
	if problem != "" {
		body = append(body, Problem(problem))
	}
	if p.Type == odata.EdmBinary {
		body = append(body, binaryDigits(p, h))
	}
	return app.Div().Class("field").DataSet("property", p.ID).Body(body...)
}

// binaryDigits draws how long a Binary is, and the choice of how it is written.
func binaryDigits(p draft.Property, h PropertyHandlers) app.UI {
	size, digits := "", "base64"
	if v, err := p.Value(); err == nil {
		size = humanize.Bytes(len(v.Text())) + " in"
	}
	if p.Hex {
		digits = "hex"
	}
	return Div("hint row", app.Text(size),
		Segments("Digits of "+p.Name, digits, []Choice{{Value: "base64", Label: "base64"}, {Value: "hex", Label: "hex"}}, h.Digits))
}

// valueTitle is shown when the pointer rests on a value: the date that an Int64
// or a text means as ticks.
func valueTitle(p draft.Property) string {
	if p.Type == odata.EdmInt64 || p.Type == odata.EdmString {
		return grid.TicksOfText(p.Text)
	}
	return ""
}

func propertyName(p draft.Property, problem string, h PropertyHandlers) app.UI {
	if p.Fixed {
		return app.Span().Class("name").Title(p.Name).DataSet("testid", "property-name").Text(p.Name)
	}
	return app.Input().ID(PropertyNameID(p.ID)).Class("input short").Type("text").Placeholder("Name").
		Aria("label", "Name of the property").AutoComplete(false).Spellcheck(false).Attr("autocapitalize", "off").
		Aria("invalid", problem != "").DataSet("testid", "property-name").Value(p.Name).OnInput(h.Name)
}

func propertyType(p draft.Property, name string, h PropertyHandlers) app.UI {
	var options []app.UI
	for _, t := range odata.Types() {
		options = append(options, app.Option().Value(t.String()).Selected(t == p.Type).Text(grid.ShortType(t)))
	}
	return app.Select().Class("input short type").Aria("label", "Type of "+name).DataSet("testid", "property-type").
		OnChange(h.Type).Body(options...)
}

func propertyValue(p draft.Property, name, problem string, h PropertyHandlers) app.UI {
	label := "Value of " + name
	switch p.Type {
	case odata.EdmBoolean:
		return app.Select().ID(PropertyValueID(p.ID)).Class("input short code value").Aria("label", label).DataSet("testid", "property-value").OnChange(h.Text).Body(
			app.Option().Value("false").Selected(p.Text != "true").Text("false"),
			app.Option().Value("true").Selected(p.Text == "true").Text("true"))
	}
	// One element for all of these: when the type changes, typing
	// continues in the same field.
	field := app.Textarea().ID(PropertyValueID(p.ID)).Class("input short code value").Rows(1).Title(valueTitle(p)).Aria("label", label).Spellcheck(false).
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
