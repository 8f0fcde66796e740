package engine_test

import (
	"errors"
	"fmt"
	"testing"

	"sandtable/engine"
	"sandtable/odata"
)

func TestSmoke(t *testing.T) {
	m := &engine.MemoryStorage{}
	db, err := engine.Open(m, engine.Options{CheckpointAfter: 2000})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *engine.Tx) error {
		if err := tx.PutAccount(engine.Account{Name: "devstoreaccount1", Keys: [2][]byte{[]byte("x")}}); err != nil {
			return err
		}
		return tx.CreateTable("devstoreaccount1", "Orders")
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		err = db.Update(func(tx *engine.Tx) error {
			tbl, err := tx.Table("devstoreaccount1", "orders")
			if err != nil {
				return err
			}
			_, err = tbl.Insert(odata.Key{PartitionKey: "p", RowKey: fmt.Sprint(i)}, []odata.Property{{Name: "A", Value: odata.Int32Value(int32(i))}})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	check := func(db *engine.DB) {
		err = db.View(func(tx *engine.Tx) error {
			for a := range tx.Accounts() {
				t.Log(a)
			}
			for a := range tx.Tables("devstoreaccount1", "") {
				t.Log(a)
			}
			tbl, _ := tx.Table("devstoreaccount1", "orders")
			p, err := tbl.Query(engine.Query{Limit: 10})
			t.Log(len(p.Entities), p.Next, p.Explain, err)
			return tx.CreateTable("devstoreaccount1", "tb2")
		})
		if !errors.Is(err, engine.ErrReadOnly) {
			t.Fatal(err)
		}
	}
	check(db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db, err = engine.Open(m, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(db.Damage())
	check(db)
}
