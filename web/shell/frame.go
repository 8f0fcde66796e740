package shell

import (
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/humanize"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// Render draws the frame and the page in it.
func (s *Shell) Render() app.UI {
	class := "app"
	if s.sidebar.open {
		class += " drawer-open"
	}
	body := []app.UI{
		app.Button().Type("button").Class("btn", "skip").OnClick(s.onSkip).Text("Skip to content"), s.top(), s.side(),
		app.Button().Type("button").Class("scrim").TabIndex(-1).Aria("label", "Close the list of tables").OnClick(s.onDrawer),
		s.work(), ui.Toasts(s.notices.toasts, s.onToastAction, s.onToastDismiss)}
	if r, ok := s.dropRoute(); ok && s.dragged {
		body = append(body, s.drawDropTarget(r))
	}
	if s.palette.open {
		body = append(body, s.drawPalette())
	}
	if s.notices.question != nil {
		body = append(body, ui.Ask(s.notices.question.Question, s.onConfirm, s.onCancel))
	}
	return app.Div().Class(class).Body(body...)
}

func (s *Shell) top() app.UI {
	return app.Header().Class("top").Body(
		ui.IconButton(ui.Square, ui.IconMenu, "Accounts and tables", s.onDrawer).Class("menu-button").Aria("expanded", s.sidebar.open),
		app.A().Class("brand").Href(page.Route{}.Href()).Aria("label", "Sandtable").Body(ui.Logo(), app.Span().Text("Sandtable")),
		s.crumb(),
		app.Button().Type("button").Class("search").Aria("keyshortcuts", "Control+K").DataSet("testid", "search").Disabled(!s.ready()).OnClick(s.onPalette).
			Body(ui.Icon(ui.IconSearch), ui.Span("words", "Search or run a command"), app.Kbd().Aria("hidden", true).Text("Ctrl K")),
		ui.Div("top-end", s.pill(),
			ui.IconButton(ui.Square, themeIcon(s.theme), "Theme: "+s.theme, s.onTheme).DataSet("testid", "theme-toggle"),
			ui.TerseButton(ui.Plain, ui.IconPlug, "Connect", s.onConnect).DataSet("testid", "connect").Disabled(!s.ready() || s.account() == "")),
	)
}

func (s *Shell) crumb() app.UI {
	body := []app.UI{}
	r := s.place()
	switch d, ok := s.shown(); {
	case r.Table != "":
		body = append(body, app.A().Class("parent").Href(page.Route{Account: r.Account}.Href()).Text(r.Account),
			ui.Span("parent", "/"), app.B().Title(r.Table).Text(r.Table))
	case r.Account != "":
		body = append(body, app.B().Title(r.Account).Text(r.Account))
	case ok:
		body = append(body, app.B().Text(d.Title))
	}
	return ui.Div("crumb", body...)
}

// onConnect shows how to connect to the account that is shown; on a page of the store,
// to the one that the tables begin with.
func (s *Shell) onConnect(app.Context, app.Event) {
	s.toggle(page.Route{Account: s.account(), Table: s.route.Table, Page: connectPage})
}

func (s *Shell) onStorage(app.Context, app.Event) { s.toggle(page.Route{Page: storagePage}) }

// toggle goes to a page, or from it to the page before. It is not a step back in the
// history, which would leave the site if a link had opened the page.
func (s *Shell) toggle(r page.Route) {
	if s.route.Page == r.Page {
		r = s.before
	}
	s.Navigate(r)
}

func (s *Shell) pill() app.UI {
	mood, words, details := pillOf(s.status, s.health)
	if r, ok := s.remotes.find(s.place().Account); ok {
		mood, words, details = ui.Good, "Connected", "The tables of "+r.Account+" are at "+r.Endpoint+"; nothing of them is stored in this browser"
		if tables, silent := s.catalog.Tables[r.ID()], s.remotes.silent(r.ID()); silent != nil {
			mood, words, details = ui.Bad, "Not answering", silent.Error()
		} else if tables.State() == remote.Failed {
			mood, words, details = ui.Bad, "Requests fail", tables.Err().Error()
		}
	}
	return ui.PillButton(mood, words, details, s.route.Page == storagePage, s.onStorage).DataSet("testid", "status-pill").Disabled(!s.ready())
}

// pillOf says in a few words how safe the data is.
func pillOf(v remote.Value[control.Status], h health) (mood ui.Mood, words, details string) {
	status, _ := v.Data()
	details = "Build " + status.Build
	switch {
	case v.State() == remote.Failed:
		return ui.Bad, "Not answering", v.Err().Error()
	case status.Build == "" && status.Store == "":
		return ui.Wait, "Starting", "Waiting for the engine"
	case len(status.Corruption) > 0:
		return ui.Bad, "Stored data is corrupt", "Parts of the stored data could not be read"
	case h.problems > 0:
		return ui.Bad, "The check found problems", "The last check found " + humanize.Count(h.problems, "problem", "problems") + " in the stored data"
	case status.Store == "memory":
		return ui.Wait, "In memory only", details
	case status.Store == "indexeddb" && h.evictable:
		return ui.Wait, "Saved, not persistent yet", "The browser may delete the tables when it runs out of space. " + details
	}
	return ui.Good, "Saved in this browser", details
}

const titleID = "page-title"

// onSkip moves the keyboard past the tables, as a page does that appears.
func (s *Shell) onSkip(ctx app.Context, _ app.Event) { browser.Focus(ctx, titleID) }

func (s *Shell) work() app.UI {
	main := app.Main().Class("work").ID("work")
	title := app.H1().ID(titleID).Class("sr-only").TabIndex(-1).Text(s.title())
	switch {
	case s.status.State() == remote.Failed && !s.ready():
		return main.Body(title, ui.Div("boot", s.drawBootError(s.status.Err())))
	case !s.ready():
		return main.Body(title, ui.Div("boot", ui.Progress(), app.P().Role("status").Text("Starting the engine…")))
	}
	return main.Body(title, ui.Banners(s.banners()), s.page())
}

// page returns the component of the route.
func (s *Shell) page() app.UI {
	d, ok := s.definition()
	place := s.place()
	switch _, connected := s.remotes.find(place.Account); {
	case isRemote(place.Account) && !connected:
		return s.drawDisconnected(place.Account)
	case s.missing(place.Account) && !connected && !s.unsaved():
		return ui.Empty(ui.IconAccount, "No such account", "This browser has no account “"+place.Account+"”.", toTables())
	case s.missingTable() && !s.keepsPage():
		return ui.Empty(ui.IconTable, noTable(place), "It was deleted, or never created.", toTablesOf(place))
	case ok:
		return d.New(page.Props{Session: s, Route: place, Visit: s.visit, Revision: s.changes, Acts: s.acts})
	case s.catalog.Accounts.State() == remote.Failed:
		return ui.Div("boot", ui.Retry(s.catalog.Accounts.Err(), s.onReloadCatalog))
	case place.Account == "" && place.Page == "":
		return ui.Bones(6) // the accounts are on their way
	}
	return ui.Empty(ui.IconTable, "No such page", noPage(place), toTables())
}

func noPage(place page.Route) string {
	of := ""
	switch place.Scope() {
	case page.Account:
		of = " of an account"
	case page.Table:
		of = " of a table"
	}
	return "This version of Sandtable has no page “" + place.Page + "”" + of + "."
}

func toTables() app.UI { return toTablesOf(page.Route{}) }

func toTablesOf(r page.Route) app.UI {
	return app.A().Class("btn").Href(page.Route{Account: r.Account}.Href()).Text("Go to the tables")
}

func noTable(r page.Route) string { return "There is no table " + r.Table }

// missing reports whether an address names an account that is not in this browser.
func (s *Shell) missing(account string) bool {
	accounts, held := s.catalog.Accounts.Data()
	return account != "" && held && !slices.ContainsFunc(accounts, func(a control.Account) bool { return a.Name == account })
}

// missingTable reports whether the route names a table that its account does not have.
// The lists of connected accounts may be old.
func (s *Shell) missingTable() bool {
	return !s.unlisted && s.ready() && !s.listed(s.route)
}

// listed reports whether a route's table is in the list, or may be.
func (s *Shell) listed(r page.Route) bool {
	tables := s.catalog.Tables[r.Account]
	all, _ := tables.Data()
	return r.Table == "" || tables.State() != remote.Loaded || isRemote(r.Account) ||
		slices.ContainsFunc(all, func(t client.Table) bool { return strings.EqualFold(t.Name, r.Table) })
}

// keepsPage reports whether the page has something that does not go with its table.
func (s *Shell) keepsPage() bool {
	d, _ := s.definition()
	return d.Stays || s.unsaved()
}

// missingBanner says why what the user entered cannot be saved.
func (s *Shell) missingBanner() []app.UI {
	draw := func(title, what string, there page.Route) []app.UI {
		return []app.UI{ui.Banner(ui.Bad, title+" any more.", "What you entered is kept until you leave the page, and can be saved if the "+what+" is created again.", toTablesOf(there))}
	}
	switch account := s.place().Account; {
	case s.missing(account) && !isRemote(account) && s.unsaved():
		return draw("There is no account "+account, "account", page.Route{})
	case s.missingTable() && s.keepsPage():
		return draw(noTable(s.route), "table", s.route)
	}
	return nil
}

// Head implements [page.Session].
func (s *Shell) Head(actions ...app.UI) app.UI {
	place := s.place()
	current, _ := s.definition()
	var tabs []app.UI
	for i, d := range s.pages {
		if d.Hidden || !d.Has(place.Scope()) {
			continue
		}
		there := place.At(d.Name)
		if s.isDefault(i, place.Scope()) {
			there.Page = ""
		}
		tab := app.A().Class("tab").Href(there.Href()).DataSet("testid", "tab-"+d.Name).Text(d.Title)
		if d.Name == current.Name {
			tab = tab.Aria("current", "page")
		}
		tabs = append(tabs, tab)
	}
	return ui.Div("head", append([]app.UI{
		app.Nav().Class("tabs").Aria("label", "Pages of "+s.place().Account).Body(tabs...),
		app.Span().Class("grow")}, actions...)...)
}

// isDefault reports whether a definition is the first one of a scope.
func (s *Shell) isDefault(i int, scope page.Scope) bool {
	for _, d := range s.pages[:i] {
		if d.Has(scope) {
			return false
		}
	}
	return true
}
