//go:build unix

package boltstorage_test

import (
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sandtable/engine"
	"sandtable/engine/boltstorage"
	"sandtable/engine/boltstorage/powertest"
)

var power = flag.Bool("power", false, "play power failures through, which needs strace and many minutes")

// TestPower lets the power fail at every moment of some stores' lives: what was
// acknowledged strictly is there, nothing else is but the act under way, and the
// store goes on. So it is when a process was killed, and the power fails in the
// life of the next, and when it fails for a second time.
//
// It opens some tens of thousands of stores and syncs them. With TMPDIR on a file
// system in memory that is quick, and nothing else changes.
func TestPower(t *testing.T) {
	if !*power {
		t.Skip("power failures are played through with -power, which needs strace and many minutes")
	}
	if _, err := exec.LookPath("strace"); err != nil {
		t.Fatal("power failures are played through with strace, on Linux: ", err)
	}
	boltstorage.TurnEarly(t)
	for _, c := range []struct {
		name    string
		prepare func(t *testing.T, folder string) contents
		life    string
	}{
		{"a new store", prepareNothing, "begins"},
		{"checkpoints", prepareNothing, "makes checkpoints"},
		{"compact", prepareStore, "compacts"},
		{"relaxed before", prepareStore, "is relaxed, then strict"},
		{"the format before", prepareOldStore, "goes on"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			has := c.prepare(t, filepath.Join(folder, storePath))
			left := failInLife(t, folder, has, c.life)
			if !t.Failed() { // or these would say the same at length
				failAfterKills(t, folder, has, c.life)
				failAgain(t, left)
			}
		})
	}
}

// begin begins a history with the store that a folder has.
func begin(t *testing.T, folder string, has contents, y *tally) *history {
	t.Helper()
	disk, err := powertest.NewDisk(folder)
	must(t, err)
	return &history{t: t, disk: disk, tally: y, may: []contents{has}}
}

// failInLife lets the power fail in a life. It returns some of what that left.
func failInLife(t *testing.T, folder string, has contents, life string) (left []failure) {
	y := newTally()
	h := begin(t, folder, has, y)
	h.follow(h.record(life, 1000))
	t.Logf("in one life: %s", y)
	return y.some
}

// failAfterKills kills a life at each of its calls that changed something, and lets
// the power fail in the life of another that goes on.
func failAfterKills(t *testing.T, folder string, has contents, life string) {
	y := newTally()
	r := begin(t, folder, has, y).record(life, 1000)
	for at := range r.calls {
		if h := begin(t, folder, has, y); h.kill(r, at) {
			h.follow(h.record("goes on", 5000))
		}
	}
	t.Logf("in the life after one that was killed: %s", y)
}

// failAgain lets the power fail in lives that go on with what failures have left.
func failAgain(t *testing.T, left []failure) {
	y := newTally()
	for _, f := range left {
		folder := scratch(t)
		must(t, f.state.Write(folder))
		h := begin(t, folder, f.has, y)
		h.follow(h.record("goes on", 5000))
		must(t, os.RemoveAll(folder))
	}
	t.Logf("in lives after a failure: %s", y)
}

func prepareNothing(*testing.T, string) contents { return noContents() }

// prepareStore makes a store with more room than it needs.
func prepareStore(t *testing.T, folder string) (has contents) {
	l := &life{folder: folder, says: io.Discard, seq: 10, block: 10}
	l.do(openStrict)
	l.append(600, 10_000)
	l.checkpoint(0, 20, 5000, 0)
	l.append(600, 100)
	l.checkpoint(1, 0, 0, 16)
	l.append(60)
	l.do(closeStore)
	must(t, l.err)
	must(t, withStore(folder, boltstorage.Strict, func(s *boltstorage.Storage) (err error) {
		has, err = contentsOf(s)
		return err
	}))
	return has
}

// prepareOldStore makes one whose log is in a bucket.
func prepareOldStore(t *testing.T, folder string) contents {
	must(t, os.MkdirAll(folder, 0o700))
	log := map[uint64]string{5: "five", 6: "", 9: strings.Repeat("nine", 20_000), 10: strings.Repeat("ten", 200)}
	boltstorage.WriteOldStore(t, folder, log)
	return contents{"meta", log, map[engine.BlockID]string{7: "block"}}
}
