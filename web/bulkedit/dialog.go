package bulkedit

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/browser"
	"sandtable/web/bulk"
	"sandtable/web/client"
	"sandtable/web/draft"
	"sandtable/web/page"
	"sandtable/web/remote"
)

// Done is an edit that was made, as far as the report says.
type Done struct {
	Plan   bulk.Plan
	Forced bool // entities that had changed were overwritten
	Report bulk.Report
}

// Undo returns the writes that put back what was there before, none for an edit
// that was forced.
func (d Done) Undo() []bulk.Row {
	if d.Forced {
		return nil
	}
	return d.Plan.Undo(d.Report.Written)
}

// Owner is the page that shows the dialog. Its methods are called on go-app's
// goroutine.
type Owner interface {
	// Writing is called before the entities are written.
	Writing(keys []odata.Key)
	// Edited is called when nothing more is written. The dialog closes by itself
	// if every entity was.
	Edited(Done)
	// UndoEdit takes the edit back.
	UndoEdit(Done)
	// CloseEdit removes the dialog.
	CloseEdit()
}

// Dialog edits the selected entities of the route's table.
type Dialog struct {
	app.Compo
	Session page.Session
	Route   page.Route
	Acts    int // as in [page.Props]
	Owner   Owner
	// Serial changes when another dialog is opened.
	Serial int
	Keys   map[odata.Key]bool // of the selected entities
	// Rows are the selected entities as a whole, nil to have them read: a row may
	// hold some of the properties only, or be in memory no longer.
	Rows []client.Entity
	// Filter is that of the query whose rows are selected.
	Filter string
	// Known are the properties that the table is known to have.
	Known []draft.Known

	ctx     app.Context
	release []func()
	rows    remote.Value[[]client.Entity]
	gone    []bulk.Impossible // selected, but not found when they were read
	edit    bulk.Edit
	text    string // of the value
	force   bool   // overwrite what has changed since it was read
	problem string // what is wrong with the names, "" if nothing is
	misfit  string // what is wrong with the value, "" if nothing is
	plan    bulk.Plan
	run     *run // nil before it was started
	done    *Done
}

// run is an edit that is being written.
type run struct {
	rows    int
	stop    context.CancelFunc
	stopped bool

	mu       sync.Mutex
	progress bulk.Progress
}

func (r *run) note(p bulk.Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.progress = p
}

func (r *run) state() bulk.Progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.progress
}

// CompoID makes go-app mount a new component for another dialog.
func (d *Dialog) CompoID() string { return "edit" + strconv.Itoa(d.Serial) }

// OnInit takes the rows that are known.
func (d *Dialog) OnInit() {
	d.edit = bulk.Edit{Kind: bulk.Set, Type: odata.EdmString}
	if d.Rows != nil {
		d.rows = remote.Of(d.Rows)
	}
}

// OnMount opens the dialog.
func (d *Dialog) OnMount(ctx app.Context) {
	d.start(ctx)
	browser.ShowModal(ctx, dialogID)
	browser.Focus(ctx, propertyID)
}

// OnPreRender does natively what OnMount does in a browser.
func (d *Dialog) OnPreRender(ctx app.Context) { d.start(ctx) }

func (d *Dialog) start(ctx app.Context) {
	d.ctx = ctx
	d.release = append(d.release, d.Session.Keys(d.onKey), d.Session.Guard(d.running))
	d.check()
	if d.Rows == nil {
		d.read()
	}
}

// OnDismount ends what is being written: nobody could stop it any longer.
func (d *Dialog) OnDismount() {
	page.Release(d.release)
	if d.running() {
		d.stop()
	}
}

func (d *Dialog) running() bool { return d.run != nil && d.done == nil }

func (d *Dialog) client() *client.Client { return d.Session.Client(d.Route.Account) }

// onKey closes the dialog, and starts what it is for.
func (d *Dialog) onKey(key page.Key) func() {
	switch {
	case key.Name == "Escape":
		return d.close
	case key.Name == "Enter" && key.Ctrl:
		return d.apply
	case key.Name == "F5":
		return func() {}
	}
	return nil
}

// read reads the selected entities as a whole.
func (d *Dialog) read() {
	page.Load(d.ctx, &d.rows, func(c context.Context) ([]client.Entity, error) {
		return bulk.Find(c, d.client(), d.Route.Table, d.Filter, d.Keys, func(int) {})
	}, func() {
		d.gone = nil
		if found, _ := d.rows.Data(); d.rows.Err() == nil {
			d.gone = missing(d.Keys, found)
		}
		d.check()
		browser.Focus(d.ctx, propertyID)
	})
}

// errGone means that a selected entity is left out because it was not found.
var errGone = errors.New("deleted since it was selected, or no longer in the query's result")

// missing returns the keys that were not found, in order.
func missing(keys map[odata.Key]bool, found []client.Entity) (all []bulk.Impossible) {
	has := make(map[odata.Key]bool, len(found))
	for _, e := range found {
		has[e.Key()] = true
	}
	for _, key := range slices.SortedFunc(maps.Keys(keys), odata.Key.Compare) {
		if !has[key] {
			all = append(all, bulk.Impossible{Key: key, Err: errGone})
		}
	}
	return all
}

// check reads the fields and plans the edit. It is called after each change.
func (d *Dialog) check() {
	d.plan, d.problem, d.misfit = bulk.Plan{Edit: d.edit}, "", ""
	all, held := d.rows.Data()
	if !held || d.edit.Property == "" || d.edit.Kind == bulk.Rename && d.edit.To == "" {
		return
	}
	if err := d.edit.Check(); err != nil {
		d.problem = err.Error()
		return
	}
	if d.edit.Kind == bulk.Set {
		value, err := draft.Property{Name: d.edit.Property, Type: d.edit.Type, Text: d.text}.Value()
		if err != nil {
			if d.text != "" { // else it was not entered yet
				d.misfit = err.Error()
			}
			return
		}
		d.edit.Value = value
	}
	d.plan = d.edit.Plan(all)
	d.plan.Impossible = append(d.plan.Impossible, d.gone...)
}

func (d *Dialog) ready() bool { return d.run == nil && len(d.plan.Changed) > 0 }

// apply writes the plan. The dialog may be gone before that has ended.
func (d *Dialog) apply() {
	if !d.ready() {
		return
	}
	rows := d.plan.Rows(d.force)
	c, stop := context.WithCancel(context.Background())
	r := &run{rows: len(rows), stop: stop}
	d.run = r
	keys := make([]odata.Key, len(rows))
	for i, row := range rows {
		keys[i] = row.Entity.Key()
	}
	d.Owner.Writing(keys)
	job := &bulk.Job{Client: d.client(), Table: d.Route.Table, Transactions: bulk.Group(rows), Whole: true, Progress: r.note}
	plan, forced := d.plan, d.force
	d.Session.Background(func(context.Context) func() {
		report := job.Run(c)
		return func() {
			stop()
			d.ended(Done{plan, forced, report})
		}
	})
	browser.Focus(d.ctx, cancelID)
	page.Follow(d.ctx, d.running)
}

func (d *Dialog) ended(done Done) {
	d.done = &done
	d.Owner.Edited(done)
	if len(failures(done)) == 0 && done.Report.Err == nil {
		d.Owner.CloseEdit()
		return
	}
	browser.Focus(d.ctx, cancelID)
}

// stop ends the edit after the transactions that are under way.
func (d *Dialog) stop() {
	d.run.stopped = true
	d.run.stop()
}

// close removes the dialog, unless it is writing: then that is stopped first.
func (d *Dialog) close() {
	if d.running() {
		d.stop()
		return
	}
	d.Owner.CloseEdit()
}

const (
	dialogID   = "bulk-edit"
	propertyID = "edit-property"
	cancelID   = "edit-cancel"
)
