package filestorage_test

import (
	"errors"
	"path/filepath"
	"strings"
	"syscall"
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

// TestQuarantineOfUnreadableBlock: a block that the disk refuses to read twice is lost, so
// that the others can be used. A passing error, or another one, loses nothing.
func TestQuarantineOfUnreadableBlock(t *testing.T) {
	for _, c := range []struct {
		name  string
		err   error
		times int
		lost  bool
	}{
		{"once", syscall.EIO, 1, false},
		{"always", syscall.EIO, 1 << 30, true},
		{"another error", syscall.ENOMEM, 2, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			files, contents := smallStore(t, folder)
			want := contents[len(contents)-1]
			must(t, files[len(files)-1].write(folder))
			bad, left := int64(-1), c.times
			filestorage.FailReads(t, func(name string, offset int64, _ int) error {
				if !strings.HasPrefix(name, "blocks-") {
					return nil
				}
				if bad < 0 {
					bad = offset // of the first block that is read
				}
				if offset == bad && left > 0 {
					left--
					return c.err
				}
				return nil
			})
			s := openWith(t, folder, filestorage.Options{Quarantine: true})
			lost, _ := s.Quarantined()
			if (len(lost) == 1) != c.lost || c.lost && !errors.Is(lost[0], engine.ErrCorrupt) {
				t.Errorf("lost %v", lost)
			}
			left = 1 << 30
			if !c.lost {
				left = 0
			}
			for range 2 {
				n := 0
				for key, value := range stored(t, s) {
					if value == "lost" {
						n++
					} else if value != want[key] {
						t.Errorf("%s is %.20q, want %.20q", key, value, want[key])
					}
				}
				if (n == 1) != c.lost {
					t.Errorf("%d blocks are lost", n)
				}
				must(t, s.Close())
				s = openWith(t, folder, filestorage.Options{})
			}
		})
	}
}

// TestQuarantineOfUnreadableWAL: a store whose WAL the disk refuses to read in one place is
// refused. With quarantine it opens with everything else.
func TestQuarantineOfUnreadableWAL(t *testing.T) {
	for _, c := range []struct {
		name string
		page int64    // that cannot be read
		has  []string // unchanged
	}{
		{"the snapshot", 0, []string{"block 1", "record 3", "record 4"}},
		{"a record", 2, []string{"meta", "block 1", "record 3", "record 4"}},
		{"the last record", 6, []string{"meta", "block 1", "record 2", "record 3"}},
		{"the zeros after it", 15, []string{"meta", "block 1", "record 2", "record 3", "record 4"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			s := openWith(t, folder, filestorage.Options{})
			must(t, s.Append(1, []byte("one")))
			must(t, s.Checkpoint(engine.Checkpoint{Seq: 1, Puts: []engine.Block{blockOf(1, 300)}, Meta: []byte("first")}))
			must(t, s.Append(2, sample(2, 20_000)))
			must(t, s.Append(3, sample(3, 100)))
			must(t, s.Append(4, sample(4, 8000)))
			want := stored(t, s)
			must(t, s.Close())
			const page = 4096
			filestorage.FailReads(t, func(name string, offset int64, length int) error {
				if strings.HasPrefix(name, "wal-1-") && offset < (c.page+1)*page && c.page*page < offset+int64(length) {
					return syscall.EIO
				}
				return nil
			})
			if _, err := filestorage.Open(folder, filestorage.Options{}); !errors.Is(err, engine.ErrCorrupt) || !errors.Is(err, syscall.EIO) {
				t.Errorf("without quarantine: %v", err)
			}
			s = openWith(t, folder, filestorage.Options{Quarantine: true})
			if lost, kept := s.Quarantined(); len(lost) == 0 || !errors.Is(lost[0], engine.ErrCorrupt) || len(kept) != 1 {
				t.Errorf("lost %v, kept %v", lost, kept)
			}
			for range 2 {
				got := stored(t, s)
				for _, key := range c.has {
					if got[key] != want[key] {
						t.Errorf("%s is %.20q, want %.20q", key, got[key], want[key])
					}
				}
				must(t, s.Close())
				s = openWith(t, folder, filestorage.Options{})
			}
		})
	}
}
