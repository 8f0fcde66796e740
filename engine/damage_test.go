package engine

import (
	"bytes"
	"testing"
)

// TestForgetDamage: a store with damage of every kind is emptied, and nothing
// of it turns up again.
func TestForgetDamage(t *testing.T) {
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
			for seq, text := range m.log {
				text = bytes.Clone(text)
				text[len(text)-1] ^= 1
				m.log[seq] = text
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
			if len(db.Damage()) == 0 {
				t.Fatal("no damage was found")
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			db = openSample()
			readAllTables(t, db)
			empty(t, db)
			if err := db.ForgetDamage(); err != nil {
				t.Fatal(err)
			}
			if d := db.Damage(); len(d) > 0 {
				t.Errorf("damage is still listed: %v", d)
			}
			fill(t, db, "Fresh", "new", 1, 1)
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			db = openSample()
			readAllTables(t, db)
			if d := db.Damage(); len(d) > 0 {
				t.Errorf("damage is found again: %v", d)
			}
			// A checkpoint after the last reader leaves nothing behind.
			empty(t, db)
			if err := db.ForgetDamage(); err != nil {
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
			if err := db.ForgetDamage(); err != ErrClosed {
				t.Errorf("of a closed store: %v", err)
			}
		})
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
				if _, err := table.Query(Query{}); err != nil {
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

// TestDamaged: damage that comes to light later is told once, when Damage has
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
	m.log[1<<40] = []byte("damaged")
	var told []Damage
	db, err = Open(m, Options{CheckpointAfter: -1, Damaged: func(d Damage) {
		told = append(told, d)
		if all := db.Damage(); all[len(all)-1].String() != d.String() {
			t.Errorf("told of %v, and the last of all is %v", d, all[len(all)-1])
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if first := db.Damage(); len(first) == 0 || len(told) > 0 {
		t.Fatalf("opening found %v and told of %v", first, told)
	}
	for range 2 {
		readAllTables(t, db)
		if len(told) != 1 || told[0].Kind != DamagedBlock || told[0].Table != "Things" {
			t.Errorf("told of %v", told)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
