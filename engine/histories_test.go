package engine_test

import (
	"testing"

	"sandtable/engine"
	"sandtable/engine/storagetest"
)

// TestHistories runs as many as fit into a few seconds; tens of thousands are
// run with -histories, and one again with -seed.
func TestHistories(t *testing.T) {
	storagetest.Histories(t, 1500, func(*testing.T) storagetest.Opener {
		m := &engine.MemoryStorage{}
		return func() (engine.Storage, error) { return m, nil }
	})
}

// TestFlakyHistories: as many as fit into some seconds, as above.
func TestFlakyHistories(t *testing.T) { storagetest.FlakyHistories(t, 100) }

// TestMeetingHistories, too.
func TestMeetingHistories(t *testing.T) { storagetest.MeetingHistories(t, 10) }

// TestDamagedHistories, too.
func TestDamagedHistories(t *testing.T) { storagetest.DamagedHistories(t, 200) }
