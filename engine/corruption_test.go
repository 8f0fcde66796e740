package engine

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"testing"
)

// TestForgetCorruption: after a reset, no kind of corruption is reported again.
func TestForgetCorruption(t *testing.T) {
	for _, c := range []struct {
		name    string
		corrupt func(m *MemoryStorage)
	}{
		{"blocks", func(m *MemoryStorage) {
			for id, b := range m.blocks {
				if b.Table != catalogID {
					b.Data = []byte("corrupt")
					m.blocks[id] = b
				}
			}
		}},
		{"the catalog", func(m *MemoryStorage) {
			for id, b := range m.blocks {
				if b.Table == catalogID {
					b.Data = []byte("corrupt")
					m.blocks[id] = b
				}
			}
		}},
		{"the WAL", func(m *MemoryStorage) {
			for seq, data := range m.wal {
				data = bytes.Clone(data)
				data[len(data)-1] ^= 1
				m.wal[seq] = data
			}
		}},
		{"the checkpoint metadata", func(m *MemoryStorage) { m.meta = []byte("corrupt") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := makeSample(t)
			c.corrupt(m)
			openSample := func() *DB {
				t.Helper()
				db, err := Open(m, Options{CheckpointAfter: 1})
				if err != nil {
					t.Fatal(err)
				}
				return db
			}
			// Both the DB that finds the corruption and the next one report it.
			db := openSample()
			readAllTables(t, db)
			if len(db.Corruption()) == 0 {
				t.Fatal("no corruption was found")
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			db = openSample()
			readAllTables(t, db)
			empty(t, db)
			if err := db.ForgetCorruption(); err != nil {
				t.Fatal(err)
			}
			if d := db.Corruption(); len(d) > 0 {
				t.Errorf("corruption is still listed: %v", d)
			}
			fill(t, db, "Fresh", "new", 1, 1)
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			db = openSample()
			readAllTables(t, db)
			if d := db.Corruption(); len(d) > 0 {
				t.Errorf("corruption is found again: %v", d)
			}
			// A checkpoint after the last reader frees everything.
			empty(t, db)
			if err := db.ForgetCorruption(); err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			for id, b := range m.blocks {
				if b.Table != catalogID {
					t.Errorf("block %d of table %d is still kept", id, b.Table)
				}
			}
			if err := db.ForgetCorruption(); err != ErrClosed {
				t.Errorf("ForgetCorruption of a closed store: %v", err)
			}
		})
	}
}

// TestWALOfLostTable: WAL records of a table whose catalog entry is lost survive
// checkpoints and are reported by each Open.
func TestWALOfLostTable(t *testing.T) {
	for _, c := range []struct {
		name    string
		blocks  bool // the entry is in a block, else in the first WAL record
		corrupt func(m *MemoryStorage)
	}{
		{"in a block of the catalog", true, func(m *MemoryStorage) {
			corruptBlocks(m, func(b Block) bool { return b.Table == catalogID })
		}},
		{"in a WAL record", false, func(m *MemoryStorage) { m.wal[1] = []byte("corrupt") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &MemoryStorage{}
			var db *DB
			openLost := func() (seqs []uint64) {
				t.Helper()
				var err error
				if db, err = Open(m, Options{CheckpointAfter: -1}); err != nil {
					t.Fatal(err)
				}
				for _, d := range db.Corruption() {
					if d.Kind == CorruptRecord {
						seqs = append(seqs, d.Seq)
					}
				}
				slices.Sort(seqs)
				return seqs
			}
			openLost()
			fill(t, db, "Table", "p", 20, 1000)
			if c.blocks {
				checkpointNow(t, db)
			}
			fill(t, db, "Table", "q", 20, 1000)
			fill(t, db, "Table", "r", 20, 1000)
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			c.corrupt(m)
			wal := maps.Clone(m.wal)
			want := slices.Sorted(maps.Keys(wal))
			if got := openLost(); !slices.Equal(got, want) {
				t.Fatalf("reported records %v, want %v", got, want)
			}
			for round := range 2 {
				fill(t, db, "Fresh", "p", 1, 1)
				checkpointNow(t, db)
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
				if got := openLost(); !slices.Equal(got, want) {
					t.Errorf("reported records %v after %d checkpoints, want %v", got, round+1, want)
				}
			}
			kept := make(map[uint64][]byte)
			for _, b := range m.blocks {
				if b.Table == quarantineTable {
					seq, _ := strconv.ParseUint(b.First.RowKey, 10, 64)
					// A directory that is rebuilt from the blocks has the same entry.
					if info, err := DescribeBlock(b.Data); err != nil || info != b.BlockInfo {
						t.Errorf("record %d is described as %+v, %v, want %+v", seq, info, err, b.BlockInfo)
						continue
					}
					opened, err := openBlock(b.Data, b.BlockInfo)
					if err != nil {
						t.Fatal(err)
					}
					record, _ := opened.Entity(0).Property("Record")
					kept[seq] = []byte(record.Text())
				}
			}
			if !maps.EqualFunc(kept, wal, bytes.Equal) {
				t.Errorf("kept the records %v, want the records of the WAL", slices.Sorted(maps.Keys(kept)))
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// corruptBlocks flips a bit in each of the blocks.
func corruptBlocks(m *MemoryStorage, which func(Block) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, b := range m.blocks {
		if which(b) {
			b.Data = bytes.Clone(b.Data)
			b.Data[len(b.Data)/2] ^= 1
			m.blocks[id] = b
		}
	}
}

// checkpointNow runs a checkpoint, whether or not one is due.
func checkpointNow(t *testing.T, db *DB) {
	t.Helper()
	if err := db.compactSome(t.Context(), &compaction{budget: mergeAtOnce}); err != nil {
		t.Fatal(err)
	}
}

func readAllTables(t *testing.T, db *DB) {
	t.Helper()
	err := db.View(func(tx *Tx) error {
		for account := range tx.Accounts() {
			for info := range tx.Tables(account.Name, "") {
				table, err := tx.Table(account.Name, info.Name)
				if err != nil {
					return err
				}
				if _, err := table.Query(Query{}).Page(); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func empty(t *testing.T, db *DB) {
	t.Helper()
	err := db.Update(func(tx *Tx) error {
		if err := tx.DeleteAccounts(); err != nil {
			return err
		}
		return tx.PutAccount(Account{Name: "test"})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestOnCorruption: corruption found after Open is reported once, when Corruption
// lists it; corruption found by Open is not.
func TestOnCorruption(t *testing.T) {
	m := new(MemoryStorage)
	db, err := Open(m, Options{CheckpointAfter: 1})
	if err != nil {
		t.Fatal(err)
	}
	fill(t, db, "Things", "p", 1, 1)
	if err := db.Close(); err != nil { // it waits for the checkpoint
		t.Fatal(err)
	}
	for id, b := range m.blocks {
		if b.Table != catalogID {
			b.Data = []byte("corrupt")
			m.blocks[id] = b
		}
	}
	m.wal[1<<40] = []byte("corrupt")
	var notified []Corruption
	db, err = Open(m, Options{CheckpointAfter: -1, OnCorruption: func(d Corruption) {
		notified = append(notified, d)
		if all := db.Corruption(); all[len(all)-1].String() != d.String() {
			t.Errorf("notified of %v, the last one listed is %v", d, all[len(all)-1])
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if first := db.Corruption(); len(first) == 0 || len(notified) > 0 {
		t.Fatalf("opening found %v and notified of %v", first, notified)
	}
	for range 2 {
		readAllTables(t, db)
		if len(notified) != 1 || notified[0].Kind != CorruptBlock || notified[0].Table != "Things" {
			t.Errorf("notified of %v", notified)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
