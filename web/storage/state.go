package storage

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/remote"
)

// Page shows the state of the store.
type Page struct {
	app.Compo
	page.Props

	// persistence and persist ask the browser; a test has its own.
	persistence, persist func() (browser.Persistence, error)

	// fetch reads an address of this site.
	fetch func(address string) (browser.File, error)

	pause   time.Duration // readPause, which tests shorten
	due     bool          // changes are about to be read
	release []func()

	*kept

	ctx       app.Context
	status    remote.Value[control.Status]
	usage     remote.Value[[]usage]
	mergeable remote.Value[control.Mergeable]
	persisted remote.Value[browser.Persistence]
	refused   bool       // persistence was requested, and the browser refused
	choices   page.Queue // of the durability
	choosing  error      // why the durability was not changed
	dump      remote.Value[dumped]
	word      string // typed before a reset
	reset     remote.Value[bool]
	resets    int // counts resets: the field is emptied after one
}

// kept is the same for each page. What was started goes on to its end without the page, and
// the next one shows how far it is.
type kept struct {
	check      check
	compaction compaction
	load       load
	shown      *Page // nil without one
}

// reread has the page that is shown read the store again.
func (k *kept) reread() {
	if k.shown != nil {
		k.shown.read()
	}
}

// running reports whether something is in progress.
func (k *kept) running() bool {
	return k.load.busy || k.check.stop != nil || k.compaction.stop != nil
}

// dumped is a dump that was made.
type dumped struct {
	size int
	end  control.ArchiveEnd
}

// load is an archive that was chosen.
type load struct {
	file browser.File
	end  control.ArchiveEnd
	err  error
	open bool // it was read and may be loaded
	busy bool
	stop context.CancelFunc
	done atomic.Int64 // bytes
	got  *control.Loaded
}

func (p *Page) readPersistence() {
	page.Load(p.ctx, &p.persisted, func(context.Context) (browser.Persistence, error) { return p.persistence() })
}

// usage is what a table, or the snapshots of an account, take of the storage.
type usage struct {
	account string
	client.Table
	snapshots []control.Snapshot // none for a table
}
