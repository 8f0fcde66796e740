package engine_test

import (
	"fmt"
	"sync"
	"testing"

	"sandtable/engine"
	"sandtable/engine/storagetest"
	"sandtable/odata"
)

// TestUpdatesDuringCheckpoint: a checkpoint adds what thousands of updates changed
// while it wrote, also in tables that were dropped and created meanwhile.
func TestUpdatesDuringCheckpoint(t *testing.T) {
	m := &engine.MemoryStorage{}
	var db *engine.DB
	key := func(partition string, i int) odata.Key {
		return odata.Key{PartitionKey: partition, RowKey: fmt.Sprintf("%06d", i)}
	}
	// Large enough for a checkpoint of several slices, between which it yields.
	value := []odata.Property{{Name: "B", Value: odata.BinaryValue(make([]byte, 500))}}
	insert := func(table, partition string, n int) {
		update(t, db, inTable(table, func(tbl *engine.Table) error {
			for i := range n {
				if _, err := tbl.Insert(key(partition, i), value); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	during := sync.OnceFunc(func() {
		for i := range 10 {
			insert("Table", fmt.Sprint("new", i), 200)
		}
		update(t, db, inTable("Table", func(tbl *engine.Table) error {
			for i := range 300 {
				if err := tbl.Delete(key("p", i), engine.MustExist); err != nil {
					return err
				}
			}
			return nil
		}))
		update(t, db, func(tx *engine.Tx) error { return tx.DeleteTable(account, "Dropped") })
		createTable(t, db, "Created")
		insert("Created", "p", 700)
	})
	yielding := false
	db = open(t, m, engine.Options{CheckpointAfter: 1 << 30, IdleAfter: -1, Yield: func() {
		if yielding {
			during()
		}
	}})
	for _, table := range []string{"Table", "Dropped"} {
		createTable(t, db, table)
		insert(table, "p", 1000)
	}
	yielding = true
	_, _, err := db.Compact(t.Context(), func(engine.Usage) { // after each checkpoint
		view(t, db, inTable("Table", func(tbl *engine.Table) error {
			if n := tbl.Info().Entities; n != 1000-300+10*200 {
				t.Errorf("the table counts %d entities", n)
			}
			return nil
		}))
	})
	must(t, err)
	want := storagetest.ContentsOf(t, db, account)
	if n := len(want); n != 1000-300+10*200+700+2 {
		t.Errorf("there are %d entities and tables", n)
	}
	checkSound(t, db)
	must(t, db.Close())
	db = open(t, m, engine.Options{})
	storagetest.ContentsOf(t, db, account).Check(t, want)
	checkSound(t, db)
}
