package filestorage_test

import (
	"path/filepath"
	"testing"

	"sandtable/engine"
	"sandtable/engine/filestorage"
	"sandtable/engine/storagetest"
)

func TestStorage(t *testing.T) {
	for _, durability := range []engine.Durability{engine.Strict, engine.Relaxed} {
		t.Run(durability.String(), func(t *testing.T) {
			storagetest.Run(t, func(t *testing.T) storagetest.Store {
				folder := filepath.Join(t.TempDir(), "store")
				return storagetest.InFolder(folder, 0, func() (engine.Storage, error) {
					return filestorage.Open(folder, filestorage.Options{Durability: durability})
				})
			})
		})
	}
}

// TestHistories crashes relaxed stores: the disk is not what is tested. WAL
// segments change with nearly every checkpoint, and blocks are copied forward.
func TestHistories(t *testing.T) {
	filestorage.WithSmallFiles(t)
	storagetest.Histories(t, 300, func(t *testing.T) storagetest.Opener {
		folder := t.TempDir()
		return func() (engine.Storage, error) {
			return filestorage.Open(folder, filestorage.Options{Durability: engine.Relaxed})
		}
	})
}
