package transfer

import (
	"context"
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/humanize"
	"sandtable/web/page"
	"sandtable/web/ui"
)

// PromoteDefinition registers the page that copies tables to another account.
func PromoteDefinition() page.Definition {
	started := &promotions{all: map[string]*promotion{}}
	return page.Definition{
		Name: "promote", Title: "Copy tables", Icon: ui.IconCloud, Scopes: page.Account, Hidden: true,
		New:      func(p page.Props) app.Composer { return &Promote{Props: p, started: started} },
		Exhibits: promoteExhibits,
	}
}

// promotions are those that were started, by the account that is copied, so that a
// page finds its own again. They are used on go-app's goroutine alone.
type promotions struct {
	all   map[string]*promotion
	shown *Promote // nil while no page shows one
}

// Promote is the page that copies tables of an account to an account of another
// endpoint.
type Promote struct {
	app.Compo
	page.Props

	started *promotions
	ctx     app.Context
	release func()
	target  string          // ID of the connected account
	left    map[string]bool // tables that are not copied
}

// OnInit chooses all tables.
func (p *Promote) OnInit() { p.left = map[string]bool{} }

// OnMount shows what is running, or the choices.
func (p *Promote) OnMount(ctx app.Context) {
	p.start(ctx)
	browser.Focus(ctx, dialogID)
}

// OnPreRender does natively what OnMount does in a browser.
func (p *Promote) OnPreRender(ctx app.Context) { p.start(ctx) }

func (p *Promote) start(ctx app.Context) {
	p.ctx, p.started.shown = ctx, p
	p.release = p.Session.Keys(func(key page.Key) func() {
		if key.Name == "Escape" {
			return p.close
		}
		return nil
	})
	page.Follow(p.ctx, p.running)
}

// OnDismount lets a running copy go on without the page.
func (p *Promote) OnDismount() {
	if p.started.shown == p {
		p.started.shown = nil
	}
	if p.release != nil {
		p.release()
	}
}

func (p *Promote) job() *promotion { return p.started.all[p.Route.Account] }

func (p *Promote) close() { p.Session.Navigate(page.Route{Account: p.Route.Account}) }

func (p *Promote) onClose(app.Context, app.Event) { p.close() }

// target is an account to which tables can be copied.
type target struct {
	id    string // of the account, "" for none
	label string // for people
	only  string // the only table that its SAS reaches; "" for all
}

// targets returns the accounts to which tables can be copied: those that are
// connected, and for a connected account those of this browser as well.
func (p *Promote) targets() (all []target) {
	if p.Connected() {
		accounts, _ := p.Session.Catalog().Accounts.Data()
		for _, a := range accounts {
			if !page.ThrowAway(a.Name) {
				all = append(all, target{id: a.Name, label: a.Name + " in this browser"})
			}
		}
	}
	for _, r := range p.Session.Connections() {
		if r.ID() != p.Route.Account {
			all = append(all, target{id: r.ID(), label: r.Account + " at " + r.Endpoint, only: r.Table})
		}
	}
	return all
}

// chosenTarget returns the account that is chosen, at first the only one.
func (p *Promote) chosenTarget() (target, bool) {
	all := p.targets()
	for _, t := range all {
		if t.id == p.target || p.target == "" && len(all) == 1 {
			return t, true
		}
	}
	return target{}, false
}

// chosen returns the names of the tables that are copied.
func (p *Promote) chosen() (names []string) {
	target, _ := p.chosenTarget()
	all, _ := p.Session.Catalog().Tables[p.Route.Account].Data()
	for _, t := range all {
		if !p.left[t.Name] && (target.only == "" || strings.EqualFold(target.only, t.Name)) {
			names = append(names, t.Name)
		}
	}
	return names
}

func (p *Promote) onTarget(_ app.Context, event app.Event) {
	p.target = event.Get("target").Get("value").String()
}

func (p *Promote) onTable(_ app.Context, event app.Event) {
	name := ui.Data(event, "table")
	p.left[name] = !p.left[name]
}

// onCheck starts the dry run.
func (p *Promote) onCheck(app.Context, app.Event) {
	target, ok := p.chosenTarget()
	if names := p.chosen(); ok && len(names) > 0 {
		job := newPromotion(p.Session.Client(p.Route.Account), p.Session.Client(target.id), target, names)
		p.started.all[p.Route.Account] = job
		p.run(job, job.check)
	}
}

// onCopy starts the copy, or continues it.
func (p *Promote) onCopy(app.Context, app.Event) { p.run(p.job(), p.job().copy) }

// onBack forgets the dry run or the report.
func (p *Promote) onBack(app.Context, app.Event) { delete(p.started.all, p.Route.Account) }

func (p *Promote) onCancel(app.Context, app.Event) { p.job().cancel() }

// run runs a step, which goes on without the page.
func (p *Promote) run(job *promotion, step func(context.Context)) {
	session, back := p.Session, p.Route
	ctx, cancel := context.WithCancel(context.Background())
	job.cancel = cancel
	job.mu.Lock()
	job.now.ended = false
	job.mu.Unlock()
	stay := browser.AskToStay()
	session.Background(func(context.Context) func() {
		step(ctx)
		return func() {
			cancel()
			stay()
			s := job.state()
			if s.checked {
				session.WroteTo(job.id)
			}
			if shown := p.started.shown; shown == nil || shown.job() != job {
				session.Offer(p.summary(s), "Report", func() { session.Navigate(back) })
			}
		}
	})
	page.Follow(p.ctx, p.running)
	browser.Focus(p.ctx, dialogID)
}

// running reports whether the page shows a step that is running.
func (p *Promote) running() bool {
	job := p.job()
	return job != nil && p.started.shown == p && !job.state().ended
}

// summary is the result in a sentence.
func (p *Promote) summary(s promotionState) string {
	_, written, refused := s.totals()
	text := "Checked " + humanize.Count(len(s.tables), "table", "tables")
	if s.checked {
		text = "Copied " + humanize.Count(written, "entity", "entities") + " of " + humanize.Count(len(s.tables), "table", "tables")
		if refused > 0 {
			text += ", " + humanize.Number(refused) + " refused"
		}
		text += " in " + exactly(s.took.Round(100*time.Millisecond))
	}
	if s.err != nil {
		text += "; not complete"
	}
	return text
}
