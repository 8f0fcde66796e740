//go:build !js

package boltstorage_test

import (
	"path/filepath"
	"testing"

	"sandtable/engine"
	"sandtable/engine/boltstorage"
	"sandtable/engine/storagetest"
)

func TestStorage(t *testing.T) {
	for _, durability := range []boltstorage.Durability{boltstorage.Strict, boltstorage.Relaxed} {
		t.Run(durability.String(), func(t *testing.T) {
			storagetest.Run(t, func(t *testing.T) storagetest.Opener {
				folder := filepath.Join(t.TempDir(), "store")
				return func() (engine.Storage, error) {
					return boltstorage.Open(folder, boltstorage.Options{Durability: durability})
				}
			})
		})
	}
}
