package partitions

import (
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/control"
	"sandtable/web/keydesign"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// Definition registers the page.
func Definition() page.Definition {
	copies := map[page.Route]*copying{}
	return page.Definition{
		Name: Name, Title: "Partitions", Icon: ui.IconTable, Scopes: page.Table,
		New:      func(p page.Props) app.Composer { return &Page{Props: p, copies: copies} },
		Exhibits: exhibits,
	}
}

// OnMount reads the table and follows its requests.
func (p *Page) OnMount(ctx app.Context) {
	p.start(ctx)
	p.tick()
}

// OnPreRender does natively what OnMount does in a browser.
func (p *Page) OnPreRender(ctx app.Context) { p.start(ctx) }

// OnDismount stops following the table. A copy continues without the page.
func (p *Page) OnDismount() {
	if j := p.copying(); j != nil && j.page == p {
		j.page = nil
	}
	p.gone = true
	page.Release(p.release)
}

func (p *Page) start(ctx app.Context) {
	p.ctx, p.now, p.scale = ctx, time.Now(), 1
	p.traffic = keydesign.Traffic{Account: p.Route.Account, Table: p.Route.Table}
	p.prices = keydesign.DefaultPrices
	if stored, ok := browser.Load(pricesName, keydesign.Prices.Valid); ok {
		p.prices = stored
	}
	if p.Connected() {
		return
	}
	if j := p.copying(); j != nil {
		j.page = p
		page.Follow(ctx, p.isCopying)
	}
	p.chosen, p.picked = strings.TrimSuffix(p.Route.Arg("partition"), emptyKey), p.Route.Has("partition")
	p.partitions = p.partitions.Asked()
	p.release = append(p.release, p.Session.Control().Watch(func(events []control.Event) {
		ctx.Dispatch(func(app.Context) { p.onEvents(events) })
	}))
}

// tick moves the last minute on, once a second.
func (p *Page) tick() {
	p.ctx.After(time.Second, func(app.Context) {
		if p.gone {
			return
		}
		if !p.paused {
			p.now = time.Now()
		}
		p.readAgain()
		p.tick()
	})
}

// readAgain reads what was written since the last reading, once that has been answered:
// under steady writes each answer would be out of date before it came.
func (p *Page) readAgain() {
	if p.stale && !p.paused && p.partitions.State() != remote.Loading {
		p.stale = false
		p.read()
	}
}

// Render draws the page.
func (p *Page) Render() app.UI {
	if p.Connected() {
		return ui.Div("page", p.Session.Head(), ui.Empty(ui.IconPlug, "Only for accounts of this browser",
			"This account is at another endpoint, which does not say how its partitions are stored."))
	}
	live, label := "live", "Pause"
	if p.paused {
		live, label = "paused", "Resume"
	}
	head := p.Session.Head(app.Span().Class("live", live).Role("status").Text(live),
		ui.Button(ui.Plain, label, p.onPause).DataSet("testid", "pause"))
	partitions, held := p.partitions.Data()
	var main []app.UI
	switch {
	case p.partitions.State() == remote.Failed:
		main = append(main, ui.Retry(p.partitions.Err(), p.onAgain))
	case !held:
		main = append(main, ui.Bones(6))
	case len(partitions.List) == 0:
		main = append(main, ui.Empty(ui.IconTable, "No partitions yet", "A table has as many partitions as its entities have different partition keys. Add an entity, or import some."))
	default:
		groups := p.groups()
		main = append(main, drawSummary(partitions, groups), drawMap(groups, p.groupAt(groups), p.onChoose, p.onMapKey), p.drawWhatIf())
	}
	if j := p.copying(); j != nil {
		main = append(main, ui.Div("what-if", p.drawCopy(j)))
	}
	return ui.Div("page", head,
		ui.Div("split", app.Section().Class("results partitions").Aria("label", "Partitions").Body(main...), p.drawPanel(partitions)),
		ui.Div("status", app.Span().Text(exactness(partitions, held)), app.Span().Class("grow"),
			ui.Span("optional", "Prices are examples: edit them to match your region")))
}
