//go:build !js

package boltstorage_test

import (
	"os"
	"path/filepath"
	"testing"

	"sandtable/engine"
	"sandtable/engine/boltstorage"
	"sandtable/engine/storagetest"
)

func TestStorage(t *testing.T) {
	for _, durability := range []engine.Durability{engine.Strict, engine.Relaxed} {
		t.Run(durability.String(), func(t *testing.T) {
			storagetest.Run(t, func(t *testing.T) storagetest.Store {
				folder := filepath.Join(t.TempDir(), "store")
				roots := 2 * os.Getpagesize() // which bbolt writes last
				return storagetest.InFolder(folder, roots, func() (engine.Storage, error) {
					return boltstorage.Open(folder, boltstorage.Options{Durability: durability})
				})
			})
		})
	}
}

// TestHistories crashes stores of files. They are relaxed, so that the disk is
// not what is measured; what strict adds is the syncs. The log changes its file
// with nearly every checkpoint.
func TestHistories(t *testing.T) {
	boltstorage.TurnEarly(t)
	storagetest.Histories(t, 300, func(t *testing.T) storagetest.Opener {
		folder := t.TempDir()
		return func() (engine.Storage, error) {
			return boltstorage.Open(folder, boltstorage.Options{Durability: engine.Relaxed})
		}
	})
}
