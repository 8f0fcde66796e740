package transfer

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/browser"
	"sandtable/web/bulk"
	"sandtable/web/client"
	"sandtable/web/draft"
	"sandtable/web/page"
	"sandtable/web/tabular"
	"sandtable/web/ui"
)

// ImportDefinition registers the page of imports.
func ImportDefinition() page.Definition {
	started := desk{}
	return page.Definition{
		Name: "import", Title: "Import", Icon: ui.IconFile, Scopes: page.Account | page.Table, Hidden: true, Stays: true,
		New:      func(p page.Props) app.Composer { return &Import{Props: p, desk: started} },
		Exhibits: importExhibits,
	}
}

// Import is the page of imports: into the table of the route, or into a new one
// of the account.
type Import struct {
	app.Compo
	page.Props

	desk    desk
	save    func(name, mediaType string, data []byte) // offers a file; a test has its own
	ctx     app.Context
	release []func()

	file     browser.File
	waiting  []browser.File // to be imported after file
	data     []byte         // kept while the encoding is not known
	planning work
	progress *atomic.Pointer[tabular.Progress] // of the planning while it runs, otherwise nil
	source   *tabular.Source                   // nil until the file is read
	plan     tabular.Plan
	writes   [][]bulk.Row // the transactions of the plan
	err      error
	encoding tabular.Encoding // chosen for a file that is not UTF-8

	write    client.Write
	table    string // the name of a new table
	allLines bool   // all problems are listed
	counting work
	existing existing
}

// OnInit sets the choices.
func (p *Import) OnInit() {
	p.write = client.Merge
	if p.save == nil {
		p.save = browser.SaveFile
	}
}

// OnMount shows an import that is running, or the choice of a file.
func (p *Import) OnMount(ctx app.Context) {
	p.start(ctx)
	browser.Focus(ctx, dialogID)
}

// OnPreRender does natively what OnMount does in a browser.
func (p *Import) OnPreRender(ctx app.Context) { p.start(ctx) }

func (p *Import) start(ctx app.Context) {
	p.ctx = ctx
	p.release = append(p.release, p.Session.Keys(p.onKey))
	p.follow()
	p.take(p.Session.Dropped())
}

// OnDismount lets a running import go on without the page, and ends a plan.
func (p *Import) OnDismount() {
	page.Release(p.release)
	p.planning.stop()
	p.counting.stop()
	p.progress = nil
	if r := p.run(); r != nil {
		r.shown = false
	}
}

func (p *Import) run() *run { return p.desk[p.place()] }

// place is the page's key in the desk.
func (p *Import) place() page.Route { return p.Route.At(p.Route.Page) }

func (p *Import) client() *client.Client { return p.Session.Client(p.Route.Account) }

// onKey closes the page on Esc.
func (p *Import) onKey(key page.Key) func() {
	if key.Name == "Escape" {
		return p.close
	}
	return nil
}

// close goes back to the table. A running import goes on.
func (p *Import) close() {
	r := p.Route
	r.Page = ""
	p.Session.Navigate(r)
}

func (p *Import) onClose(app.Context, app.Event) { p.close() }

const (
	dialogID = "transfer"
	fileID   = "import-file"
)

func (p *Import) onBrowse(app.Context, app.Event) {
	if input := app.Window().GetElementByID(fileID); input.Truthy() {
		input.Set("value", "") // the same file may be chosen again, after it was corrected
		input.Call("click")
	}
}

func (p *Import) onFile(_ app.Context, event app.Event) {
	p.take(browser.FilesIn(event.Get("target")))
}

// OnUpdate takes files that were dropped on the page.
func (p *Import) OnUpdate(app.Context) { p.take(p.Session.Dropped()) }

// open reads a file and plans its import.
func (p *Import) open(file browser.File, encoding tabular.Encoding) {
	if file.Name != p.file.Name || p.table == "" {
		p.table = tableName(file.Name)
	}
	p.file, p.source, p.err, p.data, p.allLines = file, nil, nil, nil, false
	if file.Size > tabular.MaxSize { // before it is read
		p.planning.stop()
		p.progress, p.err = nil, tabular.ErrLarge
		return
	}
	p.prepare(func(step tabular.Step) func() {
		data, err := file.Read()
		var source *tabular.Source
		var plan tabular.Plan
		var writes [][]bulk.Row
		if err == nil {
			source, err = tabular.Open(file.Name, data, tabular.Options{Encoding: encoding, Step: step})
		}
		if err == nil {
			plan, writes, err = planOf(source, step)
		}
		return func() {
			p.source, p.plan, p.writes, p.err, p.data = source, plan, writes, err, nil
			var wrong *tabular.EncodingError
			if errors.As(err, &wrong) {
				p.data, p.encoding = data, wrong.Guess
			}
			browser.Focus(p.ctx, dialogID)
			p.countExisting()
		}
	})
}

// check plans again, after a column or an option was changed.
func (p *Import) check() {
	source := *p.source // the user may change the columns meanwhile
	source.Columns = slices.Clone(source.Columns)
	p.prepare(func(step tabular.Step) func() {
		plan, writes, _ := planOf(&source, step) // the only error is that it was stopped
		return func() {
			p.plan, p.writes = plan, writes
			p.countExisting()
		}
	})
}

// planOf plans an import, and its transactions.
func planOf(source *tabular.Source, step tabular.Step) (tabular.Plan, [][]bulk.Row, error) {
	plan, err := source.Plan(step)
	var all [][]bulk.Row
	for at := 0; err == nil && at < len(plan.Rows); {
		rest := plan.Rows[at:]
		rows := make([]bulk.Row, bulk.Cut(len(rest), func(i int) *odata.Entity { return rest[i].Entity }))
		for i := range rows {
			rows[i] = bulk.Row{Line: rest[i].Line, Operation: client.Operation{Entity: rest[i].Entity}}
		}
		all = append(all, rows)
		if at += len(rows); len(all)%100 == 0 {
			err = step(tabular.Progress{Doing: "Making transactions", Rows: at, Fraction: float64(at) / float64(len(plan.Rows))})
		}
	}
	return plan, all, err
}

// prepare does something with the file in the background, which the page shows. Only what
// was begun last counts.
func (p *Import) prepare(do func(tabular.Step) (apply func())) {
	progress := &atomic.Pointer[tabular.Progress]{}
	progress.Store(&tabular.Progress{Doing: "Reading"})
	p.progress = progress
	p.planning.begin(p.ctx, func(_ context.Context, pause func() error) func() {
		apply := do(func(now tabular.Progress) error {
			progress.Store(&now)
			return pause()
		})
		return func() {
			p.progress = nil
			apply()
		}
	})
	page.Follow(p.ctx, func() bool { return p.progress == progress })
}

// tableName makes the name of a table from that of a file.
func tableName(file string) string {
	if i := strings.IndexByte(file, '.'); i > 0 {
		file = file[:i]
	}
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, file)
	if name == "" || name[0] <= '9' {
		name = "T" + name
	}
	for len(name) < 3 {
		name += "1"
	}
	return name[:min(len(name), 63)]
}

// target is the table that the import writes to.
func (p *Import) target() string { return cmp.Or(p.Route.Table, p.table) }

// targetProblem says why the table cannot be written to, "" if it can.
func (p *Import) targetProblem() string {
	switch {
	case p.Route.Table != "":
		return ""
	case p.table == "":
		return "A table's name has 3 to 63 letters and digits and begins with a letter."
	}
	return draft.CheckTableName(p.table)
}
