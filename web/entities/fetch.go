package entities

import (
	"context"
	"errors"

	"sandtable/odata"
	"sandtable/web/client"
	"sandtable/web/page"
	"sandtable/web/query"
	"sandtable/web/remote"
)

const (
	// firstPage is how many entities the first request asks for: few, so that
	// something is there at once.
	firstPage = 200
	// nextPage is how many entities the following requests ask for: the most
	// that the service returns.
	nextPage = 1000
	// ahead is how many rows are read beyond the visible ones.
	ahead = 100
)

// run runs the query of the route.
func (p *Page) run() {
	p.shown = p.query()
	p.results.begin(p.shown)
	p.sheet.active, p.sheet.anchor = -1, -1
	clear(p.selected)
	p.scrollTo(0)
	p.remember("")
	p.outage.Ended()
	p.fetch(nil)
}

// read reads one page of the query, and calls done with it unless another query
// was run since.
func (p *Page) read(from *client.Continuation, top int, done func(client.Page, error)) {
	c, stop := context.WithCancel(p.ctx)
	p.results.stop = stop
	run, r, tables := p.results.run, p.results.asked, p.client()
	q := client.Query{Filter: filterFrom(r), Select: withKeys(r.Arg(selectArg)), Top: top, From: from}
	page.Background(p.ctx, func(context.Context) func() {
		defer stop()
		answer, err := tables.Query(c, r.Table, q)
		return func() {
			if run == p.results.run && !errors.Is(err, context.Canceled) {
				done(answer, err)
			}
		}
	})
}

// filterFrom returns the filter of a route, with the key at which the rows begin.
func filterFrom(r page.Route) string {
	text := r.Arg(filterArg)
	if !fromAKey(r) {
		return text
	}
	k := fromKey(r)
	start := "(" + odata.PartitionKeyName + " gt " + query.Quote(k.PartitionKey) + " or " + odata.PartitionKeyName + " eq " + query.Quote(k.PartitionKey) +
		" and " + odata.RowKeyName + " ge " + query.Quote(k.RowKey) + ")"
	if text != "" {
		return start + " and (" + text + ")"
	}
	return start
}

// fetch reads the page after the last one; nil is the first one.
func (p *Page) fetch(from *client.Continuation) {
	p.results.state, p.results.err = remote.Loading, nil
	top := nextPage
	if from == nil {
		top = firstPage
	}
	p.read(from, top, func(answer client.Page, err error) {
		r := &p.results
		if err != nil {
			r.state, r.err, r.refused = remote.Failed, err, from == nil
			r.all, r.then = false, nil
			if r.refused {
				p.outage.Failed(p.ctx, err, p.fetchAgain)
			}
			return
		}
		if from == nil {
			r.first()
		}
		if p.outage.Ended() {
			p.Session.WroteTo(p.Route.Account) // its tables can be read again, too
		}
		r.answered(answer)
		for _, e := range answer.Entities {
			p.schema.Add(e.Entity)
		}
		p.sheet.columns = nil
		if from == nil && p.settings.Sort != "" && r.rows.Ended() {
			p.sortRows()
		}
		p.measure()
		p.proceed()
		if from == nil {
			if kind := answer.Explain.Kind; kind == client.PlanTableScan || kind == client.PlanPartitionScan {
				p.remember(kind)
			}
			p.loadPartitions()
			p.learn()
		} else {
			p.foresee()
		}
	})
}

// fetchAgain reads the first page, whatever is being read.
func (p *Page) fetchAgain() {
	p.cancelAll()
	p.fetch(nil)
}

// sampleRows is how many rows say which properties a table has, where the
// query itself did not return that many.
const sampleRows = 100

// learn reads some rows without the filter, once, so that completion and the
// explanation of an empty result know the table's properties.
func (p *Page) learn() {
	if p.learned || p.schema.Entities() >= sampleRows || p.shown.Args == "" {
		return
	}
	p.learned = true
	r := p.Route
	page.Background(p.ctx, func(c context.Context) func() {
		answer, err := p.client().Query(c, r.Table, client.Query{Top: sampleRows})
		return func() {
			if err != nil {
				return // the query itself reports what is wrong
			}
			for _, e := range answer.Entities {
				p.schema.Add(e.Entity)
			}
			p.sheet.columns = nil
			p.foresee()
		}
	})
}

// foresee reads what the correction of a query without a result would return. More
// that is learned about the table may lead to another correction.
// Requests to a connected account may cost money: nothing is read ahead there.
func (p *Page) foresee() {
	r := &p.results
	if p.Connected() || r.state != remote.Loaded || p.partitions.State() == remote.Loading {
		return
	}
	why := p.whyEmpty()
	if why == nil || why.Try == "" || why.Try == r.tried {
		return
	}
	r.tried, r.foreseen = why.Try, nil
	run, table, q := r.run, p.Route.Table, client.Query{Filter: why.Try, Select: withKeys(odata.PartitionKeyName), Top: nextPage}
	page.Background(p.ctx, func(c context.Context) func() {
		answer, err := p.client().Query(c, table, q)
		return func() {
			if r := &p.results; err == nil && run == r.run && q.Filter == r.tried {
				r.foreseen = &answer
			}
		}
	})
}

// proceed reads the next page if rows are missing on the screen, or if all are
// to be read. Pages can be empty before the end, so this continues until
// the screen is full.
func (p *Page) proceed() {
	r := &p.results
	switch {
	case r.state != remote.Loaded:
	case r.rows.Ended():
		then := r.then
		r.all, r.then = false, nil
		if then != nil {
			then()
		}
	case r.all || max(p.window().To, p.sheet.active+1)+ahead > r.rows.Len():
		p.fetch(r.rows.Next())
	}
}

// refill reads a page again that was forgotten while the user was elsewhere.
func (p *Page) refill() {
	r := &p.results
	missing, ok := r.rows.Missing(p.sheet.window.From, p.sheet.window.To)
	if !ok || r.refilling == r.run || r.refused || r.state == remote.Loading {
		return
	}
	r.refilling = r.run
	top := nextPage
	if missing.From == nil {
		top = firstPage
	}
	p.read(missing.From, top, func(answer client.Page, err error) {
		r.refilling = 0
		if err != nil {
			r.state, r.err = remote.Failed, err
			return
		}
		r.rows.Fill(missing, r.passing(answer.Entities))
		p.measure()
	})
}

// loadAll reads all pages, until the end or cancelled.
func (p *Page) loadAll() { p.loadAllThen(nil) }

func (p *Page) loadAllThen(then func()) {
	if p.results.refused {
		return // the rows are those of another query
	}
	p.results.all, p.results.then = true, then
	p.proceed()
}

// cancelAll ends reading; what was read stays.
func (p *Page) cancelAll() {
	p.results.cancel()
	p.results.run++
	if p.results.state == remote.Loading {
		p.results.state = remote.Loaded
	}
}
