//go:build js && wasm

package idbstorage

import (
	"bytes"
	"fmt"
	"syscall/js"

	"sandtable/engine"
)

// To take a database over is to write a few bytes, for which a browser may have
// no room. Then it is read all the same, and what was to be written is kept as a
// claim: every write begins with it, and fails like any other as long as there
// is no room.
//
// Until then whoever had the database before may write to it. So a claim holds
// only while all is as it was read; else it has come too late, and so has
// this storage: it is fenced.
type claim struct {
	last uint64 // the number after this one is to be taken
	// Of a database that has not been taken over:
	found  *state
	record engine.WALRecord // the last of the log; Seq is 0 for none
}

// ReadOnly reports whether there was no room to take the database over when it
// was loaded, and nothing has been written since.
func (s *Storage) ReadOnly() bool { return s.claim != nil }

// lay notes what a database was like that was read and not taken over.
func (s *Storage) lay(found state, log []engine.WALRecord) error {
	now, err := s.readState()
	if err != nil {
		return err
	}
	if c := s.claim.found; c != nil {
		if !now.equal(*c) {
			return ErrFenced
		}
		return nil // of the first time that it was loaded
	}
	if !now.equal(found) {
		return ErrFenced // whoever has it goes on
	}
	s.claim.found = &found
	if len(log) > 0 {
		s.claim.record = log[len(log)-1]
	}
	return nil
}

func (s *state) equal(other state) bool {
	for i := range s {
		if !bytes.Equal(s[i], other[i]) {
			return false
		}
	}
	return true
}

// own does what there was no room for when the database was loaded. It comes
// before every write.
func (s *Storage) own() error {
	c := s.claim
	if c == nil {
		return nil
	}
	epoch := s.epoch
	if c.found != nil {
		now, err := s.readEpoch()
		if err != nil {
			return fmt.Errorf("read the epoch: %w", err)
		}
		epoch = now + 1
	}
	next := s.untaken(c.last)
	isTaken := next == 0 || s.marked[next]
	taken := s.taken
	if next != 0 {
		taken = s.takenWith(next)
	}
	_, err := s.transact(readWrite, inLogAndState, func(t *transaction) {
		log, state := t.store(logStore), t.store(stateStore)
		if c.found == nil {
			s.fence(log)
		} else {
			c.check(t, log, state)
			begin(t, log, state, epoch)
		}
		if !isTaken {
			mark(t, log, state, next, taken)
		}
	})
	if err != nil {
		return fmt.Errorf("take the database over: %w", err)
	}
	s.epoch, s.end, s.taken = epoch, endedKey(epoch), taken
	s.loaded, s.claim = true, nil
	return nil
}

// check aborts a transaction if anything is not as it was read.
func (c *claim) check(t *transaction, log, state js.Value) {
	for i, key := range stateKeys {
		t.check(state.Call("get", key), func(value js.Value) error { return isStill(value, c.found[i]) })
	}
	t.checkLast(log, func(key float64, record js.Value) error {
		if key < 0 && c.record.Seq == 0 {
			return nil
		}
		if key != float64(c.record.Seq) {
			return ErrFenced
		}
		return isStill(record, c.record.Data)
	})
}

func isStill(value js.Value, text []byte) error {
	var now []byte
	if !value.IsUndefined() {
		var err error
		if now, err = bytesOf(value); err != nil {
			return err
		}
	}
	if !bytes.Equal(now, text) {
		return ErrFenced
	}
	return nil
}
