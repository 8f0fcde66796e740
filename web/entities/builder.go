package entities

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/browser"
	"sandtable/web/query"
	"sandtable/web/ui"
)

const addClauseID = "add-clause"

// clauseID is the id of the first field of a clause.
func clauseID(i int) string { return "clause-" + strconv.Itoa(i) }

// removeClauseID is the id of the button that removes a clause.
func removeClauseID(i int) string { return "remove-clause-" + strconv.Itoa(i) }

// drawBuilder draws the clauses of the filter, in step with the editor.
func (p *Page) drawBuilder(mistake *query.Problem) app.UI {
	var chips []app.UI
	if p.bar.simple {
		for i, c := range p.bar.clauses {
			if i > 0 {
				chips = append(chips, ui.Span("join", "and"))
			}
			chips = append(chips, p.drawClause(i, c))
		}
	}
	switch {
	case p.bar.broken && mistake != nil:
		if len(chips) > 0 {
			chips = append(chips, ui.Span("join", "and"))
		}
		before, wrong, after := mistake.Condition(p.bar.filter)
		chips = append(chips, app.Span().Class("chip wrong").Title(mistake.Text).DataSet("testid", "wrong-condition").Body(
			app.Code().Body(app.Text(before), app.Mark().Text(wrong), app.Text(after))))
	case p.bar.broken:
		chips = append(chips, ui.Span("hint", "The filter has an error: edit it as text."))
	case p.bar.simple:
		chips = append(chips, ui.AddButton(ui.Quiet, "condition", p.onAddClause).ID(addClauseID).DataSet("testid", "add-condition"))
	default:
		chips = append(chips, ui.Span("hint", "This filter has more than conditions joined by and: edit it as text."))
	}
	if p.bar.selects != "" {
		chips = append(chips, app.Span().Class("chip").Title("The query has a $select: other properties are not read").Body(
			ui.Span("hint", "Only the properties "+p.bar.selects),
			ui.IconButton(ui.Tiny, ui.IconClose, "Read all properties", p.onRemoveSelect).DataSet("testid", "remove-select")))
	}
	chips = append(chips, ui.Div("menus",
		ui.Button(ui.Quiet, "Saved", p.onSaved).Aria("expanded", p.menu == savedMenu).DataSet("testid", "saved"),
		ui.Button(ui.Quiet, "Columns", p.onColumns).Aria("expanded", p.menu == columnsMenu).DataSet("testid", "columns")))
	return ui.Div("chips", chips...)
}

func (p *Page) drawClause(i int, c query.Clause) app.UI {
	class := "chip"
	if isLocal(c) {
		class += " local"
	}
	var names, operators []app.UI
	if isLocal(c) {
		names = append(names, app.Option().Value("").Selected(c.Property == "").Text("any value"))
	}
	all := p.properties()
	if c.Property != "" && !slices.ContainsFunc(all, func(x query.Property) bool { return x.Name == c.Property }) {
		all = append(all, query.Property{Name: c.Property})
	}
	for _, x := range all {
		names = append(names, app.Option().Value(x.Name).Selected(x.Name == c.Property).Text(x.Name))
	}
	taken := !isLocal(c) && slices.ContainsFunc(p.bar.clauses, isLocal) // the page looks for one text
	for _, o := range query.Operators {
		if o == query.Contains && taken {
			continue
		}
		operators = append(operators, app.Option().Value(string(o)).Selected(o == c.Operator).Text(string(o)))
	}
	chip := app.Span().Class(class).DataSet("clause", i).DataSet("testid", "clause")
	if isLocal(c) {
		chip = chip.Title("The Table service cannot search inside values: the page reads all rows and looks itself")
	}
	return chip.Body(
		app.Select().ID(clauseID(i)).Aria("label", "Property").DataSet("testid", "clause-property").Disabled(p.bar.broken).OnChange(p.onClauseProperty).Body(names...),
		app.Select().Class("op").Aria("label", "Operator").DataSet("testid", "clause-operator").Disabled(p.bar.broken).OnChange(p.onClauseOperator).Body(operators...),
		&ui.Keyed{Key: "clause" + strconv.Itoa(p.bar.redraws) + "/" + strconv.Itoa(i), Draw: func() app.UI {
			return app.Input().Class("value").Type("text").Aria("label", "Value").DataSet("testid", "clause-value").DataSet("clause", i).
				AutoComplete(false).Spellcheck(false).Value(c.Text).Size(max(4, min(28, len(c.Text)+1))).Disabled(p.bar.broken).OnInput(p.onClauseValue)
		}},
		ui.IconButton(ui.Tiny, ui.IconClose, "Remove the condition", p.onRemoveClause).ID(removeClauseID(i)).DataSet("testid", "remove-condition").Disabled(p.bar.broken))
}

// clauseOf returns which clause an event is about. It reports false if that can
// not be changed.
func (p *Page) clauseOf(event app.Event) (i int, ok bool) {
	i, err := strconv.Atoi(ui.Data(event, "clause"))
	return i, err == nil && i < len(p.bar.clauses) && !p.bar.broken
}

// change changes a clause and writes the filter again.
func (p *Page) change(event app.Event, f func(*query.Clause)) {
	i, ok := p.clauseOf(event)
	if !ok {
		return
	}
	p.bar.clauses = slices.Clone(p.bar.clauses)
	f(&p.bar.clauses[i])
	p.bar.compile()
}

func (p *Page) typeOf(name string) odata.Type {
	if s, ok := p.schema.Property(name); ok && s.Type != 0 {
		return s.Type
	}
	return odata.EdmString
}

func (p *Page) onClauseProperty(_ app.Context, event app.Event) {
	p.change(event, func(c *query.Clause) {
		c.Property = ui.Text(event)
		c.Type = p.typeOf(c.Property)
	})
}

func (p *Page) onClauseOperator(_ app.Context, event app.Event) {
	p.change(event, func(c *query.Clause) { p.operate(c, query.Operator(ui.Text(event))) })
}

// operate gives a clause an operator, and a value of the type that it takes.
func (p *Page) operate(c *query.Clause, o query.Operator) {
	onTexts := func(o query.Operator) bool { return o == query.Begins || o == query.Contains }
	switch {
	case onTexts(o):
		c.Type = odata.EdmString
	case onTexts(c.Operator):
		c.Property = cmp.Or(c.Property, odata.PartitionKeyName)
		c.Type = p.typeOf(c.Property)
	}
	c.Operator = o
}

// onClauseValue keeps the field as it is: the user is typing in it.
func (p *Page) onClauseValue(_ app.Context, event app.Event) {
	i, ok := p.clauseOf(event)
	if !ok {
		return
	}
	p.bar.clauses = slices.Clone(p.bar.clauses)
	p.bar.clauses[i].Text = ui.Text(event)
	p.bar.filter, p.bar.post = query.Compile(p.bar.clauses)
	p.onlyQuery()
}

func (p *Page) onRemoveClause(_ app.Context, event app.Event) {
	i, ok := p.clauseOf(event)
	if !ok {
		return
	}
	p.bar.clauses = slices.Delete(slices.Clone(p.bar.clauses), i, i+1)
	p.bar.compile()
	if n := len(p.bar.clauses); n > 0 {
		browser.Focus(p.ctx, removeClauseID(min(i, n-1)))
	} else {
		browser.Focus(p.ctx, addClauseID)
	}
}

func (p *Page) onRemoveSelect(app.Context, app.Event) { p.removeSelect() }

// removeSelect reads the rows as a whole.
func (p *Page) removeSelect() {
	p.bar.selects = ""
	p.submitQuery()
	browser.Focus(p.ctx, addClauseID)
}

// onAddClause adds a condition on the first key that has none yet.
func (p *Page) onAddClause(app.Context, app.Event) {
	c := query.Clause{Property: odata.PartitionKeyName, Operator: query.Equals, Type: odata.EdmString}
	has := func(name string) bool {
		return slices.ContainsFunc(p.bar.clauses, func(c query.Clause) bool { return c.Property == name })
	}
	if has(c.Property) {
		c.Property = odata.RowKeyName
	}
	if has(c.Property) {
		if names := p.schema.Names(); len(names) > 0 {
			c.Property, c.Type = names[0], p.typeOf(names[0])
		}
	}
	p.bar.clauses = append(slices.Clone(p.bar.clauses), c)
	p.bar.compile()
	browser.Focus(p.ctx, clauseID(len(p.bar.clauses)-1))
}
