package engine_test

import (
	"fmt"
	"slices"
	"testing"

	"sandtable/engine"
)

func layoutOf(t *testing.T, db *engine.DB) (all []engine.Partition) {
	t.Helper()
	view(t, db, inTable("things", func(table *engine.Table) (err error) {
		all, err = table.Layout()
		return err
	}))
	return all
}

func TestLayoutOfChanges(t *testing.T) {
	db := openMemory(t, engine.Options{})
	createTable(t, db, "things")
	if got := layoutOf(t, db); len(got) != 0 {
		t.Errorf("an empty table has the partitions %v", got)
	}
	update(t, db, inTable("things", func(table *engine.Table) error {
		for _, k := range []string{"b1", "a1", "b2", "c1"} {
			if _, err := table.Insert(key(k[:1], k[1:]), nil); err != nil {
				return err
			}
		}
		return table.Delete(key("c", "1"), engine.MustExist)
	}))
	if got, want := layoutOf(t, db), []engine.Partition{{Key: "a", Entities: 1}, {Key: "b", Entities: 2}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestLayoutOfBlocks: each partition is larger than a block, so that all are
// known, and the counts are right to within a block.
func TestLayoutOfBlocks(t *testing.T) {
	storage := &engine.MemoryStorage{}
	db, err := engine.Open(storage, engine.Options{CheckpointAfter: 1})
	must(t, err)
	update(t, db, func(tx *engine.Tx) error { return tx.PutAccount(engine.Account{Name: account}) })
	createTable(t, db, "things")
	const each = 3000
	for _, partition := range []string{"a", "b", "c"} {
		update(t, db, inTable("things", func(table *engine.Table) error {
			for i := range each {
				if _, err := table.Insert(key(partition, fmt.Sprintf("%06d", i)), number(i)); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	must(t, db.Close()) // waits for the checkpoint
	db, err = engine.Open(storage, engine.Options{})
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	all, sum := layoutOf(t, db), 0
	for _, p := range all {
		sum += p.Entities
	}
	if len(all) != 3 || sum != 3*each {
		t.Fatalf("%d partitions with %d entities: %v", len(all), sum, all)
	}
	for _, p := range all {
		if p.Entities < each-1000 || p.Entities > each+1000 {
			t.Errorf("partition %s has about %d entities, want about %d", p.Key, p.Entities, each)
		}
	}
}
