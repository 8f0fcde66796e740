package engine

import (
	"errors"
	"fmt"

	"sandtable/engine/internal/block"
)

// maxFetches is how often an update is parked. One that needs more than that,
// such as a query of much of a table, loads its blocks as the leader, and all
// others wait.
const maxFetches = 100

// blockFetch lets an update wait for blocks without holding up the others. The
// commit leader never waits for storage on behalf of one update: when a callback
// needs a block that is not in memory, it is abandoned, its own goroutine loads
// the block, and the callback is retried from the start.
type blockFetch struct {
	next   *blockRef // nil for none
	ahead  []*blockRef
	epoch  *epoch                     // pinned until the blocks are loaded
	loaded map[*blockRef]*block.Block // kept here, since the cache may evict them
	count  int
}

// errNotLoaded is returned to the callback instead of the block. The result of the
// callback is then ignored.
var errNotLoaded = fmt.Errorf("%w: %w: not in memory yet", ErrStorage, ErrReading)

// begin prepares for a run of the callback.
func (f *blockFetch) begin() *blockFetch {
	f.cancel()
	return f
}

// spent reports whether the run has to wait for blocks itself.
func (f *blockFetch) spent() bool { return f.count == maxFetches }

// pending reports whether the last run needs a block.
func (f *blockFetch) pending() bool { return f.next != nil }

func (f *blockFetch) cancel() { f.next, f.ahead = nil, nil }

// pin keeps the blocks of the current epoch in the storage until load. The
// caller leads.
func (f *blockFetch) pin(e *epoch) {
	f.epoch = e
	e.readers.Add(1)
}

// load loads what the last run needs.
func (f *blockFetch) load(c *cache) error {
	f.count++
	b, err := c.load(f.next, f.ahead)
	f.epoch.readers.Add(-1)
	switch {
	case errors.Is(err, errReplaced):
		return nil // the next run finds the block that replaced it
	case err != nil:
		return err
	}
	if f.loaded == nil {
		f.loaded = make(map[*blockRef]*block.Block)
	}
	f.loaded[f.next] = b
	return nil
}
