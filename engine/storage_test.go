package engine_test

import (
	"sync/atomic"
	"testing"

	"sandtable/engine"
	"sandtable/engine/storagetest"
)

// limited is a memory storage that can be full.
type limited struct {
	engine.MemoryStorage
	full atomic.Bool
}

func (l *limited) Append(seq uint64, record []byte) error {
	if l.full.Load() {
		return engine.ErrNoSpace
	}
	return l.MemoryStorage.Append(seq, record)
}

func (l *limited) Checkpoint(c engine.Checkpoint) error {
	if l.full.Load() && len(c.Puts) > 0 {
		return engine.ErrNoSpace
	}
	return l.MemoryStorage.Checkpoint(c)
}

func TestMemoryStorage(t *testing.T) {
	storagetest.Run(t, func(*testing.T) storagetest.Store {
		m := &limited{}
		return storagetest.Store{
			Open:   func() (engine.Storage, error) { return m, nil },
			NoTear: "a map either contains a record or not",
			Fill: func(*testing.T) (empty func()) {
				m.full.Store(true)
				return func() { m.full.Store(false) }
			},
		}
	})
}
