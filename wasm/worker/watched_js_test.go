package main

import (
	"fmt"
	"slices"
	"testing"

	"sandtable/engine"
	"sandtable/engine/idbstorage"
)

// failing is a storage whose next writes fail in a given way.
type failing struct {
	engine.MemoryStorage
	err      error
	readOnly bool
}

func (f *failing) ReadOnly() bool { return f.readOnly }

func (f *failing) Append(seq uint64, record []byte) error {
	if f.err != nil {
		return f.err
	}
	return f.MemoryStorage.Append(seq, record)
}

func (f *failing) Checkpoint(c engine.Checkpoint) error {
	if f.err != nil {
		return f.err
	}
	return f.MemoryStorage.Checkpoint(c)
}

func (f *failing) AppendReserved(seq uint64, record []byte, _ bool) error {
	return f.Append(seq, record)
}

func (f *failing) BlockIDs() ([]engine.BlockID, error) { return nil, nil }

func TestWatchedReportsSpace(t *testing.T) {
	var reported []bool
	f := &failing{}
	w := watch(f, func(full bool) { reported = append(reported, full) })
	for i, err := range []error{nil, fmt.Errorf("append: %w", idbstorage.ErrQuota), idbstorage.ErrQuota, idbstorage.ErrTimeout, nil, nil} {
		f.err = err
		if got := w.Append(uint64(i+1), []byte("x")); got != err {
			t.Errorf("append %d: %v", i, got)
		}
	}
	if !slices.Equal(reported, []bool{false, true, false}) {
		t.Errorf("reported %v", reported)
	}
}

// TestWatchedReportsSpaceForBlocks: a successful deletion does not prove that there is space.
func TestWatchedReportsSpaceForBlocks(t *testing.T) {
	var reported []bool
	f := &failing{readOnly: true}
	w := watch(f, func(full bool) { reported = append(reported, full) })
	if _, err := w.Load(); err != nil || !slices.Equal(reported, []bool{true}) {
		t.Errorf("reported %v, %v when there was no space to own it", reported, err)
	}
	f.err = idbstorage.ErrQuota
	block := engine.Checkpoint{Puts: []engine.Block{{BlockInfo: engine.BlockInfo{ID: 1}}}}
	_ = w.Checkpoint(block)
	f.err = nil
	_ = w.Checkpoint(engine.Checkpoint{Deletes: []engine.BlockID{1}})
	_ = w.AppendReserved(1, []byte("x"), false)
	if !slices.Equal(reported, []bool{true}) {
		t.Errorf("reported %v after a deletion", reported)
	}
	_ = w.Checkpoint(block)
	if !slices.Equal(reported, []bool{true, false}) {
		t.Errorf("reported %v after a block was written", reported)
	}
}
