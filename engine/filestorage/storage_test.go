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

// TestHistories crashes relaxed stores, because it does not test the disk. Nearly
// every checkpoint starts a WAL segment and copies blocks forward.
func TestHistories(t *testing.T) {
	filestorage.WithSmallFiles(t)
	storagetest.Histories(t, 300, func(t *testing.T) storagetest.Opener {
		folder := t.TempDir()
		return func() (engine.Storage, error) {
			return filestorage.Open(folder, filestorage.Options{Durability: engine.Relaxed})
		}
	})
}

// TestSyncFolder: a folder whose sync could not be tried is an error.
func TestSyncFolder(t *testing.T) {
	folder := t.TempDir()
	must(t, filestorage.SyncFolder(folder))
	if err := filestorage.SyncFolder(filepath.Join(folder, "missing")); err == nil {
		t.Error("a missing folder was synced")
	}
}
