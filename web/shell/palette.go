package shell

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/humanize"
	"sandtable/web/page"
	"sandtable/web/query"
	"sandtable/web/ui"
)

// palette is the state of the command palette.
type palette struct {
	open   bool
	text   string
	chosen int
}

// entry is a line of the palette.
type entry struct {
	group, title, detail, hint string
	icon                       ui.IconName
	route                      page.Route // where it leads
	run                        func()     // or what it does
	more                       int        // how many of its group are left out after it
}

const (
	paletteID = "palette"
	fieldID   = "palette-field"
)

func (s *Shell) togglePalette() {
	if s.palette.open {
		s.closePalette()
		return
	}
	s.palette = palette{open: true}
	browser.ShowModal(s.ctx, paletteID)
	browser.Focus(s.ctx, fieldID)
}

func (s *Shell) closePalette() { s.palette = palette{} }

func (s *Shell) onPalette(app.Context, app.Event) { s.togglePalette() }

// maxEntries is how many lines of each group are shown.
const maxEntries = 8

// entries returns what matches the text: tables, actions, recent queries. With
// > in front only actions, with $ only queries.
func (s *Shell) entries() []entry {
	text := strings.TrimSpace(s.palette.text)
	only := ""
	if strings.HasPrefix(text, ">") || strings.HasPrefix(text, "$") {
		only, text = text[:1], strings.TrimSpace(text[1:])
	}
	var all []entry
	if only == "" {
		all = append(all, matching(s.tableEntries(), text)...)
	}
	if only != "$" {
		all = append(all, matching(s.actionEntries(), text)...)
	}
	if only != ">" {
		all = append(all, matching(s.queryEntries(), text)...)
	}
	return all
}

func matching(all []entry, text string) (some []entry) {
	text = strings.ToLower(text)
	for _, e := range all {
		switch {
		case !strings.Contains(strings.ToLower(e.title), text):
		case len(some) < maxEntries:
			some = append(some, e)
		default:
			some[maxEntries-1].more++
		}
	}
	return some
}

func (s *Shell) tableEntries() (all []entry) {
	accounts, _ := s.catalog.Accounts.Data()
	for _, a := range accounts {
		if page.ThrowAway(a.Name) {
			continue
		}
		tables, _ := s.catalog.Tables[a.Name].Data()
		for _, t := range tables {
			all = append(all, tableEntry(a.Name, t))
		}
	}
	for _, r := range s.remotes.all {
		tables, _ := s.catalog.Tables[r.ID()].Data()
		for _, t := range tables {
			all = append(all, tableEntry(r.ID(), t))
		}
	}
	return all
}

func tableEntry(account string, t client.Table) entry {
	return entry{group: "Tables", title: t.Name, detail: account, hint: t.Count(), icon: ui.IconTable, route: page.Route{Account: account, Table: t.Name}}
}

func (s *Shell) actionEntries() (all []entry) {
	add := func(icon ui.IconName, title, hint string, run func()) {
		all = append(all, entry{group: "Actions", title: title, hint: hint, icon: icon, run: run})
	}
	for _, r := range s.hooks.commands {
		for _, c := range r.f() {
			add(c.Icon, c.Title, c.Hint, c.Run)
		}
	}
	place := s.place()
	for _, d := range s.pages {
		switch there := place.At(d.Name); {
		case d.Has(place.Scope()):
			add(d.Icon, "Go to "+d.Title, "", func() {
				s.rows = page.Selection{}
				s.Navigate(there)
			})
		case place.Scope() == page.Table && d.Has(page.Account):
			add(d.Icon, "Go to "+d.Title+" of "+place.Account, "", func() { s.Navigate(page.Route{Account: place.Account, Page: d.Name}) })
		case d.Has(page.Store):
			add(d.Icon, "Go to "+d.Title, "", func() { s.Navigate(page.Route{Page: d.Name}) })
		}
	}
	account := s.account()
	add(ui.IconHistory, "Take a snapshot of "+account, "Ctrl Alt S", s.takeSnapshot)
	add(ui.IconPlus, "New table in "+account, "", func() { s.NewTable(account) })
	add(ui.IconPlus, "New account", "", func() { s.sidebar.open = true; s.openForm("") })
	add(ui.IconCloud, "Connect an account…", "", func() { s.Navigate(page.Route{Page: endpointPage}) })
	for _, r := range s.remotes.all {
		id := r.ID()
		add(ui.IconClose, "Disconnect from "+id, "", func() { s.disconnect(id) })
	}
	add(themeIcon(s.theme), "Switch the theme", s.theme, func() { s.onTheme(s.ctx, app.Event{}) })
	return all
}

func (s *Shell) queryEntries() (all []entry) {
	history, _ := browser.Load(query.StorageName(s.base), query.History.Valid)
	for _, q := range history {
		title := q.Table + " · " + q.Filter
		if q.Name != "" {
			title = q.Table + " · " + q.Name + " · " + q.Filter
		}
		hint := ago(time.Since(q.At))
		if q.Kind != "" {
			hint = q.Kind + " · " + hint
		}
		all = append(all, entry{group: "Recent queries", title: title, hint: hint, icon: ui.IconHistory,
			route: page.Route{Account: q.Account, Table: q.Table, Args: q.Args}})
	}
	return all
}

// ago returns a time in the past in words.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return strconv.Itoa(int(d.Minutes())) + " min ago"
	case d < 24*time.Hour:
		return strconv.Itoa(int(d.Hours())) + " h ago"
	}
	return humanize.Count(int(d.Hours()/24), "day", "days") + " ago"
}

func (s *Shell) drawPalette() app.UI {
	entries := s.entries()
	var items []app.UI
	group := ""
	for i, e := range entries {
		if e.group != group {
			group = e.group
			items = append(items, app.Div().Class("group").Role("presentation").Text(group))
		}
		items = append(items, app.Div().ID("entry-"+strconv.Itoa(i)).Class("row").Role("option").Aria("selected", i == s.palette.chosen).
			DataSet("entry", i).DataSet("testid", "palette-entry").Body(
			ui.Icon(e.icon), app.Span().Class("label").Title(e.title).Body(marked(e.title, s.palette.text)...),
			ui.Span("detail", e.detail), app.Span().Class("grow"), ui.Span("hint", e.hint)))
		if e.more > 0 {
			items = append(items, app.Div().Class("group left-out").Role("presentation").Text("and "+humanize.Number(e.more)+" more"))
		}
	}
	nothing := ""
	if len(entries) == 0 {
		nothing = "Nothing matches."
	}
	field := app.Input().ID(fieldID).Type("text").Placeholder("Search or run a command").AutoComplete(false).Spellcheck(false).
		Role("combobox").Aria("label", "Search or run a command").Aria("expanded", len(entries) > 0).Aria("controls", "palette-list").
		DataSet("testid", "palette-field").OnInput(s.onPaletteText).OnKeyDown(s.onPaletteKey)
	if s.palette.chosen < len(entries) {
		field.Aria("activedescendant", "entry-"+strconv.Itoa(s.palette.chosen))
	}
	_, inside := embedded()
	return app.Dialog().ID(paletteID).Class("palette").Aria("label", "Command palette").On("cancel", s.onPaletteCancel).Body(
		app.Header().Body(ui.Icon(ui.IconSearch), field, app.Kbd().Text("Esc")),
		app.P().Class("hint").Role("status").Text(nothing), // drawn over the list box, which may contain nothing but its options
		// Not a tab stop, which browsers make of lists that scroll: the field handles the keys.
		app.Div().ID("palette-list").Class("list").Role("listbox").TabIndex(-1).Aria("label", "Results").OnClick(s.onEntry).Body(items...),
		app.Footer().Body(app.Kbd().Text("↑"), app.Kbd().Text("↓"), app.Span().Text("move"),
			app.Kbd().Text("Enter"), app.Span().Text("open"),
			app.Kbd().Hidden(inside).Text("Ctrl Enter"), app.Span().Hidden(inside).Text("in a new tab"), app.Span().Class("grow"),
			app.Kbd().Text(">"), app.Span().Text("actions only"), app.Kbd().Text("$"), app.Span().Text("queries only")))
}

// marked draws a title with the part that matches.
func marked(title, text string) []app.UI {
	text = strings.TrimSpace(strings.TrimLeft(text, ">$ "))
	before, _, found := strings.Cut(strings.ToLower(title), strings.ToLower(text))
	if text == "" || !found {
		return []app.UI{app.Span().Text(title)}
	}
	// Lower case changes how many bytes a letter has, but not how many letters there are.
	letters, from := []rune(title), utf8.RuneCountInString(before)
	to := from + utf8.RuneCountInString(text)
	return []app.UI{app.Span().Text(string(letters[:from])), app.Mark().Text(string(letters[from:to])), app.Span().Text(string(letters[to:]))}
}

func (s *Shell) onPaletteText(_ app.Context, event app.Event) {
	s.palette.text = ui.Text(event)
	s.choose(0)
}

// choose marks an entry and scrolls to it.
func (s *Shell) choose(i int) {
	s.palette.chosen = i
	s.scrollTo(`.palette [aria-selected="true"]`)
}

func (s *Shell) onPaletteKey(ctx app.Context, event app.Event) {
	n := max(len(s.entries()), 1)
	switch event.Get("key").String() {
	case "ArrowDown":
		s.choose((s.palette.chosen + 1) % n)
	case "ArrowUp":
		s.choose((s.palette.chosen + n - 1) % n)
	case "Enter":
		if event.Get("ctrlKey").Truthy() || event.Get("metaKey").Truthy() {
			s.openEntry(s.palette.chosen)
		} else {
			s.runEntry(s.palette.chosen)
		}
	default:
		ctx.PreventUpdate()
		return
	}
	event.PreventDefault()
}

func (s *Shell) onPaletteCancel(_ app.Context, event app.Event) {
	event.PreventDefault()
	s.closePalette()
}

func (s *Shell) onEntry(_ app.Context, event app.Event) {
	if i, err := strconv.Atoi(ui.Data(event, "entry")); err == nil {
		s.runEntry(i)
	}
}

// openEntry opens what an entry leads to in a new tab, and runs an action here.
func (s *Shell) openEntry(i int) {
	entries := s.entries()
	if _, inside := embedded(); inside || i >= len(entries) || entries[i].run != nil {
		s.runEntry(i) // in an embedding site, only this page is connected to the store
		return
	}
	s.palette = palette{}
	app.Window().Call("open", entries[i].route.On(s.ctx.Page().URL()).String(), "_blank", "noopener")
}

func (s *Shell) runEntry(i int) {
	entries := s.entries()
	if i >= len(entries) {
		return
	}
	e := entries[i]
	s.palette = palette{}
	if e.run != nil {
		s.runForPage(e.run)
		return
	}
	s.Navigate(e.route)
}
