//go:build !js

package boltstorage

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"go.etcd.io/bbolt"

	"sandtable/engine"
)

// TestFailed: after a write that failed for another reason than want of room
// nothing is written until the store is opened again.
func TestFailed(t *testing.T) {
	failures := map[string]func(*bbolt.Tx) error{
		"error": func(*bbolt.Tx) error { return errors.New("the disk is on fire") },
		"panic": func(*bbolt.Tx) error { panic("page 3 already freed") },
	}
	for name, failure := range failures {
		t.Run(name, func(t *testing.T) {
			s, err := Open(t.TempDir(), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.write(func() error { return s.update(failure) }); err == nil || errors.Is(err, ErrFailed) {
				t.Errorf("the failure itself: %v", err)
			}
			if err := s.Append(1, nil); !errors.Is(err, ErrFailed) {
				t.Errorf("append after it: %v", err)
			}
			if err := s.Checkpoint(engine.Checkpoint{}); !errors.Is(err, ErrFailed) {
				t.Errorf("checkpoint after it: %v", err)
			}
			if _, err := s.ReadBlocks(nil); err != nil {
				t.Errorf("reading after it: %v", err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if _, err := s.Load(); err != nil {
				t.Error(err)
			}
			if err := errors.Join(s.Append(1, nil), s.Close()); err != nil {
				t.Errorf("opened again: %v", err)
			}
		})
	}
}

// TestSetDurability: writes sync or do not, from one to the next.
func TestSetDurability(t *testing.T) {
	s, err := Open(t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range []engine.Durability{engine.Relaxed, engine.Strict, engine.Relaxed} {
		if err := s.SetDurability(d); err != nil {
			t.Fatal(err)
		}
		if s.db.NoSync != (d == engine.Relaxed) {
			t.Errorf("%s: NoSync is %v", d, s.db.NoSync)
		}
		if err := s.Append(uint64(i+1), []byte("record")); err != nil {
			t.Error(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.SetDurability(engine.Strict); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("of a closed store: %v", err)
	}
	// It is opened again as it was.
	d, err := s.Load()
	if err != nil || len(d.WAL) != 3 || !s.db.NoSync {
		t.Errorf("%d records, NoSync %v, %v", len(d.WAL), s.db.NoSync, err)
	}
	_ = s.write(func() error { return s.update(func(*bbolt.Tx) error { panic("page 3 already freed") }) })
	if err := s.SetDurability(engine.Strict); !errors.Is(err, ErrFailed) {
		t.Errorf("of a store that failed: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestIsRooted: of a transaction that failed is known whether its root is in
// the file.
func TestIsRooted(t *testing.T) {
	s, err := Open(t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	id := 0
	put := func(tx *bbolt.Tx) error {
		id = tx.ID()
		return tx.Bucket(stateBucket).Put(metaKey, []byte("m"))
	}
	for range 3 { // either root
		if err := s.write(func() error { return s.update(put) }); err != nil {
			t.Fatal(err)
		}
		if !s.isRooted(id) || s.isRooted(id+1) {
			t.Errorf("transaction %d: %v, the next: %v", id, s.isRooted(id), s.isRooted(id+1))
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// FuzzCheckPages: no file makes it panic or go on for ever.
func FuzzCheckPages(f *testing.F) {
	folder := f.TempDir()
	s, err := Open(folder, Options{})
	if err != nil {
		f.Fatal(err)
	}
	var c engine.Checkpoint
	for id := range engine.BlockID(60) { // more than one page
		c.Puts = append(c.Puts, engine.Block{BlockInfo: engine.BlockInfo{ID: id}, Data: bytes.Repeat([]byte{byte(id)}, 100)})
	}
	if err := s.Checkpoint(c); err != nil {
		f.Fatal(err)
	}
	if err := s.Close(); err != nil {
		f.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, FileName))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(text[:len(text)/2])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, text []byte) {
		err := checkPages(bytes.NewReader(text), int64(len(text)), os.Getpagesize())
		if err != nil && !errors.Is(err, engine.ErrCorrupt) {
			t.Errorf("got %v", err)
		}
	})
}

// TestMakeFile: a file has its name when it is whole, and never that of one that
// is there.
func TestMakeFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	for _, text := range []string{"", "another's"} {
		if text != "" {
			noError(t, os.WriteFile(path, []byte(text), 0o600))
		}
		noError(t, makeFile(path, Options{Timeout: DefaultTimeout}))
		if text == "" {
			noError(t, checkFile(path, Options{Timeout: DefaultTimeout}))
		} else if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("it has %q, %v", got, err)
		}
		if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
			t.Errorf("the folder has %v, %v", entries, err)
		}
	}
}

// TestNewFolders: the disk knows of the folders that a store is in before it
// says that it is one, also of those that a process made which was killed before
// it came to sync them. Of a store that is there it knows.
func TestNewFolders(t *testing.T) {
	for _, c := range []struct {
		name string
		left func(t *testing.T, folder string) // by a process that was killed
		new  bool
	}{
		{"nothing is there", func(*testing.T, string) {}, true},
		{"killed when the folders were made", func(t *testing.T, folder string) {
			noError(t, os.MkdirAll(folder, 0o700))
		}, true},
		{"killed when the file was made", func(t *testing.T, folder string) {
			noError(t, os.MkdirAll(folder, 0o700))
			noError(t, makeFile(filepath.Join(folder, FileName), Options{Timeout: DefaultTimeout}))
		}, true},
		{"a store", func(t *testing.T, folder string) {
			noError(t, openFolder(t, folder, engine.Strict).Close())
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			top := t.TempDir()
			folder := filepath.Join(top, "a", "b")
			c.left(t, folder)
			var synced []string
			was := syncFolder
			t.Cleanup(func() { syncFolder = was })
			syncFolder = func(path string) error {
				if _, err := os.Stat(filepath.Join(folder, logName(1))); err != nil {
					synced = append(synced, path) // the store does not refer to its log yet
				}
				return was(path)
			}
			noError(t, openFolder(t, folder, engine.Strict).Close())
			for _, path := range []string{folder, filepath.Join(top, "a"), top} {
				if slices.Contains(synced, path) != c.new && runtime.GOOS != "windows" {
					t.Errorf("%s: synced %q", path, synced)
				}
			}
		})
	}
}

func TestUpwards(t *testing.T) {
	folder, err := os.Getwd()
	noError(t, err)
	if got := upwards("x"); len(got) < 2 || got[0] != filepath.Join(folder, "x") || got[1] != folder || filepath.Dir(got[len(got)-1]) != got[len(got)-1] {
		t.Errorf("got %q", got)
	}
	if err := syncFolders([]string{filepath.Join(t.TempDir(), "gone")}); err == nil && runtime.GOOS != "windows" {
		t.Error("a folder that is not there was synced")
	}
}
