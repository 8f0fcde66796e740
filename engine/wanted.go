package engine

import (
	"errors"
	"fmt"

	"sandtable/engine/internal/block"
)

// mostReads is how often an update is put off. One that wants more blocks than
// that, a query of much of a table, has everybody wait for them.
const mostReads = 100

// wanted is what an update wants of the storage: there is one writer at a
// time, who must not wait for blocks that only one of the updates is about.
// So a callback that comes to a block that is not in memory is given up, the
// block is read in the goroutine of its caller, and the callback begins anew.
type wanted struct {
	next  *blockRef // nil for nothing
	ahead []*blockRef
	era   *era                       // which is read until then, so that the blocks stay
	held  map[*blockRef]*block.Block // what was read: the cache may have let go of it
	reads int
}

// errPutOff is what the callback gets in the place of the block. Nobody sees
// what it makes of it.
var errPutOff = fmt.Errorf("%w: %w: not in memory yet", ErrStorage, ErrReading)

// begun reports whether the update was put off before.
func (w *wanted) begun() bool { return w.reads > 0 }

// begin returns what a transaction is to use, nil if it is to wait for blocks.
func (w *wanted) begin() *wanted {
	w.next, w.ahead = nil, nil
	if w.reads == mostReads {
		return nil
	}
	return w
}

// load returns a block that is not in memory: in an update, one that was read
// since the update came, or an error.
func (tx *Tx) load(ref *blockRef, ahead []*blockRef) (*block.Block, error) {
	w := tx.wanted
	if w == nil {
		return tx.cache.load(ref, ahead)
	}
	if b := w.held[ref]; b != nil {
		return b, nil
	}
	if w.next == nil {
		w.next, w.ahead = ref, ahead
	}
	return nil, errPutOff
}

// keep has the blocks stay in the storage until they were read. The caller
// leads, so that the era is the current one.
func (w *wanted) keep(e *era) {
	w.era = e
	e.readers.Add(1)
}

// read reads what is wanted.
func (w *wanted) read(c *cache) error {
	w.reads++
	b, err := c.load(w.next, w.ahead)
	w.era.readers.Add(-1)
	switch {
	case errors.Is(err, errReplaced):
		return nil // by what the next run will find
	case err != nil:
		return err
	}
	if w.held == nil {
		w.held = make(map[*blockRef]*block.Block)
	}
	w.held[w.next] = b
	return nil
}
