package settings

import (
	"context"
	"errors"
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
	"sandtable/web/humanize"
	"sandtable/web/page"
	"sandtable/web/ui"
)

// drawTable draws what there is to know about the table.
func (p *Page) drawTable() app.UI {
	if p.Route.Table == "" {
		return app.Section().Hidden(true)
	}
	return app.Section().DataSet("testid", "table-settings").Body(
		app.H2().Text("Table "+p.Route.Table), ui.Facts(p.facts()),
		ui.Copyable("table-url", "Address", p.tableURL(), p.copied, p.onCopyURL),
		app.A().Class("btn").Href(p.Route.At("access").Href()).Text("Access policies"))
}

// facts returns what is known of the table.
func (p *Page) facts() (all []ui.Fact) {
	if t := p.table(); !t.Created.IsZero() {
		all = append(all, ui.Fact{Name: "Created", Value: t.Created.UTC().Format("2006-01-02 15:04:05 UTC")})
	}
	if partitions, known := p.partitions.Data(); known {
		all = append(all, ui.Fact{Name: "Holds", Value: humanize.Count(partitions.Entities, "entity", "entities") + " in " +
			humanize.Count(partitions.All, "partition", "partitions") + ", " + humanize.Bytes(partitions.Bytes)})
	}
	if policies, known := p.policies.Data(); known {
		all = append(all, ui.Fact{Name: "Policies", Value: strconv.Itoa(len(policies)) + " of " + strconv.Itoa(client.MaxPolicies)})
	}
	return all
}

// table returns the table as last read.
func (p *Page) table() client.Table {
	t, _ := p.Session.Catalog().Table(p.Route.Account, p.Route.Table)
	return t
}

func (p *Page) tableURL() string { return p.endpoint() + client.TablePath(p.Route.Table) }

func (p *Page) onCopyURL(ctx app.Context, _ app.Event) {
	page.Copy(ctx, p.Session, p.tableURL(), func() { p.copied = true })
}

// target returns what is deleted, and its name.
func (p *Page) target() (kind, name string) {
	if p.Route.Table != "" {
		return "table", p.Route.Table
	}
	return "account", p.Route.Account
}

func (p *Page) drawRemoval() app.UI {
	kind, name := p.target()
	if kind == "account" && p.Connected() {
		return app.Section().Body(app.H2().Text("Connected account"),
			ui.P("hint", "It is deleted where it lives. Disconnect from it in the list of accounts."))
	}
	accounts, _ := p.Session.Catalog().Accounts.Data()
	if kind == "account" && len(accounts) < 2 {
		return app.Section().DataSet("testid", "only-account").Body(app.H2().Text("Delete account"),
			ui.P("hint", "This is the only account. Create another one before you delete it."))
	}
	body := []app.UI{
		app.H2().Body(ui.Icon(ui.IconTrash), app.Text("Delete "+kind)),
		app.P().Text(p.loses()),
		app.Label().Class("labelled").Body(app.Span().Text("Type the name of the "+kind),
			app.Input().Class("input code").Type("text").AutoComplete(false).Spellcheck(false).Attr("autocapitalize", "off").DataSet("testid", "delete-name").OnInput(p.onTyped)),
	}
	if kind == "table" && !p.Connected() {
		body = append(body, app.Label().Class("check").Body(app.Input().Type("checkbox").Checked(p.removal.snapshot).DataSet("testid", "delete-snapshot").OnChange(p.onSnapshot),
			app.Text("Take a snapshot of the account first")))
	}
	if err := p.removal.err; err != nil {
		var note []app.UI
		if errors.Is(err, page.ErrNoSnapshot) {
			note = []app.UI{app.Span().Text("Nothing was deleted.")}
		}
		body = append(body, ui.Failure(err, note...).DataSet("testid", "delete-error"))
	}
	button := app.Button().Type("submit").Class(string(ui.Danger)).DataSet("testid", "delete-forever").Disabled(p.removal.typed != name || p.removal.busy).Text("Delete " + name)
	return app.Section().Body(app.Form().Class("removal").OnSubmit(p.onRemove).Body(append(body, button)...))
}

func (p *Page) onSnapshot(app.Context, app.Event) { p.removal.snapshot = !p.removal.snapshot }

// loses returns what is lost with the deletion.
func (p *Page) loses() string {
	undo := "This cannot be undone."
	if p.removal.snapshot {
		undo = "The snapshot can bring them back."
	}
	tables, held := p.Session.Catalog().Tables[p.Route.Account].Data()
	if p.Route.Table == "" {
		entities := 0
		for _, t := range tables {
			entities += max(t.Entities, 0)
		}
		if !held {
			return "All its tables, entities and policies are deleted. This cannot be undone."
		}
		return humanize.Count(len(tables), "table", "tables") + " with " + humanize.Count(entities, "entity", "entities") + " and the account's keys are deleted. Every link to it stops working. This cannot be undone."
	}
	if settings, _ := p.settings.Data(); settings.TableDeletion != nil && *settings.TableDeletion != freeAtOnce {
		undo += " The name stays blocked for " + *settings.TableDeletion + "."
	}
	if t := p.table(); t.Entities >= 0 {
		return humanize.Count(t.Entities, "entity", "entities") + " and the table's policies are deleted. " + undo
	}
	return "All its entities and policies are deleted. " + undo
}

func (p *Page) onTyped(_ app.Context, event app.Event) { p.removal.typed = ui.Text(event) }

func (p *Page) onRemove(_ app.Context, event app.Event) {
	event.PreventDefault()
	p.remove()
}

// remove deletes once the name is right. The user may have left the page before that is done.
func (p *Page) remove() {
	kind, name := p.target()
	if p.removal.typed != name || p.removal.busy {
		return
	}
	p.removal.busy, p.removal.err = true, nil
	account, snapshot := p.Route.Account, p.removal.snapshot
	p.Session.Background(func(c context.Context) func() {
		err := p.delete(c, account, kind, name, snapshot)
		return func() {
			p.removal.busy, p.removal.err = false, err
			switch {
			case err == nil:
				p.removed(kind, name)
			case !p.Mounted():
				p.Session.Notify("The " + kind + " " + strconv.Quote(name) + " was not deleted: " + err.Error())
			}
		}
	})
}

// delete deletes an account or a table, or neither without the snapshot.
func (p *Page) delete(c context.Context, account, kind, name string, snapshot bool) error {
	if kind == "account" {
		return p.Session.Control().DeleteAccount(c, name)
	}
	return page.DeleteTables(c, p.Session, account, []string{name}, snapshot, func(int) {})
}

func (p *Page) removed(kind, name string) {
	p.form.next, _ = p.stored.Data() // nothing is left to save
	p.Session.WroteTo(p.Route.Account)
	p.Session.Notify("The " + kind + " " + strconv.Quote(name) + " was deleted")
	switch {
	case !p.Mounted():
	case kind == "table":
		p.Session.Navigate(page.Route{Account: p.Route.Account})
	default:
		p.Session.Navigate(page.Route{})
	}
}
