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

var power = flag.Bool("power", false, "play through power failures, which needs strace and many minutes")

// TestPower lets the power fail at every moment of some processes. What was
// acknowledged strictly is there, nothing else is but the step under way, and the
// store can be gone on with. So it is when a process was killed and the power
// fails during the next one, and when it fails a second time.
//
// It opens and syncs some hundred thousand stores. With TMPDIR on a file system in
// memory that is quick, and nothing else changes.
func TestPower(t *testing.T) {
	if !*power {
		t.Skip("power failures are played through with -power, which needs strace and many minutes")
	}
	if _, err := exec.LookPath("strace"); err != nil {
		t.Fatal("power failures are played through with strace, on Linux: ", err)
	}
	filestorage.WithSmallFiles(t)
	for _, c := range []struct {
		name    string
		prepare func(t *testing.T, folder string) contents
		program string
		next    string // what the process after one that was killed does
	}{
		{"a new store", prepareNothing, "begins", "goes on"},
		{"checkpoints", prepareNothing, "makes checkpoints", "goes on"},
		{"copy forward", prepareStore, "copies forward", "goes on"},
		{"compact", prepareStore, "compacts", "goes on"},
		{"relaxed before", prepareStore, "is relaxed, then strict", "goes on"},
		{"a lost snapshot", prepareCorrupt("wal-", func(b []byte) []byte { b[100]++; return b }), "quarantines", "quarantines"},
		{"a lost segment", prepareCorrupt("blocks-", func([]byte) []byte { return nil }), "quarantines", "quarantines"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			has := c.prepare(t, filepath.Join(folder, storePath))
			left := failDuring(t, folder, has, c.program)
			if !t.Failed() { // or these would report the same at length
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

// failDuring lets the power fail during a process. It returns some of the states
// that this left.
func failDuring(t *testing.T, folder string, has contents, program string) (left []failure) {
	y := newTally()
	h := beginHistory(t, folder, has, y)
	h.follow(h.record(program, 1000))
	t.Logf("during one process: %s", y)
	return y.some
}

// failAfterKills kills a process at each of its calls that changed something, and
// lets the power fail during the next.
func failAfterKills(t *testing.T, folder string, has contents, program, next string) {
	y := newTally()
	r := beginHistory(t, folder, has, y).record(program, 1000)
	for at := range r.calls {
		if h := beginHistory(t, folder, has, y); h.kill(r, at) {
			h.follow(h.record(next, 5000))
		}
	}
	t.Logf("during the process after one that was killed: %s", y)
}

// failAgain lets the power fail during processes that go on with what failures
// have left.
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

// prepareStore makes a store with several segments.
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

// prepareCorrupt makes a store with a corrupt file, the first of some kind of which
// Open says so, or without it.
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
