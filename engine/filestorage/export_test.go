package filestorage

import "testing"

// TurnEarly has a WAL segment begin with nearly every checkpoint, and blocks be
// copied forward as soon as there is garbage, for a test.
func TurnEarly(t *testing.T) {
	t.Helper()
	turn := leastTurn
	leastTurn, leastGarbage, leastSegment = 1, 1, 1<<12
	t.Cleanup(func() { leastTurn, leastGarbage, leastSegment = turn, 4<<20, 2<<20 })
}
