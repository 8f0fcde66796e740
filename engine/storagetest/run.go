package storagetest

import (
	"testing"

	"sandtable/engine"
)

// Opener opens a store. It is called again, for the same store, when the
// storage that it returned before was closed.
type Opener func() (engine.Storage, error)

// Store is an empty store, and what can befall the medium that it is on.
type Store struct {
	Open Opener

	// Tear calls write, which writes something to an open storage of the store,
	// and closes that. Of what was written the medium is then left with a part, from
	// 0 for nothing to 1 for all but the very end, as when the power or the
	// process ends during it.
	Tear func(t *testing.T, s engine.Storage, part float64, write func() error)
	// NoTear says why there is no Tear.
	NoTear string

	// Fill has the medium refuse whatever makes the store larger, soon if not at
	// once, until empty is called. It is called when the store has a few blocks.
	Fill func(t *testing.T) (empty func())
	// Alone has the tests that call Fill run in a process of their own, which it is
	// about as a whole.
	Alone bool
	// NoFill says why there is no Fill.
	NoFill string
}

// Run runs the suite. It calls create for every part, which makes an empty
// store and has its remains removed by t.Cleanup.
func Run(t *testing.T, create func(t *testing.T) Store) {
	parts := []struct {
		name string
		run  func(*testing.T, Opener)
	}{
		{"new store is empty", testEmpty},
		{"log comes back in order", testLogOrder},
		{"record of a number replaces the one before", testLogReplace},
		{"large record", testLargeRecord},
		{"empty record", testEmptyRecord},
		{"many small records", testManyRecords},
		{"numbers beyond 32 bits", testLargeNumbers},
		{"nothing that was given is kept", testCallerKeepsSlices},
		{"checkpoint puts, deletes and drops the log", testCheckpoint},
		{"checkpoint of many blocks", testManyBlocks},
		{"checkpoint without blocks", testEmptyCheckpoint},
		{"blocks that are not there", testMissingBlock},
		{"reading beside writing", testConcurrentReads},
		{"closed", testClosed},
		{"engine: reopen", testReopen},
		{"engine: concurrent writers", testConcurrentWriters},
		{"engine: damaged record", testDamagedRecord},
		{"engine: damaged block", testDamagedBlock},
		{"engine: missing block", testLostBlock},
		{"engine: missing record", testMissingRecord},
		{"engine: histories with faults", testFaults},
		{"engine: refused write does not come back", testRefusedWrite},
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

// isThere reports whether a medium can be made to fail so, and skips the test
// with the reason if not. A store that has neither fails it.
func isThere(t *testing.T, can bool, why string) {
	t.Helper()
	switch {
	case can == (why != ""):
		t.Fatal("a store says what its medium does, or why it cannot")
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

// reopen closes the storage, opens the store again and loads it.
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
