package entity

import (
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/odata/payload"
	"sandtable/odata/rowfile"
	"sandtable/web/draft"
	"sandtable/web/grid"
	"sandtable/web/ui"
)

// drawConflict draws the comparison, and what it will save.
func (p *Panel) drawConflict() []app.UI {
	m := p.merging
	small := "This entity was saved elsewhere while you were editing."
	if m.again {
		small = "It was saved elsewhere once more. Your choices are kept."
	}
	head := app.Header().Role("status").DataSet("testid", "conflict").Body(
		ui.Div("row",
			titled(app.H2().ID(titleID).TabIndex(-1), *p.Key), app.Span().Class("grow"),
			ui.CloseButton(p.onClose)),
		app.Small().Body(app.B().Text(small), app.Text(" 412 UpdateConditionNotSatisfied")))
	var notes []app.UI
	if p.err != nil {
		notes = append(notes, ui.Failure(p.err).DataSet("testid", "entity-error"))
	}
	body := ui.Div("body",
		app.Div().Hidden(len(notes) == 0).Body(notes...), m.table(p.onSide), m.same(p.onShowSame), m.advice(),
		app.H3().Text("Merged result"), m.preview())
	label := "Save merged"
	if e, _ := m.Change(); e == nil && len(m.Open()) == 0 {
		label = "Keep theirs"
	}
	foot := app.Footer().Body(
		ui.SubmitButton(label, p.busy).DataSet("testid", "save-merged").Disabled(p.busy || len(m.Open()) > 0),
		ui.Button(ui.Danger, "Discard mine", p.onKeepTheirs).DataSet("testid", "discard-mine").Disabled(p.busy),
		app.Span().Class("grow"), app.Small().Text("saves only if it is still "+clock(m.theirs.Timestamp)))
	return []app.UI{head, body, foot}
}

// clock returns the time of day of a Timestamp, to its last digit.
func clock(d odata.DateTime) string {
	_, time, _ := strings.Cut(d.String(), "T")
	return strings.TrimSuffix(time, "Z")
}

func (m *merging) table(choose app.EventHandler) app.UI {
	when := func(e *odata.Entity) string {
		if e.Timestamp == 0 {
			return ""
		}
		return clock(e.Timestamp)[:len("15:04:05")]
	}
	head := func(name, small string) app.UI {
		return app.Th().Scope("col").Body(app.Text(name+" "), app.Small().Text(small))
	}
	var rows []app.UI
	for _, d := range m.Differences {
		rows = append(rows, m.row(d, choose))
	}
	if m.all {
		for _, name := range m.Same {
			v, _ := m.Base.Property(name)
			rows = append(rows, app.Tr().Body(app.Th().Scope("row").Text(name), side(v, false), side(v, false), side(v, false), app.Td().Text("the same")))
		}
	}
	return app.Div().Class("merge").TabIndex(0).Role("region").Aria("label", "Differences").Body(app.Table().Body(
		app.THead().Body(app.Tr().Body(head("Property", ""), head("Base", when(m.Base)), head("Theirs", when(m.Theirs)), head("Mine", "not saved"), head("Keep", ""))),
		app.TBody().Body(rows...)))
}

func (m *merging) row(d draft.Difference, choose app.EventHandler) app.UI {
	var keep app.UI = app.Text("both the same")
	if d.Keep != draft.Both {
		keep = ui.Segments("Keep of "+d.Name, string(d.Keep), []ui.Choice{{Value: string(draft.Theirs), Label: "theirs"}, {Value: string(draft.Mine), Label: "mine"}}, choose)
	}
	tr := app.Tr().DataSet("difference", d.Name).DataSet("testid", "difference")
	if d.Clash {
		tr = tr.Class("clash")
	}
	return tr.Body(app.Th().Scope("row").Title(d.Name).Text(d.Name),
		side(d.Base, false), side(d.Theirs, d.TheirsChanged()), side(d.Mine, d.MineChanged()), app.Td().Class("keep").Body(keep))
}

// side draws the value of one side.
func side(v odata.Value, changed bool) app.UI {
	cell := grid.CellOfValue(v, grid.Format{})
	class := "value " + cell.Class
	if changed {
		class += " changed"
	}
	return app.Td().Class(class).Title(rowfile.Text(v)).Body(app.Span().Text(cell.Text))
}

// same names what no side has changed.
func (m *merging) same(h app.EventHandler) app.UI {
	if len(m.Same) == 0 {
		return app.Div().Hidden(true)
	}
	label := "Show all"
	if m.all {
		label = "Show differences"
	}
	return ui.Div("row same", ui.Span("hint grow", list(m.Same)+" "+isAre(len(m.Same))+" the same on all sides"),
		ui.Button(ui.Small, label, h).DataSet("testid", "show-same"))
}

// advice says what remains to be done.
func (m *merging) advice() app.UI {
	open := m.Open()
	if len(open) == 0 {
		return app.P().Class("hint").DataSet("testid", "merge-advice").Text("Everything is merged. Each choice can be switched.")
	}
	return app.P().Class("row advice").DataSet("testid", "merge-advice").Body(ui.Icon(ui.IconWarning), app.Span().Body(
		app.B().Text(list(open)), app.Text(" "+wasWere(len(open))+" changed on both sides: choose one. The other differences are already merged.")))
}

// preview draws the entity as it will be, a property a line, with the side that
// each comes from.
func (m *merging) preview() app.UI {
	from := map[string]draft.Side{}
	for _, d := range m.Differences {
		from[d.Name] = d.Keep
		if d.Keep == "" {
			from[d.Name] = "choose"
		}
	}
	e := m.Entity()
	lines := []app.UI{line("{ "+members(&odata.Entity{PartitionKey: e.PartitionKey, RowKey: e.RowKey})+",", "")}
	for i, p := range e.Properties {
		text := strings.TrimPrefix(members(&odata.Entity{Properties: []odata.Property{p}}), members(&odata.Entity{})+",")
		if i < len(e.Properties)-1 {
			text += ","
		}
		lines = append(lines, line("  "+text, from[p.Name]))
	}
	return app.Div().Class("merged").DataSet("testid", "merged").TabIndex(0).Role("region").Aria("label", "Merged result").Body(append(lines, line("}", ""))...)
}

// previewed is how much of a line is shown; the whole of a long value is not read.
const previewed = 400

func line(text string, from draft.Side) app.UI {
	if runes := []rune(text); len(runes) > previewed {
		text = string(runes[:previewed]) + "…"
	}
	return app.Div().Class("line "+string(from)).Body(app.Code().Text(text), app.Small().Text(string(from)))
}

// members returns the JSON of an entity without its braces.
func members(e *odata.Entity) string {
	return strings.TrimSuffix(strings.TrimPrefix(withoutEscapes(string(payload.AppendRequest(nil, e))), "{"), "}")
}

func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func wasWere(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}
