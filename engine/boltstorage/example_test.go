//go:build !js

package boltstorage_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"sandtable/engine"
	"sandtable/engine/boltstorage"
)

func Example() {
	folder, err := os.MkdirTemp("", "store")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	for range 2 {
		storage, err := boltstorage.Open(folder, boltstorage.Options{})
		if err != nil {
			log.Fatal(err)
		}
		db, err := engine.Open(storage, engine.Options{})
		if err != nil {
			log.Fatal(err)
		}
		err = db.Update(func(tx *engine.Tx) error {
			if _, err := tx.Account("shop"); err == nil {
				fmt.Println("the shop is there")
				return nil
			}
			return tx.PutAccount(engine.Account{Name: "shop"})
		})
		if err != nil {
			log.Fatal(err)
		}
		if err := db.Close(); err != nil { // closes the storage, too
			log.Fatal(err)
		}
	}
	// Output: the shop is there
}

func ExampleOpen_inUse() {
	folder, err := os.MkdirTemp("", "store")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	storage, err := boltstorage.Open(folder, boltstorage.Options{Durability: engine.Relaxed})
	if err != nil {
		log.Fatal(err)
	}
	defer storage.Close()
	_, err = boltstorage.Open(folder, boltstorage.Options{Timeout: time.Millisecond})
	fmt.Println(errors.Is(err, boltstorage.ErrInUse))
	// Output: true
}
