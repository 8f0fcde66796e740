//go:build js && wasm

package idbstorage

import (
	"encoding/binary"
	"fmt"
	"syscall/js"

	"sandtable/engine"
)

// A Web Lock keeps workers apart, but IndexedDB does not check the lock of a
// worker that was suspended and resumes, or whose lock was stolen. So the
// database itself has to reject the writes of a previous owner, as a whole and
// without waiting for an answer within the transaction. What fails by itself in
// IndexedDB is to add a record under a key that exists:
//
// Each load starts an epoch and adds the fence of the previous one, a marker in
// the WAL store under a negative key. A write adds the fence of its own epoch
// and deletes it again, which fails once the epoch is fenced: the fence is a
// fencing token that the database checks.
//
// Fences stay forever: a tab can sleep for days, through any number of loads.
// They are never read, because the WAL is read from key 0.

// fenceKey is the key of an epoch's fence.
func fenceKey(epoch uint64) js.Value { return js.ValueOf(-1 - float64(epoch)) }

// marker is the value of fences and reserved numbers.
var marker = js.ValueOf(1)

// readEpoch returns the current epoch.
func (s *Storage) readEpoch() (uint64, error) {
	requests, err := s.transact(readOnly, inWAL, func(t *transaction) {
		t.requests = append(t.requests, newestFence(t.store(walStore)))
	})
	if err != nil {
		return 0, fmt.Errorf("read epoch: %w", err)
	}
	return epochAfter(requests[0].Get("result")), nil
}

// newestFence requests the key of the newest fence, which is the lowest.
func newestFence(wal js.Value) js.Value {
	return wal.Call("getKey", keyRange.Call("upperBound", fenceKey(0)))
}

// epochAfter returns the epoch after the last one that is fenced, which is the
// current one: 0 for a new database. The fences decide, because a new epoch must
// not collide with them; "epoch" in the state may be corrupt.
func epochAfter(fence js.Value) uint64 {
	if fence.Type() != js.TypeNumber {
		return 0
	}
	return uint64(-fence.Float())
}

func encodeEpoch(epoch uint64) []byte { return binary.LittleEndian.AppendUint64(nil, epoch) }

func decodeEpoch(data []byte) uint64 {
	if len(data) != 8 {
		return 0
	}
	return binary.LittleEndian.Uint64(data)
}

// acquire makes this storage the owner, or checks that it still is. It leaves a
// database that a newer version has written to with its owner.
func (s *Storage) acquire() error {
	if s.epoch == 0 {
		return s.startEpoch(nil)
	}
	current, err := s.readEpoch()
	if err == nil && current != s.epoch {
		err = ErrFenced
	}
	return err
}

// startEpoch fences the previous owner and reserves the number that it would add
// next, in one transaction. It also gives a new database its identity, so that epoch
// and identity belong to one database even if the browser deletes it in the meantime.
// With a claim it fails with ErrFenced if the database has changed since it was loaded.
func (s *Storage) startEpoch(c *claim) error {
	err := s.startEpochAfter(c, (*transaction).checkLastRecord)
	if !isUnreadable(err) {
		return err
	}
	unread, err := s.checkLastNumber()
	if err != nil {
		return err
	}
	return s.startEpochAfter(c, unread)
}

// lastCheck is a check for the last record of the WAL, see [transaction.checkLastRecord].
type lastCheck func(t *transaction, wal js.Value, f func(seq uint64, record js.Value) error)

func (s *Storage) startEpochAfter(c *claim, checkLast lastCheck) error {
	var epoch uint64
	var reserved []uint64
	var identity []byte
	_, err := s.transact(readWrite, inWALAndState, func(t *transaction) {
		wal, state := t.store(walStore), t.store(stateStore)
		if c != nil {
			c.checkUnchanged(t, wal, state, checkLast)
		}
		t.check(state.Call("get", metaKey), checkFormat)
		t.check(state.Call("get", identityKey), func(value js.Value) (err error) {
			defer catch(&err)
			if value.IsUndefined() {
				identity = newIdentity()
				t.put(state, identityKey, identity)
				return nil
			}
			identity, err = bytesOf(value)
			return err
		})
		var truncated []uint64
		for key, numbers := range map[string]*[]uint64{reservedKey: &reserved, truncatedKey: &truncated} {
			t.check(state.Call("get", key), func(value js.Value) (err error) {
				*numbers, err = numbersIn(value)
				return err
			})
		}
		t.check(newestFence(wal), func(fence js.Value) error { epoch = epochAfter(fence) + 1; return nil })
		checkLast(t, wal, func(seq uint64, record js.Value) (err error) { // everything else was read before
			defer catch(&err)
			if err := checkFormat(record); err != nil {
				return err
			}
			wal.Call("add", marker, fenceKey(epoch-1))
			t.put(state, epochKey, encodeEpoch(epoch))
			// A record has the last number, even a lower one: after lost metadata
			// numbering begins again.
			if seq == 0 && len(truncated) > 0 {
				seq = truncated[0]
			}
			reserved = reserveAfter(t, seq, reserved)
			return nil
		})
	})
	if err != nil {
		return fmt.Errorf("start epoch: %w", err)
	}
	s.epoch, s.fence, s.reserved, s.identity = epoch, fenceKey(epoch), reserved, identity
	return nil
}

// assertOwner makes a transaction fail if our epoch is fenced.
func (s *Storage) assertOwner(wal js.Value) {
	wal.Call("add", marker, s.fence)
	wal.Call("delete", s.fence)
}

// checkFormat returns an error for a value that a newer version has written.
// Every write of a newer version changes the last WAL record or the meta data.
func checkFormat(value js.Value) error {
	if !value.Truthy() {
		return nil
	}
	data, err := bytesOf(value)
	if err != nil {
		return nil // reported when it is loaded
	}
	return engine.CheckFormat(data)
}

// checkLastRecord is check for the last record of the WAL. F gets its sequence
// number, or 0 and undefined if the WAL is empty.
func (t *transaction) checkLastRecord(wal js.Value, f func(seq uint64, record js.Value) error) {
	cursor := wal.Call("openCursor", keyRange.Call("lowerBound", 0), "prev")
	t.check(cursor, func(at js.Value) error {
		if !at.Truthy() {
			return f(0, js.Undefined())
		}
		if record := at.Get("value"); record.Type() != js.TypeNumber {
			return f(uint64(at.Get("key").Float()), record)
		}
		at.Call("continue") // past a reserved number
		return nil
	})
}

// checkLastNumber returns a check for the last record of the WAL that does not read it,
// because the browser cannot: its number is found before, and the check makes sure that
// nothing was written since.
func (s *Storage) checkLastNumber() (lastCheck, error) {
	var last uint64
	end := 0.0
	err := s.scan(walStore, walPage, func(key float64, value []byte) {
		if end = key; value != nil {
			last = uint64(key)
		}
	})
	return func(t *transaction, wal js.Value, f func(uint64, js.Value) error) {
		t.check(wal.Call("openKeyCursor", keyRange.Call("lowerBound", 0), "prev"), func(at js.Value) error {
			if !at.Truthy() || at.Get("key").Float() != end {
				return ErrFenced
			}
			return f(last, js.Undefined())
		})
	}, err
}
