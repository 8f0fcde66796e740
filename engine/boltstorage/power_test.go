//go:build unix

package boltstorage_test

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"iter"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
		next    string // of the process behind one that was killed
	}{
		{"a new store", prepareNothing, "begins", "goes on"},
		{"checkpoints", prepareNothing, "makes checkpoints", "goes on"},
		{"compact", prepareStore, "compacts", "goes on"},
		{"relaxed before", prepareStore, "is relaxed, then strict", "goes on"},
		{"the format before", prepareOldStore, "goes on", "goes on"},
		{"a damaged page", prepareDamaged(breakPages), "salvages", "salvages"},
		{"a damaged log", prepareDamaged(breakOpenings), "salvages", "salvages"},
		{"no log", prepareDamaged(removeLogs), "salvages", "salvages"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			has := c.prepare(t, filepath.Join(folder, storePath))
			left := failInLife(t, folder, has, c.life)
			if !t.Failed() { // or these would say the same at length
				failAfterKills(t, folder, has, c.life, c.next)
				failAgain(t, left, c.next)
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
// the power fail in the life of the next.
func failAfterKills(t *testing.T, folder string, has contents, life, next string) {
	y := newTally()
	r := begin(t, folder, has, y).record(life, 1000)
	for at := range r.calls {
		if h := begin(t, folder, has, y); h.kill(r, at) {
			h.follow(h.record(next, 5000))
		}
	}
	t.Logf("in the life after one that was killed: %s", y)
}

// failAgain lets the power fail in lives that go on with what failures have left.
func failAgain(t *testing.T, left []failure, life string) {
	y := newTally()
	for _, f := range left {
		folder := scratch(t)
		must(t, f.state.Write(folder))
		h := begin(t, folder, f.has, y)
		h.follow(h.record(life, 5000))
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
	must(t, withStore(folder, engine.Strict, func(s *boltstorage.Storage) (err error) {
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
	return contents{meta: "meta", log: log, blocks: map[engine.BlockID]string{7: "block"}}
}

// prepareDamaged makes a store that is damaged: the first of a function's that Open
// refuses and of which Salvage makes one with blocks.
func prepareDamaged(damage func(whole storeFiles) iter.Seq[storeFiles]) func(*testing.T, string) contents {
	return func(t *testing.T, folder string) contents {
		prepareStore(t, folder)
		for damaged := range damage(readFiles(t, folder)) {
			if left, ok := salvaged(t, damaged); ok && len(left.blocks) > 0 {
				must(t, damaged.write(folder))
				return contents{salvaged: &left}
			}
		}
		t.Fatal("nothing is damaged, or all of it is")
		return contents{}
	}
}

// salvaged returns what Salvage leaves of a store that Open refuses.
func salvaged(t *testing.T, damaged storeFiles) (left contents, ok bool) {
	t.Helper()
	folder := t.TempDir()
	must(t, damaged.write(folder))
	s, err := boltstorage.Open(folder, boltstorage.Options{})
	if err == nil {
		must(t, s.Close())
	}
	if !errors.Is(err, engine.ErrCorrupt) {
		return left, false
	}
	if _, err := boltstorage.Salvage(folder, boltstorage.Options{}); err != nil {
		return left, false
	}
	err = withStore(folder, engine.Strict, func(s *boltstorage.Storage) (err error) {
		left, err = contentsOf(s)
		return err
	})
	return left, err == nil
}

// breakPages breaks a page of bbolt's after another.
func breakPages(whole storeFiles) iter.Seq[storeFiles] {
	return func(yield func(storeFiles) bool) {
		text := whole[boltstorage.FileName]
		for page := 2; page < len(text)/os.Getpagesize(); page++ {
			broken := bytes.Clone(text)
			clear(broken[page*os.Getpagesize():][:16])
			if !yield(whole.with(boltstorage.FileName, broken)) {
				return
			}
		}
	}
}

// breakOpenings breaks the opening of a file of the log after another.
func breakOpenings(whole storeFiles) iter.Seq[storeFiles] {
	return func(yield func(storeFiles) bool) {
		for name, text := range logs(whole) {
			broken := bytes.Clone(text)
			broken[17]++
			if !yield(whole.with(name, broken)) {
				return
			}
		}
	}
}

// removeLogs takes away a file of the log after another.
func removeLogs(whole storeFiles) iter.Seq[storeFiles] {
	return func(yield func(storeFiles) bool) {
		for name := range logs(whole) {
			if !yield(whole.with(name, nil)) {
				return
			}
		}
	}
}

func logs(whole storeFiles) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for _, name := range slices.Sorted(maps.Keys(whole)) {
			if name != boltstorage.FileName && !yield(name, whole[name]) {
				return
			}
		}
	}
}
