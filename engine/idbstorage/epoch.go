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
// Fences stay for ever: a tab can sleep for days, through any number of loads.
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

// acquire starts an epoch, or checks that ours has not ended. It leaves a
// database that a newer version has written to with its owner.
func (s *Storage) acquire() error {
	if s.epoch != 0 {
		current, err := s.readEpoch()
		if err == nil && current != s.epoch {
			err = ErrFenced
		}
		return err
	}
	var epoch uint64
	_, err := s.transact(readWrite, inWALAndState, func(t *transaction) {
		wal, state := t.store(walStore), t.store(stateStore)
		t.check(state.Call("get", metaKey), checkFormat)
		t.checkLastRecord(wal, func(_ float64, record js.Value) error { return checkFormat(record) })
		t.check(newestFence(wal), func(fence js.Value) (err error) {
			defer catch(&err)
			epoch = epochAfter(fence) + 1
			startEpoch(t, wal, state, epoch)
			return nil
		})
	})
	if err != nil {
		return fmt.Errorf("start epoch: %w", err)
	}
	s.epoch, s.fence = epoch, fenceKey(epoch)
	return nil
}

// startEpoch fences the previous epoch.
func startEpoch(t *transaction, wal, state js.Value, epoch uint64) {
	wal.Call("add", marker, fenceKey(epoch-1))
	t.put(state, epochKey, encodeEpoch(epoch))
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
// number, or -1 and undefined if the WAL is empty.
func (t *transaction) checkLastRecord(wal js.Value, f func(seq float64, record js.Value) error) {
	cursor := wal.Call("openCursor", keyRange.Call("lowerBound", 0), "prev")
	t.check(cursor, func(at js.Value) error {
		if !at.Truthy() {
			return f(-1, js.Undefined())
		}
		if record := at.Get("value"); record.Type() != js.TypeNumber {
			return f(at.Get("key").Float(), record)
		}
		at.Call("continue") // past a reserved number
		return nil
	})
}
