package engine

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// MemoryStorage is a [Storage] that lasts as long as the value itself: what
// was written is there for the next DB that opens it. The zero value is an
// empty store.
//
// It is safe for concurrent use.
type MemoryStorage struct {
	mu     sync.Mutex
	blocks map[BlockID]Block
	log    map[uint64][]byte
	meta   []byte
	closed bool
}

var _ Storage = (*MemoryStorage)(nil)

// Clone returns a storage with what was written so far, open: what a crash at
// this moment would leave.
func (m *MemoryStorage) Clone() *MemoryStorage {
	m.mu.Lock()
	defer m.mu.Unlock()
	// Texts are never changed once they are in a map.
	return &MemoryStorage{blocks: maps.Clone(m.blocks), log: maps.Clone(m.log), meta: m.meta}
}

// Load is [Storage.Load]. It opens a closed storage again.
func (m *MemoryStorage) Load() (Directory, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = false
	d := Directory{Meta: m.meta}
	for _, b := range m.blocks {
		d.Blocks = append(d.Blocks, b.BlockInfo)
	}
	for _, seq := range slices.Sorted(maps.Keys(m.log)) {
		d.WAL = append(d.WAL, WALRecord{Seq: seq, Data: m.log[seq]})
	}
	return d, nil
}

// Append is [Storage.Append].
func (m *MemoryStorage) Append(seq uint64, record []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return ErrClosed
	}
	if m.log == nil {
		m.log = make(map[uint64][]byte)
	}
	m.log[seq] = bytes.Clone(record)
	return nil
}

// Checkpoint is [Storage.Checkpoint].
func (m *MemoryStorage) Checkpoint(c Checkpoint) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return ErrClosed
	}
	if m.blocks == nil {
		m.blocks = make(map[BlockID]Block)
	}
	for _, id := range c.Deletes {
		delete(m.blocks, id)
	}
	for _, b := range c.Puts {
		b.Data = bytes.Clone(b.Data)
		m.blocks[b.ID] = b
	}
	maps.DeleteFunc(m.log, func(seq uint64, _ []byte) bool { return seq <= c.Seq })
	m.meta = bytes.Clone(c.Meta)
	return nil
}

// ReadBlocks is [Storage.ReadBlocks].
func (m *MemoryStorage) ReadBlocks(ids []BlockID) ([][]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, ErrClosed
	}
	texts := make([][]byte, len(ids))
	for i, id := range ids {
		b, ok := m.blocks[id]
		if !ok {
			return nil, fmt.Errorf("read block %d: %w", id, ErrBlockNotFound)
		}
		texts[i] = b.Data
	}
	return texts, nil
}

// Close is [Storage.Close].
func (m *MemoryStorage) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return nil
}
