package storagetest

import (
	"testing"

	"sandtable/engine"
)

// Opener opens a store. It is called again for the same store after the returned
// storage was closed.
type Opener func() (engine.Storage, error)

// Store is an empty store and the failures that its medium can simulate.
type Store struct {
	Open Opener

	// Tear calls write, which writes to an open storage of the store, and closes
	// the storage. It leaves a part of the write on the medium, from 0 for nothing
	// to nearly 1 for almost all, as if the power had failed.
	Tear func(t *testing.T, s engine.Storage, part float64, write func() error)
	// NoTear is the reason why Tear is nil.
	NoTear string

	// Fill makes the medium refuse, at once or soon, whatever enlarges the store,
	// until empty is called. The store already has a few blocks.
	Fill func(t *testing.T) (empty func())
	// Alone runs tests that call Fill in a separate process, because Fill affects
	// the whole process.
	Alone bool
	// NoFill is the reason why Fill is nil.
	NoFill string
}

// Run runs the suite. It calls create for every part, which returns an empty store
// and removes it with t.Cleanup.
func Run(t *testing.T, create func(t *testing.T) Store) {
	parts := []struct {
		name string
		run  func(*testing.T, Opener)
	}{
		{"new store is empty", testEmpty},
		{"WAL is loaded in order", testWALOrder},
		{"record replaces an earlier one with its number", testWALReplace},
		{"large record", testLargeRecord},
		{"empty record", testEmptyRecord},
		{"many small records", testManyRecords},
		{"numbers beyond 32 bits", testLargeNumbers},
		{"storage keeps no caller's slice", testCallerKeepsSlices},
		{"checkpoint puts, deletes and truncates the WAL", testCheckpoint},
		{"checkpoint of many blocks", testManyBlocks},
		{"checkpoint without blocks", testEmptyCheckpoint},
		{"missing blocks", testMissingBlock},
		{"concurrent reads and writes", testConcurrentReads},
		{"closed", testClosed},
		{"engine: reopen", testReopen},
		{"engine: concurrent writers", testConcurrentWriters},
		{"engine: corrupt record", testCorruptRecord},
		{"engine: corrupt block", testCorruptBlock},
		{"engine: missing block", testLostBlock},
		{"engine: missing record", testMissingRecord},
		{"engine: histories with faults", testFaults},
		{"engine: refused write stays refused", testRefusedWrite},
		{"engine: verify", testVerify},
		{"engine: compact and delete", testCompact},
	}
	for _, part := range parts {
		t.Run(part.name, func(t *testing.T) { part.run(t, create(t).Open) })
	}
	runSamples(t, func(t *testing.T) Opener { return create(t).Open })
	runTorn(t, create)
	runFull(t, create)
}

// requireSupport skips the test with the reason if the medium cannot simulate a
// failure. It fails the test if there is neither support nor a reason.
func requireSupport(t *testing.T, can bool, why string) {
	t.Helper()
	switch {
	case can == (why != ""):
		t.Fatal("a Store needs either the function or the reason for its absence")
	case !can:
		t.Skip(why)
	}
}

// open opens the store and closes it when the test ends.
func open(t *testing.T, o Opener) engine.Storage {
	t.Helper()
	s, err := o()
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

// reopen closes the storage, reopens the store and loads it.
func reopen(t *testing.T, o Opener, s engine.Storage) (engine.Storage, engine.Directory) {
	t.Helper()
	must(t, s.Close())
	s = open(t, o)
	return s, load(t, s)
}

func load(t *testing.T, s engine.Storage) engine.Directory {
	t.Helper()
	d, err := s.Load()
	must(t, err)
	return d
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
