package faults

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// Name is the page's in addresses.
const Name = "faults"

// Definition registers the page.
func Definition() page.Definition {
	return page.Definition{
		Name: Name, Title: "Faults", Icon: ui.IconAccount, Scopes: page.Account,
		New:      func(p page.Props) app.Composer { return &Page{Props: p} },
		Exhibits: exhibits,
	}
}

// Page is the rules of an account, and the form of one of them.
type Page struct {
	app.Compo
	page.Props

	ctx     app.Context
	release []func()
	state   remote.Value[control.Faults]
	hits    []control.Recorded // the newest first
	of      string             // the instance of the endpoint that numbered the hits
	form    form
	forms   int // counts the forms: a new one has new fields
	menu    bool
	copied  bool
	dragged int // the number of the rule that is being dragged, 0 for none

	sending, again bool // a change is on its way; another one has to follow
	keep           bool // the next one keeps the counts
	waiting        bool // the counts will be read again soon
}

// maxHits is how many of the last hits are shown.
const maxHits = 8

// OnMount reads the rules.
func (p *Page) OnMount(ctx app.Context) { p.start(ctx) }

// OnPreRender does natively what OnMount does in a browser.
func (p *Page) OnPreRender(ctx app.Context) { p.start(ctx) }

// OnDismount removes what the page has registered.
func (p *Page) OnDismount() { page.Release(p.release) }

func (p *Page) start(ctx app.Context) {
	p.ctx = ctx
	if p.Connected() {
		return
	}
	p.release = append(p.release, p.Session.Keys(p.onKey), p.Session.Commands(p.commands), p.Session.Watch(p.onChanges),
		p.Session.Control().Watch(func(events []control.Event) { ctx.Dispatch(func(app.Context) { p.onEvents(events) }) }))
	p.state = p.state.Asked()
}

func (p *Page) load() {
	p.state = p.state.Asked()
	asked := p.state
	page.Background(p.ctx, func(c context.Context) func() {
		f, err := p.Session.Control().Faults(c, p.Route.Account)
		return func() {
			if !p.sending && !p.state.Late(asked) { // otherwise the rules were changed since
				p.take(p.state.Answered(f, err))
			}
		}
	})
}

// take shows the rules as the endpoint has them now. The form follows its rule to another
// place in the list, and becomes that of a new rule if its own was deleted elsewhere.
func (p *Page) take(next remote.Value[control.Faults]) {
	before, _ := p.state.Data()
	p.state = next
	f, _ := next.Data()
	at := p.form.index
	if !p.form.open || at < 0 || at < len(f.Rules) && alike(f.Rules[at], p.form.was) {
		return
	}
	i := slices.IndexFunc(f.Rules, func(r control.FaultRule) bool { return alike(r, p.form.was) })
	if i >= 0 || len(f.Rules) < len(before.Rules) {
		p.form.index = i
	}
}

// loadHits reads the last hits from the recent requests.
func (p *Page) loadHits() {
	page.Background(p.ctx, func(c context.Context) func() {
		recent, err := p.Session.Control().Recent(c, 0)
		return func() {
			if err != nil {
				return // the list stays as it is; the rules show the failure
			}
			if p.of != recent.Instance {
				p.of, p.hits = recent.Instance, nil
			}
			p.addHits(recent.Requests)
		}
	})
}

// addHits takes in requests.
func (p *Page) addHits(requests []control.Recorded) {
	for _, r := range requests {
		known := slices.ContainsFunc(p.hits, func(h control.Recorded) bool { return h.ID == r.ID })
		if r.Account == p.Route.Account && r.Fault != nil && r.Fault.Fails() && !known {
			p.hits = append(p.hits, r)
		}
	}
	slices.SortFunc(p.hits, func(a, b control.Recorded) int { return cmp.Compare(b.ID, a.ID) })
	p.hits = p.hits[:min(len(p.hits), maxHits)]
}

// onEvents counts what happens, at most a few times a second.
func (p *Page) onEvents(events []control.Event) {
	if control.Stale(events) {
		p.load()
		p.loadHits()
	}
	requests := control.RequestsOf(events)
	p.addHits(requests)
	mine := slices.ContainsFunc(requests, func(r control.Recorded) bool { return r.Account == p.Route.Account })
	if f, _ := p.state.Data(); mine && f.On && !p.waiting {
		p.waiting = true
		p.ctx.After(400*time.Millisecond, func(app.Context) {
			p.waiting = false
			p.load()
		})
	}
}

// onChanges reads rules that another page or a test has set.
func (p *Page) onChanges(changes []control.Change) {
	for _, c := range changes {
		if c.Kind == "lost" || c.Kind == "faultsChanged" && c.Account == p.Route.Account {
			p.load()
			return
		}
	}
}

// put shows a change at once and sends it. While one is on its way, the next waits.
func (p *Page) put(next control.Faults, keep bool) {
	p.state = remote.Of(next)
	if p.sending {
		p.again, p.keep = true, p.keep && keep
		return
	}
	p.keep = keep
	p.send()
}

// send sends the rules as they are shown. The page may be gone before they are answered.
func (p *Page) send() {
	next, _ := p.state.Data()
	keep := p.keep
	p.sending, p.keep = true, true
	p.Session.Background(func(c context.Context) func() {
		now, err := p.Session.Control().SetFaults(c, p.Route.Account, next, keep)
		return func() {
			p.sending = false
			switch {
			case err != nil:
				p.again = false
				p.Session.Notify("The rules were not changed: " + err.Error())
				p.load()
			case p.again:
				p.again = false
				p.send()
			default:
				p.take(remote.Of(now))
			}
		}
	})
}

// ask sends something to the endpoint that answers with the faults as they are then. The
// page may be gone by then.
func (p *Page) ask(failed string, send func(context.Context) (control.Faults, error)) {
	p.Session.Background(func(c context.Context) func() {
		now, err := send(c)
		return func() {
			if err != nil {
				p.Session.Notify(failed + err.Error())
				return
			}
			p.take(remote.Of(now))
		}
	})
}

func (p *Page) switchAll(on bool) {
	p.ask("The faults were not switched: ", func(c context.Context) (control.Faults, error) {
		return p.Session.Control().SwitchFaults(c, p.Route.Account, on)
	})
}

func (p *Page) resetCounters() {
	p.ask("The counters were not reset: ", func(c context.Context) (control.Faults, error) {
		return p.Session.Control().ResetFaults(c, p.Route.Account)
	})
}

// faults returns the faults with rules that the caller may change.
func (p *Page) faults() control.Faults {
	f, _ := p.state.Data()
	f.Rules = slices.Clone(f.Rules)
	return f
}

// toggle switches one rule.
func (p *Page) toggle(i int) {
	f := p.faults()
	if i < 0 || i >= len(f.Rules) {
		return
	}
	f.Rules[i].On = !f.Rules[i].On
	p.put(f, true)
}

// move puts a rule at another place, and the focus with it.
func (p *Page) move(from, to int) {
	f := p.faults()
	if from == to || from < 0 || from >= len(f.Rules) || to < 0 || to >= len(f.Rules) {
		return
	}
	rule := f.Rules[from]
	f.Rules = slices.Insert(slices.Delete(f.Rules, from, from+1), to, rule)
	if p.form.open && p.form.index == from {
		p.form.index = to
	} else {
		p.form.open = false // it would be about another rule
	}
	p.put(f, true)
	browser.Focus(p.ctx, ruleID(to))
}

// remove deletes a rule; it can be undone.
func (p *Page) remove(i int) {
	f := p.faults()
	if i < 0 || i >= len(f.Rules) {
		return
	}
	was := f.Rules[i]
	f.Rules = slices.Delete(f.Rules, i, i+1)
	p.form.open = false
	p.put(f, true)
	p.Session.Offer("Rule "+strconv.Itoa(i+1)+" was deleted.", "Undo", func() {
		p.ask("The rule was not put back: ", func(c context.Context) (control.Faults, error) {
			now, err := p.Session.Control().Faults(c, p.Route.Account) // a page that was left shows older ones
			if err != nil {
				return now, err
			}
			now.Rules = slices.Insert(now.Rules, min(i, len(now.Rules)), was)
			return p.Session.Control().SetFaults(c, p.Route.Account, now, true)
		})
	})
}

// add puts the rules of a preset behind those that are there, and switches on.
func (p *Page) add(name string) {
	i := slices.IndexFunc(presets, func(c preset) bool { return c.name == name })
	if i < 0 {
		return
	}
	f := p.faults()
	f.On, f.Rules, f.Seed = true, append(f.Rules, presets[i].rules...), seedOf(f)
	p.menu = false
	p.put(f, true)
}

// firstSeed is the seed of the first rules.
const firstSeed = 1

// seedOf returns the seed of the rules, also of those that are about to be the first.
func seedOf(f control.Faults) uint64 {
	if len(f.Rules) == 0 {
		return cmp.Or(f.Seed, firstSeed)
	}
	return f.Seed
}

// edit opens the form of a rule, -1 for a new one.
func (p *Page) edit(i int) {
	f := p.faults()
	seed := seedOf(f)
	if i >= 0 && i < len(f.Rules) {
		p.form = formOf(f.Rules[i], seed)
		p.form.index = i
	} else {
		p.form = newForm(seed)
	}
	p.forms++
	p.copied, p.menu = false, false
	browser.Focus(p.ctx, "fault-operation")
}

// save takes the form's rule into the list. Another seed counts from the start.
func (p *Page) save() {
	rule, seed, problems := p.form.rule(time.Now())
	if p.form.problems = problems; len(problems) > 0 {
		return
	}
	f := p.faults()
	keep := len(f.Rules) == 0 || seed == f.Seed
	at := p.form.index
	if at < 0 || at >= len(f.Rules) {
		at = len(f.Rules)
		f.Rules = append(f.Rules, rule)
		f.On = f.On || at == 0
	} else {
		rule.On, rule.Seen, rule.Hit = f.Rules[at].On, f.Rules[at].Seen, f.Rules[at].Hit
		f.Rules[at] = rule
	}
	f.Seed = seed
	p.form.open = false
	p.put(f, keep)
	browser.Focus(p.ctx, ruleID(at))
}

func (p *Page) closeForm() {
	at := p.form.index
	p.form.open = false
	browser.Focus(p.ctx, ruleID(max(at, 0)))
}

func ruleID(i int) string { return "fault-rule-" + strconv.Itoa(i+1) }

// onKey moves through the rules and moves them.
func (p *Page) onKey(key page.Key) func() {
	switch {
	case key.Name == "Escape" && p.menu:
		return func() { p.menu = false }
	case key.Name == "Escape" && p.form.open:
		return p.closeForm
	case key.Within == nil || !key.Within(".fault-table"):
		return nil
	}
	f, _ := p.state.Data()
	i := -1
	for n := range f.Rules {
		if key.Within(`[data-rule="` + strconv.Itoa(n) + `"]`) {
			i = n
		}
	}
	by := map[string]int{"ArrowUp": -1, "ArrowDown": 1}[key.Name]
	switch {
	case i < 0:
	case by != 0 && key.Alt:
		return func() { p.move(i, i+by) }
	case by != 0:
		return func() { browser.Focus(p.ctx, ruleID(min(max(i+by, 0), len(f.Rules)-1))) }
	case key.Name == "Delete":
		return func() { p.remove(i) }
	}
	return nil
}

func (p *Page) commands() []page.Command {
	f, _ := p.state.Data()
	all := []page.Command{{Icon: ui.IconPlus, Title: "New fault rule", Run: func() { p.edit(-1) }}}
	if len(f.Rules) > 0 {
		title := map[bool]string{true: "Switch faults off", false: "Switch faults on"}[f.On]
		all = append(all, page.Command{Icon: ui.IconPulse, Title: title, Run: func() { p.switchAll(!f.On) }})
	}
	return all
}
