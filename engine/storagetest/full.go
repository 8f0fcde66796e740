package storagetest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"sandtable/engine"
	"sandtable/odata"
)

// runFull writes to a full medium: writes fail with ErrNoSpace and leave nothing
// behind, reads work, and writes succeed once there is space.
func runFull(t *testing.T, create func(t *testing.T) Store) {
	parts := []struct {
		name string
		run  func(*testing.T, Store)
	}{
		{"no space for a record", testFullWAL},
		{"no space for a checkpoint", testFullCheckpoint},
		{"engine: no space", testFullStore},
	}
	for _, part := range parts {
		t.Run(part.name, func(t *testing.T) {
			s := create(t)
			requireSupport(t, s.Fill != nil, s.NoFill)
			if s.Alone && os.Getenv(aloneVariable) == "" {
				runAlone(t)
				return
			}
			part.run(t, s)
		})
	}
}

// aloneVariable is set in a process that runAlone has started.
const aloneVariable = "SANDTABLE_TEST_ALONE"

// runAlone runs the test in another process.
func runAlone(t *testing.T) {
	t.Helper()
	names := strings.Split(t.Name(), "/")
	for i, name := range names {
		names[i] = "^" + regexp.QuoteMeta(name) + "$"
	}
	test := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.run="+strings.Join(names, "/"))
	test.Env = append(os.Environ(), aloneVariable+"=1")
	out, err := test.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()+" ") {
		t.Errorf("in a separate process: %v\n%s", err, out)
	}
}

// maxWrites limits the writes of 64 KiB that a filled medium may still accept.
const (
	maxWrites  = 1000
	largeWrite = 64 << 10
)

// fillUntil writes until a write is refused.
func fillUntil(t *testing.T, write func() error) {
	t.Helper()
	for range maxWrites {
		err := write()
		if errors.Is(err, engine.ErrNoSpace) {
			return
		}
		must(t, err)
	}
	t.Fatalf("a full medium accepted %d writes", maxWrites)
}

func testFullWAL(t *testing.T, store Store) {
	s := open(t, store.Open)
	load(t, s)
	first := block(1, 20_000)
	must(t, s.Checkpoint(engine.Checkpoint{Puts: []engine.Block{first}, Meta: []byte("m")}))
	var want []engine.WALRecord
	add := func(n int) error {
		r := engine.WALRecord{Seq: uint64(len(want) + 1), Data: payload(uint64(len(want)), n)}
		err := s.Append(r.Seq, r.Data)
		if err == nil {
			want = append(want, r)
		}
		return err
	}
	must(t, add(100))
	empty := store.Fill(t)
	for range 3 {
		fillUntil(t, func() error { return add(largeWrite) })
		d := load(t, s)
		checkWAL(t, d.WAL, want)
		checkBlocks(t, s, d, []engine.Block{first})
		s, d = reopen(t, store.Open, s) // works without space
		checkWAL(t, d.WAL, want)
	}
	empty()
	must(t, add(largeWrite))
	must(t, add(10))
	s, d := reopen(t, store.Open, s)
	checkWAL(t, d.WAL, want)
	checkBlocks(t, s, d, []engine.Block{first})
}

func testFullCheckpoint(t *testing.T, store Store) {
	s := open(t, store.Open)
	load(t, s)
	must(t, s.Append(1, payload(1, 100)))
	want := []engine.Block{block(1, 20_000)}
	must(t, s.Checkpoint(engine.Checkpoint{Puts: want, Meta: []byte("m")}))
	empty := store.Fill(t)
	next := engine.BlockID(2)
	put := func() error {
		b := block(next, largeWrite)
		next++
		err := s.Checkpoint(engine.Checkpoint{Puts: []engine.Block{b}, Meta: []byte("m")})
		if err == nil {
			want = append(want, b)
		}
		return err
	}
	for range 3 {
		fillUntil(t, put)
		d := load(t, s)
		checkBlocks(t, s, d, want)
		s, d = reopen(t, store.Open, s)
		checkBlocks(t, s, d, want)
		checkWAL(t, d.WAL, []engine.WALRecord{{Seq: 1, Data: payload(1, 100)}})
	}
	empty()
	must(t, put())
	s, d := reopen(t, store.Open, s)
	checkBlocks(t, s, d, want)
	checkWAL(t, d.WAL, []engine.WALRecord{{Seq: 1, Data: payload(1, 100)}})
}

func testFullStore(t *testing.T, store Store) {
	db := openDB(t, open(t, store.Open))
	w := newWorker(4, "Table")
	for range 30 {
		must(t, w.step(db))
	}
	must(t, db.Update(func(tx *engine.Tx) error { return tx.CreateTable(account, "Full") }))
	w.model["Full/"] = nil
	row := 0
	insert := func() error {
		row++
		var made *odata.Entity
		err := db.Update(func(tx *engine.Tx) error {
			table, err := tx.Table(account, "Full")
			if err == nil {
				value := []odata.Property{{Name: "Bytes", Value: odata.BinaryValue(payload(uint64(row), largeWrite-1000))}}
				made, err = table.Insert(odata.Key{PartitionKey: "p", RowKey: fmt.Sprint(row)}, value)
			}
			return err
		})
		if err == nil {
			w.model[entityPath("Full", made.Key())] = made
		}
		return err
	}
	must(t, insert())
	empty := store.Fill(t)
	for range 3 { // a checkpoint may have freed a little space
		fillUntil(t, func() error {
			err := insert()
			if err != nil && !errors.Is(err, engine.ErrStorage) {
				t.Errorf("insert: %v", err)
			}
			return err
		})
		ContentsOf(t, db, account).Check(t, w.model)
	}
	empty()
	must(t, insert())
	must(t, w.step(db))
	ContentsOf(t, db, account).Check(t, w.model)
	checkSound(t, db)
	db = reopenDB(t, store.Open, db)
	checkCorruption(t, db, 0)
	ContentsOf(t, db, account).Check(t, w.model)
}
