//go:build js && wasm

package idbstorage_test

import (
	"fmt"
	"testing"
	"time"

	"sandtable/engine"
	"sandtable/engine/idbstorage"
	"sandtable/engine/storagetest"
)

var databases int

// newName returns the name of a database that is deleted when the test ends.
func newName(t *testing.T) string {
	t.Helper()
	databases++
	name := fmt.Sprint("idbstorage-test-", time.Now().UnixNano(), "-", databases)
	t.Cleanup(func() {
		if err := idbstorage.Delete(name, 10*time.Second); err != nil {
			t.Error(err)
		}
	})
	return name
}

func TestStorage(t *testing.T) {
	for _, durability := range []idbstorage.Durability{idbstorage.Relaxed, idbstorage.Strict} {
		t.Run(durability.String(), func(t *testing.T) {
			storagetest.Run(t, func(t *testing.T) storagetest.Opener {
				name := newName(t)
				return func() (engine.Storage, error) {
					return idbstorage.Open(name, idbstorage.Options{Durability: durability})
				}
			})
		})
	}
}

func TestHistories(t *testing.T) {
	storagetest.Histories(t, 25, func(t *testing.T) storagetest.Opener {
		name := newName(t)
		return func() (engine.Storage, error) { return idbstorage.Open(name, idbstorage.Options{}) }
	})
}
