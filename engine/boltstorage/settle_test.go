//go:build !js

package boltstorage

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"sandtable/engine"
)

// noteSyncs returns where the store's file is noted as it is at each sync that
// is not one of bbolt's own transactions.
func noteSyncs(t *testing.T, folder string) (synced *[]byte) {
	t.Helper()
	synced, was := new([]byte), syncData
	t.Cleanup(func() { syncData = was })
	path := filepath.Join(folder, FileName)
	syncData = func(file *os.File) (err error) {
		if file.Name() == path {
			if *synced, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		return was(file)
	}
	return synced
}

// TestSettled: a power failure takes all of the store's file that was not
// synced. What was appended strictly is there nevertheless, whatever the
// process before has left unsynced.
func TestSettled(t *testing.T) {
	turn := engine.Checkpoint{Meta: []byte("m")} // the log goes on in the other file
	cases := []struct {
		name string
		// leave leaves a store with a root that the disk may not have, and returns
		// what it has of the file.
		leave func(t *testing.T, folder string) (disk []byte)
		// goOn makes the store strict that is to be appended to.
		goOn func(t *testing.T, folder string) *Storage
	}{
		{"after a relaxed session", leaveRelaxed(turn), openStrict},
		{"after a kill before the sync of the root", leaveUnsyncedRoot(turn), openStrict},
		{"a relaxed session becomes strict", leaveRelaxed(turn), func(t *testing.T, folder string) *Storage {
			s := openFolder(t, folder, engine.Relaxed)
			noError(t, s.SetDurability(engine.Strict))
			return s
		}},
		{"opened without room", leaveRelaxed(turn), func(t *testing.T, folder string) *Storage {
			s := openFolder(t, folder, engine.Relaxed)
			s.options.Durability, s.db.NoSync = engine.Strict, false // as if settling had found no room
			return s
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			TurnEarly(t)
			folder := t.TempDir()
			s := openFolder(t, folder, engine.Strict)
			noError(t, s.Append(1, []byte("one")))
			noError(t, s.Close())
			disk := c.leave(t, folder)

			synced := noteSyncs(t, folder)
			s = c.goOn(t, folder)
			noError(t, s.Append(3, []byte("three")))
			noError(t, s.Close())
			if len(*synced) > 0 {
				disk = *synced
			}
			noError(t, os.WriteFile(filepath.Join(folder, FileName), disk, 0o600))
			checkRecords(t, loadedLog(t, openFolder(t, folder, engine.Strict)), map[uint64]string{1: "one", 2: "two", 3: "three"})
		})
	}
}

func openStrict(t *testing.T, folder string) *Storage { return openFolder(t, folder, engine.Strict) }

func leaveRelaxed(c engine.Checkpoint) func(*testing.T, string) []byte {
	return func(t *testing.T, folder string) []byte {
		disk, err := os.ReadFile(filepath.Join(folder, FileName))
		noError(t, err)
		s := openFolder(t, folder, engine.Relaxed)
		noError(t, s.Append(2, []byte("two")))
		noError(t, s.Checkpoint(c))
		noError(t, s.Close())
		return disk
	}
}

func leaveUnsyncedRoot(c engine.Checkpoint) func(*testing.T, string) []byte {
	return func(t *testing.T, folder string) []byte {
		s := openFolder(t, folder, engine.Strict)
		noError(t, s.Append(2, []byte("two")))
		path, roots := filepath.Join(folder, FileName), 2*s.db.Info().PageSize
		before, err := os.ReadFile(path)
		noError(t, err)
		noError(t, s.Checkpoint(c)) // killed at its last sync
		noError(t, s.Close())
		disk, err := os.ReadFile(path)
		noError(t, err)
		copy(disk[:roots], before)
		return disk
	}
}

// TestCompactSettles: nothing is cut off that a root needs that the disk may
// still have.
func TestCompactSettles(t *testing.T) {
	TurnEarly(t)
	folder := t.TempDir()
	s := openFolder(t, folder, engine.Strict)
	noError(t, s.Append(1, []byte("one")))
	noError(t, s.Close())
	leaveRelaxed(engine.Checkpoint{Seq: 2})(t, folder) // the first file of the log is no more in use
	synced, was := noteSyncs(t, folder), syncData
	syncData = func(file *os.File) error {
		if _, err := os.Stat(filepath.Join(folder, logName(1))); err != nil && len(*synced) == 0 {
			t.Errorf("removed before the first sync: %v", err)
		}
		return was(file)
	}
	if _, _, err := Compact(folder, Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(folder, logName(1))); err == nil || len(*synced) == 0 {
		t.Errorf("%d bytes synced, then %v", len(*synced), err)
	}
}

// TestSalvageSettles: a salvage that finds nothing wrong may come after one that
// was killed before it had synced what it did.
func TestSalvageSettles(t *testing.T) {
	folder := t.TempDir()
	noError(t, openFolder(t, folder, engine.Strict).Close())
	wasData, wasFolder := syncData, syncFolder
	t.Cleanup(func() { syncData, syncFolder = wasData, wasFolder })
	synced := make(map[string]bool)
	syncData = func(file *os.File) error {
		synced[file.Name()] = true
		return wasData(file)
	}
	syncFolder = func(path string) error {
		synced[path] = true
		return wasFolder(path)
	}
	if done, err := Salvage(folder, Options{}); err != nil || len(done.Lost) > 0 {
		t.Fatalf("salvaged %+v, %v", done, err)
	}
	for _, path := range []string{filepath.Join(folder, FileName), filepath.Join(folder, logName(1)), folder} {
		if !synced[path] && (path != folder || runtime.GOOS != "windows") {
			t.Errorf("%s is not synced, but %v", path, synced)
		}
	}
}

// TestWrittenAgain: a strict opening writes the root and the log's last frame,
// since a sync of theirs that failed has left them as if they had been synced. A
// relaxed one does not.
func TestWrittenAgain(t *testing.T) {
	folder := t.TempDir()
	s := openFolder(t, folder, engine.Strict)
	noError(t, s.Append(1, []byte("one")))
	noError(t, s.Close())
	before := copyStore(t, folder)
	long := time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, d := range []engine.Durability{engine.Strict, engine.Relaxed} {
		for _, name := range []string{FileName, logName(1)} {
			noError(t, os.Chtimes(filepath.Join(folder, name), long, long))
		}
		noError(t, openFolder(t, folder, d).Close())
		for _, name := range []string{FileName, logName(1)} {
			path := filepath.Join(folder, name)
			info, err := os.Stat(path)
			noError(t, err)
			if written := !info.ModTime().Equal(long); written != (d == engine.Strict) {
				t.Errorf("%s: %s written: %v", d, name, written)
			}
			want, err := os.ReadFile(filepath.Join(before, name))
			noError(t, err)
			if got, err := os.ReadFile(path); err != nil || string(got) != string(want) {
				t.Errorf("%s: %s has changed, %v", d, name, err)
			}
		}
	}
}

// TestSettledLater: a store that cannot be settled for want of room is read, and
// takes no append until it is.
func TestSettledLater(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0) // has zeros, and no room
	if err != nil {
		t.Skip("no disk is full here: ", err)
	}
	defer full.Close()
	s := openFolder(t, t.TempDir(), engine.Strict)
	noError(t, s.Append(1, []byte("one")))
	s.settled = false
	f := s.log.last()
	file := f.file
	f.file = full
	for range 2 {
		if err := s.Append(2, []byte("two")); !errors.Is(err, ErrFull) || s.settled {
			t.Errorf("got %v", err)
		}
	}
	if err := s.SetDurability(engine.Strict); !errors.Is(err, ErrFull) {
		t.Errorf("got %v", err)
	}
	f.file = file
	noError(t, s.Append(2, []byte("two")))
	if !s.settled {
		t.Error("it is not settled")
	}
	checkRecords(t, loadedLog(t, s), map[uint64]string{1: "one", 2: "two"})
}
