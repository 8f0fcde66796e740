package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"syscall/js"

	"sandtable/engine"
	"sandtable/engine/idbstorage"
)

// store is an open storage with its values for the status.
type store struct {
	storage    engine.Storage
	kind       string // "indexeddb", "file" or "memory"
	durability engine.Durability
	identity   func() string   // identifies the store, once it is loaded
	lost       <-chan struct{} // closed when the browser has deleted it; or nil
	fenced     <-chan struct{} // closed when another worker has it; or nil
	// setDurability is nil if the durability is fixed.
	setDurability func(engine.Durability) error
	overrides     []string // the settings that the script overrides
}

// openStore opens the store that the script names.
func openStore(script js.Value) (store, error) {
	folder := script.Get("folder")
	inFolder := folder.Type() == js.TypeString
	durability, overrides := engine.Relaxed, []string(nil)
	if inFolder {
		durability = engine.Strict
	}
	if chosen := script.Get("durability"); !chosen.IsUndefined() {
		var err error
		if durability, err = engine.ParseDurability(chosen.String()); err != nil {
			return store{}, err
		}
		overrides = []string{"durability"}
	}
	open := openDatabase
	if inFolder {
		open = openFolder
	}
	opened, err := open(script, durability)
	opened.overrides = overrides
	return opened, err
}

// openDatabase opens an IndexedDB database. Where the browser has no IndexedDB
// (some private windows and frames) tables last as long as the worker: the status is
// "memory", which the page shows. Any other failure is returned, because there may be
// data.
func openDatabase(script js.Value, durability engine.Durability) (store, error) {
	options := idbstorage.Options{
		Durability: durability,
		Opened:     func(db js.Value) { script.Call("opened", db) },
	}
	storage, err := idbstorage.Open(script.Get("store").String(), options)
	switch {
	case errors.Is(err, idbstorage.ErrUnavailable):
		return inMemory(), nil
	case err != nil:
		return store{}, fmt.Errorf("open the database: %w", err)
	}
	return store{
		storage: watch(storage, func(full bool) { script.Call("full", full) }), kind: "indexeddb", durability: durability,
		identity: storage.Identity, lost: storage.Lost(), fenced: storage.Fenced(),
		setDurability: func(d engine.Durability) error {
			storage.SetDurability(d)
			return nil
		},
	}, nil
}

func inMemory() store {
	identity := rand.Text()
	return store{
		storage: new(engine.MemoryStorage), kind: "memory", durability: engine.Relaxed, identity: func() string { return identity },
	}
}

// explain returns why the engine does not start: a sentence for people and a reason
// for the script.
func explain(err error) (text, reason string) {
	switch {
	case errors.Is(err, engine.ErrFormat):
		return "A newer version of Sandtable wrote the tables here. This version cannot read them, and leaves them as they are.", "format"
	case errors.Is(err, errInUse):
		return "Another service has the folder: " + err.Error() + ".", "inUse"
	case errors.Is(err, idbstorage.ErrTimeout):
		return "The browser's database does not answer. Another page of this site may hold it: close the other tabs, or restart the browser.", "database"
	case errors.Is(err, idbstorage.ErrQuota):
		return "The browser has no space left, not even for an empty store. Delete data of other sites, or files.", "quota"
	}
	return "The store cannot be opened: " + strings.TrimRight(err.Error(), ".") + ".", "database"
}
