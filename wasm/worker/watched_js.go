package main

import (
	"errors"
	"sync"
	"sync/atomic"

	"sandtable/engine"
	"sandtable/engine/idbstorage"
)

// watched is a storage that tells whether the browser has room, with the first
// write that shows it and whenever that changes: many pages may write, and each
// is to know. It also finds out that another worker has taken the database over,
// from when on no write will succeed.
type watched struct {
	watchable
	full   func(bool)
	told   atomic.Int32  // what was told last
	fenced chan struct{} // closed then
	fence  func()
}

// What was told of room.
const (
	nothing int32 = iota
	room
	noRoom
)

// watchable is a storage of which [engine.DB.Verify] can see what is there.
type watchable interface {
	engine.Storage
	BlockIDs() ([]engine.BlockID, error)
	// ReadOnly reports whether there was no room to take the store over.
	ReadOnly() bool
}

func watch(storage watchable, full func(bool)) *watched {
	w := &watched{watchable: storage, full: full, fenced: make(chan struct{})}
	w.fence = sync.OnceFunc(func() { close(w.fenced) })
	return w
}

// Load says at once when nothing can be written.
func (w *watched) Load() (engine.Directory, error) {
	d, err := w.watchable.Load()
	if err == nil && w.ReadOnly() {
		_ = w.tell(idbstorage.ErrQuota)
	}
	return d, err
}

func (w *watched) Append(seq uint64, record []byte) error {
	return w.tell(w.watchable.Append(seq, record))
}

// Checkpoint says nothing of room when it only deletes, for which there is
// always some.
func (w *watched) Checkpoint(c engine.Checkpoint) error {
	err := w.watchable.Checkpoint(c)
	if err == nil && len(c.Puts) == 0 {
		return nil
	}
	return w.tell(err)
}

// ReadBlocks tells of another worker, but says nothing of room.
func (w *watched) ReadBlocks(ids []engine.BlockID) ([][]byte, error) {
	texts, err := w.watchable.ReadBlocks(ids)
	if errors.Is(err, idbstorage.ErrFenced) {
		w.fence()
	}
	return texts, err
}

func (w *watched) tell(err error) error {
	full := errors.Is(err, idbstorage.ErrQuota)
	now := room
	if full {
		now = noRoom
	}
	if (full || err == nil) && w.told.Swap(now) != now {
		w.full(full)
	}
	if errors.Is(err, idbstorage.ErrFenced) {
		w.fence()
	}
	return err
}
