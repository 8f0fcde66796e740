package filestorage_test

import (
	"errors"
	"fmt"
	"testing"

	"sandtable/engine"
	"sandtable/engine/filestorage"
	"sandtable/odata"
)

// TestDropsAfterDeletions: on a full disk, entities are deleted one by one until even that
// is refused: a snapshot has them, too, or the checkpoint that would free their space
// needs more than there is. What drops tables still succeeds, and frees space.
func TestDropsAfterDeletions(t *testing.T) {
	for name, c := range map[string]struct {
		reopen bool
		drop   func(*engine.Tx) error
	}{
		"a table": {drop: func(tx *engine.Tx) error { return tx.DeleteTable(account, "Table") }},
		"a reset": {drop: func(tx *engine.Tx) error {
			return errors.Join(tx.DeleteAccounts(), tx.PutAccount(engine.Account{Name: account}))
		}},
		"after reopening": {reopen: true, drop: func(tx *engine.Tx) error { return tx.DeleteTable(account, "Table") }},
	} {
		t.Run(name, func(t *testing.T) {
			disk := smallDisk(t)
			folder := disk + "/store"
			reopen := func() *engine.DB {
				db, err := engine.Open(openWith(t, folder, filestorage.Options{}), engine.Options{IdleAfter: -1})
				must(t, err)
				return db
			}
			db := reopen()
			createTable(t, db)
			const rows = 6000
			keyOf := func(row int) odata.Key {
				return odata.Key{PartitionKey: "small", RowKey: fmt.Sprintf("%04d", row)}
			}
			must(t, db.Update(inTable(func(table *engine.Table) (err error) {
				for row := 0; row < rows && err == nil; row++ {
					_, err = table.Insert(keyOf(row), nil)
				}
				return err
			})))
			_, _, err := db.Compact(t.Context(), nil)
			must(t, err)
			for n := 0; err == nil; n++ {
				err = insertLarge(db, n)
			}
			fillDisk(t, disk)
			deleted := 0
			for err = nil; err == nil && deleted < rows; deleted++ {
				err = db.Update(inTable(func(table *engine.Table) error { return table.Delete(keyOf(deleted), engine.MustExist) }))
			}
			// How many fit depends on the checkpoints that are tried meanwhile: 700 to 1,900.
			if !errors.Is(err, filestorage.ErrFull) || deleted < 100 {
				t.Fatalf("deletion %d: %v", deleted, err)
			}
			if c.reopen {
				must(t, db.Close())
				db = reopen()
			}
			must(t, db.Update(c.drop))
			writeAgain(t, db)
		})
	}
}

// TestDropsHaveSpaceAfterCheckpoints: a checkpoint may use all of the reserve, but what it
// leaves of the last quarter is for drops again, not for deletions.
func TestDropsHaveSpaceAfterCheckpoints(t *testing.T) {
	disk := smallDisk(t)
	s := openWith(t, disk+"/store", filestorage.Options{})
	must(t, s.Append(1, []byte("one")))
	fillDisk(t, disk)
	seq := uint64(1)
	for range 3 {
		must(t, s.Checkpoint(engine.Checkpoint{Seq: 1, Puts: []engine.Block{blockOf(engine.BlockID(seq), 100)}, Shrinks: true}))
		var err error
		for err == nil {
			seq++
			err = s.AppendReserved(seq, sample(seq, 500), false)
		}
		if !errors.Is(err, filestorage.ErrFull) {
			t.Fatal(err)
		}
	}
	for range 20 {
		must(t, s.AppendReserved(seq, sample(seq, 500), true))
		seq++
	}
	must(t, s.Close())
}
