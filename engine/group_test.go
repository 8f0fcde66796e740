package engine

import (
	"testing"

	"sandtable/odata"
)

// onRow returns an update of the entity that all members of a group use.
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

// TestGroupConflicts: each member of a group sees the changes of earlier members,
// as if those were already durable.
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
		{"replace with the ETag that was read", replaceRow(etag), nil},
		{"replace it again", replaceRow(etag), ErrConditionNotMet},
		{"delete with the ETag that was read", deleteRow(etag), ErrConditionNotMet},
		{"insert it", insert("row"), ErrEntityExists},
		{"replace any", replaceRow(MustExist), nil},
		{"delete any", deleteRow(MustExist), nil},
		{"replace after the deletion", replaceRow(MustExist), ErrEntityNotFound},
		{"delete after the deletion", deleteRow(MustExist), ErrEntityNotFound},
		{"insert it again", insert("row"), nil},
		{"replace with an ETag from before the deletion", replaceRow(etag), ErrConditionNotMet},
		{"delete the table", func(tx *Tx) error { return tx.DeleteTable("test", "Table") }, nil},
		{"insert into the deleted table", insert("other"), ErrTableNotFound},
		{"create it again", func(tx *Tx) error { return tx.CreateTable("test", "Table") }, nil},
		{"replace an entity of the old table", replaceRow(MustExist), ErrEntityNotFound},
		{"insert into the new table", insert("row"), nil},
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
	// The stored state is the same.
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
