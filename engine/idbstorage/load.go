//go:build js && wasm

package idbstorage

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"syscall/js"

	"sandtable/engine"
)

// How many blocks and WAL records are read with one request. Each is in memory
// twice until it is copied. A WAL is read at once unless its checkpoints fail.
const (
	blocksPage = 512
	walPage    = 4096
)

// Load is [engine.Storage.Load].
func (s *Storage) Load() (engine.Directory, error) {
	d, err := s.load()
	return d, s.noteFenced(err)
}

func (s *Storage) load() (engine.Directory, error) {
	// Acquire first: whatever another storage writes before this is read below,
	// and what it writes later fails.
	if s.claim == nil || s.epoch != 0 {
		if err := s.acquire(); err != nil && !errors.Is(err, ErrQuota) {
			return engine.Directory{}, err
		}
	}
	found, err := s.readState()
	if err != nil {
		return engine.Directory{}, err
	}
	if s.identity == nil { // the quota is too full to acquire the database
		if found[atIdentity] == nil {
			return engine.Directory{}, fmt.Errorf("write identity: %w", ErrQuota)
		}
		s.identity = found[atIdentity]
	}
	if err := s.readDirectory(found); err != nil {
		return engine.Directory{}, err
	}
	d := engine.Directory{Blocks: slices.Clone(s.directory), Meta: found[atMeta], Rebuilt: s.rebuilt, Missing: s.missing}
	if d.WAL, err = s.scanWAL(); err != nil || s.epoch != 0 {
		return d, err
	}
	return d, s.deferAcquire(found, d.WAL)
}

// scanWAL returns the records of the WAL and sets s.markers.
func (s *Storage) scanWAL() (records []engine.WALRecord, err error) {
	s.markers = make(map[uint64]bool)
	s.pack.reset()
	s.large = nil
	err = s.scan(walStore, walPage, func(key float64, value []byte) {
		if last, is := isPack(key); is {
			records = append(records, unpack(last, value)...)
		} else if value == nil {
			s.markers[uint64(key)] = true
		} else {
			records = append(records, engine.WALRecord{Seq: uint64(key), Data: value})
			s.noteRecord(uint64(key), len(value))
		}
	})
	return records, err
}

// readDirectory decodes the directory without the blocks that were deleted since it
// was written, and rebuilds it from the blocks if it is corrupt or missing. Before the
// first checkpoint there are no blocks.
func (s *Storage) readDirectory(found state) (err error) {
	s.rebuilt, s.missing = 0, 0
	s.directory, err = engine.DecodeDirectory(found[atDirectory])
	if err == nil {
		s.deleted, err = decodeDeleted(found[atDeleted])
	}
	if s.unstored = errors.Is(err, engine.ErrCorrupt); s.unstored {
		s.deleted = nil
		s.directory, err = s.rebuildDirectory()
		s.missing = max(0, decodeCount(found[atCount])-len(s.directory))
		return err
	}
	s.directory = applyCheckpoint(s.directory, engine.Checkpoint{Deletes: s.deleted})
	return err
}

// rebuildDirectory returns what the blocks themselves say.
func (s *Storage) rebuildDirectory() (directory []engine.BlockInfo, err error) {
	err = s.scan(blocksStore, blocksPage, func(key float64, data []byte) {
		s.rebuilt++
		info, err := engine.DescribeBlock(data)
		if err != nil {
			info = engine.BlockInfo{Size: len(data)} // the engine reports it as corrupt
		}
		info.ID = engine.BlockID(key)
		directory = append(directory, info)
	})
	slices.SortFunc(directory, comparePosition)
	return directory, err
}

// BlockIDs returns the ids of all stored blocks, in the directory or not, for
// [engine.DB.Verify].
func (s *Storage) BlockIDs() ([]engine.BlockID, error) {
	requests, err := s.transact(readOnly, inBlocks, func(t *transaction) {
		t.requests = append(t.requests, t.store(blocksStore).Call("getAllKeys"))
	})
	if err != nil {
		return nil, err
	}
	numbers, err := numbersOf(requests[0].Get("result"), blocksStore)
	ids := make([]engine.BlockID, len(numbers))
	for i := range ids {
		ids[i] = engine.BlockID(numbers[i])
	}
	return ids, err
}

// scan visits all records of a store with keys from 0 in ascending order, which it
// reads a page at a time. The value of a marker is nil, and one that the browser cannot
// read is empty.
func (s *Storage) scan(store string, page int, visit func(key float64, value []byte)) error {
	after, limit := -1.0, page
	buffer := make([]byte, 4<<10)
	for {
		numbers, values, err := s.readPage(store, after, limit)
		unreadable := isUnreadable(err)
		if unreadable && limit > 1 {
			limit = 1 // up to the value that cannot be read
			continue
		}
		if unreadable {
			numbers, err = s.nextKey(store, after)
			limit = page
		}
		if err != nil {
			return err
		}
		for i, key := range numbers {
			value := []byte{}
			if !unreadable {
				value, err = copyBytes(values.Index(i), buffer)
			}
			if err != nil {
				return fmt.Errorf("store %q, key %v: %w", store, key, err)
			}
			visit(key, value)
			after = key
		}
		if len(numbers) == 0 || len(numbers) < limit && !unreadable {
			return nil
		}
	}
}

// readPage reads up to limit records of a store after a key.
func (s *Storage) readPage(store string, after float64, limit int) (numbers []float64, values js.Value, err error) {
	requests, err := s.transact(readOnly, js.ValueOf([]any{store}), func(t *transaction) {
		t.getAll(t.store(store), after, limit)
	})
	if err != nil {
		return nil, values, err
	}
	numbers, err = numbersOf(requests[0].Get("result"), store)
	return numbers, requests[1].Get("result"), err
}

// nextKey returns the key of a store after another one, without its value.
func (s *Storage) nextKey(store string, after float64) ([]float64, error) {
	requests, err := s.transact(readOnly, js.ValueOf([]any{store}), func(t *transaction) {
		t.requests = append(t.requests, t.store(store).Call("getAllKeys", keyRange.Call("lowerBound", after, true), 1))
	})
	if err != nil {
		return nil, err
	}
	return numbersOf(requests[0].Get("result"), store)
}

// numbersOf returns the keys of a store, which are in ascending order, with a few
// calls instead of one for each. It fails if one of them is not a number.
func numbersOf(keys js.Value, store string) ([]float64, error) {
	n := keys.Length()
	if n == 0 {
		return nil, nil
	}
	if keys.Index(n-1).Type() != js.TypeNumber { // numbers come before all other keys
		return nil, fmt.Errorf("store %q: a key is not a number", store)
	}
	raw := make([]byte, 8*n)
	js.CopyBytesToGo(raw, uint8Array.New(float64Array.Call("from", keys).Get("buffer")))
	numbers := make([]float64, n)
	for i := range numbers {
		numbers[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
	}
	return numbers, nil
}
