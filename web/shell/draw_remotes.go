package shell

import (
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
	"sandtable/web/page"
	"sandtable/web/ui"
)

// drawRemotes draws the group of connected accounts.
func (s *Shell) drawRemotes() []app.UI {
	list := []app.UI{app.H2().Body(
		app.Text("Connected"), app.Span().Class("grow"),
		ui.IconButton(ui.Tiny, ui.IconPlus, "Connect an account", s.onNewRemote).DataSet("testid", "new-endpoint").Disabled(!s.ready()),
	)}
	for _, r := range s.remotes.all {
		list = append(list, s.drawRemote(r)...)
	}
	return list
}

func (s *Shell) drawRemote(r client.Remote) []app.UI {
	id := r.ID()
	how := "by key"
	if r.SAS != "" {
		how = "by SAS"
	}
	_, host, _ := strings.Cut(id, "@")
	link := item(page.Route{Account: id, Table: r.Table}, ui.IconCloud, r.Account, "").Title(id).DataSet("testid", "remote-item")
	if place := s.place(); place.Account == id && place.Table == r.Table {
		link = link.Aria("current", "page")
	}
	row := []app.UI{link}
	if r.Table == "" {
		row = append(row, ui.IconButton(ui.Tiny, ui.IconPlus, "New table in "+id, s.onNewTable).DataSet("account", id).DataSet("testid", "new-remote-table"))
	}
	row = append(row, ui.IconButton(ui.Tiny, ui.IconClose, "Disconnect from "+id, s.onDisconnect).DataSet("account", id).DataSet("testid", "disconnect"))
	rows := []app.UI{ui.Div("account-row", row...), app.Div().Class("quiet-line host").DataSet("testid", "remote-host").Text(host + ", " + how)}
	if s.sidebar.form != nil && s.sidebar.form.account == id {
		rows = append(rows, s.drawNameForm())
	}
	return append(rows, s.drawTables(id)...)
}

func (s *Shell) onNewRemote(app.Context, app.Event) { s.Navigate(page.Route{Page: endpointPage}) }

func (s *Shell) onDisconnect(_ app.Context, event app.Event) { s.disconnect(ui.Data(event, "account")) }

// drawDisconnected stands where an account was whose key was not remembered.
func (s *Shell) drawDisconnected(id string) app.UI {
	return ui.Empty(ui.IconCloud, "Not connected to "+id, "Its key was in memory alone and went with the page. Connect again to see its tables.",
		app.A().Class("btn primary").Href(page.Route{Page: endpointPage}.Href()).DataSet("testid", "connect-again").Text("Connect"))
}
