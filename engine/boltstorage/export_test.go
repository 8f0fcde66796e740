//go:build !js

package boltstorage

import "testing"

// SetTurnAfter says how long the log's file has to be, in bytes, before a
// checkpoint goes on in the other one.
func SetTurnAfter(n int64) { turnAfter = n }

// TurnEarly has the log change its file with nearly every checkpoint, for a test.
func TurnEarly(t *testing.T) {
	t.Helper()
	was := turnAfter
	turnAfter = firstFrame + 1
	t.Cleanup(func() { turnAfter = was })
}

// WriteOldStore makes a store of the format before, with one block.
var WriteOldStore = writeOldStore
