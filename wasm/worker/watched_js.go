package main

import (
	"errors"
	"sync/atomic"

	"sandtable/engine"
	"sandtable/engine/idbstorage"
)

// watched is a storage that reports to all pages whether the browser has space: with
// the first write that shows it, and on changes.
type watched struct {
	watchable
	full     func(bool)
	reported atomic.Int32 // the last report
}

// Reports.
const (
	nothing int32 = iota
	hasSpace
	isFull
)

// watchable is a storage that [engine.DB.Verify] can check.
type watchable interface {
	engine.Storage
	engine.Reserver
	BlockIDs() ([]engine.BlockID, error)
	// ReadOnly reports whether there was no space to become the store's owner.
	ReadOnly() bool
}

func watch(storage watchable, full func(bool)) *watched {
	return &watched{watchable: storage, full: full}
}

// Load reports at once that nothing can be written.
func (w *watched) Load() (engine.Directory, error) {
	d, err := w.watchable.Load()
	if err == nil && w.ReadOnly() {
		_ = w.report(idbstorage.ErrQuota)
	}
	return d, err
}

func (w *watched) Append(seq uint64, record []byte) error {
	return w.report(w.watchable.Append(seq, record))
}

// AppendReserved says nothing about space when it succeeds: that was kept for it.
func (w *watched) AppendReserved(seq uint64, record []byte, drops bool) error {
	if err := w.watchable.AppendReserved(seq, record, drops); err != nil {
		return w.report(err)
	}
	return nil
}

// Checkpoint reports nothing when it only deletes, which needs no space.
func (w *watched) Checkpoint(c engine.Checkpoint) error {
	err := w.watchable.Checkpoint(c)
	if err == nil && len(c.Puts) == 0 {
		return nil
	}
	return w.report(err)
}

func (w *watched) report(err error) error {
	full := errors.Is(err, idbstorage.ErrQuota)
	now := hasSpace
	if full {
		now = isFull
	}
	if (full || err == nil) && w.reported.Swap(now) != now {
		w.full(full)
	}
	return err
}
