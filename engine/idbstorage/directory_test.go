//go:build js && wasm

package idbstorage

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"sandtable/engine"
)

// TestApplyCheckpoint compares random checkpoints with a plain map.
func TestApplyCheckpoint(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var directory []engine.BlockInfo
	want := make(map[engine.BlockID]engine.BlockInfo)
	for round := range 200 {
		var c engine.Checkpoint
		for id := range want {
			if random.IntN(3) == 0 {
				c.Deletes = append(c.Deletes, id)
			}
		}
		for _, id := range c.Deletes {
			delete(want, id)
		}
		for range random.IntN(30) {
			info := engine.BlockInfo{
				ID: engine.BlockID(random.IntN(60)), Table: engine.TableID(random.IntN(3)), Count: round,
			}
			info.First.RowKey = fmt.Sprint(random.IntN(10))
			if slices.ContainsFunc(c.Puts, func(b engine.Block) bool { return b.ID == info.ID }) {
				continue
			}
			want[info.ID] = info
			c.Puts = append(c.Puts, engine.Block{BlockInfo: info})
		}
		before := slices.Clone(directory)
		after := applyCheckpoint(directory, c)
		if !slices.Equal(directory, before) {
			t.Fatalf("round %d: the old directory has changed", round)
		}
		directory = after
		if sorted := slices.SortedFunc(maps.Values(want), comparePosition); !slices.Equal(directory, sorted) {
			t.Fatalf("round %d: %v, want %v", round, directory, sorted)
		}
	}
}
