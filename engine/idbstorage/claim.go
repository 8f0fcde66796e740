//go:build js && wasm

package idbstorage

import (
	"bytes"
	"fmt"
	"syscall/js"

	"sandtable/engine"
)

// claim is a deferred acquisition. Acquiring a database writes a few bytes, for
// which the quota may be full. The database is then loaded all the same, and
// every write first tries to complete the acquisition, failing with ErrQuota
// while there is no space.
//
// Until then the previous owner may still write. So completing a claim also
// checks that the database is unchanged since it was loaded; otherwise this
// storage is fenced.
type claim struct {
	found  state
	record engine.WALRecord // the last one of the WAL; Seq is 0 for none
}

// ReadOnly reports whether the quota was too full to acquire the database when
// it was loaded, and nothing has been written since.
func (s *Storage) ReadOnly() bool { return s.claim != nil }

// deferAcquire records the state of a database that was loaded without being
// acquired.
func (s *Storage) deferAcquire(found state, wal []engine.WALRecord) error {
	now, err := s.readState()
	if err != nil {
		return err
	}
	if c := s.claim; c != nil {
		if !now.equal(c.found) {
			return ErrFenced
		}
		return nil // recorded by an earlier load
	}
	if !now.equal(found) {
		return ErrFenced // its owner has written in the meantime
	}
	s.claim = &claim{found: found}
	if len(wal) > 0 {
		s.claim.record = wal[len(wal)-1]
	}
	return nil
}

// completeAcquire completes a deferred acquisition, if there is one. Every write
// calls it first.
func (s *Storage) completeAcquire() error {
	c := s.claim
	if c == nil {
		return nil
	}
	if err := s.startEpoch(c); err != nil {
		return fmt.Errorf("acquire the database: %w", err)
	}
	s.claim = nil
	return nil
}

// checkUnchanged aborts the transaction with ErrFenced if the state or the end
// of the WAL is not as it was loaded.
func (c *claim) checkUnchanged(t *transaction, wal, state js.Value, checkLast lastCheck) {
	for i, key := range stateKeys {
		t.check(state.Call("get", key), func(value js.Value) error { return checkEqual(value, c.found[i]) })
	}
	checkLast(t, wal, func(seq uint64, record js.Value) error {
		if seq != c.record.Seq {
			return ErrFenced
		}
		return checkEqual(record, c.record.Data)
	})
}

func checkEqual(value js.Value, want []byte) error {
	var got []byte
	if !value.IsUndefined() {
		var err error
		if got, err = bytesOf(value); err != nil {
			return err
		}
	}
	if !bytes.Equal(got, want) {
		return ErrFenced
	}
	return nil
}
