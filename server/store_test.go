package server_test

import (
	"flag"
	"os"
	"testing"
	"time"

	"sandtable/engine"
	"sandtable/server"
	"sandtable/server/pgstore"
	"sandtable/server/pgstore/pgtest"
)

var onPostgreSQL = flag.Bool("postgres", false, "run the tests of this package over PostgreSQL instead of the engine")

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(pgtest.Run(m))
}

// open opens an empty store, whose clock is the fixture's.
func (f *fixture) open() server.Store {
	f.Helper()
	now := func() time.Time { return f.now }
	if *onPostgreSQL {
		store, err := pgstore.Open(f.Context(), pgtest.Schema(f), pgstore.Options{Now: now})
		if err != nil {
			f.Fatal(err)
		}
		f.Cleanup(store.Close)
		f.intoBlocks = func() {}
		return store
	}
	db, err := engine.Open(new(engine.MemoryStorage), engine.Options{Now: now})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { db.Close() })
	f.intoBlocks = func() {
		if _, _, err := db.Compact(f.Context(), nil); err != nil {
			f.Fatal(err)
		}
	}
	return server.OverEngine(db)
}
