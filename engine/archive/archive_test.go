package archive_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"sandtable/engine"
	"sandtable/engine/archive"
	"sandtable/odata"
)

// TestRoundTrip: dumping a loaded dump gives the same lines, except for the
// Timestamps.
func TestRoundTrip(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			from, to := openMemory(t), openMemory(t)
			randomStore(t, from, rand.New(rand.NewPCG(seed, 1)))
			options := archive.DumpOptions{Keys: true}
			want := dump(t, from, options)
			report, err := archive.Load(strings.NewReader(want), to, archive.LoadOptions{})
			must(t, err)
			first := dump(t, to, options)
			if withoutTimestamps(first) != withoutTimestamps(want) {
				t.Errorf("loaded:\n%s\nwant:\n%s", first, want)
			}
			// Loading it again changes nothing, not even a Timestamp.
			again, err := archive.Load(strings.NewReader(want), to, archive.LoadOptions{})
			must(t, err)
			if again.Counts != report.Counts || again.Unchanged != again.Entities {
				t.Errorf("loaded again: %+v, the first time %+v", again, report)
			}
			if second := dump(t, to, options); second != first {
				t.Errorf("loaded again:\n%s\nwant:\n%s", second, first)
			}
		})
	}
}

// TestLargest loads the largest entities that a store can contain, whose lines
// are the longest.
func TestLargest(t *testing.T) {
	var properties []odata.Property
	for i := range odata.MaxProperties {
		name := fmt.Sprintf("%s%03d", strings.Repeat("ü", odata.MaxPropertyNameLength-3), i)
		properties = append(properties, property(name, odata.Int64Value(1)))
	}
	e := entity(strings.Repeat("é", odata.MaxKeyLength), strings.Repeat("é", odata.MaxKeyLength), properties...)
	// The remaining size goes into one string of characters that need six bytes in JSON.
	properties[0].Value = odata.StringValue("")
	properties[0].Value = odata.StringValue(strings.Repeat("\x01", (odata.MaxCosmosEntitySize-e.Size())/2))
	if size := e.Size(); size < odata.MaxCosmosEntitySize-1 {
		t.Fatalf("the size is %d", size)
	}
	from, to := openMemory(t), openMemory(t)
	fill(t, from, "first1", "Large", e)
	want := dump(t, from, archive.DumpOptions{})
	_, err := archive.Load(strings.NewReader(want), to, archive.LoadOptions{})
	must(t, err)
	if got := dump(t, to, archive.DumpOptions{}); withoutTimestamps(got) != withoutTimestamps(want) {
		t.Errorf("loaded %d bytes, want %d", len(got), len(want))
	}
	t.Logf("%d bytes", len(want))
}

func TestDump(t *testing.T) {
	db := openMemory(t)
	fill(t, db, "first1", "Empty")
	fill(t, db, "first1", "Some", entity("p", "r", property("B", odata.Int64Value(7)), property("A", odata.StringValue("é"))))
	fill(t, db, "second2", "Other")
	const (
		head   = `{"@sandtable":"archive","version":1}` + "\n"
		tables = `{"@sandtable":"table","name":"Empty"}` + "\n" + `{"@sandtable":"table","name":"Some"}` + "\n" +
			`{"PartitionKey":"p","RowKey":"r","B@odata.type":"Edm.Int64","B":"7","A":"\u00e9"}` + "\n"
		second = `{"@sandtable":"account","name":"second2","access":"strict"}` + "\n" + `{"@sandtable":"table","name":"Other"}` + "\n"
	)
	for _, c := range []struct {
		name    string
		options archive.DumpOptions
		want    string
	}{
		{"all", archive.DumpOptions{}, head + `{"@sandtable":"account","name":"first1","access":"strict"}` + "\n" + tables + second +
			`{"@sandtable":"end","accounts":2,"tables":3,"entities":1}` + "\n"},
		{"one account", archive.DumpOptions{Account: "second2"}, head + second +
			`{"@sandtable":"end","accounts":1,"tables":1,"entities":0}` + "\n"},
		{"with keys", archive.DumpOptions{Account: "first1", Keys: true}, head +
			`{"@sandtable":"account","name":"first1","access":"strict","primaryKey":"Zmlyc3Q=","secondaryKey":"c2Vjb25k"}` + "\n" + tables +
			`{"@sandtable":"end","accounts":1,"tables":2,"entities":1}` + "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var last archive.Progress
			c.options.Progress = func(p archive.Progress) { last = p }
			got := dump(t, db, c.options)
			if withoutTimestamps(got) != c.want {
				t.Errorf("dumped:\n%s\nwant:\n%s", got, c.want)
			}
			if last.Bytes != int64(len(got)) || last.Tables != strings.Count(c.want, `"table"`) {
				t.Errorf("progress ends with %+v", last)
			}
		})
	}
	if _, err := archive.Dump(io.Discard, db, archive.DumpOptions{Account: "nobody"}); !errors.Is(err, engine.ErrAccountNotFound) {
		t.Errorf("a missing account: %v", err)
	}
}

// rotten is a storage that corrupts a byte in the blocks of one partition.
type rotten struct {
	*engine.MemoryStorage
	partition string
}

func (s rotten) ReadBlocks(ids []engine.BlockID) ([][]byte, error) {
	texts, err := s.MemoryStorage.ReadBlocks(ids)
	for i, text := range texts {
		if info, err := engine.DescribeBlock(text); err == nil && info.First.PartitionKey == s.partition {
			texts[i] = bytes.Clone(text)
			texts[i][len(text)/2] ^= 1
		}
	}
	return texts, err
}

// corruptStore returns a store with three tables, of which Rotten of account
// first1 is corrupt.
func corruptStore(t *testing.T) *engine.DB {
	t.Helper()
	storage := new(engine.MemoryStorage)
	db, err := engine.Open(storage, engine.Options{CheckpointAfter: 1})
	must(t, err)
	fill(t, db, "first1", "Rotten", entity("rotten", "r"))
	fill(t, db, "first1", "Sound", entity("p", "r"))
	fill(t, db, "second2", "Sound", entity("p", "r"))
	must(t, db.Close()) // waits for the checkpoint
	db, err = engine.Open(rotten{storage, "rotten"}, engine.Options{CheckpointAfter: -1})
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	return db
}

// TestDumpReportsCorruption: the last line counts the blocks missing from the dump.
func TestDumpReportsCorruption(t *testing.T) {
	db := corruptStore(t)
	dropTable := func(t *testing.T) {
		must(t, db.Update(func(tx *engine.Tx) error { return tx.DeleteTable("first1", "Rotten") }))
	}
	for _, c := range []struct {
		name    string
		before  func(*testing.T)
		account string
		missing int
		end     string
	}{
		{"the whole store", nil, "", 1, `"tables":3,"entities":2,"corruption":1}`},
		{"known before", nil, "", 1, `"tables":3,"entities":2,"corruption":1}`},
		{"the account", nil, "first1", 1, `"tables":2,"entities":1,"corruption":1}`},
		{"another account", nil, "second2", 0, `"tables":1,"entities":1}`},
		{"without the table", dropTable, "", 0, `"tables":2,"entities":2}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.before != nil {
				c.before(t)
			}
			var text bytes.Buffer
			missing, err := archive.Dump(&text, db, archive.DumpOptions{Account: c.account})
			must(t, err)
			if len(missing) != c.missing || !strings.HasSuffix(text.String(), c.end+"\n") {
				t.Errorf("missing %v in\n%s", missing, &text)
			}
			for _, d := range missing {
				if d.Account != "first1" || d.Table != "Rotten" || !errors.Is(d.Err, engine.ErrCorrupt) {
					t.Errorf("missing %v", d)
				}
			}
			report, err := archive.Load(&text, openMemory(t), archive.LoadOptions{})
			if err != nil || report.Corruption != c.missing || report.Entities == 0 {
				t.Errorf("loaded %+v, %v", report, err)
			}
		})
	}
}

// TestDumpAndCorruptSnapshots: a dump counts the corruption of what it has, not that of
// other snapshots or of the tables next to a snapshot.
func TestDumpAndCorruptSnapshots(t *testing.T) {
	storage := new(engine.MemoryStorage)
	db, err := engine.Open(storage, engine.Options{CheckpointAfter: 1})
	must(t, err)
	take := func() (id string) {
		_, _, err := db.Compact(t.Context(), nil) // so that they share blocks
		must(t, err)
		must(t, db.Update(func(tx *engine.Tx) error {
			s, err := tx.TakeSnapshot("first1", "s", engine.SnapshotTaken)
			id = s.ID
			return err
		}))
		return id
	}
	remove := func(name string) {
		must(t, db.Update(func(tx *engine.Tx) error { return tx.DeleteTable("first1", name) }))
	}
	fill(t, db, "first1", "Gone", entity("rotten", "r"))
	fill(t, db, "first1", "Table", entity("p", "r"))
	rottenGone := take()
	remove("Gone")
	sound := take()
	remove("Table")
	fill(t, db, "first1", "Table", entity("rotten", "r"))
	rottenTable := take()
	fill(t, db, "second2", "Table", entity("p", "r"))
	must(t, db.Close())
	db, err = engine.Open(rotten{storage, "rotten"}, engine.Options{CheckpointAfter: -1})
	must(t, err)
	defer db.Close()
	for _, when := range []string{"found now", "known before"} {
		for _, c := range []struct {
			name, account, snapshot string
			missing                 int
		}{
			{"a snapshot of a corrupt table that is gone", "first1", rottenGone, 1},
			{"a sound snapshot", "first1", sound, 0},
			{"a snapshot of a corrupt table", "first1", rottenTable, 1},
			{"the account", "first1", "", 1},
			{"another account", "second2", "", 0},
			{"everything", "", "", 1},
		} {
			var text bytes.Buffer
			missing, err := archive.Dump(&text, db, archive.DumpOptions{Account: c.account, Snapshot: c.snapshot})
			must(t, err)
			if len(missing) != c.missing || strings.Contains(text.String(), `"corruption":1}`) != (c.missing == 1) {
				t.Errorf("%s, %s: missing %v in\n%s", when, c.name, missing, &text)
			}
		}
	}
}

// TestDumpDuringReset: corruption that is cleared during a dump is still counted.
func TestDumpDuringReset(t *testing.T) {
	db := corruptStore(t)
	forget := func(p archive.Progress) {
		if p.Table == "Sound" && p.Account == "first1" { // after Rotten
			must(t, db.ForgetCorruption())
		}
	}
	var text bytes.Buffer
	missing, err := archive.Dump(&text, db, archive.DumpOptions{Progress: forget})
	must(t, err)
	if len(db.Corruption()) > 0 {
		t.Fatal("the corruption was not cleared")
	}
	if len(missing) != 1 || missing[0].Table != "Rotten" || missing[0].Block.Count != 1 || !strings.HasSuffix(text.String(), `"entities":2,"corruption":1}`+"\n") {
		t.Errorf("missing %v in\n%s", missing, &text)
	}
}

// failing is a writer that fails after a number of bytes.
type failing int

var errFull = errors.New("full")

func (f *failing) Write(b []byte) (int, error) {
	if *f -= failing(len(b)); *f < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestDumpFails(t *testing.T) {
	db := openMemory(t)
	randomStore(t, db, rand.New(rand.NewPCG(3, 1)))
	size := len(dump(t, db, archive.DumpOptions{}))
	for _, limit := range []int{0, size / 2, size - 1} {
		w := failing(limit)
		if _, err := archive.Dump(&w, db, archive.DumpOptions{}); !errors.Is(err, errFull) {
			t.Errorf("a writer of %d bytes for %d: %v", limit, size, err)
		}
	}
	must(t, db.Close())
	if _, err := archive.Dump(io.Discard, db, archive.DumpOptions{}); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("a closed store: %v", err)
	}
}

// TestDumpIsSnapshot: a dump does not contain writes that happen during it.
func TestDumpIsSnapshot(t *testing.T) {
	db := openMemory(t)
	var entities []*odata.Entity
	for i := range 1000 {
		entities = append(entities, entity("p", fmt.Sprintf("%04d", i), property("Text", odata.StringValue(strings.Repeat("x", 200)))))
	}
	fill(t, db, "first1", "Table", entities...)
	want := dump(t, db, archive.DumpOptions{})
	pages := 0
	got := dump(t, db, archive.DumpOptions{Progress: func(archive.Progress) {
		pages++
		must(t, db.Update(func(tx *engine.Tx) error {
			table, err := tx.Table("first1", "Table")
			for i := 0; i < 1000 && err == nil; i++ {
				_, err = table.Replace(odata.Key{PartitionKey: "p", RowKey: fmt.Sprintf("%04d", i)}, nil, engine.Upsert)
			}
			return err
		}))
	}})
	if got != want {
		t.Errorf("dumped:\n%.2000s\nwant:\n%.2000s", got, want)
	}
	if pages < 10 {
		t.Errorf("there were %d pages", pages)
	}
}
