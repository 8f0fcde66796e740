//go:build js && wasm

package idbstorage

import (
	"encoding/binary"
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
// more than reservedKept loads within maxPause, with a checkpoint or a pack each,
// which takes far longer.
const (
	reservedKept = 8
	maxPause     = time.Second
)

// reserveAfter reserves the number after the last one of the WAL, if there was any,
// and returns all that are reserved.
func reserveAfter(t *transaction, last uint64, reserved []uint64) []uint64 {
	next := last + 1
	if last == 0 || slices.Contains(reserved, next) {
		return reserved
	}
	t.store(walStore).Call("put", marker, float64(next))
	reserved = append(reserved, next)
	reserved = reserved[max(0, len(reserved)-reservedKept):]
	t.put(t.store(stateStore), reservedKey, encodeNumbers(reserved))
	return reserved
}

// removeRecords removes the records with the given numbers and the packs between them,
// and keeps reservations.
func (s *Storage) removeRecords(wal js.Value, first, last uint64) {
	wal.Call("delete", keyRange.Call("bound", float64(first), float64(last)))
	for _, n := range s.reserved {
		if first <= n && n <= last {
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

// numbersIn decodes the value of a request, which may be undefined.
func numbersIn(value js.Value) ([]uint64, error) {
	if value.IsUndefined() {
		return nil, nil
	}
	data, err := bytesOf(value)
	return decodeNumbers(data), err
}
