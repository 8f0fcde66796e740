//go:build js && wasm

package idbstorage

import (
	"slices"
	"syscall/js"
	"testing"

	"sandtable/engine"
)

// spyOnCheckpoints returns a function that returns the durability of each checkpoint since
// it was called last.
func spyOnCheckpoints(t *testing.T) (durabilities func() []string) {
	t.Helper()
	spy := js.Global().Get("Function").New(`
		const { prototype } = IDBDatabase, { transaction } = prototype;
		const spy = { seen: [], restore: () => { prototype.transaction = transaction; } };
		prototype.transaction = function (stores, mode, options) {
			if (stores.length === 3 && mode === "readwrite") spy.seen.push(options.durability);
			return transaction.call(this, stores, mode, options);
		};
		return spy;
	`).Invoke()
	t.Cleanup(func() { spy.Call("restore") })
	return func() (seen []string) {
		values := spy.Get("seen")
		for i := range values.Length() {
			seen = append(seen, values.Index(i).String())
		}
		spy.Set("seen", js.Global().Get("Array").New())
		return seen
	}
}

// TestFilesAreFlushed: a relaxed store risks its last writes in a power failure, and
// nothing older.
func TestFilesAreFlushed(t *testing.T) {
	const large = 64 << 10
	block := func(id engine.BlockID, size int) engine.Block {
		b := testBlock(id)
		b.Data = append(b.Data, make([]byte, size)...)
		b.Size = len(b.Data)
		return b
	}
	name := newDatabase(t)
	s := openStorage(t, name, Options{Durability: engine.Relaxed})
	durabilities := spyOnCheckpoints(t)
	check := func(what, want string, c engine.Checkpoint) {
		t.Helper()
		c.Meta = []byte("m")
		checkpoint(t, s, c)
		if got := durabilities(); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q, want %s", what, got, want)
		}
	}
	appendSizes(t, s, 1, 10, large-100-1024)
	check("small blocks and records", "relaxed", engine.Checkpoint{Seq: 2, Puts: []engine.Block{block(1, 10), block(2, 20<<10)}})
	appendSizes(t, s, 3, 10, large)
	check("a large record that stays", "relaxed", engine.Checkpoint{Seq: 3, Puts: []engine.Block{block(3, 10)}})
	s = openStorage(t, name, Options{Durability: engine.Relaxed})
	check("a large record that was loaded", "strict", engine.Checkpoint{Seq: 4, Puts: []engine.Block{block(4, 10)}})
	check("no record", "relaxed", engine.Checkpoint{Seq: 4, Deletes: []engine.BlockID{1}})
	check("a large block", "strict", engine.Checkpoint{Seq: 4, Puts: []engine.Block{block(5, large)}})
	check("the end of a small block", "relaxed", engine.Checkpoint{Seq: 4, Deletes: []engine.BlockID{2}})
	check("the end of a large block", "strict", engine.Checkpoint{Seq: 4, Deletes: []engine.BlockID{5}})
}

// TestPacksAreInline: a pack replaces records of any age, and is never in a file.
func TestPacksAreInline(t *testing.T) {
	s := openStorage(t, newDatabase(t), Options{})
	appendSizes(t, s, 1, slices.Repeat([]int{maxPacked}, 40)...)
	appendSizes(t, s, 41, slices.Repeat([]int{maxPacked / 2, 1, maxPacked}, 20)...)
	packs := 0
	err := s.scan(walStore, walPage, func(key float64, value []byte) {
		if _, is := isPack(key); is {
			packs++
		}
		if len(value) > largestInline {
			t.Errorf("the value at %v has %d bytes", key, len(value))
		}
	})
	if err != nil || packs < 5 {
		t.Errorf("%d packs, %v", packs, err)
	}
}
