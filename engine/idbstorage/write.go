//go:build js && wasm

package idbstorage

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"sandtable/engine"
	"sandtable/engine/eventloop"
)

// Append is [engine.Storage.Append].
func (s *Storage) Append(seq uint64, record []byte) error {
	if err := s.completeAcquire(); err != nil {
		return s.noteFenced(err)
	}
	if seq <= s.pack.last {
		s.pack.reset() // the number is used again, for another record
	}
	var full *pack
	if s.pack.isFull(cmp.Or(s.options.packRecords, packRecords)) {
		before := s.pack // a checkpoint may reset it meanwhile, but only an append changes its data
		full = &before
		s.pack.reset()
	}
	err := s.append(seq, record, full)
	if full != nil && errors.Is(err, ErrQuota) {
		err = s.append(seq, record, nil) // takes less space
	}
	if err == nil {
		s.pack.add(seq, record)
		s.noteRecord(seq, len(record))
	}
	return s.noteFenced(err)
}

// append appends a record and, unless before is nil, replaces the records before it with
// their pack.
func (s *Storage) append(seq uint64, record []byte, before *pack) error {
	isNew := seq >= s.next && !s.markers[seq]
	s.next = seq + 1
	var start time.Time
	_, err := s.transact(readWrite, inWAL, func(t *transaction) {
		wal := t.store(walStore)
		// Taken after the transaction was created: a load from now on comes
		// after it.
		start = time.Now()
		if before != nil {
			s.replaceWithPack(t, wal, before)
		}
		if isNew && start.Sub(s.appended) < maxPause {
			t.add(wal, float64(seq), record)
			isNew = false // in a retry
			return
		}
		s.assertOwner(wal)
		t.put(wal, float64(seq), record)
	})
	if err == nil {
		s.appended = start
	}
	return err
}

// AppendReserved is [engine.Reserver.AppendReserved].
func (s *Storage) AppendReserved(seq uint64, record []byte, _ bool) error {
	deadline := time.Now().Add(settling)
	for pause := 50 * time.Millisecond; ; pause *= 2 {
		err := s.withReserve(func() error { return s.Append(seq, record) })
		if !errors.Is(err, ErrQuota) || time.Now().Add(pause).After(deadline) {
			return err
		}
		time.Sleep(pause)
	}
}

// Checkpoint is [engine.Storage.Checkpoint].
func (s *Storage) Checkpoint(c engine.Checkpoint) (err error) {
	if c.Shrinks {
		err = s.withReserve(func() error { return s.checkpoint(c) })
	} else {
		err = s.checkpoint(c)
	}
	if err == nil {
		s.keepReserve()
	}
	return err
}

func (s *Storage) checkpoint(c engine.Checkpoint) error {
	if err := s.completeAcquire(); err != nil {
		return s.noteFenced(err)
	}
	deleted := slices.Concat(s.deleted, c.Deletes)
	directory := s.directory
	var encoded []byte
	if len(c.Puts) > 0 || len(deleted) > maxDeleted || s.unstored {
		// For a million entities, what the engine did before, this, and the requests take
		// some milliseconds each.
		eventloop.Yield()
		directory, deleted = applyCheckpoint(directory, engine.Checkpoint{Puts: c.Puts, Deletes: deleted}), nil
		encoded = engine.EncodeDirectory(directory)
		eventloop.Yield()
	}
	_, err := s.transact(s.modeOf(c), inAll, func(t *transaction) {
		blocks, state := t.store(blocksStore), t.store(stateStore)
		wal := t.store(walStore)
		s.assertOwner(wal)
		for _, id := range c.Deletes {
			blocks.Call("delete", float64(id))
		}
		t.putBlocks(blocks, c.Puts, func() {
			if encoded != nil {
				t.put(state, directoryKey, encoded)
			}
			t.put(state, deletedKey, encodeDeleted(deleted))
			t.put(state, countKey, encodeCount(remaining(directory, deleted)))
			t.put(state, metaKey, c.Meta)
			t.put(state, truncatedKey, encodeNumbers([]uint64{c.Seq}))
			s.removeRecords(wal, 0, c.Seq)
			if s.pack.first() <= c.Seq {
				s.pack.reset() // some of its records are gone
			}
		})
	})
	if err != nil {
		return s.noteFenced(err)
	}
	s.forgetRecords(c.Seq)
	s.directory, s.deleted = directory, deleted
	if encoded != nil {
		s.unstored = false
	}
	return nil
}
