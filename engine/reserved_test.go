package engine

import (
	"errors"
	"testing"

	"sandtable/odata"
)

// reserved is a full storage with space for deletions.
type reserved struct {
	*gated
	full bool
}

func (r *reserved) Append(seq uint64, record []byte) error {
	if r.full {
		return ErrNoSpace
	}
	return r.gated.Append(seq, record)
}

func (r *reserved) AppendReserved(seq uint64, record []byte, _ bool) error {
	return r.MemoryStorage.Append(seq, record)
}

// TestFullStorageDeletesInGroup: deletions succeed on a full storage although other
// updates arrive at the same time, which are refused.
func TestFullStorageDeletesInGroup(t *testing.T) {
	for _, c := range []struct {
		name    string
		members []func(*Tx) error
		want    []error
		left    int
	}{
		{"deletions first", []func(*Tx) error{deleteOf("a"), deleteOf("b"), insert("x")}, []error{nil, nil, ErrNoSpace}, 1},
		{"deletions last", []func(*Tx) error{insert("x"), insert("y"), deleteOf("a"), deleteOf("b")}, []error{ErrNoSpace, ErrNoSpace, nil, nil}, 1},
		{"in turns", []func(*Tx) error{insert("x"), deleteOf("a"), insert("y"), deleteOf("b"), insert("z")}, []error{ErrNoSpace, nil, ErrNoSpace, nil, ErrNoSpace}, 1},
		{"of what was refused", []func(*Tx) error{insert("x"), deleteOf("x"), deleteOf("a")}, []error{ErrNoSpace, ErrEntityNotFound, nil}, 2},
		{"and an insert in one update", []func(*Tx) error{deleteOf("a"), both(deleteOf("b"), insert("x"))}, []error{nil, ErrNoSpace}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &reserved{gated: newGated()}
			db, err := Open(r, Options{IdleAfter: -1})
			must := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			must(err)
			go r.pass(1)
			must(db.Update(func(tx *Tx) error {
				err := errors.Join(tx.PutAccount(Account{Name: "test"}), tx.CreateTable("test", "Table"))
				return errors.Join(err, both(insert("a"), insert("b"))(tx))
			}))
			blocker := start(db, 0, insert("blocker"))
			<-r.entered
			var results []chan error
			for i, f := range c.members {
				results = append(results, start(db, i+1, f))
			}
			r.full = true
			r.answers <- nil
			must(<-blocker)
			for i, want := range c.want {
				if err := <-results[i]; !errors.Is(err, want) {
					t.Errorf("update %d: %v, want %v", i, err, want)
				}
			}
			if n := count(t, db); n != c.left {
				t.Errorf("%d entities, want %d", n, c.left)
			}
			r.full = false
			go r.pass(1)
			must(db.Update(both(insert("c"), insert("d"))))
			must(db.Close())
			again, err := Open(r.Clone(), Options{})
			must(err)
			if n := count(t, again); n != c.left+2 || len(again.Corruption()) > 0 {
				t.Errorf("%d entities are stored, want %d; corruption %v", n, c.left+2, again.Corruption())
			}
			must(again.Close())
		})
	}
}

func deleteOf(row string) func(*Tx) error {
	return func(tx *Tx) error {
		table, err := tx.Table("test", "Table")
		if err == nil {
			err = table.Delete(odata.Key{PartitionKey: "p", RowKey: row}, MustExist)
		}
		return err
	}
}

func both(f, g func(*Tx) error) func(*Tx) error {
	return func(tx *Tx) error { return errors.Join(f(tx), g(tx)) }
}

// TestFullStorageResets: a full storage can be reset, although a reset also puts the
// accounts that stay. Nothing else is written with deletions.
func TestFullStorageResets(t *testing.T) {
	put := func(tx *Tx) error { return tx.PutAccount(Account{Name: "test", Properties: "new"}) }
	drop := func(tx *Tx) error { return tx.DeleteTable("test", "Table") }
	create := func(tx *Tx) error { return tx.CreateTable("test", "Other") }
	for _, c := range []struct {
		name string
		f    func(*Tx) error
		want error
	}{
		{"all", both((*Tx).DeleteAccounts, put), nil},
		{"an account", both(drop, put), nil},
		{"an account without tables", put, ErrNoSpace},
		{"a deleted entity", both(deleteOf("a"), put), ErrNoSpace},
		{"a new table", both(both(drop, put), create), ErrNoSpace},
		{"new settings", both(drop, func(tx *Tx) error { return tx.SetSettings("{}") }), ErrNoSpace},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &reserved{gated: newGated()}
			db, err := Open(r, Options{IdleAfter: -1})
			if err != nil {
				t.Fatal(err)
			}
			go r.pass(1)
			err = db.Update(func(tx *Tx) error {
				err := errors.Join(tx.PutAccount(Account{Name: "test"}), tx.CreateTable("test", "Table"))
				return errors.Join(err, insert("a")(tx))
			})
			if err != nil {
				t.Fatal(err)
			}
			r.full = true
			if err := db.Update(c.f); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
