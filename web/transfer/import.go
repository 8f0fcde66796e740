package transfer

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/browser"
	"sandtable/web/bulk"
	"sandtable/web/client"
	"sandtable/web/page"
	"sandtable/web/tabular"
	"sandtable/web/ui"
)

// ImportDefinition registers the page of imports.
func ImportDefinition() page.Definition {
	started := newDesk()
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

	desk    *desk
	save    func(name, mediaType string, data []byte) // offers a file; a test has its own
	ctx     app.Context
	release []func()

	file     browser.File
	data     []byte          // kept while the encoding is not known
	serial   int             // of the work in the background; the result of older work is dropped
	busy     string          // what is done in the background, "" for nothing
	fraction float64         // how much of it is done
	source   *tabular.Source // nil until the file is read
	plan     tabular.Plan
	// transactions is how many the plan takes.
	transactions int
	err          error
	encoding     tabular.Encoding // chosen for a file that is not UTF-8

	write    client.Write
	table    string // the name of a new table
	allLines bool   // all problems are listed
	existing existing
}

// OnInit sets the choices.
func (p *Import) OnInit() {
	p.write = client.Merge
	if p.save == nil {
		p.save = func(name, mediaType string, data []byte) {
			var d browser.Download
			_, _ = d.Write(data)
			d.Save(name, mediaType)
		}
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
	p.takeDropped()
}

// OnDismount lets a running import go on without the page.
func (p *Import) OnDismount() {
	page.Release(p.release)
	if r := p.run(); r != nil {
		r.shown = false
	}
}

func (p *Import) run() *run { return p.desk.run(p.Route) }

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
	if file, ok := browser.FileIn(event.Get("target")); ok {
		p.open(file, tabular.Detect)
	}
}

// OnUpdate takes a file that was dropped on the page.
func (p *Import) OnUpdate(app.Context) { p.takeDropped() }

func (p *Import) takeDropped() {
	if file, ok := p.Session.Dropped(); ok {
		p.open(file, tabular.Detect)
	}
}

// open reads a file and plans its import.
func (p *Import) open(file browser.File, encoding tabular.Encoding) {
	if r := p.run(); r != nil && r.report == nil {
		p.Session.Notify("An import is running: " + r.name)
		return // one import of a table at a time
	}
	p.desk.put(p.Route, nil)
	if file.Name != p.file.Name || p.table == "" {
		p.table = tableName(file.Name)
	}
	p.file, p.source, p.err, p.data, p.allLines = file, nil, nil, nil, false
	if file.Size > tabular.MaxSize { // before it is read
		p.serial++
		p.busy, p.err = "", tabular.ErrLarge
		return
	}
	p.work("Reading "+file.Name, func(step func(float64)) func() {
		data, err := file.Read()
		var source *tabular.Source
		var plan tabular.Plan
		transactions := 0
		if err == nil {
			source, err = tabular.Open(file.Name, data, tabular.Options{Encoding: encoding, Step: step})
		}
		if err == nil {
			plan = source.Plan()
			transactions = transactionsOf(plan)
		}
		return func() {
			p.source, p.plan, p.transactions, p.err, p.data = source, plan, transactions, err, nil
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
	p.work("Checking", func(func(float64)) func() {
		plan := source.Plan()
		transactions := transactionsOf(plan)
		return func() {
			p.plan, p.transactions = plan, transactions
			p.countExisting()
		}
	})
}

func transactionsOf(plan tabular.Plan) int { return len(bulk.Group(rowsOf(plan.Rows, client.Merge))) }

// stepPause is how often work in the background lets the browser draw. The page
// has one thread.
const stepPause = 40 * time.Millisecond

// work does something that takes long in the background. Of several at a time
// only the last one's result counts.
func (p *Import) work(what string, do func(step func(float64)) func()) {
	p.serial++
	serial := p.serial
	p.busy, p.fraction = what, 0
	last := time.Now()
	step := func(fraction float64) {
		if time.Since(last) < stepPause {
			return
		}
		p.ctx.Dispatch(func(app.Context) {
			if serial == p.serial {
				p.fraction = fraction
			}
		})
		time.Sleep(time.Millisecond)
		last = time.Now()
	}
	page.Background(p.ctx, func(context.Context) func() {
		apply := do(step)
		return func() {
			if serial == p.serial {
				p.busy = ""
				apply()
			}
		}
	})
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
func (p *Import) target() string {
	if p.Route.Table != "" {
		return p.Route.Table
	}
	return p.table
}

// targetProblem says why the table cannot be written to, "" if it can.
func (p *Import) targetProblem() string {
	if p.Route.Table == "" && odata.CheckTableName(p.table) != nil {
		return "A table's name has 3 to 63 letters and digits and begins with a letter."
	}
	return ""
}
