package transfer

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"sandtable/odata"
)

// Options are the options of [Copy] and [Compare].
type Options struct {
	// Tables reports whether a table takes part; nil for all.
	Tables func(name string) bool
	// Filter is a $filter that entities have to match; "" for all.
	Filter string
	// DryRun reads everything and writes nothing.
	DryRun bool
	// Concurrency is how many transactions are written at once; 0 means 8.
	Concurrency int
	// State is the progress of an earlier process and is updated; nil starts from
	// the beginning.
	State *State
	// Progress is called after each page.
	Progress func(Progress)
}

// Progress counts what was copied, or compared, by this process.
type Progress struct {
	Table            string // the current one
	Tables, Entities int
	Transactions     int
	Elapsed          time.Duration
}

// Source is what is copied: a [Client] or a [File].
type Source interface {
	// Tables returns the names of all tables.
	Tables(context.Context) ([]string, error)
	// Page returns a page of the entities of a table that match a filter, and where
	// the next one begins, nil for the end.
	Page(ctx context.Context, table, filter string, from *Token) ([]*odata.Entity, *Token, error)
}

// Target is where a copy writes: a [Client] or a [NewFile].
type Target interface {
	// createTable makes a table, or finds the state that an earlier process left.
	createTable(ctx context.Context, name string, state *State) error
	// write writes a page and returns when nothing of it is under way. Without an error
	// all of it is written.
	write(ctx context.Context, table string, page []*odata.Entity, concurrency int) (transactions int, err error)
	// sync makes what is written survive a power failure, and returns its size if that
	// matters when a copy is resumed.
	sync() (size int64, err error)
}

// copier is a running copy.
type copier struct {
	from    Source
	to      Target
	options Options
	begin   time.Time
	now     Progress
}

// Copy copies tables with their entities. Entities with the same keys are replaced,
// others stay. The returned progress is also valid with an error.
func Copy(ctx context.Context, from Source, to Target, options Options) (Progress, error) {
	if options.Concurrency < 1 {
		options.Concurrency = 8
	}
	c := &copier{from: from, to: to, options: options, begin: time.Now()}
	tables, err := c.tables(ctx)
	if err == nil {
		err = checkCase(tables)
	}
	for _, name := range tables {
		if err != nil {
			break
		}
		if !options.State.isDone(name) {
			err = c.table(ctx, name)
		} else {
			err = c.finished(ctx, name)
		}
	}
	c.now.Elapsed = time.Since(c.begin)
	return c.now, err
}

// finished completes a table whose entities an earlier process has copied: that
// process may have been killed before it did so itself.
func (c *copier) finished(ctx context.Context, table string) (err error) {
	if file, ok := c.to.(*NewFile); ok && !file.isFinished(c.options.State) {
		err = file.createTable(ctx, table, c.options.State) // for Finish
	}
	if file, ok := c.from.(*File); ok && err == nil {
		for _, err = range entities(ctx, file, table, "") { // to report bad rows
			if err != nil {
				break
			}
		}
	}
	return err
}

// tables returns the names of the tables that take part.
func (c *copier) tables(ctx context.Context) (names []string, err error) {
	all, err := c.from.Tables(ctx)
	for _, name := range all {
		if c.options.Tables == nil || c.options.Tables(name) {
			names = append(names, name)
		}
	}
	return names, err
}

// checkCase refuses names that only Cosmos DB tells apart: their entities would get into one
// table.
func checkCase(names []string) error {
	first := map[string]string{}
	for _, name := range names {
		lower := strings.ToLower(name)
		if other, twice := first[lower]; twice {
			return fmt.Errorf("the names of the tables %q and %q differ only in case: copy one after the other", other, name)
		}
		first[lower] = name
	}
	return nil
}

// readPage is a page and where the next one begins.
type readPage struct {
	entities []*odata.Entity
	next     *Token
	err      error
}

func (c *copier) table(ctx context.Context, name string) error {
	if !c.options.DryRun {
		if err := c.to.createTable(ctx, name, c.options.State); err != nil {
			return err
		}
	}
	c.now.Tables++
	ctx, cancel := context.WithCancel(ctx)
	pages := make(chan readPage)
	var reading sync.WaitGroup
	reading.Go(func() { c.read(ctx, name, pages) })
	defer reading.Wait()
	defer cancel()
	for page := range pages {
		if page.err != nil {
			return page.err
		}
		if err := c.write(ctx, name, page.entities); err != nil {
			return err
		}
		c.now.Table, c.now.Elapsed = name, time.Since(c.begin)
		c.now.Entities += len(page.entities)
		if c.options.Progress != nil {
			c.options.Progress(c.now)
		}
		if c.options.DryRun || c.options.State == nil {
			continue
		}
		size, err := c.to.sync()
		if err == nil {
			err = c.options.State.advance(name, page.next, size)
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// read sends the pages of a table until there are no more, or ctx is done.
func (c *copier) read(ctx context.Context, table string, pages chan<- readPage) {
	defer close(pages)
	token := c.options.State.next(table)
	for {
		var page readPage
		page.entities, page.next, page.err = c.from.Page(ctx, table, c.options.Filter, token)
		select {
		case pages <- page:
		case <-ctx.Done():
			return
		}
		if page.err != nil || page.next == nil {
			return
		}
		token = page.next
	}
}

// write writes a page, unless this is a dry run.
func (c *copier) write(ctx context.Context, table string, page []*odata.Entity) error {
	if c.options.DryRun {
		c.now.Transactions += len(group(unique(page)))
		return nil
	}
	n, err := c.to.write(ctx, table, page, c.options.Concurrency)
	c.now.Transactions += n
	return err
}

// firstError returns the error that caused the others to be cancelled.
func firstError(errs []error) (first error) {
	for _, err := range errs {
		if err != nil && (first == nil || errors.Is(first, context.Canceled)) {
			first = err
		}
	}
	return first
}
