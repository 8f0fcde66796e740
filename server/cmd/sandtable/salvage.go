//go:build !js

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"sandtable/engine"
	"sandtable/engine/boltstorage"
)

// runSalvage saves what it can of a store that serve refuses as damaged.
func runSalvage(_ context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("sandtable salvage", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var data storeFlags
	data.registerFolder(flags, "the `folder` of the data")
	if err := parse(flags, args); err != nil {
		return err
	}
	if data.folder == "" {
		return errors.New("say with -data where the data are")
	}
	done, err := boltstorage.Salvage(data.folder, boltstorage.Options{})
	if err != nil {
		return err
	}
	if len(done.Lost) == 0 {
		fmt.Fprintf(stdout, "The store in %s is whole; nothing was changed.\n", data.folder)
		return nil
	}
	for _, err := range done.Lost {
		fmt.Fprintln(stdout, "lost:", err)
	}
	fmt.Fprintf(stdout, "The store in %s is made anew.\n", data.folder)
	for _, path := range done.Kept {
		fmt.Fprintln(stdout, "kept as it was:", path)
	}
	return describeStore(stdout, data.folder)
}

// describeStore says what a store has, and what of it is missing.
func describeStore(w io.Writer, folder string) error {
	storage, err := boltstorage.Open(folder, boltstorage.Options{})
	if err != nil {
		return err
	}
	db, err := engine.Open(storage, engine.Options{})
	if err != nil {
		return errors.Join(fmt.Errorf("open store %s: %w", folder, err), storage.Close())
	}
	for _, d := range db.Damage() {
		fmt.Fprintln(w, "missing:", d)
	}
	err = db.View(func(tx *engine.Tx) error {
		for account := range tx.Accounts() {
			for table := range tx.Tables(account.Name, "") {
				fmt.Fprintf(w, "left: %s/%s with %d entities\n", account.Name, table.Name, table.Entities)
			}
		}
		return nil
	})
	return errors.Join(err, db.Close())
}
