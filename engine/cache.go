package engine

import (
	"container/list"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"sandtable/engine/internal/block"
)

// DefaultMemoryBudget returns how many bytes of blocks are kept in memory
// unless [Options] say otherwise: 256 MiB, or 64 MiB in a browser.
func DefaultMemoryBudget() int {
	if runtime.GOARCH == "wasm" {
		return 64 << 20
	}
	return 256 << 20
}

// How much is read ahead of a scan with one call of the storage.
const (
	aheadBlocks = 16
	aheadBytes  = 512 << 10
)

// cache reads blocks when they are asked for and keeps them, up to a budget.
// The block that was not used for longest goes first, as near as one bit tells:
// they stand in a row, and one that was used since it was looked at last is
// spared when its turn comes, and goes to the end. So a block that is used again
// costs no lock. One that is let go of stays good for whoever has it.
type cache struct {
	storage    Storage
	budget     int
	quarantine *quarantine

	mu      sync.Mutex // guards what follows; not held while waiting
	row     list.List  // of *blockRef, the newest in front
	bytes   int
	flights map[*blockRef]*flight
}

// flight is a read under way.
type flight struct {
	done   chan struct{}
	refs   []*blockRef
	blocks []*block.Block // nil for one that cannot be read and was replaced
	err    error
}

// get returns a block, from memory if it is there.
func (c *cache) get(ref *blockRef) (*block.Block, error) {
	if b := ref.resident(); b != nil {
		return b, nil
	}
	return c.load(ref, nil)
}

// resident returns the block if it can be had without waiting, else nil.
func (r *blockRef) resident() *block.Block {
	b := r.data.Load()
	if b == nil {
		if r.corrupt.Load() {
			return emptyBlock
		}
		return nil
	}
	if !r.used.Load() {
		r.used.Store(true)
	}
	return b
}

// load reads a block, and with it those that are wanted next. Whoever wants a
// block that another is reading waits for that.
func (c *cache) load(ref *blockRef, ahead []*blockRef) (*block.Block, error) {
	c.mu.Lock()
	if b := ref.resident(); b != nil {
		c.mu.Unlock()
		return b, nil
	}
	f := c.flights[ref]
	if f != nil {
		c.mu.Unlock()
		<-f.done
		return f.block(ref)
	}
	f = c.begin(ref, ahead)
	c.mu.Unlock()
	f.blocks, f.err = c.read(f.refs)
	c.land(f)
	return f.block(ref)
}

// begin takes on the reading of blocks.
func (c *cache) begin(ref *blockRef, ahead []*blockRef) *flight {
	f := &flight{done: make(chan struct{}), refs: []*blockRef{ref}}
	for _, r := range ahead {
		if r.data.Load() == nil && !r.corrupt.Load() && c.flights[r] == nil {
			f.refs = append(f.refs, r)
		}
	}
	if c.flights == nil {
		c.flights = make(map[*blockRef]*flight)
	}
	for _, r := range f.refs {
		c.flights[r] = f
	}
	return f
}

// land keeps what was read.
func (c *cache) land(f *flight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, r := range f.refs {
		delete(c.flights, r)
		if f.err == nil && !r.gone && f.blocks[i] != nil && f.blocks[i] != emptyBlock {
			r.data.Store(f.blocks[i])
			c.keep(r)
		}
	}
	c.evict()
	close(f.done)
}

func (f *flight) block(ref *blockRef) (*block.Block, error) {
	if f.err != nil {
		return nil, fmt.Errorf("%w: %w: %w", ErrStorage, ErrReading, f.err)
	}
	b := f.blocks[slices.Index(f.refs, ref)]
	if b == nil {
		return nil, errReplaced
	}
	return b, nil
}

// errReplaced is the answer to a reader of a version whose block was replaced,
// and is damaged: who reads the current version finds what was in it.
var errReplaced = fmt.Errorf("%w: %w: the block was replaced, and is damaged", ErrStorage, ErrReading)

// read reads blocks together, or one by one if one of them is not there. An
// error of the storage is about this call: it says of no block that it is lost,
// unless that one alone is not there.
func (c *cache) read(refs []*blockRef) ([]*block.Block, error) {
	texts, err := c.texts(refs)
	missing := errors.Is(err, ErrBlockNotFound)
	switch {
	case missing && len(refs) > 1:
		return c.readEach(refs)
	case err != nil && !missing:
		return nil, err
	}
	blocks := make([]*block.Block, len(refs))
	for i, r := range refs {
		cause := err
		if err == nil {
			blocks[i], cause = openBlock(texts[i], r.BlockInfo)
		}
		if cause == nil {
			continue
		}
		if !isLoss(cause) {
			return nil, cause
		}
		if errors.Is(cause, ErrBlockNotFound) {
			cause = fmt.Errorf("%w: %w", ErrCorrupt, cause)
		}
		if c.quarantine.addBlock(r, cause) {
			blocks[i] = emptyBlock
		}
	}
	return blocks, nil
}

func (c *cache) readEach(refs []*blockRef) ([]*block.Block, error) {
	blocks := make([]*block.Block, len(refs))
	for i := range refs {
		one, err := c.read(refs[i : i+1])
		if err != nil {
			return nil, err
		}
		blocks[i] = one[0]
	}
	return blocks, nil
}

// texts treats a storage that panics as one that fails.
func (c *cache) texts(refs []*blockRef) (texts [][]byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	ids := make([]BlockID, len(refs))
	for i, r := range refs {
		ids[i] = r.ID
	}
	return c.storage.ReadBlocks(ids)
}

// isLoss tells a block that is not what was written from one that could merely
// not be read now, or not by this program.
func isLoss(cause error) bool {
	return !errors.Is(cause, ErrFormat) && (errors.Is(cause, ErrBlockNotFound) || errors.Is(cause, ErrCorrupt))
}

func (c *cache) keep(r *blockRef) {
	if r.place == nil {
		r.place = c.row.PushFront(r)
		c.bytes += r.Size
	}
}

func (c *cache) drop(r *blockRef) {
	c.row.Remove(r.place)
	c.bytes -= r.Size
	r.place = nil
	r.data.Store(nil)
}

// evict lets go of blocks until the budget is kept.
func (c *cache) evict() {
	for c.bytes > c.budget && c.row.Len() > 0 {
		oldest := c.row.Back()
		if r := oldest.Value.(*blockRef); r.used.Swap(false) {
			c.row.MoveToFront(oldest)
		} else {
			c.drop(r)
		}
	}
}

// forget lets go of blocks that were replaced. A reader that still wants one
// reads it from the storage.
func (c *cache) forget(refs []*blockRef) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range refs {
		r.gone = true
		if r.place != nil {
			c.drop(r)
		}
	}
}
