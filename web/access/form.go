package access

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/sas"
	"sandtable/web/ui"
)

// row draws a field of the form: its name, its parameters, its controls, and
// what is wrong with it or else a hint.
func row(label, parameter, problem, hint string, controls ...app.UI) app.UI {
	note := ui.Span("hint", hint)
	if problem != "" {
		note = app.Span().Class("problem").Role("alert").DataSet("testid", "problem-"+parameter).Text(problem)
	}
	return ui.Div("set-row",
		ui.Span("set-name", label), app.Code().Class("set-code").Text(parameter),
		ui.Div("set-controls", append(controls, note)...))
}

func (p *Page) drawForm(c credentials) app.UI {
	b := &p.builder
	t := b.token
	problems := t.Problems()
	rows := []app.UI{
		app.H2().Body(app.Text("Shared access signature "), app.Small().Text("a link to "+scopeText(t)+", with limits")),
		row("Table", "tn", "", "", p.drawTables()),
	}
	if t.Table == "" {
		rows = append(rows, row("Applies to", "srt", problems["srt"], "", letters(t.ResourceTypes, resourceTypes, false, p.onType)))
	} else {
		rows = append(rows, row("Policy", "si", "", "a stored policy sets and locks its fields", p.drawPolicyChoice()))
	}
	rows = append(rows,
		row("Permissions", "sp", problems["sp"], "", letters(t.Effective().Permissions, permissionsOf(t), t.Fixed("sp"), p.onLetter)),
		row("Start", "st", problems["st"], "", p.field("st", "Start", t.Effective().Start, "at once", t.Fixed("st")), p.presets("st", "Start", b.start, startPresets, t.Fixed("st"))),
		row("Expiry", "se", problems["se"], "", p.field("se", "Expiry", t.Effective().Expiry, "2026-12-31 12:00:00 UTC", t.Fixed("se")), p.presets("se", "Expiry", b.expiry, endPresets, t.Fixed("se"))),
		row("Protocol", "spr", "", "", ui.Segments("Protocol", t.Protocol, []ui.Choice{{Value: "https", Label: "HTTPS only"}, {Value: "https,http", Label: "HTTPS and HTTP"}}, p.onProtocol)),
		row("IP addresses", "sip", problems["sip"], "one address or a range", p.field("sip", "IP addresses", t.IP, "any, or 203.0.113.7", false)))
	if t.Table != "" {
		rows = append(rows,
			row("From keys", "spk srk", problems["spk"], "PartitionKey, RowKey", p.field("spk", "First PartitionKey", t.FromPartition, "any PartitionKey", false), p.field("srk", "First RowKey", t.FromRow, "any RowKey", false)),
			row("To keys", "epk erk", problems["epk"], "inclusive", p.field("epk", "Last PartitionKey", t.ToPartition, "any PartitionKey", false), p.field("erk", "Last RowKey", t.ToRow, "any RowKey", false)))
	}
	if c.keys.Primary != "" && c.keys.Secondary != "" {
		rows = append(rows, row("Signed with", "sig", "", "", ui.Segments("Signed with", b.key, []ui.Choice{{Value: "primary", Label: "primary key"}, {Value: "secondary", Label: "secondary key"}}, p.onKey)))
	}
	return app.Div().Class("set-form").DataSet("testid", "sas-form").Body(rows...)
}

func scopeText(t sas.Token) string {
	if t.Table == "" {
		return "this account"
	}
	return "this table"
}

// field draws a text field. One that is fixed shows the policy's value.
func (p *Page) field(parameter, label, text, placeholder string, fixed bool) app.UI {
	key := parameter + strconv.Itoa(p.builder.changes) + strconv.FormatBool(fixed)
	class := "input code key"
	if parameter == "st" || parameter == "se" || parameter == "sip" {
		class = "input code time"
	}
	return &ui.Keyed{Key: key, Draw: func() app.UI {
		return app.Input().Class(class).Type("text").Aria("label", label).Placeholder(placeholder).AutoComplete(false).Spellcheck(false).
			DataSet("testid", "sas-"+parameter).DataSet("parameter", parameter).Value(text).Disabled(fixed).OnInput(p.onField)
	}}
}

func (p *Page) presets(parameter, label, chosen string, all []ui.Choice, fixed bool) app.UI {
	return app.Span().DataSet("preset", parameter).Hidden(fixed).Body(ui.Segments(label+": presets", chosen, all, p.onPreset))
}

// letter is a letter of sp or srt with its word.
type letter struct{ letter, word string }

var (
	tableLetters   = []letter{{"r", "Query"}, {"a", "Add"}, {"u", "Update"}, {"d", "Delete"}}
	accountLetters = []letter{{"r", "Read"}, {"w", "Write"}, {"d", "Delete"}, {"l", "List"}, {"a", "Add"}, {"c", "Create"}, {"u", "Update"}}
	resourceTypes  = []letter{{"s", "Service"}, {"c", "Tables"}, {"o", "Entities"}}
)

func permissionsOf(t sas.Token) []letter {
	if t.Table == "" {
		return accountLetters
	}
	return tableLetters
}

// letters draws a choice of several letters.
func letters(chosen string, all []letter, fixed bool, h app.EventHandler) app.UI {
	var body []app.UI
	for _, l := range all {
		body = append(body, ui.Toggle(l.word, l.letter, sas.Order(chosen, l.letter) != "", h).Disabled(fixed).DataSet("letter", l.letter).DataSet("testid", "letter-"+l.letter))
	}
	return ui.Div("ticks", body...)
}

func (p *Page) drawTables() app.UI {
	all, _ := p.Session.Catalog().Tables[p.Route.Account].Data()
	chosen := p.builder.token.Table
	options := []app.UI{app.Option().Value("").Selected(chosen == "").Text("all tables of the account")}
	found := chosen == ""
	for _, t := range all {
		found = found || t.Name == chosen
		options = append(options, app.Option().Value(t.Name).Selected(t.Name == chosen).Text(t.Name))
	}
	if !found {
		options = append(options, app.Option().Value(chosen).Selected(true).Text(chosen))
	}
	// Another table has other policies: one that is being edited would be lost.
	locked, title := p.policies.edit.unsaved(), ""
	if locked {
		title = "Save the policy or cancel it first"
	}
	return app.Select().Class("input time").Aria("label", "Table").DataSet("testid", "sas-table").Disabled(locked).Title(title).OnChange(p.onTable).Body(options...)
}

func (p *Page) drawPolicyChoice() app.UI {
	all, _ := p.policies.loaded.Data()
	chosen := p.builder.token.Policy.ID
	options := []app.UI{app.Option().Value("").Selected(chosen == "").Text("none")}
	for _, policy := range all {
		options = append(options, app.Option().Value(policy.ID).Selected(policy.ID == chosen).Text(policy.ID))
	}
	return app.Select().Class("input time").Aria("label", "Policy").DataSet("testid", "sas-policy").OnChange(p.onPolicy).Body(options...)
}
