//go:build js && wasm

package idbstorage

import (
	"errors"
	"fmt"
	"slices"
	"syscall/js"

	"sandtable/engine"
)

// loadPage is how many records are read with one request: each is in memory
// twice until it was copied.
const loadPage = 512

// Load is [engine.Storage.Load].
func (s *Storage) Load() (engine.Directory, error) {
	d, err := s.load()
	return d, s.ended(err)
}

func (s *Storage) load() (engine.Directory, error) {
	// First: what is written through another storage comes before this, and is
	// read, or fails.
	if s.claim == nil || s.epoch != 0 {
		if err := s.takeOver(); err != nil && !errors.Is(err, ErrQuota) {
			return engine.Directory{}, err
		}
	}
	found, err := s.readState()
	if err != nil {
		return engine.Directory{}, err
	}
	if err := s.identify(found[atIdentity]); err != nil {
		return engine.Directory{}, err
	}
	if s.directory, err = s.readDirectory(found[atDirectory]); err != nil {
		return engine.Directory{}, err
	}
	d := engine.Directory{Blocks: slices.Clone(s.directory), Meta: found[atMeta], Rebuilt: s.rebuilt}
	s.taken = decodeNumbers(found[atTaken])
	if d.WAL, err = s.loadLog(append(decodeNumbers(found[atDropped]), 0)[0]); err != nil || s.epoch != 0 {
		return d, err
	}
	return d, s.lay(found, d.WAL)
}

// What is read of the state when the database is loaded.
const (
	atIdentity = iota
	atDirectory
	atMeta
	atTaken
	atDropped
	atEpoch
)

var stateKeys = [...]string{"identity", "directory", "meta", takenKey, droppedKey, epochKey}

// state is the texts of stateKeys at one moment, nil for what is not there.
type state [len(stateKeys)][]byte

func (s *Storage) readState() (found state, err error) {
	requests, err := s.transact(readOnly, inState, func(t *transaction) {
		store := t.store(stateStore)
		for _, key := range stateKeys {
			t.get(store, key)
		}
	})
	if err != nil {
		return state{}, err
	}
	for i, request := range requests {
		if found[i], err = result(request); err != nil {
			return state{}, fmt.Errorf("read state: %w", err)
		}
	}
	return found, nil
}

// loadLog reads the log, and takes the number after its last record, or after
// those that were dropped, once the database is ours. Load may be called again:
// then that is done.
func (s *Storage) loadLog(dropped uint64) (records []engine.WALRecord, err error) {
	for {
		records = nil
		s.marked = make(map[uint64]bool)
		err := s.scan(logStore, func(key float64, record []byte) {
			switch {
			case record == nil && key >= 0:
				s.marked[uint64(key)] = true
				return
			case record == nil:
				return // the end of an epoch
			}
			records = append(records, engine.WALRecord{Seq: uint64(key), Data: record})
		})
		if err != nil || s.loaded || s.claim != nil {
			return records, err
		}
		last := dropped
		if len(records) > 0 {
			last = max(last, records[len(records)-1].Seq)
		}
		if s.epoch == 0 {
			s.claim = &claim{last: last}
			return records, nil
		}
		s.loaded, err = s.take(last)
		if errors.Is(err, ErrQuota) {
			s.claim = &claim{last: last}
			return records, nil
		}
		if err != nil || s.loaded {
			return records, err
		}
		// What was added meanwhile is of the log. Or our epoch has ended, too.
		if err := s.takeOver(); err != nil {
			return nil, err
		}
	}
}

// identify remembers which database this is, and names a new one.
func (s *Storage) identify(identity []byte) error {
	if identity == nil {
		identity = newIdentity()
		_, err := s.transact(readWrite, inState, func(t *transaction) {
			t.put(t.store(stateStore), "identity", identity)
		})
		if err != nil {
			return err
		}
	}
	s.identity = identity
	return nil
}

// readDirectory reads the directory, and makes another one from the blocks if
// it is damaged, or not there: before the first checkpoint there are none.
func (s *Storage) readDirectory(text []byte) (directory []engine.BlockInfo, err error) {
	s.rebuilt = 0
	directory, err = engine.DecodeDirectory(text)
	if err == nil {
		slices.SortFunc(directory, byPlace) // older programs wrote it in no order
		return directory, nil
	}
	if !errors.Is(err, engine.ErrCorrupt) {
		return nil, err
	}
	directory = nil
	err = s.scan(blocksStore, func(key float64, text []byte) {
		s.rebuilt++
		info, err := engine.DescribeBlock(text)
		if err != nil {
			// Not to be read, but to be reported.
			info = engine.BlockInfo{Size: len(text)}
		}
		info.ID = engine.BlockID(key)
		directory = append(directory, info)
	})
	slices.SortFunc(directory, byPlace)
	return directory, err
}

// BlockIDs returns the identities of all blocks whose text is there, whatever
// the directory says, for [engine.DB.Verify].
func (s *Storage) BlockIDs() ([]engine.BlockID, error) {
	requests, err := s.transact(readOnly, inBlocks, func(t *transaction) {
		t.requests = append(t.requests, t.store(blocksStore).Call("getAllKeys"))
	})
	if err != nil {
		return nil, err
	}
	keys := requests[0].Get("result")
	ids := make([]engine.BlockID, keys.Length())
	for i := range ids {
		ids[i] = engine.BlockID(keys.Index(i).Float())
	}
	return ids, nil
}

// scan visits all records of a store in the order of their keys; a mark is a
// nil value.
func (s *Storage) scan(store string, visit func(key float64, value []byte)) error {
	after := -1.0
	for {
		requests, err := s.transact(readOnly, js.ValueOf([]any{store}), func(t *transaction) {
			t.getAll(t.store(store), after, loadPage)
		})
		if err != nil {
			return err
		}
		keys, values := requests[0].Get("result"), requests[1].Get("result")
		n := keys.Length()
		for i := range n {
			key := keys.Index(i)
			if key.Type() != js.TypeNumber {
				return fmt.Errorf("store %q: a key is not a number", store)
			}
			after = key.Float()
			if values.Index(i).Type() == js.TypeNumber {
				visit(after, nil) // endedMark
				continue
			}
			value, err := bytesOf(values.Index(i))
			if err != nil {
				return fmt.Errorf("store %q, key %v: %w", store, after, err)
			}
			visit(after, value)
		}
		if n < loadPage {
			return nil
		}
	}
}
