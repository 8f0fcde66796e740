package storagetest

import (
	"encoding/json"
	"testing"

	"sandtable/engine"
	"sandtable/engine/samples"
)

// runSamples opens a store of every released format in the storage, rewrites it in
// the current format and reopens it.
func runSamples(t *testing.T, create func(t *testing.T) Opener) {
	files, err := samples.Files.ReadDir(".")
	must(t, err)
	for _, file := range files {
		t.Run("engine: store in "+file.Name(), func(t *testing.T) { testSample(t, create(t), file.Name()) })
	}
}

func testSample(t *testing.T, o Opener, name string) {
	text, err := samples.Files.ReadFile(name)
	must(t, err)
	var sample struct {
		Directory engine.Directory
		Blocks    []engine.Block
	}
	must(t, json.Unmarshal(text, &sample))
	withStorage(t, o, func(s engine.Storage, _ engine.Directory) {
		must(t, s.Checkpoint(engine.Checkpoint{Puts: sample.Blocks, Meta: sample.Directory.Meta}))
		for _, r := range sample.Directory.WAL {
			must(t, s.Append(r.Seq, r.Data))
		}
	})
	db := openDB(t, open(t, o))
	want := ContentsOf(t, db, "sample")
	checkCorruption(t, db, 0)
	if len(want) != 8 { // two tables, three entities in each
		t.Fatalf("%d tables and entities, want 8", len(want))
	}
	_, _, err = db.Compact(t.Context(), nil)
	must(t, err)
	db = reopenDB(t, o, db)
	ContentsOf(t, db, "sample").Check(t, want)
	checkCorruption(t, db, 0)
}
