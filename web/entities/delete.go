package entities

import (
	"context"
	"maps"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/bulk"
	"sandtable/web/client"
	"sandtable/web/humanize"
	"sandtable/web/page"
)

// manyRows is how many rows are deleted at once without a question: the undo ends
// when the app is left.
const manyRows = 100

// undoDeletion is the title of the undo of a deletion.
const undoDeletion = "Undo the deletion"

// deleteSelected deletes the selected rows: it can be undone. Rows of which the
// query returned a part, or that are in memory no longer, are read as a whole first.
func (p *Page) deleteSelected() {
	rows, keys := p.chosen(), maps.Clone(p.selected)
	for _, e := range rows {
		keys[e.Key()] = true
	}
	switch {
	case len(keys) == 0:
		return
	case p.kept.jobs.Long(p.Route):
		p.Session.Notify("Entities are still being deleted or restored: wait, or stop that first")
		return
	case len(rows) == len(keys) && !p.results.partial:
		p.askToDelete(rows)
		return
	}
	p.readSelected(keys)
}

// readSelected reads the rows with some keys as a whole, and then asks about them.
func (p *Page) readSelected(keys map[odata.Key]bool) {
	r, at, filter := p.Route, p.client(), filterFrom(p.results.asked)
	var whole []client.Entity
	j := &page.Job{One: "entity", Many: "entities", Verb: "read", Rest: ", and none deleted.", All: len(keys)}
	p.kept.jobs.Start(p.Session, r, j, func(c context.Context) (err error) {
		whole, err = bulk.Find(c, at, r.Table, filter, keys, j.Note)
		return err
	}, func(err error) {
		if err != nil || p.kept.at(r) != p {
			return // the user is elsewhere
		}
		if n := len(keys) - len(whole); n > 0 {
			p.notDeleted(n)
		}
		if len(whole) > 0 {
			p.askToDelete(whole)
		}
	})
}

// askToDelete deletes rows, many only after a question.
func (p *Page) askToDelete(rows []client.Entity) {
	if len(rows) <= manyRows {
		p.delete(rows, false)
		return
	}
	page.AskToDeleteEntities(p.Session, p.Route, len(rows), func(snapshot bool) { p.delete(rows, snapshot) })
}

// delete deletes rows that have not changed since they were read.
func (p *Page) delete(all []client.Entity, snapshot bool) {
	r := p.Route
	rows := make([]bulk.Row, len(all))
	for i, e := range all {
		p.results.expect(e.Key())
		rows[i] = bulk.Row{Operation: client.Operation{Write: client.Delete, Entity: e.Entity, IfMatch: e.Tag}}
	}
	var report bulk.Report
	j := &page.Job{One: "entity", Many: "entities", Verb: "deleted", Rest: ".", All: len(all)}
	p.kept.jobs.Start(p.Session, r, j, func(c context.Context) error {
		if snapshot {
			if err := page.SnapshotBefore(c, p.Session, r.Account, "deleting "+humanize.Count(len(all), "entity", "entities")+" of "+r.Table); err != nil {
				return err
			}
		}
		report = p.job(r, j, rows).Run(c)
		return failure(report)
	}, func(err error) {
		if shown := p.kept.at(r); shown != nil {
			shown.deleted(report)
		} else if err != nil {
			p.Session.Notify("Not all were deleted from " + r.Table + ": " + j.Words() + j.Rest)
		}
		if done := report.Written; len(done) > 0 {
			p.OfferUndo("Deleted "+humanize.Count(len(done), "entity", "entities"), undoDeletion, func() { p.restore(r, done) })
		}
		if n := changed(report); n > 0 {
			p.notDeleted(n)
		}
	})
}

// deleted removes the rows that are gone, also those that were deleted elsewhere, and
// marks those that changed there.
func (p *Page) deleted(report bulk.Report) {
	var gone []odata.Key
	for _, w := range report.Written {
		gone = append(gone, w.Entity.Key())
	}
	for _, x := range report.Refused {
		key := x.Entity.Key()
		switch {
		case client.HasCode(x.Err, client.CodeResourceNotFound):
			gone = append(gone, key)
		case client.HasCode(x.Err, client.CodeConditionNotMet):
			p.results.marked[key] = true
		}
	}
	p.drop(gone...)
	p.measure()
	p.proceed()
}

// failure returns why rows were not deleted, unless it is that they are not as they were
// read.
func failure(r bulk.Report) error {
	for _, x := range r.Refused {
		if !client.HasCode(x.Err, client.CodeResourceNotFound, client.CodeConditionNotMet) {
			return x.Err
		}
	}
	return r.Err
}

// changed returns how many rows were not deleted because they changed elsewhere.
func changed(r bulk.Report) (n int) {
	for _, x := range r.Refused {
		if client.HasCode(x.Err, client.CodeConditionNotMet) {
			n++
		}
	}
	return n
}

// notDeleted says that entities are not as the user has seen them.
func (p *Page) notDeleted(n int) {
	p.Session.Notify("Not deleted: " + humanize.Count(n, "entity", "entities") + ", changed elsewhere in the meantime. Run the query again to see the current values.")
}

// restore inserts deleted entities again.
func (p *Page) restore(r page.Route, deleted []bulk.Written) {
	rows := make([]bulk.Row, len(deleted))
	for i, w := range deleted {
		rows[i] = bulk.Row{Operation: client.Operation{Write: client.Insert, Entity: w.Entity}}
	}
	p.write(r, "Restored", undoDeletion, rows)
}

// job writes rows, partition by partition, and notes how far it is.
func (p *Page) job(r page.Route, j *page.Job, rows []bulk.Row) *bulk.Job {
	return &bulk.Job{Client: p.Session.Client(r.Account), Table: r.Table, Transactions: bulk.Group(rows),
		Progress: func(now bulk.Progress) { j.Note(now.Written) }}
}

// onDeleteTable asks before it deletes.
func (p *Page) onDeleteTable(app.Context, app.Event) {
	r := p.Route
	t, _ := p.Session.Catalog().Table(r.Account, r.Table)
	page.AskToDelete(p.Session, r.Account, []string{r.Table}, t.Entities, p.deleteTable)
}

// deleteTable deletes the table. The user may have left the page before that is done.
func (p *Page) deleteTable(snapshot bool) {
	r := p.Route
	p.Session.Background(func(c context.Context) func() {
		err := page.DeleteTables(c, p.Session, r.Account, []string{r.Table}, snapshot, func(int) {})
		return func() {
			if err != nil {
				p.Session.Notify("Table " + r.Table + " not deleted: " + err.Error())
				return
			}
			p.Session.Notify("Table " + r.Table + " deleted")
			p.Session.WroteTo(r.Account)
			if p.Mounted() {
				p.Session.Navigate(page.Route{Account: r.Account})
			}
		}
	})
}
