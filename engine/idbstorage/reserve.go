//go:build js && wasm

package idbstorage

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"syscall/js"
	"time"
)

// Checking the fence costs an append half as much again. An append of a new
// sequence number can do without: it adds its record instead of putting it, and
// each load reserves the next number, the one that the previous owner would add,
// so that its append fails.
//
// A number stays reserved through reservedKept loads. An append checks the
// fence if it follows the one before by more than maxPause, or if its number was
// reserved or used before. So an unchecked append of a fenced owner would need
// more than reservedKept loads with a checkpoint each within maxPause, which
// takes far longer.
const (
	reservedKept = 8
	maxPause     = time.Second
)

// nextUnreserved returns the number to reserve after the last one of the WAL,
// or 0 if it is reserved.
func (s *Storage) nextUnreserved(last uint64) uint64 {
	if next := last + 1; last > 0 && !slices.Contains(s.reserved, next) {
		return next
	}
	return 0
}

// reserve reserves the number after the last one of the WAL. It reports false
// if the previous owner has used it in the meantime: the WAL has to be read
// again.
func (s *Storage) reserve(last uint64) (done bool, err error) {
	next := s.nextUnreserved(last)
	if next == 0 {
		return true, nil
	}
	if s.markers[next] { // reserved by a load that is no longer listed
		s.reserved = append(s.reserved, next)
		return true, nil
	}
	reserved := s.reservedWith(next)
	_, err = s.transact(readWrite, inWALAndState, func(t *transaction) {
		wal := t.store(walStore)
		s.assertOwner(wal)
		addReservation(t, wal, t.store(stateStore), next, reserved)
	})
	switch {
	case err == nil:
		s.reserved = reserved
		return true, nil
	case errors.Is(err, ErrFenced):
		return false, nil
	}
	return false, fmt.Errorf("reserve sequence number %d: %w", next, err)
}

// reservedWith returns the reserved numbers after one more.
func (s *Storage) reservedWith(next uint64) []uint64 {
	reserved := append(slices.Clone(s.reserved), next)
	return reserved[max(0, len(reserved)-reservedKept):]
}

func addReservation(t *transaction, wal, state js.Value, next uint64, reserved []uint64) {
	wal.Call("add", marker, float64(next))
	t.put(state, reservedKey, encodeNumbers(reserved))
}

// truncateWAL removes the records up to a number and keeps reservations.
func (s *Storage) truncateWAL(wal js.Value, seq uint64) {
	wal.Call("delete", keyRange.Call("bound", 0, float64(seq)))
	for _, n := range s.reserved {
		if n <= seq {
			wal.Call("put", marker, float64(n))
		}
	}
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
