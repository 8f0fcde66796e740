package engine_test

import (
	"testing"

	"sandtable/engine"
	"sandtable/engine/storagetest"
)

// TestHistories runs as many histories as take a few seconds with the race detector.
// -histories sets their number, -seed repeats one. "make test" also runs 100 of each kind
// without the detector.
func TestHistories(t *testing.T) {
	storagetest.Histories(t, 250, func(*testing.T) storagetest.Opener {
		m := &engine.MemoryStorage{}
		return func() (engine.Storage, error) { return m, nil }
	})
}

// TestFlakyHistories takes the same flags.
func TestFlakyHistories(t *testing.T) { storagetest.FlakyHistories(t, 20) }

// TestContendingHistories takes the same flags.
func TestContendingHistories(t *testing.T) { storagetest.ContendingHistories(t, 3) }

// TestCorruptionHistories takes the same flags.
func TestCorruptionHistories(t *testing.T) { storagetest.CorruptionHistories(t, 40) }
