package engine_test

import (
	"errors"
	"slices"
	"testing"

	"sandtable/engine"
	"sandtable/odata"
)

func tableNames(tx *engine.Tx, account, from string) []string {
	names := []string{}
	for info := range tx.Tables(account, from) {
		names = append(names, info.Name)
	}
	return names
}

func TestTables(t *testing.T) {
	db := openMemory(t, engine.Options{})
	update(t, db, func(tx *engine.Tx) error {
		must(t, tx.PutAccount(engine.Account{Name: "other"}))
		must(t, tx.CreateTable("other", "Elsewhere"))
		for _, name := range []string{"beta", "Alpha", "GAMMA", "alpha2"} {
			must(t, tx.CreateTable(account, name))
		}
		return nil
	})
	cases := []struct {
		name, from string
		want       []string
	}{
		{"all, by lower-cased name", "", []string{"Alpha", "alpha2", "beta", "GAMMA"}},
		{"from a table", "BETA", []string{"beta", "GAMMA"}},
		{"from between tables", "b", []string{"beta", "GAMMA"}},
		{"from after the last", "zzz", []string{}},
	}
	view(t, db, func(tx *engine.Tx) error {
		for _, c := range cases {
			if got := tableNames(tx, account, c.from); !slices.Equal(got, c.want) {
				t.Errorf("%s: %q, want %q", c.name, got, c.want)
			}
		}
		if got := tableNames(tx, "nobody", ""); len(got) != 0 {
			t.Errorf("a missing account has tables %q", got)
		}
		return nil
	})
}

func TestTableErrors(t *testing.T) {
	cases := []struct {
		name string
		do   func(*engine.Tx) error
		want error
	}{
		{"create in another case", func(tx *engine.Tx) error { return tx.CreateTable(account, "ORDERS") }, engine.ErrTableExists},
		{"create without account", func(tx *engine.Tx) error { return tx.CreateTable("nobody", "Orders") }, engine.ErrAccountNotFound},
		{"create with a bad name", func(tx *engine.Tx) error { return tx.CreateTable(account, "a/b") }, odata.ErrTableNameInvalid},
		{"create with no name", func(tx *engine.Tx) error { return tx.CreateTable(account, "") }, odata.ErrTableNameLength},
		{"delete a missing table", func(tx *engine.Tx) error { return tx.DeleteTable(account, "None") }, engine.ErrTableNotFound},
		{"delete without account", func(tx *engine.Tx) error { return tx.DeleteTable("nobody", "Orders") }, engine.ErrAccountNotFound},
		{"delete with no name", func(tx *engine.Tx) error { return tx.DeleteTable(account, "") }, engine.ErrTableNotFound},
		{"delete a missing account", func(tx *engine.Tx) error { return tx.DeleteAccount("nobody") }, engine.ErrAccountNotFound},
		{"account with a bad name", func(tx *engine.Tx) error { return tx.PutAccount(engine.Account{Name: "A"}) }, engine.ErrAccountInvalid},
		{"missing table", inTable("None", func(*engine.Table) error { return nil }), engine.ErrTableNotFound},
		{"table with no name", inTable("", func(*engine.Table) error { return nil }), engine.ErrTableNotFound},
	}
	db := openMemory(t, engine.Options{})
	createTable(t, db, "Orders")
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if err := db.Update(c.do); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}

func TestTableIsFoundInAnyCase(t *testing.T) {
	db := openMemory(t, engine.Options{})
	createTable(t, db, "Orders")
	for _, name := range []string{"Orders", "orders", "ORDERS"} {
		view(t, db, inTable(name, func(table *engine.Table) error {
			if got := table.Info().Name; got != "Orders" {
				t.Errorf("%s is %q, want the name of its creation", name, got)
			}
			return nil
		}))
	}
}

func TestDeletedTableIsGone(t *testing.T) {
	db := openMemory(t, engine.Options{})
	createTable(t, db, "Orders")
	insert := inTable("Orders", func(table *engine.Table) error {
		_, err := table.Insert(key("p", "r"), number(1))
		return err
	})
	update(t, db, insert)
	update(t, db, func(tx *engine.Tx) error {
		table, err := tx.Table(account, "Orders")
		must(t, err)
		must(t, tx.DeleteTable(account, "orders"))
		if _, err := table.Get(key("p", "r")); !errors.Is(err, engine.ErrTableNotFound) {
			t.Errorf("get from a deleted table: %v", err)
		}
		if _, err := table.Insert(key("p", "r2"), nil); !errors.Is(err, engine.ErrTableNotFound) {
			t.Errorf("insert into a deleted table: %v", err)
		}
		return tx.CreateTable(account, "Orders")
	})
	view(t, db, inTable("Orders", func(table *engine.Table) error {
		if n := table.Info().Entities; n != 0 {
			t.Errorf("a new table with an old name has %d entities", n)
		}
		return nil
	}))
	update(t, db, insert)
}

func TestAccounts(t *testing.T) {
	db := openMemory(t, engine.Options{})
	want := engine.Account{Name: "classroom", Keys: [2][]byte{[]byte("one"), []byte("two")}, Access: engine.OpenAccess}
	update(t, db, func(tx *engine.Tx) error { return tx.PutAccount(want) })
	names := func() (names []string) {
		view(t, db, func(tx *engine.Tx) error {
			for a := range tx.Accounts() {
				names = append(names, a.Name)
			}
			return nil
		})
		return names
	}
	view(t, db, func(tx *engine.Tx) error {
		got, err := tx.Account("classroom")
		must(t, err)
		if string(got.Keys[0]) != "one" || string(got.Keys[1]) != "two" || got.Access.String() != "open" {
			t.Errorf("got %+v, want %+v", got, want)
		}
		first, err := tx.Account(account)
		if err != nil || first.Keys[1] != nil || first.Access.String() != "strict" {
			t.Errorf("account with one key: %+v, %v", first, err)
		}
		return nil
	})
	createTable(t, db, "Mine")
	update(t, db, func(tx *engine.Tx) error {
		must(t, tx.CreateTable("classroom", "First"))
		return tx.CreateTable("classroom", "Second")
	})
	if got := names(); !slices.Equal(got, []string{"classroom", account}) {
		t.Errorf("accounts are %q", got)
	}
	update(t, db, func(tx *engine.Tx) error { return tx.DeleteAccount("classroom") })
	if got := names(); !slices.Equal(got, []string{account}) {
		t.Errorf("accounts are %q after one was deleted", got)
	}
	view(t, db, func(tx *engine.Tx) error {
		if got := tableNames(tx, account, ""); !slices.Equal(got, []string{"Mine"}) {
			t.Errorf("tables of the other account are %q", got)
		}
		_, err := tx.Table("classroom", "First")
		if !errors.Is(err, engine.ErrAccountNotFound) {
			t.Errorf("table of a deleted account: %v", err)
		}
		return nil
	})
}

// TestTablesMayBeChangedWhileListed deletes every table during the iteration.
func TestTablesMayBeChangedWhileListed(t *testing.T) {
	db := openMemory(t, engine.Options{})
	for _, name := range []string{"Aaa", "Bbb", "Ccc"} {
		createTable(t, db, name)
	}
	update(t, db, func(tx *engine.Tx) error {
		for info := range tx.Tables(account, "") {
			must(t, tx.DeleteTable(account, info.Name))
		}
		if got := tableNames(tx, account, ""); len(got) != 0 {
			t.Errorf("tables %q are left", got)
		}
		return nil
	})
}
