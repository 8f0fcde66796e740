package filestorage

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"sandtable/engine"
)

// TestFoldersAreSynced: all folders above the file, before there is a store in it
// that the next opening would take as it is.
func TestFoldersAreSynced(t *testing.T) {
	for _, c := range []struct {
		name       string
		before     func(t *testing.T, folder string) // what there is already
		durability engine.Durability
		synced     bool
	}{
		{"a new store", func(*testing.T, string) {}, engine.Strict, true},
		{"a new relaxed store", func(*testing.T, string) {}, engine.Relaxed, false},
		{"a store", makeStore(engine.Strict), engine.Strict, true},
		{"a store that was relaxed", makeStore(engine.Relaxed), engine.Strict, true},
		{"folders whose maker was killed", func(t *testing.T, folder string) {
			if err := os.MkdirAll(folder, 0o700); err != nil {
				t.Fatal(err)
			}
		}, engine.Strict, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			top := t.TempDir()
			folder := filepath.Join(top, "a", "b")
			c.before(t, folder)
			before, _ := os.ReadFile(filepath.Join(folder, FileName)) // none, if it is new
			synced := watchSyncs(t, func() {
				if now, err := os.ReadFile(filepath.Join(folder, FileName)); err != nil || len(now) != len(before) {
					t.Errorf("the file has %d bytes already, %v", len(now), err)
				}
			})
			makeStore(c.durability)(t, folder)
			checkSynced(t, *synced, c.synced, folder, filepath.Join(top, "a"), top, filepath.Dir(top))
		})
	}
	t.Run("a store that becomes strict", func(t *testing.T) {
		top := t.TempDir()
		s, err := Open(filepath.Join(top, "a"), Options{Durability: engine.Relaxed})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		synced := watchSyncs(t, func() {})
		if err := s.SetDurability(engine.Strict); err != nil {
			t.Fatal(err)
		}
		checkSynced(t, *synced, true, filepath.Join(top, "a"), top, filepath.Dir(top))
	})
}

// makeStore returns what opens a store and closes it again.
func makeStore(d engine.Durability) func(*testing.T, string) {
	return func(t *testing.T, folder string) {
		t.Helper()
		s, err := Open(folder, Options{Durability: d})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// watchSyncs notes the folders that are synced until the test ends, and has
// look called before each.
func watchSyncs(t *testing.T, look func()) *[]string {
	var synced []string
	was := syncFolder
	t.Cleanup(func() { syncFolder = was })
	syncFolder = func(path string) error {
		look()
		synced = append(synced, path)
		return was(path)
	}
	return &synced
}

func checkSynced(t *testing.T, synced []string, want bool, paths ...string) {
	t.Helper()
	for _, path := range paths {
		if slices.Contains(synced, path) != want {
			t.Errorf("%s: synced %q", path, synced)
		}
	}
}
