package engine

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// MemoryStorage is a [Storage] in memory. A DB that opens it again finds what the
// last one wrote. The zero value is an empty store.
//
// It is safe for concurrent use.
type MemoryStorage struct {
	mu     sync.Mutex
	blocks map[BlockID]Block
	wal    map[uint64][]byte
	meta   []byte
	closed bool
}

var _ Storage = (*MemoryStorage)(nil)

// Clone returns an open copy of the storage: what a crash now would leave.
func (m *MemoryStorage) Clone() *MemoryStorage {
	m.mu.Lock()
	defer m.mu.Unlock()
	// Data is never changed once it is in a map.
	return &MemoryStorage{blocks: maps.Clone(m.blocks), wal: maps.Clone(m.wal), meta: m.meta}
}

// Load is [Storage.Load]. It reopens a closed storage.
func (m *MemoryStorage) Load() (Directory, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = false
	d := Directory{Meta: m.meta}
	for _, b := range m.blocks {
		d.Blocks = append(d.Blocks, b.BlockInfo)
	}
	for _, seq := range slices.Sorted(maps.Keys(m.wal)) {
		d.WAL = append(d.WAL, WALRecord{Seq: seq, Data: m.wal[seq]})
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
	if m.wal == nil {
		m.wal = make(map[uint64][]byte)
	}
	m.wal[seq] = bytes.Clone(record)
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
	maps.DeleteFunc(m.wal, func(seq uint64, _ []byte) bool { return seq <= c.Seq })
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
	data := make([][]byte, len(ids))
	for i, id := range ids {
		b, ok := m.blocks[id]
		if !ok {
			return nil, fmt.Errorf("read block %d: %w", id, ErrBlockNotFound)
		}
		data[i] = b.Data
	}
	return data, nil
}

// Close is [Storage.Close].
func (m *MemoryStorage) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return nil
}
