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

// runFull writes to a medium that has no room: that is said, leaves nothing
// behind, keeps nobody from reading, and ends when there is room again.
func runFull(t *testing.T, create func(t *testing.T) Store) {
	parts := []struct {
		name string
		run  func(*testing.T, Store)
	}{
		{"no room for a record", testFullLog},
		{"no room for a checkpoint", testFullCheckpoint},
		{"engine: no room", testFullStore},
	}
	for _, part := range parts {
		t.Run(part.name, func(t *testing.T) {
			s := create(t)
			isThere(t, s.Fill != nil, s.NoFill)
			if s.Alone && os.Getenv(aloneVariable) == "" {
				runAlone(t)
				return
			}
			part.run(t, s)
		})
	}
}

// aloneVariable is set in a process that runs one test for another.
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
		t.Errorf("in a process of its own: %v\n%s", err, out)
	}
}

// mostWrites is how many writes of 64 KiB a medium may have room for after it
// was filled.
const (
	mostWrites = 1000
	largeWrite = 64 << 10
)

// fillUntil writes until that is refused, and returns how often it was not.
func fillUntil(t *testing.T, write func(i int) error) (done int) {
	t.Helper()
	for ; done < mostWrites; done++ {
		err := write(done)
		if errors.Is(err, engine.ErrNoRoom) {
			return done
		}
		must(t, err)
	}
	t.Fatalf("a full medium took %d writes", done)
	return 0
}

func testFullLog(t *testing.T, store Store) {
	s := open(t, store.Open)
	load(t, s)
	first := block(1, 20_000)
	must(t, s.Checkpoint(engine.Checkpoint{Puts: []engine.Block{first}, Meta: []byte("m")}))
	var want []engine.LogRecord
	add := func(n int) error {
		r := engine.LogRecord{Seq: uint64(len(want) + 1), Data: text(uint64(len(want)), n)}
		err := s.Append(r.Seq, r.Data)
		if err == nil {
			want = append(want, r)
		}
		return err
	}
	must(t, add(100))
	empty := store.Fill(t)
	fillUntil(t, func(int) error { return add(largeWrite) })
	for range 2 {
		if err := add(largeWrite); !errors.Is(err, engine.ErrNoRoom) {
			t.Errorf("another append: %v", err)
		}
		d := load(t, s)
		checkLog(t, d.Log, want)
		checkBlocks(t, s, d, []engine.Block{first})
		s, d = reopen(t, store.Open, s) // also where there is no room
		checkLog(t, d.Log, want)
	}
	empty()
	must(t, add(largeWrite))
	must(t, add(10))
	s, d := reopen(t, store.Open, s)
	checkLog(t, d.Log, want)
	checkBlocks(t, s, d, []engine.Block{first})
}

func testFullCheckpoint(t *testing.T, store Store) {
	s := open(t, store.Open)
	load(t, s)
	must(t, s.Append(1, text(1, 100)))
	want := []engine.Block{block(1, 20_000)}
	must(t, s.Checkpoint(engine.Checkpoint{Puts: want, Meta: []byte("m")}))
	empty := store.Fill(t)
	put := func(id int) error {
		b := block(engine.BlockID(id), largeWrite)
		err := s.Checkpoint(engine.Checkpoint{Puts: []engine.Block{b}, Meta: []byte("m")})
		if err == nil {
			want = append(want, b)
		}
		return err
	}
	fillUntil(t, func(i int) error { return put(2 + i) })
	d := load(t, s)
	checkBlocks(t, s, d, want)
	s, d = reopen(t, store.Open, s)
	checkBlocks(t, s, d, want)
	checkLog(t, d.Log, []engine.LogRecord{{Seq: 1, Data: text(1, 100)}})
	if err := put(5000); !errors.Is(err, engine.ErrNoRoom) {
		t.Errorf("another checkpoint: %v", err)
	}
	empty()
	must(t, put(5001))
	s, d = reopen(t, store.Open, s)
	checkBlocks(t, s, d, want)
	checkLog(t, d.Log, []engine.LogRecord{{Seq: 1, Data: text(1, 100)}})
}

func testFullStore(t *testing.T, store Store) {
	db := openDB(t, open(t, store.Open))
	w := newWorker(4, "Table")
	for range 30 {
		must(t, w.step(db))
	}
	must(t, db.Update(func(tx *engine.Tx) error { return tx.CreateTable(account, "Full") }))
	w.model["Full/"] = nil
	insert := func(row int) error {
		var made *odata.Entity
		err := db.Update(func(tx *engine.Tx) error {
			table, err := tx.Table(account, "Full")
			if err == nil {
				value := []odata.Property{{Name: "Bytes", Value: odata.BinaryValue(text(uint64(row), largeWrite-1000))}}
				made, err = table.Insert(odata.Key{PartitionKey: "p", RowKey: fmt.Sprint(row)}, value)
			}
			return err
		})
		if err == nil {
			w.model[entityPath("Full", made.Key())] = made
		}
		return err
	}
	must(t, insert(0))
	empty := store.Fill(t)
	n := 1 + fillUntil(t, func(i int) error { return insert(1 + i) })
	if err := insert(n); !errors.Is(err, engine.ErrStorage) || !errors.Is(err, engine.ErrNoRoom) {
		t.Errorf("another insert: %v", err)
	}
	ContentsOf(t, db, account).Check(t, w.model)
	empty()
	must(t, insert(n+1))
	must(t, w.step(db))
	ContentsOf(t, db, account).Check(t, w.model)
	checkSound(t, db)
	db = reopenDB(t, store.Open, db)
	checkDamage(t, db, 0)
	ContentsOf(t, db, account).Check(t, w.model)
}
