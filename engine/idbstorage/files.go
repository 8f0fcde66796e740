//go:build js && wasm

package idbstorage

import (
	"slices"

	"sandtable/engine"
)

// Chromium stores a value of 64 KiB or more in a file of its own. A relaxed transaction
// flushes neither that file nor the log that refers to it, and the file of a replaced
// value is deleted at once. So for half a minute or so, until the system has written
// everything, a power failure can leave references to files that are missing. Relaxed
// durability may cost the last writes, but a checkpoint moves data of any age: one that
// writes or deletes such a file is strict.
//
// Blocks of several entities, and packs, are smaller. The block of one large entity and
// the record of a large transaction may not be.
//
// Source: content/browser/indexed_db/instance/backing_store.cc of Chromium, WriteNewBlobs
// and CommitPhaseTwo. The size, and that a strict transaction flushes the file before the
// log, were observed with Chromium 156.
const largestInline = 63 << 10

// noteRecord remembers a record of the WAL that is in a file.
func (s *Storage) noteRecord(seq uint64, size int) {
	if size > largestInline {
		s.large = append(s.large, seq)
	}
}

// modeOf returns the mode of a checkpoint's transaction.
func (s *Storage) modeOf(c engine.Checkpoint) mode {
	isLarge := func(b engine.Block) bool { return len(b.Data) > largestInline }
	isRemoved := func(seq uint64) bool { return seq <= c.Seq }
	if slices.ContainsFunc(c.Puts, isLarge) || slices.ContainsFunc(s.large, isRemoved) || s.deletesLarge(c.Deletes) {
		return readWriteStrict
	}
	return readWrite
}

func (s *Storage) deletesLarge(deletes []engine.BlockID) bool {
	if len(deletes) == 0 {
		return false
	}
	for _, info := range s.directory {
		if info.Size > largestInline && slices.Contains(deletes, info.ID) {
			return true
		}
	}
	return false
}

// forgetRecords forgets the records up to a number, which are gone.
func (s *Storage) forgetRecords(upTo uint64) {
	s.large = slices.DeleteFunc(s.large, func(seq uint64) bool { return seq <= upTo })
}
