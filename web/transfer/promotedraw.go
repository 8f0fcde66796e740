package transfer

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
	"sandtable/web/humanize"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// Render draws the page.
func (p *Promote) Render() app.UI {
	var drawn app.UI
	if job := p.job(); job == nil {
		drawn = p.drawPromotion()
	} else {
		switch s := job.state(); {
		case !s.ended:
			drawn = p.drawCopying(s)
		case !s.checked:
			drawn = p.drawChecked(s)
		default:
			drawn = p.drawCopied(s)
		}
	}
	return ui.Div("page", p.Session.Head(), app.Div().Class("desk").ID(dialogID).TabIndex(-1).Body(drawn))
}

// drawPromotion draws the choice of the account and of the tables.
func (p *Promote) drawPromotion() app.UI {
	content, ready := p.drawChoices()
	facts := "copies tables of " + p.Route.Account + ", with all entities and their exact types"
	return sheet(ui.IconCloud, "Copy to another account", facts, p.onClose, content, []app.UI{
		ui.Span("hint grow", "nothing is written yet"), ui.Button(ui.Plain, "Cancel", p.onClose),
		ui.Button(ui.Primary, "Check", p.onCheck).Disabled(!ready).DataSet("testid", "check-promotion")})
}

// drawChoices draws what there is to choose, or why there is nothing, and reports whether all
// is chosen.
func (p *Promote) drawChoices() (content []app.UI, ready bool) {
	targets, tables := p.targets(), p.Session.Catalog().Tables[p.Route.Account]
	all, held := tables.Data()
	switch {
	case tables.State() == remote.Failed && !held:
		again := ui.Button(ui.Plain, "Try again", func(app.Context, app.Event) { p.Session.Wrote() })
		return []app.UI{ui.Failure(tables.Err(), again)}, false
	case !held:
		return []app.UI{ui.Bones(3)}, false
	case len(all) == 0:
		return []app.UI{ui.Empty(ui.IconTable, "No tables yet", "Create a table first.")}, false
	case len(targets) == 0:
		return []app.UI{ui.Empty(ui.IconCloud, "No account is connected",
			"Connect the account that is to get the tables, by connection string or SAS URL. Then come back here.",
			app.A().Class(string(ui.Primary)).Href(page.Route{Page: "endpoint"}.Href()).DataSet("testid", "promote-connect").Text("Connect an account"))}, false
	}
	target, known := p.chosenTarget()
	return []app.UI{p.drawTargets(targets, target), p.drawTables(all, target)}, known && len(p.chosen()) > 0
}

func (p *Promote) drawTargets(all []target, chosen target) app.UI {
	options := []app.UI{}
	if chosen.id == "" {
		options = append(options, app.Option().Value("").Selected(true).Disabled(true).Text("Choose an account"))
	}
	for _, t := range all {
		options = append(options, app.Option().Value(t.id).Selected(t.id == chosen.id).Text(t.label))
	}
	return ui.Div("options", option("To", "", app.Select().Class("input").Aria("label", "Account that gets the tables").
		DataSet("testid", "promote-target").OnChange(p.onTarget).Body(options...)))
}

func (p *Promote) drawTables(all []client.Table, there target) app.UI {
	var checks []app.UI
	for _, t := range all {
		reached := there.only == "" || strings.EqualFold(there.only, t.Name)
		checks = append(checks, app.Label().Class("check").Body(
			app.Input().Type("checkbox").Checked(reached && !p.left[t.Name]).Disabled(!reached).DataSet("table", t.Name).DataSet("testid", "promote-table").OnChange(p.onTable),
			app.Text(t.Name+" "), ui.Span("hint", t.Count())))
	}
	note := ""
	if there.only != "" {
		note = "the signature reaches the table " + there.only + " alone"
	}
	return app.Div().Class("options").Role("group").Aria("label", "Tables").Body(option("Tables", note, checks...))
}

// drawCopying draws the dry run or the copy while it is running.
func (p *Promote) drawCopying(s promotionState) app.UI {
	_, _, refused := s.totals()
	title, done, what := "Checking", s.done(), "read"
	if s.checked {
		title, what = "Copying", "copied"
	}
	content := []app.UI{ui.Div("count",
		app.B().DataSet("testid", "promoted").Text(humanize.Number(done)), ui.Span("hint grow", what+ofExpected(s)))}
	if s.expected > 0 {
		content = append(content, ui.Track(title, float64(done)/float64(s.expected)))
	} else {
		content = append(content, ui.Progress())
	}
	content = append(content, ui.Div("tiles",
		tile("Rate", humanize.Number(int(s.rate))+" rows/s", "", spark(s.rates)),
		tile("Remaining", about(s.remaining), exactly(s.took)+" so far"),
		tile("Table", s.tables[s.at].name, strconv.Itoa(s.at+1)+" of "+strconv.Itoa(len(s.tables))),
		tile("Refused", humanize.Number(refused), "by the other account")))
	return sheet(ui.IconCloud, title+" "+humanize.Count(len(s.tables), "table", "tables"), "to "+p.job().label+" · you can keep working meanwhile", p.onClose, content, []app.UI{
		ui.Span("hint grow", "Cancel stops after the transactions in progress. What is written stays."),
		ui.Button(ui.Plain, "Run in the background", p.onClose),
		ui.Button(ui.Danger, "Cancel", p.onCancel).DataSet("testid", "cancel-promotion")})
}

func ofExpected(s promotionState) string {
	if s.expected == 0 {
		return ""
	}
	return " of " + humanize.Count(s.expected, "entity", "entities")
}

// drawChecked draws the result of the dry run.
func (p *Promote) drawChecked(s promotionState) app.UI {
	read, _, _ := s.totals()
	content := []app.UI{}
	if s.err != nil {
		content = append(content, promotionFailure(s.err, "Nothing was written."))
	}
	content = append(content, p.drawResult(s, func(t promoted) []string {
		switch {
		case !t.exists:
			return []string{humanize.Number(t.read), "a new table"}
		case t.replaced > 0:
			return []string{humanize.Number(t.read), "replaces " + humanize.Number(t.replaced)}
		}
		return []string{humanize.Number(t.read), "replaces nothing"}
	}, "Entities", "There"))
	if n := s.replaced(); n > 0 {
		content = append(content, ui.Notice("The other account loses data", humanize.Count(n, "entity", "entities")+" with the same keys will be replaced there. All others stay."))
	}
	return sheet(ui.IconCloud, "Copy to "+p.job().label, p.summary(s), p.onClose, content, []app.UI{
		ui.Span("hint grow", "nothing is written yet"),
		ui.Button(ui.Plain, "Back", p.onBack).DataSet("testid", "promote-back"),
		ui.Button(ui.Primary, "Copy "+humanize.Count(read, "entity", "entities"), p.onCopy).Disabled(s.err != nil).DataSet("testid", "promote")})
}

// drawCopied draws the report.
func (p *Promote) drawCopied(s promotionState) app.UI {
	content := []app.UI{}
	if s.err != nil {
		content = append(content, promotionFailure(s.err, "What is written stays, and Continue copies the rest."))
	}
	content = append(content, p.drawResult(s, func(t promoted) []string {
		state := "complete"
		switch {
		case !t.begun:
			state = "not begun"
		case !t.done:
			state = "not complete"
		}
		return []string{humanize.Number(t.written), humanize.Number(len(t.refused)), state}
	}, "Copied", "Refused", "State"))
	content = append(content, drawRefusals(s))
	buttons := []app.UI{app.Span().Class("grow"), ui.Button(ui.Plain, "Copy others", p.onBack).DataSet("testid", "promote-back")}
	if s.err != nil {
		buttons = append(buttons, ui.Button(ui.Primary, "Continue", p.onCopy).DataSet("testid", "promote-continue"))
	} else {
		buttons = append(buttons, ui.Button(ui.Primary, "Done", p.onClose).DataSet("testid", "promote-done"))
	}
	return sheet(ui.IconCloud, "Copy to "+p.job().label, p.summary(s), p.onClose, content, buttons)
}

// drawRefusals lists the first entities that were refused.
func drawRefusals(s promotionState) app.UI {
	var rows []app.UI
	count := 0
	for _, t := range s.tables {
		for _, refused := range t.refused {
			if count++; count > mostRefusals {
				continue
			}
			problem := refusedProblem(refused)
			rows = append(rows, app.Tr().DataSet("testid", "problem").Body(
				app.Td().Text(t.name+": "+problem.Column), app.Td().Text(problem.Text), app.Td().Class("reason").Text(problem.Reason)))
		}
	}
	if count == 0 {
		return app.Div().Hidden(true)
	}
	rest := app.Div().Class("row").Hidden(true)
	if n := count - len(rows); n > 0 {
		rest = ui.Div("row", ui.Span("hint", "and "+humanize.Number(n)+" more"))
	}
	return ui.Div("problems", app.Table().Aria("label", "Refused entities").Body(
		app.THead().Class("sr-only").Body(app.Tr().Body(app.Th().Text("Entity"), app.Th().Text("Problem"), app.Th().Text("Reason"))),
		app.TBody().Body(rows...)), rest)
}

// mostRefusals is how many refused entities are listed.
const mostRefusals = 100

// promotionFailure says why a step ended early.
func promotionFailure(err error, what string) app.UI {
	if errors.Is(err, context.Canceled) {
		return ui.Notice("Cancelled", what)
	}
	return ui.Failure(err, app.Span().Text(what))
}

// drawResult draws a line for each table.
func (p *Promote) drawResult(s promotionState, cells func(promoted) []string, heads ...string) app.UI {
	head := []app.UI{app.Th().Scope("col").Text("Table")}
	for i, name := range heads {
		class := ""
		if len(s.tables) > 0 {
			class = align(cells(s.tables[0])[i])
		}
		head = append(head, app.Th().Scope("col").Class(class).Text(name))
	}
	var rows []app.UI
	for _, t := range s.tables {
		row := []app.UI{app.Th().Scope("row").Text(t.name)}
		for _, cell := range cells(t) {
			row = append(row, app.Td().Class(align(cell)).Text(cell))
		}
		rows = append(rows, app.Tr().Body(row...))
	}
	return app.Table().DataSet("testid", "promote-result").Aria("label", "Tables").Body(app.THead().Body(app.Tr().Body(head...)), app.TBody().Body(rows...))
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// align returns the class of a cell: numbers are aligned by their last digit.
func align(cell string) string {
	if cell == "" || !isDigit(cell[0]) || !isDigit(cell[len(cell)-1]) {
		return ""
	}
	return "num"
}

func promoteExhibits() []ui.Exhibit {
	return []ui.Exhibit{{Name: "Result of a promotion", Draw: func() []app.UI {
		p := &Promote{}
		s := promotionState{tables: []promoted{{name: "Customers", read: 2400, exists: true, replaced: 12}, {name: "Orders", read: 9100}}}
		return []app.UI{ui.Div("transfer", p.drawResult(s, func(t promoted) []string {
			return []string{humanize.Number(t.read), "replaces " + humanize.Number(t.replaced)}
		}, "Entities", "There"))}
	}}}
}
