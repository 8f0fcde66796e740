package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sandtable/engine/internal/block"
	"sandtable/odata"
)

// verified opens a copy of a store and returns Verify's findings.
func verified(t *testing.T, s Storage, options VerifyOptions) Report {
	t.Helper()
	db, err := Open(s, Options{CheckpointAfter: -1, MemoryBudget: 1})
	if err != nil {
		t.Fatal(err)
	}
	report, err := db.Verify(t.Context(), options)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	return report
}

// soundStore returns a store with two tables in blocks and further changes in the WAL.
func soundStore(t *testing.T) *MemoryStorage {
	t.Helper()
	m := &MemoryStorage{}
	db, err := Open(m, Options{CheckpointAfter: 1})
	if err != nil {
		t.Fatal(err)
	}
	fill(t, db, "First", "p", 100, 1000)
	fill(t, db, "Second", "p", 200, 1000)
	settle(db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if db, err = Open(m, Options{CheckpointAfter: -1}); err != nil {
		t.Fatal(err)
	}
	fill(t, db, "First", "q", 10, 10)
	fill(t, db, "Second", "p", 20, 10) // overwrites entities in blocks
	err = db.Update(func(tx *Tx) error {
		table, err := tx.Table("test", "Second")
		for i := 50; i < 60 && err == nil; i++ {
			err = table.Delete(odata.Key{PartitionKey: "p", RowKey: fmt.Sprintf("%06d", i)}, MustExist)
		}
		if err == nil {
			err = tx.SetSettings("some")
		}
		return err
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	return m
}

// dataBlocks returns a table's blocks in order.
func dataBlocks(m *MemoryStorage, table TableID) (blocks []Block) {
	for _, b := range m.blocks {
		if b.Table == table {
			blocks = append(blocks, b)
		}
	}
	slices.SortFunc(blocks, func(a, b Block) int { return a.First.Compare(b.First) })
	return blocks
}

// entitiesIn decodes a sound block.
func entitiesIn(t *testing.T, b Block) (entities []*odata.Entity) {
	t.Helper()
	open, err := openBlock(b.Data, b.BlockInfo)
	if err != nil {
		t.Fatal(err)
	}
	for i := range open.Len() {
		entities = append(entities, open.Entity(i))
	}
	return entities
}

// rewrite replaces a block's entities.
func rewrite(m *MemoryStorage, old BlockInfo, entities []*odata.Entity) {
	var w block.Builder
	for _, e := range entities {
		w.Add(e)
	}
	m.blocks[old.ID] = finishBlock(&w, old.ID, old.Table)
}

// recatalog changes the entries of the catalog.
func recatalog(t *testing.T, m *MemoryStorage, change func(*odata.Entity)) {
	t.Helper()
	b := dataBlocks(m, catalogID)[0]
	entities := entitiesIn(t, b)
	for _, e := range entities {
		change(e)
	}
	rewrite(m, b.BlockInfo, entities)
}

func set(e *odata.Entity, name string, v odata.Value) {
	for i := range e.Properties {
		if e.Properties[i].Name == name {
			e.Properties[i].Value = v
			return
		}
	}
	e.Properties = append(e.Properties, odata.Property{Name: name, Value: v})
}

func TestVerify(t *testing.T) {
	const first, second = 1, 2 // the tables
	refuse := errors.New("refused")
	cases := []struct {
		name    string
		corrupt func(*testing.T, *MemoryStorage)
		want    []string // the prefix of each finding
	}{
		{"nothing", func(*testing.T, *MemoryStorage) {}, nil},
		{"a flipped bit in a block", func(t *testing.T, m *MemoryStorage) {
			b := dataBlocks(m, first)[1]
			b.Data[b.Size/2] ^= 4
		}, []string{"bad block (First 1) in test/First: corrupt: checksum mismatch"}},
		{"a truncated block", func(t *testing.T, m *MemoryStorage) {
			b := dataBlocks(m, first)[1]
			b.Data = b.Data[:b.Size-1]
			m.blocks[b.ID] = b
		}, []string{"bad block (First 1) in test/First: corrupt: checksum mismatch"}},
		{"two blocks swapped", func(t *testing.T, m *MemoryStorage) {
			a, b := dataBlocks(m, first)[0], dataBlocks(m, first)[1]
			a.Data, b.Data = b.Data, a.Data
			m.blocks[a.ID], m.blocks[b.ID] = a, b
		}, []string{"bad block (First 0) in test/First: corrupt: found block ", "bad block (First 1) in test/First: corrupt: found block "}},
		{"entities out of order", func(t *testing.T, m *MemoryStorage) {
			b := dataBlocks(m, first)[0]
			entities := entitiesIn(t, b)
			entities[3], entities[4] = entities[4], entities[3]
			rewrite(m, b.BlockInfo, entities)
		}, []string{"bad block (First 0) in test/First: corrupt: entities out of order"}},
		{"a number in the directory", func(t *testing.T, m *MemoryStorage) {
			b := dataBlocks(m, first)[0]
			b.Count++
			m.blocks[b.ID] = b
		}, []string{"bad block (First 0) in test/First: corrupt: found block "}},
		{"blocks that overlap", func(t *testing.T, m *MemoryStorage) {
			blocks := dataBlocks(m, first)
			rewrite(m, blocks[0].BlockInfo, append(entitiesIn(t, blocks[0]), entitiesIn(t, blocks[1])[1]))
		}, []string{"blocks overlap (First 0) in test/First: corrupt: it has {p 0000"}},
		{"two blocks with the same first key", func(t *testing.T, m *MemoryStorage) {
			b := dataBlocks(m, first)[2]
			twin := b.BlockInfo
			twin.ID = unused(t, m)
			rewrite(m, twin, entitiesIn(t, b))
		}, []string{"blocks overlap (", "bad count in test/First: corrupt: there are "}},
		{"an orphan block", func(t *testing.T, m *MemoryStorage) {
			b := dataBlocks(m, first)[2]
			entities := entitiesIn(t, b)
			b.Table = 77
			rewrite(m, b.BlockInfo, entities)
		}, []string{"orphan block (First 2): corrupt: table 77 is not in the catalog"}},
		{"a record", func(t *testing.T, m *MemoryStorage) {
			m.wal[lastRecord(m)][40] ^= 1
		}, []string{"bad record 5: corrupt: checksum mismatch"}},
		{"a missing record", func(t *testing.T, m *MemoryStorage) {
			delete(m.wal, lastRecord(m)-1)
		}, []string{"bad record 4: corrupt: 1 WAL records are missing"}},
		{"the checkpoint metadata", func(t *testing.T, m *MemoryStorage) {
			m.meta[len(m.meta)-1] ^= 1
		}, []string{"bad meta: corrupt: checksum mismatch"}},
		{"a Timestamp in the future", func(t *testing.T, m *MemoryStorage) {
			b := dataBlocks(m, second)[0]
			entities := entitiesIn(t, b)
			entities[25].Timestamp = entities[25].Timestamp + 1e12
			rewrite(m, b.BlockInfo, entities)
		}, []string{"bad entity (Second 0) in test/Second: corrupt: {p 000025} has the Timestamp "}},
		{"an entity with an invalid property name", func(t *testing.T, m *MemoryStorage) {
			b := dataBlocks(m, first)[0]
			entities := entitiesIn(t, b)
			entities[1].Properties[0].Name = "1x"
			rewrite(m, b.BlockInfo, entities)
		}, []string{"bad entity (First 0) in test/First: {p 000001}: "}},
		{"a table's name", func(t *testing.T, m *MemoryStorage) {
			recatalog(t, m, func(e *odata.Entity) {
				if e.RowKey == "second" {
					set(e, tableName, odata.StringValue("2nd"))
				}
			})
		}, []string{"bad name in test/second: "}},
		{"another table's name", func(t *testing.T, m *MemoryStorage) {
			recatalog(t, m, func(e *odata.Entity) {
				if e.RowKey == "second" {
					set(e, tableName, odata.StringValue("Third"))
				}
			})
		}, []string{`bad name in test/second: corrupt: its entry is that of "second"`}},
		{"two tables with one identity", func(t *testing.T, m *MemoryStorage) {
			recatalog(t, m, func(e *odata.Entity) {
				if e.RowKey == "second" {
					set(e, tableID, odata.Int64Value(first))
				}
			})
		}, []string{
			"bad name in test/second: corrupt: identity 1 is taken", "orphan block (Second ",
			"bad record 4: corrupt: 20 changes are to tables that are not in the catalog", "bad record 5: corrupt: 10 changes ",
		}},
		{"an account's name", func(t *testing.T, m *MemoryStorage) {
			recatalog(t, m, func(e *odata.Entity) {
				e.PartitionKey = "UP"
			})
		}, []string{"bad name in UP: account name is invalid"}},
		{"a Timestamp of the catalog", func(t *testing.T, m *MemoryStorage) {
			recatalog(t, m, func(e *odata.Entity) {
				if e.RowKey == "first" {
					e.Timestamp += 1e12
				}
			})
		}, []string{"bad entity in test/first: corrupt: {test first} has the Timestamp "}},
		{"policies", func(t *testing.T, m *MemoryStorage) {
			recatalog(t, m, func(e *odata.Entity) {
				if e.RowKey == "first" {
					set(e, tablePolicies, odata.StringValue("nonsense"))
				}
			})
		}, []string{"bad document in test/first: refused"}},
		{"service properties", func(t *testing.T, m *MemoryStorage) {
			recatalog(t, m, func(e *odata.Entity) {
				if e.RowKey == "" {
					set(e, accountProperties, odata.StringValue("nonsense"))
				}
			})
		}, []string{"bad document in test: refused"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := soundStore(t)
			names := make(map[BlockID]string)
			for table, name := range []string{first: "First", second: "Second"} {
				for i, b := range dataBlocks(m, TableID(table)) {
					names[b.ID] = fmt.Sprint(name, " ", i)
				}
			}
			c.corrupt(t, m)
			read := func(text string) error {
				if text == "nonsense" {
					return refuse
				}
				return nil
			}
			report := verified(t, m, VerifyOptions{Policies: read, Properties: read})
			checkProblems(t, report.Problems, names, c.want)
			if len(c.want) == 0 && (report.Entities != 300 || report.Tables != 2 || report.Accounts != 1 || report.Records != 3) {
				t.Errorf("counted %+v", report)
			}
		})
	}
}

// checkProblems checks that problems and wanted prefixes correspond, with block ids
// replaced by names.
func checkProblems(t *testing.T, problems []Problem, names map[BlockID]string, want []string) {
	t.Helper()
	missing := slices.Clone(want)
	for _, f := range problems {
		text := strings.Replace(f.String(), fmt.Sprintf("(block %d)", f.Block), "("+names[f.Block]+")", 1)
		begins := func(w string) bool { return strings.HasPrefix(text, w) }
		if !slices.ContainsFunc(want, begins) {
			t.Errorf("found %s", text)
		}
		missing = slices.DeleteFunc(missing, begins)
	}
	for _, w := range missing {
		t.Errorf("did not find %s", w)
	}
}

func lastRecord(m *MemoryStorage) (last uint64) {
	for seq := range m.wal {
		last = max(last, seq)
	}
	return last
}

// unused returns the id of a deleted block.
func unused(t *testing.T, m *MemoryStorage) (id BlockID) {
	t.Helper()
	for id = 1; m.blocks[id].ID == id; id++ {
	}
	if decoded, err := decodeMeta(m.meta); err != nil || id >= decoded.nextBlock {
		t.Fatalf("identity %d was never used, %v", id, err)
	}
	return id
}

func TestVerifyIsCancelled(t *testing.T) {
	db, err := Open(soundStore(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := db.Verify(ctx, VerifyOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("verify: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Verify(t.Context(), VerifyOptions{}); !errors.Is(err, ErrClosed) {
		t.Errorf("verify of a closed store: %v", err)
	}
}

// doubtful is a storage that, on demand, writes a checkpoint but returns an error.
type doubtful struct {
	MemoryStorage
	doubt bool
}

func (d *doubtful) Checkpoint(c Checkpoint) error {
	err := d.MemoryStorage.Checkpoint(c)
	if err == nil && d.doubt {
		err = errors.New("no answer")
	}
	return err
}

// TestVerifyAfterCheckpointInDoubt: while Verify reads the blocks of a checkpoint in
// doubt, the next checkpoint must not delete them.
func TestVerifyAfterCheckpointInDoubt(t *testing.T) {
	s := &doubtful{}
	db, err := Open(s, Options{CheckpointAfter: -1})
	if err != nil {
		t.Fatal(err)
	}
	fill(t, db, "First", "p", 100, 1000)
	s.doubt = true
	if _, _, err := db.Compact(t.Context(), nil); err == nil {
		t.Fatal("the checkpoint is not in doubt")
	}
	s.doubt = false
	v := verifier{ctx: t.Context(), db: db}
	steps := []func() error{v.begin, func() error {
		_, _, err := db.Compact(t.Context(), nil)
		return err
	}, v.load, v.directory, v.catalog, v.tables, v.missing}
	for _, step := range steps {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range v.report.Problems {
		t.Error(p)
	}
	v.live.epoch.readers.Add(-1)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestVerifyEndsWithTheStore: Verify does not reopen a store that is closed during it.
func TestVerifyEndsWithTheStore(t *testing.T) {
	m := soundStore(t)
	db, err := Open(m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	v := verifier{db: db, absent: []Problem{{Kind: MissingBlock}}}
	if err := v.missing(); !errors.Is(err, ErrClosed) {
		t.Errorf("a block that is missing: %v", err)
	}
	if !m.closed {
		t.Error("the storage is open again")
	}
}
