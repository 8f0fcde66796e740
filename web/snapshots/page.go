package snapshots

import (
	"cmp"
	"context"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// Name is the page's in addresses.
const Name = "snapshots"

// Definition registers the page.
func Definition() page.Definition {
	return page.Definition{
		Name: Name, Title: "Snapshots", Icon: ui.IconHistory, Scopes: page.Account,
		New:      func(p page.Props) app.Composer { return &Page{Props: p} },
		Exhibits: exhibits,
	}
}

// Page lists the snapshots of an account, with what restoring one would change.
type Page struct {
	app.Compo
	page.Props

	// fetch reads an address of this site; a test has its own.
	fetch func(address string) (browser.File, error)

	ctx     app.Context
	release []func()
	list    remote.Value[control.Snapshots]
	name    string // typed for the next one
	forms   int    // counts emptied fields
	chosen  string // the identity of the selected one
	renamed *string
	compare remote.Value[control.Differences]
	limit   int    // of the entities listed
	busy    string // what is under way, in words
	failed  error
	opening int             // bytes read of a file
	saved   map[string]bool // states that were saved to files
}

// firstDifferences is how many entities are listed at first.
const firstDifferences, allDifferences = 8, 1000

// OnInit connects the page to the browser.
func (p *Page) OnInit() {
	if p.fetch == nil {
		p.fetch = browser.Fetch
	}
}

// OnMount reads the list.
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
	p.chosen, p.limit = p.Route.Arg("id"), firstDifferences
	p.release = append(p.release, p.Session.Watch(p.onChanges), p.Session.Keys(p.onKey))
	p.read()
	p.diff()
}

func (p *Page) onKey(k page.Key) func() {
	switch {
	case k.Ctrl && k.Alt && strings.EqualFold(k.Name, "s"):
		return p.take
	case k.Name == "Escape" && p.chosen != "":
		return func() { p.choose("") }
	}
	return nil
}

// onChanges reads the list and the comparison again when the account has changed.
func (p *Page) onChanges(changes []control.Change) {
	for _, c := range changes {
		if c.Account == p.Route.Account || c.Kind == "lost" {
			p.read()
			p.diff()
			return
		}
	}
}

// read reads the list.
func (p *Page) read() {
	account := p.Route.Account
	page.Load(p.ctx, &p.list, func(c context.Context) (control.Snapshots, error) {
		return p.Session.Control().Snapshots(c, account)
	})
}

// diff compares the selected snapshot with the account's present state.
func (p *Page) diff() {
	account, id, limit := p.Route.Account, p.chosen, p.limit
	if id == "" {
		p.compare = remote.Value[control.Differences]{}
		return
	}
	page.Load(p.ctx, &p.compare, func(c context.Context) (control.Differences, error) {
		return p.Session.Control().Differences(c, account, id, limit)
	})
}

// selected returns the selected snapshot, if it is there.
func (p *Page) selected() (control.Snapshot, bool) {
	list, _ := p.list.Data()
	for _, s := range list.Snapshots {
		if s.ID == p.chosen {
			return s, true
		}
	}
	return control.Snapshot{}, false
}

func (p *Page) choose(id string) {
	p.chosen, p.renamed, p.limit, p.failed = id, nil, firstDifferences, nil
	p.compare = remote.Value[control.Differences]{}
	p.Route = p.Route.With("id", id)
	p.Session.Replace(p.Route)
	p.diff()
}

func (p *Page) onChoose(_ app.Context, e app.Event) { p.choose(ui.Data(e, "snapshot")) }
func (p *Page) onClose(app.Context, app.Event)      { p.choose("") }
func (p *Page) onAgain(app.Context, app.Event)      { p.read() }
func (p *Page) onCompare(app.Context, app.Event)    { p.diff() }

func (p *Page) onAll(app.Context, app.Event) {
	p.limit = allDifferences
	p.diff()
}

func (p *Page) onName(_ app.Context, e app.Event) { p.name = ui.Text(e) }

func (p *Page) onTake(_ app.Context, e app.Event) {
	e.PreventDefault()
	p.take()
}

// act runs an action on the account, one at a time. It may end after the page.
func (p *Page) act(words string, work func(c context.Context, account string) error, done func()) {
	if p.busy != "" {
		return
	}
	p.busy, p.failed = words, nil
	account := p.Route.Account
	p.Session.Background(func(c context.Context) func() {
		err := work(c, account)
		return func() {
			p.busy, p.failed = "", err
			if err == nil && done != nil {
				done()
			}
			p.Session.WroteTo(account)
			switch {
			case p.Mounted():
				p.read()
				p.diff()
			case err != nil:
				p.Session.Notify(strings.TrimSuffix(words, "…") + " failed: " + err.Error())
			}
		}
	})
}

// take takes a snapshot with the name that was typed, or the time.
func (p *Page) take() {
	typed := p.name
	name := cmp.Or(strings.TrimSpace(typed), page.SnapshotName())
	var taken control.Snapshot
	p.act("Taking a snapshot…", func(c context.Context, account string) (err error) {
		taken, err = p.Session.Control().TakeSnapshot(c, account, name, "taken")
		return err
	}, func() {
		if p.name == typed { // else it is the next one's name
			p.name = ""
			p.forms++
		}
		p.Session.Notify("Snapshot “" + taken.Name + "” taken")
	})
}

func (p *Page) onRestore(app.Context, app.Event) {
	if s, ok := p.selected(); ok {
		p.restore(s.ID, s.Name, true)
	}
}

// restore restores a snapshot, and offers to go back.
func (p *Page) restore(id, name string, keep bool) {
	var before *control.Snapshot
	p.act("Restoring…", func(c context.Context, account string) (err error) {
		before, err = p.Session.Control().RestoreSnapshot(c, account, id, keep)
		return err
	}, func() {
		if before == nil {
			p.Session.Notify("Restored “" + name + "”")
			return
		}
		back := *before
		p.Session.Offer("Restored “"+name+"”", "Undo", func() { p.restore(back.ID, back.Name, false) })
	})
}

func (p *Page) onShare(app.Context, app.Event) {
	s, ok := p.selected()
	if !ok {
		return
	}
	address := p.Session.Control().SnapshotFile(p.Route.Account, s.ID)
	p.act("Writing the file…", func(context.Context, string) error {
		file, err := p.fetch(address)
		if err != nil {
			return err
		}
		if _, err = control.ReadArchiveEnd(file.Size, file.Part); err == nil {
			file.Offer(fileName(p.Route.Account, s.Name))
		}
		return err
	}, func() {
		if p.saved == nil {
			p.saved = map[string]bool{}
		}
		p.saved[s.State] = true
		p.Session.Notify("Saved to a file")
	})
}

func (p *Page) onFile(_ app.Context, e app.Event) {
	target := e.Get("target")
	if file, ok := browser.FileIn(target); ok {
		target.Set("value", "") // so that the same file can be chosen again
		p.open(file)
	}
}

// open makes a snapshot of a file.
func (p *Page) open(file browser.File) {
	name := nameOfFile(file.Name)
	progress := func(done int) { p.ctx.Dispatch(func(app.Context) { p.opening = done * 100 / max(1, file.Size) }) }
	p.opening = 0
	p.act("Opening "+file.Name+"…", func(c context.Context, account string) error {
		_, err := p.Session.Control().OpenSnapshot(c, account, name, file.Size, file.Part, progress)
		return err
	}, func() { p.Session.Notify("Opened “" + name + "”") })
}

func (p *Page) onRename(app.Context, app.Event) {
	s, _ := p.selected()
	p.renamed = &s.Name
	browser.Focus(p.ctx, renameID)
}

func (p *Page) onRenaming(_ app.Context, e app.Event) {
	text := ui.Text(e)
	p.renamed = &text
}

func (p *Page) onRenamed(_ app.Context, e app.Event) {
	e.PreventDefault()
	p.rename()
}

func (p *Page) rename() {
	if p.renamed == nil || strings.TrimSpace(*p.renamed) == "" {
		return
	}
	id, name := p.chosen, strings.TrimSpace(*p.renamed)
	p.act("Renaming…", func(c context.Context, account string) error {
		return p.Session.Control().RenameSnapshot(c, account, id, name)
	}, func() {
		if p.chosen == id {
			p.renamed = nil
		}
	})
}

func (p *Page) onDelete(app.Context, app.Event) {
	s, ok := p.selected()
	if !ok {
		return
	}
	if s.Incomplete || p.isElsewhere(s) {
		p.delete(s)
		return
	}
	p.Session.Ask(ui.Question{
		Title: "Delete “" + s.Name + "”?", Confirm: "Delete",
		Text: "No other snapshot, and no file that you saved from this page, holds this state.",
	}, func() { p.delete(s) })
}

// isElsewhere reports whether the account, another snapshot or a file is known to
// hold the same state.
func (p *Page) isElsewhere(s control.Snapshot) bool {
	list, _ := p.list.Data()
	if list.State == s.State || p.saved[s.State] {
		return true
	}
	for _, other := range list.Snapshots {
		if other.ID != s.ID && other.State == s.State && !other.Incomplete {
			return true
		}
	}
	return false
}

func (p *Page) delete(s control.Snapshot) {
	p.act("Deleting…", func(c context.Context, account string) error {
		return p.Session.Control().DeleteSnapshot(c, account, s.ID)
	}, func() {
		if p.Mounted() && p.chosen == s.ID {
			p.choose("")
		}
		p.Session.Notify("Snapshot “" + s.Name + "” deleted")
	})
}
