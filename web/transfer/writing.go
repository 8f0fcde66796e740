package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata/rowfile"
	"sandtable/web/bulk"
	"sandtable/web/client"
	"sandtable/web/humanize"
	"sandtable/web/page"
)

// writing is an export in progress.
type writing struct {
	cancel context.CancelFunc
	start  time.Time
	total  int // entities, 0 if it is not known

	mu    sync.Mutex
	phase string
	read  int
	meter bulk.Meter
}

func (w *writing) begin(phase string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.phase, w.read, w.meter = phase, 0, bulk.Meter{}
	w.meter.Note(time.Now(), 0)
}

func (w *writing) add(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.read += n
	w.meter.Note(time.Now(), w.read)
}

// state returns a copy of what is drawn.
func (w *writing) state() (phase string, read int, remaining time.Duration, rate float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.phase, w.read, w.meter.Remaining(max(0, w.total-w.read)), w.meter.Rate()
}

func (p *Export) onExport(app.Context, app.Event) {
	out, name, mediaType := p.newOutput(), p.fileName(), p.mediaType() // the options may change until it is written
	p.write(out, func(error) {}, func(n int) {
		out.Save(name, mediaType)
		p.Session.Notify("Exported " + humanize.Count(n, "entity", "entities") + " to " + name)
		p.close()
	})
}

// buffer is an output in memory.
type buffer struct{ bytes.Buffer }

func (*buffer) Save(string, string) {}

// text returns what was written, without the mark that begins files.
func (b *buffer) text() string { return strings.TrimPrefix(b.String(), "\ufeff") }

// copyable reports whether a file is small enough for the clipboard, as far as is known.
func copyable(size int, known bool) bool { return known && size <= mostCopied }

// onPreviewKey copies the whole file on Ctrl+C, unless a part of the preview is selected.
func (p *Export) onPreviewKey(ctx app.Context, event app.Event) {
	control := event.Get("ctrlKey").Truthy() || event.Get("metaKey").Truthy()
	if control && event.Get("key").String() == "c" && app.Window().Call("getSelection").Call("toString").String() == "" {
		_, known := p.count()
		if _, size := p.preview(); copyable(size, known) {
			event.PreventDefault()
			p.onCopy(ctx, event)
			return
		}
	}
	ctx.PreventUpdate()
}

func (p *Export) onCopy(app.Context, app.Event) {
	if p.writing != nil {
		return // its clipboard would wait for nothing
	}
	out := &buffer{}
	give := page.CopyLater(p.ctx, p.Session, func() { p.copied = true })
	p.write(out, func(err error) { give(out.text(), err) }, func(int) {})
}

// write writes the file to an output in the background. It calls ended in any case, and
// done with the number of entities on the page that is still there.
func (p *Export) write(out output, ended func(error), done func(int)) {
	if p.writing != nil {
		return
	}
	total, _ := p.count()
	c, cancel := context.WithCancel(context.Background())
	w := &writing{start: time.Now(), total: total, cancel: cancel}
	p.writing, p.err = w, nil
	each, writer := p.entities(), p.writer(nil)
	var columns []string // those of the sample may be fewer by now
	if p.shownOnly() {
		columns = p.selectedColumns()
	}
	page.Background(p.ctx, func(context.Context) func() {
		defer cancel()
		n, err := writeAll(c, each, writer, columns, out, w)
		if err == nil {
			err = c.Err()
		}
		ended(err)
		return func() {
			if p.writing != w {
				return // it was cancelled
			}
			p.writing, p.err = nil, err
			if err == nil {
				done(n)
			}
		}
	})
	page.Follow(p.ctx, func() bool { return p.writing == w })
}

// entities returns a function that calls f with the entities, some at a time.
func (p *Export) entities() func(c context.Context, f func([]client.Entity) error) error {
	if rows := p.rows.Entities; p.source == fromRows {
		return func(_ context.Context, f func([]client.Entity) error) error { return f(rows) }
	}
	at, table, query := p.Session.Client(p.Route.Account), p.Route.Table, p.query()
	return func(c context.Context, f func([]client.Entity) error) error { return bulk.Each(c, at, table, query, f) }
}

// errNewColumn means that an entity has a property for which the file has no column.
var errNewColumn = errors.New("became a property of the table while it was read: export again")

// writeAll reads the entities and writes them. For CSV, columns that are not known
// are collected first.
func writeAll(c context.Context, each func(context.Context, func([]client.Entity) error) error, w *rowfile.Writer, columns []string, out output, progress *writing) (int, error) {
	if w.Format == rowfile.CSV && columns == nil {
		progress.begin("Collecting the columns")
		err := each(c, func(all []client.Entity) error {
			columns = addNames(columns, all)
			progress.add(len(all))
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	progress.begin("Writing")
	w.Columns = columns
	n := 0
	part := w.Begin(nil)
	err := each(c, func(all []client.Entity) error {
		if names := addNames(columns, all); w.Format == rowfile.CSV && len(names) > len(columns) {
			return fmt.Errorf("“%s” %w", names[len(columns)], errNewColumn)
		}
		for _, e := range all {
			part = w.Append(part, e.Entity)
		}
		n += len(all)
		progress.add(len(all))
		_, err := out.Write(part)
		part = part[:0]
		return err
	})
	if err == nil {
		_, err = out.Write(w.End(part))
	}
	return n, err
}

// stop ends an export in progress. No file is saved.
func (p *Export) stop() {
	if w := p.writing; w != nil {
		p.writing = nil
		w.cancel()
	}
}

func (p *Export) onStop(app.Context, app.Event) { p.stop() }
