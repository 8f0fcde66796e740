package engine_test

import (
	"testing"

	"sandtable/engine"
	"sandtable/engine/storagetest"
)

func TestMemoryStorage(t *testing.T) {
	storagetest.Run(t, func(*testing.T) storagetest.Opener {
		m := &engine.MemoryStorage{}
		return func() (engine.Storage, error) { return m, nil }
	})
}
