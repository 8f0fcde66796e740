package engine

import (
	"testing"

	"sandtable/odata"
)

// onRow returns an update of the one entity that the members of a group are
// about.
func onRow(f func(table *Table, key odata.Key) error) func(*Tx) error {
	return func(tx *Tx) error {
		table, err := tx.Table("test", "Table")
		if err != nil {
			return err
		}
		return f(table, odata.Key{PartitionKey: "p", RowKey: "row"})
	}
}

func replaceRow(condition Condition) func(*Tx) error {
	return onRow(func(table *Table, key odata.Key) error {
		_, err := table.Replace(key, nil, condition)
		return err
	})
}

func deleteRow(condition Condition) func(*Tx) error {
	return onRow(func(table *Table, key odata.Key) error { return table.Delete(key, condition) })
}

// TestGroupConflicts: what an earlier member of a group changed is what a later
// one finds, as if the first had been durable before the second came.
func TestGroupConflicts(t *testing.T) {
	g, db := openGated(t)
	first := start(db, 0, insert("row"))
	g.pass(1)
	if err := <-first; err != nil {
		t.Fatal(err)
	}
	var etag Condition
	err := db.View(onRow(func(table *Table, key odata.Key) error {
		e, err := table.Get(key)
		etag = IfMatch(e.ETag())
		return err
	}))
	if err != nil {
		t.Fatal(err)
	}
	members := []struct {
		name string
		f    func(*Tx) error
		want error
	}{
		{"replace what was read", replaceRow(etag), nil},
		{"replace it again", replaceRow(etag), ErrConditionNotMet},
		{"delete what was read", deleteRow(etag), ErrConditionNotMet},
		{"insert it", insert("row"), ErrEntityExists},
		{"replace any", replaceRow(MustExist), nil},
		{"delete any", deleteRow(MustExist), nil},
		{"replace what is gone", replaceRow(MustExist), ErrEntityNotFound},
		{"delete what is gone", deleteRow(MustExist), ErrEntityNotFound},
		{"insert it again", insert("row"), nil},
		{"replace what was read before it was gone", replaceRow(etag), ErrConditionNotMet},
		{"delete the table", func(tx *Tx) error { return tx.DeleteTable("test", "Table") }, nil},
		{"insert into no table", insert("other"), ErrTableNotFound},
		{"create it again", func(tx *Tx) error { return tx.CreateTable("test", "Table") }, nil},
		{"replace what was in the one before", replaceRow(MustExist), ErrEntityNotFound},
		{"insert into the new one", insert("row"), nil},
	}
	g.appends = 0
	blocker := start(db, 0, insert("blocker"))
	<-g.entered
	var results []chan error
	for i, m := range members {
		results = append(results, start(db, i+1, m.f))
	}
	g.answers <- nil
	g.pass(1)
	if err := <-blocker; err != nil {
		t.Fatal(err)
	}
	for i, m := range members {
		if err := <-results[i]; err != m.want {
			t.Errorf("%s: %v, want %v", m.name, err, m.want)
		}
	}
	if g.appends != 2 {
		t.Errorf("%d appends, want one after the first: the updates shared no append", g.appends)
	}
	if n := count(t, db); n != 1 {
		t.Errorf("%d entities, want 1", n)
	}
	// What is stored is that, too.
	again, err := Open(g.Clone(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := count(t, again); n != 1 {
		t.Errorf("%d entities are stored, want 1", n)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}
