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

// DefaultMemoryBudget returns the default of Options.MemoryBudget: 256 MiB, or
// 64 MiB in a browser.
func DefaultMemoryBudget() int {
	if runtime.GOARCH == "wasm" {
		return 64 << 20
	}
	return 256 << 20
}

// The limits of read-ahead in one call of the storage.
const (
	aheadBlocks = 16
	aheadBytes  = 512 << 10
)

// cache loads blocks on demand and keeps them in memory up to a budget. It evicts
// by the CLOCK algorithm: a block with its used bit set gets a second chance, so a
// hit takes no lock. An evicted block stays valid for readers that hold it.
type cache struct {
	storage    Storage
	budget     int
	quarantine *quarantine

	mu    sync.Mutex // guards the fields below; not held while waiting
	clock list.List  // of *blockRef; the hand is at the back
	bytes int
	loads map[*blockRef]*load
}

// load is a read in progress.
type load struct {
	done   chan struct{}
	refs   []*blockRef
	blocks []*block.Block // nil for a corrupt one that was replaced
	err    error
}

// get returns a block, from memory if it is there.
func (c *cache) get(ref *blockRef) (*block.Block, error) {
	if b := ref.resident(); b != nil {
		return b, nil
	}
	if b := c.applyPending(ref); b != nil {
		return b, nil
	}
	return c.load(ref, nil)
}

// applyPending returns a block with a delta that is still to be applied to it, nil
// for any other.
func (c *cache) applyPending(ref *blockRef) *block.Block {
	if ref.pending.Load() == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := ref.pending.Load(); p != nil {
		ref.data.Store(block.Apply(p.base, []*block.Block{p.delta}))
		ref.pending.Store(nil)
	}
	return ref.data.Load()
}

// load reads a block, together with the blocks of ahead that are not in memory. If
// the block is already being read, it waits for that read.
func (c *cache) load(ref *blockRef, ahead []*blockRef) (*block.Block, error) {
	c.mu.Lock()
	if b := ref.resident(); b != nil {
		c.mu.Unlock()
		return b, nil
	}
	f := c.loads[ref]
	if f != nil {
		c.mu.Unlock()
		<-f.done
		if !slices.Contains(f.refs, ref) {
			return c.load(ref, ahead) // it could not be read ahead
		}
		return f.block(ref)
	}
	f = c.begin(ref, ahead)
	c.mu.Unlock()
	all := f.refs
	f.blocks, f.err = c.read(all)
	if f.err != nil && len(all) > 1 { // maybe only a block that is read ahead cannot be read
		f.refs = all[:1]
		f.blocks, f.err = c.read(f.refs)
	}
	c.finish(f, all)
	return f.block(ref)
}

// begin registers the load of a block. The caller holds mu.
func (c *cache) begin(ref *blockRef, ahead []*blockRef) *load {
	f := &load{done: make(chan struct{}), refs: []*blockRef{ref}}
	for _, r := range ahead {
		if r.data.Load() == nil && r.pending.Load() == nil && !r.corrupt.Load() && c.loads[r] == nil {
			f.refs = append(f.refs, r)
		}
	}
	if c.loads == nil {
		c.loads = make(map[*blockRef]*load)
	}
	for _, r := range f.refs {
		c.loads[r] = f
	}
	return f
}

// finish ends the load of all these blocks, and keeps those that were read.
func (c *cache) finish(f *load, all []*blockRef) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range all {
		delete(c.loads, r)
	}
	for i, r := range f.refs {
		if f.err == nil && !r.gone && f.blocks[i] != nil && f.blocks[i] != emptyBlock {
			r.data.Store(f.blocks[i])
			c.keep(r)
		}
	}
	c.evict()
	close(f.done)
}

func (f *load) block(ref *blockRef) (*block.Block, error) {
	if f.err != nil {
		return nil, fmt.Errorf("%w: %w: %w", ErrStorage, ErrReading, f.err)
	}
	b := f.blocks[slices.Index(f.refs, ref)]
	if b == nil {
		return nil, errReplaced
	}
	return b, nil
}

// errReplaced is returned to a reader of an older version whose block is corrupt
// and was replaced: the current version has its entities.
var errReplaced = fmt.Errorf("%w: %w: the block was replaced and is corrupt", ErrStorage, ErrReading)

// read reads blocks with one call of the storage. An error of the storage puts no
// block into quarantine, except that a single block is missing.
func (c *cache) read(refs []*blockRef) ([]*block.Block, error) {
	parts, err := c.readParts(refs)
	if err != nil && (len(refs) > 1 || !errors.Is(err, ErrBlockNotFound)) {
		return nil, err
	}
	blocks := make([]*block.Block, len(refs))
	for i, r := range refs {
		cause := err
		if err == nil {
			blocks[i], cause = openParts(parts[i], r)
		}
		if cause == nil {
			continue
		}
		if !isCorrupt(cause) {
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

// readParts reads the bytes of each block and of its deltas. It turns a panic of
// the storage into an error.
func (c *cache) readParts(refs []*blockRef) (parts [][][]byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	ids := make([]BlockID, 0, len(refs))
	for _, r := range refs {
		ids = r.appendIDs(ids)
	}
	data, err := c.storage.ReadBlocks(ids)
	if err != nil {
		return nil, err
	}
	parts = make([][][]byte, len(refs))
	for i, r := range refs {
		n := len(r.parts())
		parts[i], data = data[:n], data[n:]
	}
	return parts, nil
}

// isCorrupt reports whether a block is corrupt or missing. Otherwise it could not
// be read now, or has a newer format.
func isCorrupt(cause error) bool {
	return !errors.Is(cause, ErrFormat) && (errors.Is(cause, ErrBlockNotFound) || errors.Is(cause, ErrCorrupt))
}

func (c *cache) keep(r *blockRef) {
	if r.place == nil {
		r.place = c.clock.PushFront(r)
		c.bytes += r.Size
	}
}

func (c *cache) drop(r *blockRef) {
	c.clock.Remove(r.place)
	c.bytes -= r.Size
	r.place = nil
	r.data.Store(nil)
	r.pending.Store(nil)
}

// evict drops blocks until the budget holds.
func (c *cache) evict() {
	for c.bytes > c.budget && c.clock.Len() > 0 {
		hand := c.clock.Back()
		if r := hand.Value.(*blockRef); r.used.Swap(false) {
			c.clock.MoveToFront(hand)
		} else {
			c.drop(r)
		}
	}
}

// replace drops blocks that were replaced, and keeps them out: readers of older
// versions read them from the storage. It adds the blocks that only got another delta.
func (c *cache) replace(refs []*blockRef, patched map[*blockRef]*blockRef) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range refs {
		r.gone = true
		if r.place != nil {
			c.drop(r)
		}
	}
	for _, r := range patched {
		c.keep(r)
	}
	c.evict()
}
