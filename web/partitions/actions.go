package partitions

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/keydesign"
	"sandtable/web/page"
	"sandtable/web/ui"
)

func (p *Page) read() {
	_, again := p.partitions.Data()
	page.Load(p.ctx, &p.partitions, func(c context.Context) (control.Partitions, error) {
		return p.Session.Control().Partitions(c, p.Route.Account, p.Route.Table)
	}, func() {
		if !again {
			p.reveal()
		}
	})
}

// reveal scrolls the map to the partition that the address names.
func (p *Page) reveal() {
	at := p.groupAt(p.groups())
	p.ctx.Defer(func(app.Context) {
		if bar := app.Window().GetElementByID(groupID(at)); bar.Truthy() {
			bar.Call("scrollIntoView", map[string]any{"block": "nearest", "inline": "center"})
		}
	})
}

func (p *Page) readRecent() {
	p.requests.reading++
	page.Background(p.ctx, func(c context.Context) func() {
		recent, err := p.Session.Control().Recent(c, 0)
		return func() {
			if p.requests.reading--; err == nil { // else the events that follow are enough
				if p.requests.instance != recent.Instance {
					p.requests.instance, p.requests.last, p.requests.read = recent.Instance, 0, 0
				}
				p.answered(recent.Requests, p.requests.last)
				p.requests.read = p.requests.last
			}
			if p.requests.reading == 0 {
				p.answered(p.requests.arrived, p.requests.read)
				p.requests.arrived = nil
			}
		}
	})
}

// answered counts the requests after a number.
func (p *Page) answered(requests []control.Recorded, after uint64) {
	for _, r := range requests {
		if r.ID > after {
			p.requests.last = max(p.requests.last, r.ID)
			p.count(r)
		}
	}
}

func (p *Page) count(r control.Recorded) {
	p.traffic.Answered(r)
	if filter := p.traffic.Filter(r); filter != "" {
		p.queries = slices.DeleteFunc(p.queries, func(q control.Recorded) bool { return p.traffic.Filter(q) == filter })
		p.queries = append([]control.Recorded{r}, p.queries...)
		p.queries = p.queries[:min(len(p.queries), maxQueries)]
	}
}

// onEvents counts requests and writes.
func (p *Page) onEvents(events []control.Event) {
	if control.Stale(events) {
		p.read()
		p.readRecent()
	}
	if requests := control.RequestsOf(events); p.requests.reading > 0 {
		p.requests.arrived = append(p.requests.arrived, requests...)
	} else {
		p.answered(requests, p.requests.read)
	}
	p.onChanges(control.ChangesOf(events), time.Now())
}

func (p *Page) onChanges(changes []control.Change, at time.Time) {
	for _, c := range changes {
		if c.Kind != "lost" && (c.Account != p.Route.Account || !strings.EqualFold(c.Table, p.Route.Table)) {
			continue
		}
		p.stale = true
		p.traffic.Wrote(c, at)
		if c.Kind == "inserted" || c.Kind == "updated" {
			p.written = append(p.written, odata.Key{PartitionKey: c.PartitionKey, RowKey: c.RowKey})
		}
	}
	p.written = p.written[max(0, len(p.written)-maxWritten):]
}

func (p *Page) onAgain(app.Context, app.Event) { p.read() }

func (p *Page) onPause(app.Context, app.Event) {
	p.paused = !p.paused
	p.now = time.Now()
}

func (p *Page) onChoose(_ app.Context, e app.Event) { p.choose(ui.Data(e, "partition")) }

func (p *Page) choose(key string) {
	p.chosen, p.picked = key, true
	p.Route = p.Route.With("partition", cmp.Or(key, emptyKey))
	p.Session.Replace(p.Route)
}

// onMapKey moves along the map with the arrow keys, Home and End.
func (p *Page) onMapKey(_ app.Context, e app.Event) {
	all := len(p.groups())
	by := map[string]int{"ArrowLeft": -1, "ArrowRight": 1, "Home": -all, "End": all}[e.Get("key").String()]
	if by == 0 {
		return
	}
	e.PreventDefault()
	p.step(by)
}

func (p *Page) step(by int) {
	groups := p.groups()
	if len(groups) == 0 {
		return
	}
	at := min(max(p.groupAt(groups)+by, 0), len(groups)-1)
	p.choose(groups[at].First().Key)
	browser.Focus(p.ctx, groupID(at))
}

func (p *Page) onPart(_ app.Context, e app.Event) {
	for _, part := range p.choices() {
		if part.String() == ui.Text(e) {
			p.addPart(part)
		}
	}
	e.Get("target").Set("value", "")
}

func (p *Page) addPart(part keydesign.Part) {
	if !slices.Contains(p.parts, part) {
		p.parts = append(p.parts, part)
	}
}

func (p *Page) onRemovePart(_ app.Context, e app.Event) {
	name := ui.Data(e, "part")
	p.parts = slices.DeleteFunc(p.parts, func(part keydesign.Part) bool { return part.String() == name })
}

func (p *Page) choices() []keydesign.Part {
	s, _ := p.entities.Data()
	return keydesign.Parts(s.entities)
}

func (p *Page) onSample(app.Context, app.Event) { p.readSample() }

func (p *Page) readSample() {
	tables, table := p.Session.Client(p.Route.Account), p.Route.Table
	page.Load(p.ctx, &p.entities, func(c context.Context) (sample, error) { return sampleOf(c, tables, table) })
}

// sampleOf reads the entities that the what-if is computed from.
func sampleOf(c context.Context, tables *client.Client, table string) (s sample, err error) {
	for q := (client.Query{Top: 1000}); ; {
		answer, err := tables.Query(c, table, q)
		if err != nil {
			return s, err
		}
		for _, e := range answer.Entities {
			s.entities = append(s.entities, e.Entity)
		}
		s.more = answer.Next != nil
		if !s.more || len(s.entities) >= maxSample {
			return s, nil
		}
		q.From = answer.Next
	}
}
