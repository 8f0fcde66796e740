package web

import (
	"context"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/draft"
	"sandtable/web/remote"
	"sandtable/web/tableclient"
	"sandtable/web/ui"
)

// sidebar is the state of the list of accounts and tables.
type sidebar struct {
	open bool   // as a drawer, on narrow screens
	find string // a part of the names that are shown
	form *nameForm
}

// nameForm is the form in which a table or an account gets its name.
type nameForm struct {
	account string // of the new table; "" makes an account
	name    string
	busy    bool
	err     error
}

// problem is the rule that the name breaks so far, "" for none.
func (f *nameForm) problem() string {
	if f.account == "" {
		return draft.CheckAccountName(f.name)
	}
	return draft.CheckTableName(f.name)
}

func (e *explorer) loadAccounts() {
	e.accounts = e.accounts.Asked()
	e.background(func(c context.Context) func() {
		all, err := e.control().Accounts(c)
		return func() {
			e.accounts = e.accounts.Answered(all, err)
			for _, account := range all {
				e.loadTables(account.Name)
			}
		}
	})
}

func (e *explorer) loadTables(account string) {
	e.tables[account] = e.tables[account].Asked()
	e.background(func(c context.Context) func() {
		names, err := e.client(account).Tables(c)
		return func() { e.tables[account] = e.tables[account].Answered(names, err) }
	})
}

// namesWith returns the names that contain the text, in whatever case.
func namesWith(names []string, text string) []string {
	text = strings.ToLower(strings.TrimSpace(text))
	var found []string
	for _, name := range names {
		if strings.Contains(strings.ToLower(name), text) {
			found = append(found, name)
		}
	}
	return found
}

func (e *explorer) side() app.UI {
	list := []app.UI{app.H2().Body(
		app.Text("This browser"), app.Span().Class("grow"),
		ui.IconButton(ui.Tiny, ui.IconPlus, "New account", e.onNewAccount).DataSet("testid", "new-account").Disabled(!e.ready()),
	)}
	if e.sidebar.form != nil && e.sidebar.form.account == "" {
		list = append(list, e.drawNameForm())
	}
	accounts, held := e.accounts.Data()
	switch {
	case e.accounts.State() == remote.Failed:
		list = append(list, errorNote(e.accounts.Err(), ui.Button(ui.Plain, "Try again", e.onReloadAccounts)))
	case !held && e.status.State() != remote.Failed:
		list = append(list, ui.Bones(4))
	}
	for _, account := range accounts {
		list = append(list, e.drawAccount(account)...)
	}
	return app.Nav().Class("side").Aria("label", "Accounts and tables").Body(
		app.Div().Class("find").Body(app.Input().Class("input").Type("search").Placeholder("Filter tables").
			Aria("label", "Filter tables").AutoComplete(false).Spellcheck(false).Value(e.sidebar.find).OnInput(e.onFind)),
		app.Div().Class("list").Body(list...),
	)
}

func (e *explorer) drawAccount(account tableclient.Account) []app.UI {
	current := e.place.Account == account.Name && e.place.Table == ""
	link := app.A().Class("item").Href("?"+Place{Account: account.Name}.Query()).DataSet("testid", "account-item").
		Body(ui.Icon(ui.IconAccount), app.Span().Class("name").Body(app.Text(account.Name)))
	if current {
		link = link.Aria("current", "page")
	}
	rows := []app.UI{app.Div().Class("account-row").Body(link,
		ui.IconButton(ui.Tiny, ui.IconPlus, "New table in "+account.Name, e.onNewTable).
			DataSet("account", account.Name).DataSet("testid", "new-table"))}
	if e.sidebar.form != nil && e.sidebar.form.account == account.Name {
		rows = append(rows, e.drawNameForm())
	}
	return append(rows, e.drawTables(account.Name)...)
}

// maxListed is how many tables of an account are drawn; nobody scrolls further.
const maxListed = 300

func (e *explorer) drawTables(account string) []app.UI {
	tables := e.tables[account]
	names, held := tables.Data()
	switch {
	case tables.State() == remote.Failed:
		return []app.UI{errorNote(tables.Err(), ui.Button(ui.Plain, "Try again", e.onReloadAccounts))}
	case !held:
		return []app.UI{ui.Bones(3)}
	case len(names) == 0:
		return []app.UI{app.Div().Class("quiet-line").Body(app.Text("No tables yet"))}
	}
	found := namesWith(names, e.sidebar.find)
	if len(found) == 0 {
		return []app.UI{app.Div().Class("quiet-line").Body(app.Text("No such table"))}
	}
	var items []app.UI
	for _, name := range found[:min(len(found), maxListed)] {
		there := Place{Account: account, Table: name}
		link := app.A().Class("item table").Href("?"+there.Query()).DataSet("testid", "table-item").DataSet("table", name).
			Body(ui.Icon(ui.IconTable), app.Span().Class("name").Body(app.Text(name)))
		if e.place.sameTable(there) {
			link = link.Aria("current", "page")
		}
		items = append(items, app.Li().Body(link))
	}
	list := []app.UI{app.Ul().Aria("label", "Tables of "+account).Body(items...)}
	if more := len(found) - maxListed; more > 0 {
		list = append(list, app.Div().Class("quiet-line").Body(app.Text(ui.Number(more)+" more: filter to see them")))
	}
	return list
}

func (e *explorer) drawNameForm() app.UI {
	f := e.sidebar.form
	class, label, testid, create := "table", "Name of the new table", "table-name", "create-table"
	hint := "3 to 63 letters and digits, a letter first"
	if f.account == "" {
		class, label, testid, create = "account", "Name of the new account", "account-name", "create-account"
		hint = "3 to 24 lower-case letters and digits"
	}
	problem := f.problem()
	input := app.Input().ID("new-name").Class("input").Type("text").Placeholder(label).Aria("label", label).
		AutoComplete(false).Spellcheck(false).Attr("autocapitalize", "off").DataSet("testid", testid).
		Value(f.name).Aria("invalid", problem != "").Aria("describedby", "new-name-hint").OnInput(e.onName)
	body := []app.UI{input}
	if problem != "" {
		body = append(body, app.Div().ID("new-name-hint").Class("problem").Body(app.Text(problem)))
	} else {
		body = append(body, app.Div().ID("new-name-hint").Class("hint").Body(app.Text(hint)))
	}
	if f.err != nil {
		body = append(body, errorNote(f.err).DataSet("testid", "create-error"))
	}
	body = append(body, app.Div().Class("row").Body(
		ui.SubmitButton("Create", f.busy).DataSet("testid", create),
		ui.Button(ui.Quiet, "Cancel", e.onCancelName)))
	return app.Form().Class(class).OnSubmit(e.onCreate).Body(body...)
}

func (e *explorer) onFind(_ app.Context, event app.Event) { e.sidebar.find = ui.Text(event) }

func (e *explorer) onReloadAccounts(app.Context, app.Event) { e.loadAccounts() }

func (e *explorer) onNewTable(_ app.Context, event app.Event) {
	account := ui.Data(event, "account")
	if account == "" {
		account = e.account()
	}
	e.openForm(account)
}

func (e *explorer) onNewAccount(app.Context, app.Event) { e.openForm("") }

func (e *explorer) openForm(account string) {
	e.sidebar.form = &nameForm{account: account}
	e.focus("new-name")
}

func (e *explorer) onCancelName(app.Context, app.Event) { e.sidebar.form = nil }

func (e *explorer) onName(_ app.Context, event app.Event) {
	if f := e.sidebar.form; f != nil {
		f.name, f.err = ui.Text(event), nil
	}
}

func (e *explorer) onCreate(_ app.Context, event app.Event) {
	event.PreventDefault()
	e.create()
}

// create makes the table or the account of the form and goes there. What the
// name's rules refuse is not sent.
func (e *explorer) create() {
	f := e.sidebar.form
	if f == nil || f.busy || f.name == "" || f.problem() != "" {
		e.focus("new-name")
		return
	}
	e.keep()
	f.busy, f.err = true, nil
	e.background(func(c context.Context) func() {
		err := e.createNamed(c, f.account, f.name)
		return func() { e.created(f, err) }
	})
}

func (e *explorer) createNamed(c context.Context, account, name string) error {
	if account == "" {
		return e.control().CreateAccount(c, name)
	}
	return e.client(account).CreateTable(c, name)
}

func (e *explorer) created(f *nameForm, err error) {
	f.busy, f.err = false, err
	if err != nil {
		e.focus("new-name")
		return
	}
	if e.sidebar.form == f {
		e.sidebar.form = nil
	}
	e.refreshStatus()
	if f.account == "" {
		e.loadAccounts()
		e.step(Place{Account: f.name})
		return
	}
	e.loadTables(f.account)
	e.step(Place{Account: f.account, Table: f.name})
}

// onDeleteTable asks before it deletes: there is no way back.
func (e *explorer) onDeleteTable(app.Context, app.Event) {
	p := e.place
	e.ask(ui.Question{
		Title:   "Delete the table " + p.Table + "?",
		Text:    "All entities of " + p.Table + " in " + p.Account + " go with it. This cannot be undone.",
		Confirm: "Delete " + p.Table,
	}, func() { e.deleteTable(p) })
}

func (e *explorer) deleteTable(p Place) {
	e.background(func(c context.Context) func() {
		err := e.client(p.Account).DeleteTable(c, p.Table)
		return func() {
			if err != nil && !tableclient.HasCode(err, tableclient.CodeResourceNotFound) {
				e.results.fail(err)
				return
			}
			e.toast("Table "+p.Table+" deleted", "", nil)
			e.loadTables(p.Account)
			e.refreshStatus()
			e.step(Place{Account: p.Account})
		}
	})
}

// welcome is what stands in the work area while no table is chosen.
func (e *explorer) welcome() app.UI {
	account := e.account()
	tables := e.tables[account]
	names, held := tables.Data()
	newTable := ui.AddButton(ui.Primary, "New table", e.onNewTableHere).DataSet("testid", "new-table-here")
	switch {
	case tables.State() == remote.Failed:
		return app.Div().Class("boot").Body(errorNote(tables.Err(), ui.Button(ui.Plain, "Try again", e.onReloadAccounts)))
	case !held:
		return ui.Bones(6)
	case len(names) == 0:
		return ui.Empty(ui.IconTable, "No tables in "+account,
			"A table holds entities, found by a PartitionKey and a RowKey. Make the first one here, or connect an SDK and let your program do it.",
			newTable, ui.Button(ui.Plain, "Connect", e.onConnect))
	}
	return ui.Empty(ui.IconTable, account, ui.Count(len(names), "table", "tables")+". Choose one to see its entities.", newTable)
}

func (e *explorer) onNewTableHere(app.Context, app.Event) {
	e.sidebar.open = true
	e.openForm(e.account())
}
