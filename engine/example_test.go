//go:build !js

// The testing package needs files for examples, and a browser has none.

package engine_test

import (
	"errors"
	"fmt"
	"log"
	"time"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/odata/filter"
)

// exampleDB returns a DB with the account "shop" and its table "Orders".
func exampleDB() *engine.DB {
	noon := func() time.Time { return time.Date(2026, 5, 6, 12, 0, 0, 0, time.UTC) }
	db, err := engine.Open(&engine.MemoryStorage{}, engine.Options{Now: noon})
	if err != nil {
		log.Fatal(err)
	}
	err = db.Update(func(tx *engine.Tx) error {
		if err := tx.PutAccount(engine.Account{Name: "shop"}); err != nil {
			return err
		}
		return tx.CreateTable("shop", "Orders")
	})
	if err != nil {
		log.Fatal(err)
	}
	return db
}

func Example() {
	db := exampleDB()
	defer db.Close()
	key := odata.Key{PartitionKey: "berlin", RowKey: "0001"}
	err := db.Update(func(tx *engine.Tx) error {
		orders, err := tx.Table("shop", "orders") // in any case
		if err != nil {
			return err
		}
		_, err = orders.Insert(key, []odata.Property{{Name: "Pieces", Value: odata.Int32Value(3)}})
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	err = db.View(func(tx *engine.Tx) error {
		orders, err := tx.Table("shop", "Orders")
		if err != nil {
			return err
		}
		e, err := orders.Get(key)
		if err != nil {
			return err
		}
		pieces, _ := e.Property("Pieces")
		fmt.Println(pieces.Int(), e.ETag())
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output: 3 W/"datetime'2026-05-06T12%3A00%3A00.0000002Z'"
}

func ExampleDB_Update_rollback() {
	db := exampleDB()
	defer db.Close()
	err := db.Update(func(tx *engine.Tx) error {
		orders, err := tx.Table("shop", "Orders")
		if err != nil {
			return err
		}
		for _, row := range []string{"1", "2", "1"} {
			if _, err := orders.Insert(odata.Key{RowKey: row}, nil); err != nil {
				return fmt.Errorf("row %s: %w", row, err)
			}
		}
		return nil
	})
	fmt.Println(err, errors.Is(err, engine.ErrEntityExists))
	_ = db.View(func(tx *engine.Tx) error {
		orders, err := tx.Table("shop", "Orders")
		fmt.Println(orders.Info().Entities, "entities")
		return err
	})
	// Output:
	// row 1: entity already exists true
	// 0 entities
}

func ExampleTable_Query() {
	db := exampleDB()
	defer db.Close()
	_ = db.Update(func(tx *engine.Tx) error {
		orders, err := tx.Table("shop", "Orders")
		for i := 0; i < 10 && err == nil; i++ {
			pieces := []odata.Property{{Name: "Pieces", Value: odata.Int32Value(int32(i))}}
			_, err = orders.Insert(odata.Key{PartitionKey: "berlin", RowKey: fmt.Sprint(i)}, pieces)
		}
		return err
	})
	x, err := filter.Parse("PartitionKey eq 'berlin' and Pieces ge 4")
	if err != nil {
		log.Fatal(err)
	}
	query := engine.Query{Filter: x, Limit: 4}
	for more := true; more; {
		err := db.View(func(tx *engine.Tx) error {
			orders, err := tx.Table("shop", "Orders")
			if err != nil {
				return err
			}
			rows := orders.Query(query)
			defer rows.Close()
			for rows.Next() {
				fmt.Print(rows.Row().RowKey, " ")
			}
			explain, next := rows.Explain(), rows.Continuation()
			fmt.Println(explain.Kind, explain.Examined, explain.Returned)
			if more = next != nil; more {
				query.From = *next
			}
			return rows.Err()
		})
		if err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// 4 5 6 7 partition scan 9 4
	// 8 9 partition scan 2 2
}

func ExampleDB_Subscribe() {
	db := exampleDB()
	defer db.Close()
	done := make(chan struct{})
	cancel := db.Subscribe(func(changes []engine.Change) {
		for _, c := range changes {
			fmt.Println(c.Kind, c.Account, c.Table)
		}
		close(done)
	})
	defer cancel()
	err := db.Update(func(tx *engine.Tx) error { return tx.DeleteTable("shop", "Orders") })
	if err != nil {
		log.Fatal(err)
	}
	<-done
	// Output: table deleted shop Orders
}
