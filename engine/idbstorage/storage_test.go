//go:build js && wasm

package idbstorage

import (
	"testing"

	"sandtable/engine"
	"sandtable/engine/storagetest"
)

func TestStorage(t *testing.T) {
	for _, durability := range []engine.Durability{engine.Relaxed, engine.Strict} {
		t.Run(durability.String(), func(t *testing.T) {
			storagetest.Run(t, func(t *testing.T) storagetest.Store {
				name := newDatabase(t)
				return storagetest.Store{
					Open: func() (engine.Storage, error) { return Open(name, Options{Durability: durability}) },
					Tear: tear,
					Fill: func(t *testing.T) (free func()) { return fillUp(t) },
				}
			})
		})
	}
}

func TestHistories(t *testing.T) {
	storagetest.Histories(t, 25, func(t *testing.T) storagetest.Opener {
		name := newDatabase(t)
		// Histories are too short for packs of the usual size.
		return func() (engine.Storage, error) { return Open(name, Options{packRecords: 3}) }
	})
}
