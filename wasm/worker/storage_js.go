package main

import (
	"errors"
	"fmt"

	"sandtable/engine"
	"sandtable/engine/idbstorage"
)

// openStorage opens the database of IndexedDB, and says what kind of storage
// it is. A browser that has no IndexedDB here (some private windows, some
// frames) still gets tables, for as long as the worker lives: the status says
// "memory", and the page shows it. Any other failure is one, because data may
// be behind it.
func openStorage(name string) (storage engine.Storage, kind string, err error) {
	storage, err = idbstorage.Open(name, idbstorage.Options{})
	switch {
	case errors.Is(err, idbstorage.ErrUnavailable):
		return new(engine.MemoryStorage), "memory", nil
	case err != nil:
		return nil, "", fmt.Errorf("open the database: %w", err)
	}
	return storage, "indexeddb", nil
}
