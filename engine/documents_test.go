package engine_test

import (
	"errors"
	"testing"

	"sandtable/engine"
)

// TestDocuments: documents, which are opaque to the engine, survive other changes
// of their owner and a restart.
func TestDocuments(t *testing.T) {
	storage := new(engine.MemoryStorage)
	open := func() *engine.DB {
		db, err := engine.Open(storage, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	db := open()
	var created engine.TableInfo
	err := db.Update(func(tx *engine.Tx) error {
		if err := tx.PutAccount(engine.Account{Name: "account", Properties: "<rules>"}); err != nil {
			return err
		}
		if err := tx.CreateTable("account", "Things"); err != nil {
			return err
		}
		table, err := tx.Table("account", "things")
		if err != nil {
			return err
		}
		created = table.Info()
		if got := table.Policies(); got != "" {
			t.Errorf("a new table has the policies %q", got)
		}
		return table.SetPolicies("<policies>")
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = open()
	defer db.Close()
	err = db.View(func(tx *engine.Tx) error {
		table, err := tx.Table("account", "THINGS")
		if err != nil {
			return err
		}
		if got := table.Policies(); got != "<policies>" {
			t.Errorf("policies %q", got)
		}
		if got := table.Info(); got != created {
			t.Errorf("the table became %+v, was %+v", got, created)
		}
		if err := table.SetPolicies(""); !errors.Is(err, engine.ErrReadOnly) {
			t.Errorf("set in a view: %v", err)
		}
		account, err := tx.Account("account")
		if account.Properties != "<rules>" {
			t.Errorf("properties %q", account.Properties)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var kinds []engine.ChangeKind
	done := make(chan bool)
	defer db.Subscribe(func(changes []engine.Change) {
		for _, c := range changes {
			kinds = append(kinds, c.Kind)
		}
		if len(kinds) == 2 {
			close(done)
		}
	})()
	err = db.Update(func(tx *engine.Tx) error {
		table, err := tx.Table("account", "things")
		if err != nil {
			return err
		}
		if err := table.SetPolicies("<policies>"); err != nil {
			return err // unchanged
		}
		if err := table.SetPolicies(""); err != nil {
			return err
		}
		return tx.PutAccount(engine.Account{Name: "account"})
	})
	if err != nil {
		t.Fatal(err)
	}
	<-done
	if kinds[0] != engine.TableChanged || kinds[1] != engine.AccountChanged {
		t.Errorf("changes %v", kinds)
	}
}
