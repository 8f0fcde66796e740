//go:build js && wasm

package idbstorage

import (
	"encoding/binary"
	"fmt"
	"slices"
	"syscall/js"
	"time"

	"sandtable/engine"
)

// A database belongs to the last that loaded it. A Web Lock keeps workers apart,
// too; but IndexedDB does not look at the lock of one that was stopped and
// wakes up, or that was stolen. So a write of one before has to fail, as a whole, and
// without anybody waiting for an answer within the transaction. What fails by
// itself is to add a record under a key that is taken:
//
// Each loading has a number, its epoch, and ends the epoch before by a record
// that says so. A checkpoint, the first append, and one after a pause, which its
// worker may have slept through, adds the record that would say that its own epoch
// has ended, and deletes it again.
//
// These two requests would cost an append half as much again. So all other
// appends only add: their numbers are new. Loading takes the number that comes next,
// which is the one that whoever loaded before will add, and keeps it taken through
// some loadings more.
const epochKey = "epoch"

// The record that says that an epoch has ended stands in the log, which every
// write is about, under a number that no record of a commit has. It stays for
// ever: a tab can sleep for days, through any number of loadings. Nobody reads
// those records, since what reads the log begins behind them.
func endedKey(epoch uint64) js.Value { return js.ValueOf(-1 - float64(epoch)) }

// endedMark is that record: nobody looks into it.
var endedMark = js.ValueOf(1)

// The numbers that were taken, and the last that a checkpoint dropped, in the
// state.
const (
	takenKey   = "taken"
	droppedKey = "dropped"
)

// takenKept is how many numbers stay taken, and awake for how long after another
// an append relies on that: for nine workers to take the engine, each from the one
// before, and to make a checkpoint each, takes far longer.
const (
	takenKept = 8
	awake     = time.Second
)

// readEpoch returns the epoch that the database is in, 0 for one that has none:
// the one after the last that has ended. The log says it, since that is what a
// beginning must not collide with; the state may be damaged.
func (s *Storage) readEpoch() (uint64, error) {
	requests, err := s.transact(readOnly, inLog, func(t *transaction) {
		ends := keyRange.Call("upperBound", endedKey(0))
		t.requests = append(t.requests, t.store(logStore).Call("getKey", ends)) // the first is the last
	})
	if err != nil {
		return 0, err
	}
	if last := requests[0].Get("result"); last.Type() == js.TypeNumber {
		return uint64(-last.Float()), nil
	}
	return 0, nil
}

func decodeEpoch(text []byte) uint64 {
	if len(text) != 8 {
		return 0
	}
	return binary.LittleEndian.Uint64(text)
}

// takeOver begins an epoch, or looks whether ours lasts. A database that a newer
// version has written to is left to whoever has it.
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
			log, state := t.store(logStore), t.store(stateStore)
			t.check(state.Call("get", "meta"), isReadable)
			t.checkLast(log, func(_ float64, record js.Value) error { return isReadable(record) })
			begin(t, log, state, now+1)
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

// begin ends the epoch before, and has the state say so.
func begin(t *transaction, log, state js.Value, epoch uint64) {
	log.Call("add", endedMark, endedKey(epoch-1))
	t.put(state, epochKey, binary.LittleEndian.AppendUint64(nil, epoch))
}

// isReadable returns an error for a text that a newer version has written. What
// it writes last is the last record of the log, or the text of a checkpoint.
func isReadable(value js.Value) error {
	if !value.Truthy() {
		return nil
	}
	text, err := bytesOf(value)
	if err != nil {
		return nil // it is reported when it is read
	}
	return engine.CheckFormat(text)
}

// checkLast is check for the last record of the log: its number, or -1 and
// undefined if there is none.
func (t *transaction) checkLast(log js.Value, f func(key float64, record js.Value) error) {
	cursor := log.Call("openCursor", keyRange.Call("lowerBound", 0), "prev")
	t.check(cursor, func(at js.Value) error {
		if !at.Truthy() {
			return f(-1, js.Undefined())
		}
		if record := at.Get("value"); record.Type() != js.TypeNumber {
			return f(at.Get("key").Float(), record)
		}
		at.Call("continue") // past a number that is taken
		return nil
	})
}

// untaken returns the number to be taken after the last, which may be that of
// a record that the checkpoint dropped; 0 if it is.
func (s *Storage) untaken(last uint64) uint64 {
	if next := last + 1; last > 0 && !slices.Contains(s.taken, next) {
		return next
	}
	return 0
}

// take takes the number after the last, so that nobody can add it who does not
// know of us. It reports false where somebody was quicker: the log has to be
// read again.
func (s *Storage) take(last uint64) (done bool, err error) {
	next := s.untaken(last)
	if next == 0 {
		return true, nil
	}
	if s.marked[next] { // by one who came before those that are known
		s.taken = append(s.taken, next)
		return true, nil
	}
	taken := s.takenWith(next)
	_, err = s.transact(readWrite, inLogAndState, func(t *transaction) {
		log := t.store(logStore)
		s.fence(log)
		mark(t, log, t.store(stateStore), next, taken)
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

// takenWith returns the numbers that are taken once one more is.
func (s *Storage) takenWith(next uint64) []uint64 {
	taken := append(slices.Clone(s.taken), next)
	return taken[max(0, len(taken)-takenKept):]
}

// mark takes a number, and has the state say which are taken.
func mark(t *transaction, log, state js.Value, next uint64, taken []uint64) {
	log.Call("add", endedMark, float64(next))
	t.put(state, takenKey, encodeNumbers(taken))
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
