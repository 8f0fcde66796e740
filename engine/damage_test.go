package engine

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"testing"
)

// TestForgetCorruption: a store with damage of every kind is emptied, and nothing
// of it turns up again.
func TestForgetCorruption(t *testing.T) {
	for _, c := range []struct {
		name   string
		damage func(m *MemoryStorage)
	}{
		{"blocks", func(m *MemoryStorage) {
			for id, b := range m.blocks {
				if b.Table != catalogID {
					b.Data = []byte("damaged")
					m.blocks[id] = b
				}
			}
		}},
		{"the catalog", func(m *MemoryStorage) {
			for id, b := range m.blocks {
				if b.Table == catalogID {
					b.Data = []byte("damaged")
					m.blocks[id] = b
				}
			}
		}},
		{"the log", func(m *MemoryStorage) {
			for seq, text := range m.wal {
				text = bytes.Clone(text)
				text[len(text)-1] ^= 1
				m.wal[seq] = text
			}
		}},
		{"the text beside the blocks", func(m *MemoryStorage) { m.meta = []byte("damaged") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := makeSample(t)
			c.damage(m)
			openSample := func() *DB {
				t.Helper()
				db, err := Open(m, Options{CheckpointAfter: 1})
				if err != nil {
					t.Fatal(err)
				}
				return db
			}
			// Once in the run that finds the damage, once in the one after it.
			db := openSample()
			readAllTables(t, db)
			if len(db.Corruption()) == 0 {
				t.Fatal("no damage was found")
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
				t.Errorf("damage is still listed: %v", d)
			}
			fill(t, db, "Fresh", "new", 1, 1)
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			db = openSample()
			readAllTables(t, db)
			if d := db.Corruption(); len(d) > 0 {
				t.Errorf("damage is found again: %v", d)
			}
			// A checkpoint after the last reader leaves nothing behind.
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
				t.Errorf("of a closed store: %v", err)
			}
		})
	}
}

// TestLogOfLostTable: what the log did to a table whose entry of the catalog is
// lost is kept through checkpoints, and told of at each opening.
func TestLogOfLostTable(t *testing.T) {
	for _, c := range []struct {
		name   string
		blocks bool // the entry is in a block, else in the log's first record
		damage func(m *MemoryStorage)
	}{
		{"in a block of the catalog", true, func(m *MemoryStorage) {
			damageBlocks(m, func(b Block) bool { return b.Table == catalogID })
		}},
		{"in a record of the log", false, func(m *MemoryStorage) { m.wal[1] = []byte("damaged") }},
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
			c.damage(m)
			log := maps.Clone(m.wal)
			want := slices.Sorted(maps.Keys(log))
			if got := openLost(); !slices.Equal(got, want) {
				t.Fatalf("told of the records %v, want %v", got, want)
			}
			for round := range 2 {
				fill(t, db, "Fresh", "p", 1, 1)
				checkpointNow(t, db)
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
				if got := openLost(); !slices.Equal(got, want) {
					t.Errorf("told of the records %v after %d checkpoints, want %v", got, round+1, want)
				}
			}
			kept := make(map[uint64][]byte)
			for _, b := range m.blocks {
				if b.Table == asideTable {
					seq, _ := strconv.ParseUint(b.First.RowKey, 10, 64)
					kept[seq] = b.Data
				}
			}
			if !maps.EqualFunc(kept, log, bytes.Equal) {
				t.Errorf("kept the records %v, want those of the log", slices.Sorted(maps.Keys(kept)))
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// damageBlocks changes a bit in each of the blocks that are meant.
func damageBlocks(m *MemoryStorage, which func(Block) bool) {
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

// checkpointNow makes a checkpoint, whether or not one is due.
func checkpointNow(t *testing.T, db *DB) {
	t.Helper()
	if _, err := db.compactSome(t.Context()); err != nil {
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

// TestDamaged: damage that comes to light later is told once, when Corruption has
// it, and what opening finds is not.
func TestDamaged(t *testing.T) {
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
			b.Data = []byte("damaged")
			m.blocks[id] = b
		}
	}
	m.wal[1<<40] = []byte("damaged")
	var told []Corruption
	db, err = Open(m, Options{CheckpointAfter: -1, OnCorruption: func(d Corruption) {
		told = append(told, d)
		if all := db.Corruption(); all[len(all)-1].String() != d.String() {
			t.Errorf("told of %v, and the last of all is %v", d, all[len(all)-1])
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if first := db.Corruption(); len(first) == 0 || len(told) > 0 {
		t.Fatalf("opening found %v and told of %v", first, told)
	}
	for range 2 {
		readAllTables(t, db)
		if len(told) != 1 || told[0].Kind != CorruptBlock || told[0].Table != "Things" {
			t.Errorf("told of %v", told)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
