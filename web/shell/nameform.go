package shell

import (
	"context"
	"slices"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/control"
	"sandtable/web/draft"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// nameForm is the form in which a new table or account gets its name.
type nameForm struct {
	account string // of the new table; "" creates an account
	name    string
	busy    bool
	err     error
}

// problem returns the rule that the name breaks so far, or "".
func (f *nameForm) problem() string {
	if f.account == "" {
		return draft.CheckAccountName(f.name)
	}
	return draft.CheckTableName(f.name)
}

func (s *Shell) drawNameForm() app.UI {
	f := s.sidebar.form
	class, label, testid, create := "table", "Name of the new table", "table-name", "create-table"
	hint := "3 to 63 letters and digits, starting with a letter"
	if f.account == "" {
		class, label, testid, create = "account", "Name of the new account", "account-name", "create-account"
		hint = "3 to 24 lower-case letters and digits"
	}
	problem := f.problem()
	input := app.Input().ID("new-name").Class("input").Type("text").Placeholder(label).Aria("label", label).
		AutoComplete(false).Spellcheck(false).Attr("autocapitalize", "off").DataSet("testid", testid).
		Value(f.name).Aria("invalid", problem != "").Aria("describedby", "new-name-hint").OnInput(s.onName)
	note := app.Div().ID("new-name-hint").Class("hint").Text(hint)
	if problem != "" {
		note = app.Div().ID("new-name-hint").Class("problem").Text(problem)
	}
	body := []app.UI{input, note}
	if f.err != nil {
		body = append(body, ui.Failure(f.err).DataSet("testid", "create-error"))
	}
	body = append(body, ui.Div("row",
		ui.SubmitButton("Create", f.busy).DataSet("testid", create),
		ui.Button(ui.Quiet, "Cancel", s.onCancelName)))
	return app.Form().Class(class).OnSubmit(s.onCreate).Body(body...)
}

func (s *Shell) onNewTable(_ app.Context, event app.Event) {
	account := ui.Data(event, "account")
	if account == "" {
		account = s.account()
	}
	s.openForm(account)
}

func (s *Shell) onNewAccount(app.Context, app.Event) { s.openForm("") }

// NewTable implements [page.Session].
func (s *Shell) NewTable(account string) {
	s.sidebar.open = true
	s.openForm(account)
}

func (s *Shell) openForm(account string) {
	s.sidebar.form = &nameForm{account: account}
	browser.Focus(s.ctx, "new-name")
}

func (s *Shell) onCancelName(app.Context, app.Event) { s.sidebar.form = nil }

func (s *Shell) onName(_ app.Context, event app.Event) {
	if f := s.sidebar.form; f != nil {
		f.name, f.err = ui.Text(event), nil
	}
}

func (s *Shell) onCreate(_ app.Context, event app.Event) {
	event.PreventDefault()
	s.create()
}

// create creates the table or the account of the form and goes there. A name
// that breaks the rules is not sent.
func (s *Shell) create() {
	f := s.sidebar.form
	if f == nil || f.busy || f.name == "" || f.problem() != "" {
		browser.Focus(s.ctx, "new-name")
		return
	}
	s.keep()
	f.busy, f.err = true, nil
	name, here := f.name, s.route
	page.Background(s.ctx, func(c context.Context) func() {
		err := s.createNamed(c, f.account, name)
		return func() { s.created(f, name, here, err) }
	})
}

func (s *Shell) createNamed(c context.Context, account, name string) error {
	if account == "" {
		return s.Control().CreateAccount(c, name)
	}
	return s.Client(account).CreateTable(c, name)
}

// created goes to what was created, unless the user has closed the form or left the page
// meanwhile.
func (s *Shell) created(f *nameForm, name string, from page.Route, err error) {
	f.busy, f.err = false, err
	open := s.sidebar.form == f
	switch {
	case err != nil && open:
		browser.Focus(s.ctx, "new-name")
		return
	case err != nil:
		s.Notify(name + " was not created: " + err.Error())
		return
	case open:
		s.sidebar.form = nil
	}
	s.WroteTo(f.account)
	there := page.Route{Account: f.account, Table: name}
	if f.account == "" {
		accounts, _ := s.catalog.Accounts.Data()
		s.catalog.Accounts = remote.Of(append(slices.Clone(accounts), control.Account{Name: name})) // until they are read again
		there = page.Route{Account: name}
	}
	if !open || !from.SamePage(s.route) {
		s.Notify(name + " was created")
		return
	}
	s.Navigate(there)
}
