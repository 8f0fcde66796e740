//go:build js && wasm

package idbstorage

import (
	"encoding/binary"
	"fmt"
	"slices"
	"syscall/js"
)

// A database belongs to the last that loaded it. A Web Lock keeps workers apart,
// too; but IndexedDB does not look at the lock of one that was stopped and
// wakes up, or that was stolen. So a write of one before has to fail, as a whole, and
// without anybody waiting for an answer within the transaction. What fails by
// itself is to add a record under a key that is taken:
//
// Each loading has a number, its epoch, and ends the epoch before by a record
// that says so. A checkpoint, and the first append, adds the record that would say
// that its own epoch has ended, and deletes it again.
//
// These two requests would cost an append half as much again. So all other
// appends only add: their numbers are new. Loading takes the number that comes next,
// which is the one that whoever loaded before will add, and keeps it taken.
const epochKey = "epoch"

// fencesKept is how many ends of epochs are kept: one that slept through more
// would be let in again.
const fencesKept = 100

// The record that says that an epoch has ended stands in the log, which every
// write is about, under a number that no record of a commit has.
func endedKey(epoch uint64) js.Value { return js.ValueOf(-1 - float64(epoch)) }

// endedMark is that record: nobody looks into it.
var endedMark = js.ValueOf(1)

// The numbers that were taken, and the last that a checkpoint dropped, in the
// state.
const (
	takenKey   = "taken"
	droppedKey = "dropped"
)

// takenKept is how many numbers stay taken.
const takenKept = 8

// readEpoch returns the epoch that the database is in, 0 for one that has none.
func (s *Storage) readEpoch() (uint64, error) {
	requests, err := s.transact(readOnly, inState, func(t *transaction) { t.get(t.store(stateStore), epochKey) })
	if err != nil {
		return 0, err
	}
	text, err := result(requests[0])
	if err != nil || len(text) != 8 {
		return 0, err
	}
	return binary.LittleEndian.Uint64(text), nil
}

// takeOver begins an epoch, or looks whether ours lasts.
func (s *Storage) takeOver() error {
	for {
		now, err := s.readEpoch()
		switch {
		case err != nil:
			return fmt.Errorf("read the epoch: %w", err)
		case s.epoch != 0 && s.epoch != now:
			return ErrFenced
		case s.epoch != 0:
			return nil
		}
		_, err = s.transact(readWrite, inLogAndState, func(t *transaction) {
			log := t.store(logStore)
			log.Call("add", endedMark, endedKey(now))
			t.put(t.store(stateStore), epochKey, binary.LittleEndian.AppendUint64(nil, now+1))
			if now >= fencesKept {
				log.Call("delete", endedKey(now-fencesKept))
			}
		})
		if err == nil {
			s.epoch, s.end = now+1, endedKey(now+1)
			return nil
		}
		// Another was quicker, or the answer to our own was lost: once more.
		if err != ErrFenced {
			return fmt.Errorf("begin an epoch: %w", err)
		}
	}
}

// take takes the number after the last, which may be that of a record that the
// checkpoint dropped, so that nobody can add it who does not know of us. It
// reports false where somebody was quicker: the log has to be read again.
func (s *Storage) take(last uint64) (done bool, err error) {
	next := last + 1
	if last == 0 || slices.Contains(s.taken, next) {
		return true, nil
	}
	if s.marked[next] { // by one who came before those that are known
		s.taken = append(s.taken, next)
		return true, nil
	}
	taken := append(slices.Clone(s.taken), next)
	taken = taken[max(0, len(taken)-takenKept):]
	_, err = s.transact(readWrite, inLogAndState, func(t *transaction) {
		log := t.store(logStore)
		s.fence(log)
		log.Call("add", endedMark, float64(next))
		t.put(t.store(stateStore), takenKey, encodeNumbers(taken))
	})
	switch {
	case err == nil:
		s.taken = taken
		return true, nil
	case err == ErrFenced:
		return false, nil
	}
	return false, fmt.Errorf("take number %d: %w", next, err)
}

func encodeNumbers(numbers []uint64) (b []byte) {
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return b
}

func decodeNumbers(b []byte) (numbers []uint64) {
	for ; len(b) >= 8; b = b[8:] {
		numbers = append(numbers, binary.LittleEndian.Uint64(b))
	}
	return numbers
}

// keepTaken drops the log up to a number, but for the numbers that are taken.
func (s *Storage) keepTaken(log js.Value, seq uint64) {
	log.Call("delete", keyRange.Call("bound", 0, float64(seq)))
	for _, n := range s.taken {
		if n <= seq {
			log.Call("put", endedMark, float64(n))
		}
	}
}

// fence has a transaction fail that writes after our epoch has ended.
func (s *Storage) fence(log js.Value) {
	log.Call("add", endedMark, s.end)
	log.Call("delete", s.end)
}
