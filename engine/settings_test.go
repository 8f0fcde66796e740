package engine_test

import (
	"slices"
	"testing"

	"sandtable/engine"
)

// TestSettings: settings survive reopening, from the WAL and from blocks, and do not
// appear among accounts or tables.
func TestSettings(t *testing.T) {
	m := &engine.MemoryStorage{}
	db := open(t, m, engine.Options{CheckpointAfter: -1})
	createTable(t, db, "Table")
	changes := make(chan []engine.Change, 1)
	t.Cleanup(db.Subscribe(func(c []engine.Change) { changes <- c }))
	put := func(text string) {
		update(t, db, func(tx *engine.Tx) error { return tx.SetSettings(text) })
	}
	put(`{"durability":"relaxed"}`)
	if c := <-changes; len(c) != 1 || c[0].Kind != engine.SettingsChanged || c[0].Account != "" {
		t.Errorf("the feed has %+v", c)
	}
	put(`{"durability":"strict"}`)
	check := func(db *engine.DB) {
		t.Helper()
		view(t, db, func(tx *engine.Tx) error {
			if got := tx.Settings(); got != `{"durability":"strict"}` {
				t.Errorf("settings are %q", got)
			}
			if accounts := slices.Collect(tx.Accounts()); len(accounts) != 1 || accounts[0].Name != account {
				t.Errorf("accounts are %v", accounts)
			}
			if tables := slices.Collect(tx.Tables(account, "")); len(tables) != 1 {
				t.Errorf("tables are %v", tables)
			}
			return nil
		})
	}
	check(db)
	check(reopened(t, m.Clone(), engine.Options{}))
	other := m.Clone()
	again := reopened(t, other, engine.Options{CheckpointAfter: 1})
	update(t, again, func(tx *engine.Tx) error { return tx.CreateTable(account, "Another") })
	update(t, again, func(tx *engine.Tx) error { return tx.DeleteTable(account, "Another") })
	must(t, again.Close())
	checkpointed := reopened(t, other, engine.Options{})
	if checkpointed.Stats().Checkpointed == 0 {
		t.Error("no checkpoint was written")
	}
	check(checkpointed)
}

// TestSettingsEmpty: a new store has empty settings, and they can be restored.
func TestSettingsEmpty(t *testing.T) {
	db := openMemory(t, engine.Options{})
	update(t, db, func(tx *engine.Tx) error {
		if got := tx.Settings(); got != "" {
			t.Errorf("a new store has the settings %q", got)
		}
		if err := tx.SetSettings("x"); err != nil {
			return err
		}
		return tx.SetSettings("")
	})
	view(t, db, func(tx *engine.Tx) error {
		if got := tx.Settings(); got != "" {
			t.Errorf("settings are %q", got)
		}
		if err := tx.SetSettings("y"); err != engine.ErrReadOnly {
			t.Errorf("in a view: %v", err)
		}
		return nil
	})
}

func reopened(t *testing.T, m *engine.MemoryStorage, options engine.Options) *engine.DB {
	t.Helper()
	db, err := engine.Open(m, options)
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	return db
}

// TestStats counts stored and cached blocks.
func TestStats(t *testing.T) {
	m := &engine.MemoryStorage{}
	db := open(t, m, engine.Options{CheckpointAfter: 1})
	if s := db.Stats(); s.Blocks != 0 || s.Resident != 0 || s.Memory != 0 || s.Budget != engine.DefaultMemoryBudget() {
		t.Errorf("a new store has %+v", s)
	}
	createTable(t, db, "Table")
	update(t, db, inTable("Table", func(table *engine.Table) error {
		_, err := table.Insert(key("p", "r"), number(1))
		return err
	}))
	must(t, db.Close())
	db = reopened(t, m, engine.Options{MemoryBudget: 1 << 20})
	s := db.Stats()
	if s.Blocks != 1 || s.Resident != 0 || s.Budget != 1<<20 || s.Checkpointed == 0 {
		t.Errorf("after reopening: %+v", s)
	}
	view(t, db, inTable("Table", func(table *engine.Table) error {
		e, err := table.Get(key("p", "r"))
		if err == nil && e.Timestamp > s.Checkpointed {
			t.Errorf("%v is in blocks, which contain changes before %v", e.Timestamp, s.Checkpointed)
		}
		return err
	}))
	if s := db.Stats(); s.Resident != 1 || s.Memory == 0 {
		t.Errorf("after a read: %+v", s)
	}
}

// TestStatsOfTheWAL: the WAL has the records since the last checkpoint, also those of an
// earlier process.
func TestStatsOfTheWAL(t *testing.T) {
	m := &engine.MemoryStorage{}
	db := open(t, m, engine.Options{CheckpointAfter: -1})
	createTable(t, db, "Table")
	stored := func() (size int) {
		directory, err := m.Load()
		must(t, err)
		for _, record := range directory.WAL {
			size += len(record.Data)
		}
		return size
	}
	first := stored()
	if got := db.Stats().WAL; got != first || got == 0 {
		t.Errorf("after a write: %d bytes, want %d", got, first)
	}
	must(t, db.Close())
	db = reopened(t, m, engine.Options{})
	update(t, db, inTable("Table", func(table *engine.Table) error {
		_, err := table.Insert(key("p", "r"), number(1))
		return err
	}))
	if got, want := db.Stats().WAL, stored(); got != want || got <= first {
		t.Errorf("after reopening and another write: %d bytes, want %d", got, want)
	}
	_, _, err := db.Compact(t.Context(), nil)
	must(t, err)
	if got, want := db.Stats().WAL, stored(); got != want {
		t.Errorf("after a checkpoint: %d bytes, want %d", got, want)
	}
}

// TestDeleteAccounts: deleting all accounts keeps the settings and deletes tables
// before their accounts.
func TestDeleteAccounts(t *testing.T) {
	db := openMemory(t, engine.Options{})
	createTable(t, db, "One")
	createTable(t, db, "Two")
	update(t, db, func(tx *engine.Tx) error {
		if err := tx.PutAccount(engine.Account{Name: "another"}); err != nil {
			return err
		}
		return tx.SetSettings("kept")
	})
	changes := make(chan []engine.Change, 1)
	t.Cleanup(db.Subscribe(func(c []engine.Change) { changes <- c }))
	err := db.Update(func(tx *engine.Tx) error {
		if err := tx.DeleteAccounts(); err != nil {
			return err
		}
		return tx.CreateTable("another", "None")
	})
	if err != engine.ErrAccountNotFound {
		t.Errorf("a table of a deleted account: %v", err)
	}
	update(t, db, (*engine.Tx).DeleteAccounts)
	kinds := ""
	for _, c := range <-changes {
		kinds += c.Kind.String() + " " + c.Account + c.Table + "; "
	}
	if want := "table deleted devstoreaccount1One; table deleted devstoreaccount1Two; account deleted another; account deleted devstoreaccount1; "; kinds != want {
		t.Errorf("the feed has %s", kinds)
	}
	view(t, db, func(tx *engine.Tx) error {
		if len(slices.Collect(tx.Accounts())) != 0 || tx.Settings() != "kept" {
			t.Errorf("accounts are %v, settings %q", slices.Collect(tx.Accounts()), tx.Settings())
		}
		if err := tx.DeleteAccounts(); err != engine.ErrReadOnly {
			t.Errorf("in a view: %v", err)
		}
		return nil
	})
}
