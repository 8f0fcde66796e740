package storagetest

import (
	"slices"
	"testing"

	"sandtable/engine"
	"sandtable/odata"
)

// writeRows creates a table with rows, one commit each.
func writeRows(t *testing.T, db *engine.DB, table string, rows ...string) {
	t.Helper()
	must(t, db.Update(func(tx *engine.Tx) error { return tx.CreateTable(account, table) }))
	for _, row := range rows {
		must(t, db.Update(func(tx *engine.Tx) error {
			table, err := tx.Table(account, table)
			if err == nil {
				_, err = table.Insert(odata.Key{PartitionKey: "p", RowKey: row}, nil)
			}
			return err
		}))
	}
}

// withStorage opens the store for a change behind the engine's back.
func withStorage(t *testing.T, o Opener, f func(engine.Storage, engine.Directory)) {
	t.Helper()
	s, err := o()
	must(t, err)
	d := load(t, s)
	f(s, d)
	must(t, s.Close())
}

func testCorruptRecord(t *testing.T, o Opener) {
	db := openDB(t, open(t, o))
	writeRows(t, db, "Table", "1", "2", "3")
	want := ContentsOf(t, db, account)
	must(t, db.Close())
	var seq uint64
	withStorage(t, o, func(s engine.Storage, d engine.Directory) {
		r := d.WAL[len(d.WAL)-2] // row 2's record
		seq, r.Data = r.Seq, slices.Clone(r.Data)
		r.Data[len(r.Data)/2] ^= 1
		must(t, s.Append(r.Seq, r.Data))
	})
	db = openDB(t, open(t, o))
	if d := checkCorruption(t, db, 1)[0]; d.Kind != engine.CorruptRecord || d.Seq != seq {
		t.Errorf("corruption is %s, want record %d", d, seq)
	}
	delete(want, "Table/p/2")
	ContentsOf(t, db, account).Check(t, want)

	// A checkpoint truncates the WAL; the corrupt record is kept and still reported.
	for i := range 4 {
		writeRows(t, db, "More"+string(rune('A'+i)), "1", "2", "3", "4", "5")
	}
	want = ContentsOf(t, db, account)
	db = reopenDB(t, o, db)
	if d := checkCorruption(t, db, 1)[0]; d.Kind != engine.CorruptRecord || d.Seq != seq {
		t.Errorf("after a checkpoint the corruption is %s, want record %d", d, seq)
	}
	ContentsOf(t, db, account).Check(t, want)
	must(t, db.Close())
	withStorage(t, o, func(s engine.Storage, d engine.Directory) {
		if d.Meta == nil {
			t.Error("there was no checkpoint")
		}
	})
}

// testMissingRecord: a gap in the sequence numbers is a lost commit.
func testMissingRecord(t *testing.T, o Opener) {
	db := openDB(t, open(t, o))
	writeRows(t, db, "Table", "1", "2")
	must(t, db.Close())
	withStorage(t, o, func(s engine.Storage, d engine.Directory) {
		last := d.WAL[len(d.WAL)-1]
		must(t, s.Append(last.Seq+2, last.Data))
	})
	db = openDB(t, open(t, o))
	// The number is missing, and the following record does not match its number.
	checkCorruption(t, db, 2)
}

// checkpointed creates a store with two tables of several blocks each and returns
// its contents.
func checkpointed(t *testing.T, o Opener) Contents {
	t.Helper()
	db, err := engine.Open(open(t, o), engine.Options{CheckpointAfter: 1})
	must(t, err)
	must(t, db.Update(func(tx *engine.Tx) error { return tx.PutAccount(engine.Account{Name: account}) }))
	value := []odata.Property{{Name: "Text", Value: odata.StringValue(string(make([]byte, 30_000)))}}
	for _, name := range []string{"First", "Second"} {
		must(t, db.Update(func(tx *engine.Tx) error {
			if err := tx.CreateTable(account, name); err != nil {
				return err
			}
			table, err := tx.Table(account, name)
			for row := 'a'; row <= 'h' && err == nil; row++ {
				_, err = table.Insert(odata.Key{PartitionKey: "p", RowKey: string(row)}, value)
			}
			return err
		}))
	}
	want := ContentsOf(t, db, account)
	must(t, db.Close())
	return want
}

// victim returns a block in the middle of a table.
func victim(t *testing.T, d engine.Directory) engine.BlockInfo {
	t.Helper()
	infos := slices.Clone(d.Blocks)
	slices.SortFunc(infos, func(a, b engine.BlockInfo) int { return a.First.Compare(b.First) })
	for _, info := range infos {
		if info.First.RowKey > "a" && info.Table != 0 {
			return info
		}
	}
	t.Fatalf("no suitable block among %v", infos)
	return engine.BlockInfo{}
}

// checkLost opens a store with an unreadable block, checks all other data, writes to
// the store and reopens it.
func checkLost(t *testing.T, o Opener, want Contents, lost engine.BlockInfo) {
	t.Helper()
	db := openDB(t, open(t, o))
	checkCorruption(t, db, 0) // blocks are read on demand
	readTables(t, db)
	d := checkCorruption(t, db, 1)[0]
	if d.Kind != engine.CorruptBlock || d.Block != lost || d.Account != account || d.Table == "" {
		t.Fatalf("corruption is %+v, want block %v", d, lost)
	}
	got := ContentsOf(t, db, account)
	if len(got) != len(want)-lost.Count {
		t.Errorf("%d tables and entities are left of %d, want %d less", len(got), len(want), lost.Count)
	}
	for path, e := range got {
		if e != nil && e.Timestamp != want[path].Timestamp {
			t.Errorf("%q has changed", path)
		}
	}
	for i := range 4 {
		writeRows(t, db, "More"+string(rune('A'+i)), "1", "2", "3", "4", "5")
	}
	got = ContentsOf(t, db, account)
	must(t, db.Close())
	withStorage(t, o, func(s engine.Storage, d engine.Directory) {
		if !slices.Contains(d.Blocks, lost) {
			t.Error("the corrupt block was not kept")
		}
	})
	// Later checkpoints have recorded the block.
	db = openDB(t, open(t, o))
	checkCorruption(t, db, 1)
	ContentsOf(t, db, account).Check(t, got)
}

// readTables reads everything once and ignores errors.
func readTables(t *testing.T, db *engine.DB) {
	t.Helper()
	must(t, db.View(func(tx *engine.Tx) error {
		for info := range tx.Tables(account, "") {
			table, err := tx.Table(account, info.Name)
			if err == nil {
				_, err = table.Query(engine.Query{}).Page()
			}
			if err != nil {
				return err
			}
		}
		return nil
	}))
}

func testCorruptBlock(t *testing.T, o Opener) {
	want := checkpointed(t, o)
	var lost engine.BlockInfo
	withStorage(t, o, func(s engine.Storage, d engine.Directory) {
		lost = victim(t, d)
		texts, err := s.ReadBlocks([]engine.BlockID{lost.ID})
		must(t, err)
		data := slices.Clone(texts[0])
		data[len(data)-1] ^= 0x80
		must(t, s.Checkpoint(engine.Checkpoint{Puts: []engine.Block{{BlockInfo: lost, Data: data}}, Meta: d.Meta}))
	})
	checkLost(t, o, want, lost)
}

// testLostBlock: the directory names a missing block. A wrapper simulates this,
// because only a corrupt storage can contain such an entry.
func testLostBlock(t *testing.T, o Opener) {
	want := checkpointed(t, o)
	var lost engine.BlockInfo
	withStorage(t, o, func(_ engine.Storage, d engine.Directory) { lost = victim(t, d) })
	checkLost(t, func() (engine.Storage, error) {
		s, err := o()
		return &withoutBlock{s, lost.ID}, err
	}, want, lost)
}

// withoutBlock is a storage that has lost a block.
type withoutBlock struct {
	engine.Storage
	id engine.BlockID
}

func (s *withoutBlock) ReadBlocks(ids []engine.BlockID) ([][]byte, error) {
	if slices.Contains(ids, s.id) {
		return nil, engine.ErrBlockNotFound
	}
	return s.Storage.ReadBlocks(ids)
}
