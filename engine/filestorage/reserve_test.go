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
