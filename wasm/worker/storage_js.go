package main

import (
	"errors"
	"fmt"
	"syscall/js"

	"sandtable/engine"
	"sandtable/engine/filestorage"
	"sandtable/engine/idbstorage"
)

// store is where the data are, and what the status says of that.
type store struct {
	storage    engine.Storage
	kind       string // "indexeddb", "file" or "memory"
	durability string
}

// openStore opens the store that the script asks for.
func openStore(script js.Value) (store, error) {
	durability := script.Get("durability")
	strict := durability.Type() == js.TypeString && durability.String() == "strict"
	relaxed := durability.Type() == js.TypeString && durability.String() == "relaxed"
	if !strict && !relaxed && !durability.IsUndefined() {
		return store{}, errors.New(`the durability is neither "relaxed" nor "strict"`)
	}
	if folder := script.Get("folder"); folder.Type() == js.TypeString {
		return openFolder(folder.String(), relaxed)
	}
	return openDatabase(script.Get("store").String(), strict)
}

// openDatabase opens a database of IndexedDB. A browser that has none here
// (some private windows, some frames) still gets tables, for as long as the
// worker lives: the status says "memory", and the page shows it. Any other
// failure is one, because data may be behind it.
func openDatabase(name string, strict bool) (store, error) {
	options := idbstorage.Options{Durability: idbstorage.Relaxed}
	if strict {
		options.Durability = idbstorage.Strict
	}
	storage, err := idbstorage.Open(name, options)
	switch {
	case errors.Is(err, idbstorage.ErrUnavailable):
		return inMemory(), nil
	case err != nil:
		return store{}, fmt.Errorf("open the database: %w", err)
	}
	return store{storage, "indexeddb", options.Durability.String()}, nil
}

// openFolder opens a folder, where the host has any, as Node.js does.
func openFolder(folder string, relaxed bool) (store, error) {
	if folder == "" {
		return inMemory(), nil
	}
	options := filestorage.Options{Durability: filestorage.Strict}
	if relaxed {
		options.Durability = filestorage.Relaxed
	}
	storage, err := filestorage.Open(folder, options)
	if err != nil {
		return store{}, err
	}
	return store{storage, "file", options.Durability.String()}, nil
}

func inMemory() store {
	return store{new(engine.MemoryStorage), "memory", filestorage.Relaxed.String()}
}
