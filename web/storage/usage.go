package storage

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/humanize"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// readUsage reads what the store's own accounts take, the largest first.
func readUsage(c context.Context, api *control.Client) (all []usage, err error) {
	accounts, err := api.Accounts(c)
	if err != nil {
		return nil, err
	}
	for _, a := range accounts {
		if page.ThrowAway(a.Name) {
			continue
		}
		tables, err := api.Tables(c, a.Name)
		if err != nil {
			return nil, err
		}
		for _, t := range tables {
			all = append(all, usage{account: a.Name, Table: t})
		}
		kept, err := api.Snapshots(c, a.Name)
		if err != nil {
			return nil, err
		}
		if len(kept.Snapshots) > 0 {
			all = append(all, usage{account: a.Name, Table: client.Table{Bytes: kept.Bytes}, snapshots: kept.Snapshots})
		}
	}
	slices.SortFunc(all, func(a, b usage) int {
		return cmp.Or(b.Bytes-a.Bytes, cmp.Compare(a.account, b.account), cmp.Compare(a.Name, b.Name))
	})
	return all, nil
}

// count returns how many entities and tables the page lists. The status of the
// store counts those of throw-away accounts, too.
func (p *Page) count() (entities, tables int) {
	all, held := p.usage.Data()
	if !held {
		status, _ := p.status.Data()
		return status.Entities, status.Tables
	}
	for _, u := range all {
		if len(u.snapshots) == 0 {
			entities += u.Entities
			tables++
		}
	}
	return entities, tables
}

// snapshots returns how many snapshots the page lists.
func (p *Page) snapshots() (n int) {
	all, _ := p.usage.Data()
	for _, u := range all {
		n += len(u.snapshots)
	}
	return n
}

func (p *Page) readUsage() {
	page.Load(p.ctx, &p.usage, func(c context.Context) ([]usage, error) { return readUsage(c, p.Session.Control()) })
}

func (p *Page) drawUsage() []app.UI {
	all, held := p.usage.Data()
	switch {
	case p.usage.State() == remote.Failed:
		return []app.UI{ui.Retry(p.usage.Err(), func(app.Context, app.Event) { p.readUsage() })}
	case !held:
		return []app.UI{ui.Bones(3)}
	case len(all) == 0:
		return nil
	}
	total := 0
	for _, u := range all {
		total += u.Bytes
	}
	var rows []app.UI
	for _, u := range all {
		rows = append(rows, drawUsed(u, float64(u.Bytes)/float64(max(total, 1))))
	}
	head := func(text string) app.HTMLTh { return app.Th().Scope("col").Text(text) }
	sum := func(name string, bytes int) app.UI {
		return app.Tr().Body(app.Th().Scope("row").Text(name), app.Td(), app.Td(), app.Td().Class("num").Text(humanize.Bytes(bytes)), app.Td())
	}
	status, _ := p.status.Data()
	sums := []app.UI{sum("Together", total), sum("Write-ahead log", status.WAL)}
	hint := "Sizes are those of the stored blocks. The last changes are in the write-ahead log, and move to blocks a moment later."
	if persisted, _ := p.persisted.Data(); status.Store == "indexeddb" && persisted.Usage > total+status.WAL {
		sums = append(sums, sum("App and freed space", persisted.Usage-total-status.WAL), sum("All of this site", persisted.Usage))
		hint += " The browser also counts the app's own files, and space that it has not freed yet."
	}
	return []app.UI{app.H2().Text("Usage"),
		app.Table().Class("usage").Body(
			app.THead().Body(app.Tr().Body(head("Table"), head("Entities").Class("num"), app.Td(), head("Size").Class("num"), head("Share").Class("num"))),
			app.TBody().Body(rows...),
			app.TFoot().Body(sums...)),
		ui.P("hint", hint)}
}

func drawUsed(u usage, share float64) app.UI {
	name := app.A().Href(page.Route{Account: u.account, Table: u.Name}.Href()).Text(u.account + " / " + u.Name)
	entities := humanize.Number(u.Entities)
	if n := len(u.snapshots); n > 0 {
		name = app.A().Href(page.Route{Account: u.account, Page: "snapshots"}.Href()).Text(u.account + " / " + humanize.Count(n, "snapshot", "snapshots"))
		entities = "–"
	}
	return app.Tr().DataSet("testid", "usage").Body(
		app.Td().Body(name), app.Td().Class("num").Text(entities),
		app.Td().Class("share").Body(app.Div().Class("track").Aria("hidden", true).Body(app.I().Style("width", fmt.Sprintf("%.1f%%", 100*share)))),
		app.Td().Class("num").Text(humanize.Bytes(u.Bytes)),
		app.Td().Class("num").Text(fmt.Sprintf("%.1f %%", 100*share)))
}
