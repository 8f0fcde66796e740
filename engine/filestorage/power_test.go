//go:build unix

package filestorage_test

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sandtable/engine"
	"sandtable/engine/filestorage"
	"sandtable/engine/filestorage/powertest"
)

var power = flag.Bool("power", false, "simulate power failures; needs strace and many minutes")

// TestPower simulates a power failure at every moment of several processes. The
// store must contain what was acknowledged strictly, at most the current step in
// addition, and be usable. The same holds for a power failure in the process after
// a killed one, and for a second power failure.
//
// It opens and syncs some hundred thousand stores, which is faster with TMPDIR on an
// in-memory file system.
func TestPower(t *testing.T) {
	if !*power {
		t.Skip("-power simulates power failures; needs strace and many minutes")
	}
	if _, err := exec.LookPath("strace"); err != nil {
		t.Fatal("simulating power failures needs strace on Linux: ", err)
	}
	filestorage.WithSmallFiles(t)
	for _, c := range []struct {
		name    string
		prepare func(t *testing.T, folder string) contents
		program string
		next    string // program of the process after a killed one
	}{
		{"a new store", prepareNothing, "begins", "continues"},
		{"checkpoints", prepareNothing, "makes checkpoints", "continues"},
		{"copy forward", prepareStore, "copies forward", "continues"},
		{"compact", prepareStore, "compacts", "continues"},
		{"relaxed before", prepareStore, "is relaxed, then strict", "continues"},
		{"a lost snapshot", prepareCorrupt("wal-", func(b []byte) []byte { b[100]++; return b }), "quarantines", "quarantines"},
		{"a lost segment", prepareCorrupt("blocks-", func([]byte) []byte { return nil }), "quarantines", "quarantines"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			has := c.prepare(t, filepath.Join(folder, storePath))
			left := failDuring(t, folder, has, c.program)
			if !t.Failed() { // they would repeat the same failures
				failAfterKills(t, folder, has, c.program, c.next)
				failAgain(t, left, c.next)
			}
		})
	}
}

func beginHistory(t *testing.T, folder string, has contents, y *tally) *history {
	t.Helper()
	disk, err := powertest.NewDisk(folder)
	must(t, err)
	return &history{t: t, disk: disk, tally: y, may: []contents{has}}
}

// failDuring simulates power failures during a process and returns some of the
// resulting states.
func failDuring(t *testing.T, folder string, has contents, program string) (left []failure) {
	y := newTally()
	h := beginHistory(t, folder, has, y)
	h.follow(h.record(program, 1000))
	t.Logf("during one process: %s", y)
	return y.some
}

// failAfterKills kills a process at each call that changed something and simulates
// power failures during the next process.
func failAfterKills(t *testing.T, folder string, has contents, program, next string) {
	y := newTally()
	r := beginHistory(t, folder, has, y).record(program, 1000)
	for at := range r.calls {
		if h := beginHistory(t, folder, has, y); h.kill(r, at) {
			h.follow(h.record(next, 5000))
		}
	}
	t.Logf("during the process after a killed one: %s", y)
}

// failAgain simulates power failures during processes that continue after a failure.
func failAgain(t *testing.T, left []failure, program string) {
	y := newTally()
	for _, f := range left {
		folder := scratch(t)
		must(t, f.state.Write(folder))
		h := beginHistory(t, folder, f.has, y)
		h.follow(h.record(program, 5000))
		must(t, os.RemoveAll(folder))
	}
	t.Logf("during processes after a failure: %s", y)
}

func prepareNothing(*testing.T, string) contents { return noContents() }

// prepareStore creates a store with several segments.
func prepareStore(t *testing.T, folder string) (has contents) {
	p := &process{folder: folder, says: io.Discard, seq: 10, block: 10}
	p.do(openStrict)
	p.append(600, 10_000)
	p.checkpoint(0, 8, 3000, 0)
	p.append(600, 100)
	p.checkpoint(1, 3, 2000, 3)
	p.append(60)
	p.do(closeStore)
	must(t, p.err)
	must(t, withStore(folder, filestorage.Options{}, func(s *filestorage.Storage) (err error) {
		has, err = contentsOf(s)
		return err
	}))
	return has
}

// prepareCorrupt creates a store in which the first file of a kind is corrupt or
// missing, so that Open refuses the store.
func prepareCorrupt(kind string, change func([]byte) []byte) func(*testing.T, string) contents {
	return func(t *testing.T, folder string) contents {
		prepareStore(t, folder)
		files := readFiles(t, folder)
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if !strings.HasPrefix(name, kind) {
				continue
			}
			corrupt := files.with(name, change(bytes.Clone(files[name])))
			must(t, corrupt.write(folder))
			if err := withStore(folder, filestorage.Options{}, func(*filestorage.Storage) error { return nil }); !errors.Is(err, engine.ErrCorrupt) {
				t.Fatalf("without %s: %v", name, err)
			}
			other, left := t.TempDir(), noContents()
			must(t, corrupt.write(other))
			must(t, withStore(other, filestorage.Options{Quarantine: true}, func(s *filestorage.Storage) (err error) {
				left, err = contentsOf(s)
				return err
			}))
			return contents{quarantined: &left}
		}
		t.Fatalf("the store has no file %s", kind)
		return contents{}
	}
}
