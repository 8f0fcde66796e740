//go:build unix

package filestorage_test

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sandtable/engine"
	"sandtable/engine/filestorage"
	"sandtable/engine/filestorage/powertest"
)

// contents is the state of a store.
type contents struct {
	meta   string
	log    map[uint64]string
	blocks map[engine.BlockID]string
	// quarantined is set for a store that Open refuses: its contents when opened with
	// quarantine.
	quarantined *contents
}

func noContents() contents {
	return contents{log: make(map[uint64]string), blocks: make(map[engine.BlockID]string)}
}

// after returns the contents after a step that was completed.
func (c contents) after(a step) contents {
	c = contents{c.meta, maps.Clone(c.log), maps.Clone(c.blocks), c.quarantined}
	switch a.Kind {
	case "quarantine":
		if c.quarantined != nil {
			return *c.quarantined
		}
	case "append":
		c.log[a.Seq] = string(a.data(a.Seq))
	case "checkpoint":
		maps.DeleteFunc(c.log, func(seq uint64, _ string) bool { return seq <= a.Seq })
		for _, id := range a.Deletes {
			delete(c.blocks, id)
		}
		for _, id := range a.Puts {
			c.blocks[id] = string(a.data(uint64(id)))
		}
		c.meta = a.Meta
	}
	return c
}

// String describes the contents, with a checksum of each part: equal contents
// have equal strings.
func (c contents) String() string {
	if c.quarantined != nil {
		return isCorrupt
	}
	var b strings.Builder
	fmt.Fprintf(&b, "meta %.12q %.6x, WAL", c.meta, sha256.Sum256([]byte(c.meta)))
	for _, seq := range slices.Sorted(maps.Keys(c.log)) {
		fmt.Fprintf(&b, " %d:%.6x", seq, sha256.Sum256([]byte(c.log[seq])))
	}
	b.WriteString(", blocks")
	for _, id := range slices.Sorted(maps.Keys(c.blocks)) {
		fmt.Fprintf(&b, " %d:%.6x", id, sha256.Sum256([]byte(c.blocks[id])))
	}
	return b.String()
}

// isCorrupt is the prefix for a store that Open refuses.
const isCorrupt = "corrupt"

// fits reports whether a description matches these contents.
func (c contents) fits(description string) bool {
	return description == c.String() || c.quarantined != nil && strings.HasPrefix(description, isCorrupt)
}

// contentsOf reads an open store.
func contentsOf(s *filestorage.Storage) (contents, error) {
	c := noContents()
	d, err := s.Load()
	if err != nil {
		return c, err
	}
	c.meta = string(d.Meta)
	last := uint64(0)
	for _, r := range d.WAL {
		if r.Seq <= last {
			return c, fmt.Errorf("record %d follows %d", r.Seq, last)
		}
		last = r.Seq
		c.log[r.Seq] = string(r.Data)
	}
	for _, b := range d.Blocks {
		data, err := s.ReadBlocks([]engine.BlockID{b.ID})
		switch {
		case errors.Is(err, engine.ErrBlockNotFound): // quarantine leaves such entries
			c.blocks[b.ID] = "missing"
		case err != nil:
			return c, err
		default:
			c.blocks[b.ID] = string(data[0])
		}
	}
	return c, nil
}

// reopen opens a store after a failure and returns its contents if the store is
// still usable.
func reopen(folder string) (c contents, err error) {
	more := step{Kind: "append", Seq: 1 << 40, Size: 777}
	err = withStore(folder, filestorage.Options{}, func(s *filestorage.Storage) (err error) {
		if c, err = contentsOf(s); err != nil {
			return err
		}
		return s.Append(more.Seq, more.data(more.Seq))
	})
	if err != nil {
		return c, err
	}
	err = withStore(folder, filestorage.Options{Durability: engine.Relaxed}, func(s *filestorage.Storage) error {
		again, err := contentsOf(s)
		if got, want := again.String(), c.after(more).String(); err == nil && got != want {
			err = fmt.Errorf("got %s, want %s", got, want)
		}
		return err
	})
	if err != nil {
		return c, fmt.Errorf("use after opening: %w", err)
	}
	return c, nil
}

func withStore(folder string, o filestorage.Options, do func(*filestorage.Storage) error) error {
	s, err := filestorage.Open(folder, o)
	if err != nil {
		return err
	}
	return errors.Join(do(s), s.Close())
}

// storePath is the store's path on the disk. The first process creates both folders.
const storePath = "deep/store"

// history is a store, its disk and its acknowledged contents.
type history struct {
	t     *testing.T
	disk  *powertest.Disk
	tally *tally
	// may lists the contents that the store may have: the acknowledged ones, with and
	// without the current step.
	may []contents
	// relaxed reports that a power failure may lose all of it.
	relaxed bool
	// seen are the contents that failures have left since the current step began.
	seen map[string]bool
}

// tally counts failures and remembers the outcome of each state.
type tally struct {
	moments int // at which the power failed
	states  int // that it could have left
	wrong   int
	opened  map[uint64]string // state -> its contents, or an error
	random  *rand.Rand
	some    []failure // a few of those
}

// failure is a disk state after a power failure, and its contents.
type failure struct {
	state powertest.State
	has   contents
}

func newTally() *tally {
	return &tally{opened: make(map[uint64]string), random: rand.New(rand.NewPCG(5, 1))}
}

func (y *tally) String() string {
	return fmt.Sprintf("%d moments, %d states, %d different ones opened, %d wrong", y.moments, y.states, len(y.opened), y.wrong)
}

// recording is a process's system calls and the path of its disk.
type recording struct {
	path  string
	calls []powertest.Call
}

// record runs a process on the disk's current state. Its records and blocks are
// numbered from first.
func (h *history) record(name string, from int) recording {
	h.t.Helper()
	folder := scratch(h.t)
	defer os.RemoveAll(folder)
	r := recording{path: filepath.Join(folder, "disk")}
	must(h.t, h.disk.Current().Write(r.path))
	program := child("power", filepath.Join(r.path, storePath), 0)
	program.Env = append(program.Env, fmt.Sprint(roundVariable, "=", name, "@", from))
	trace := filepath.Join(folder, "trace")
	must(h.t, powertest.Record(program, trace))
	var err error
	r.calls, err = powertest.ReadCalls(trace)
	must(h.t, err)
	return r
}

// scratch creates a folder; the caller removes it, because there are many.
func scratch(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp(t.TempDir(), "")
	must(t, err)
	return folder
}

// follow replays a process's calls, with a power failure after each change and each
// printed line.
func (h *history) follow(r recording) {
	h.disk.Start()
	for _, c := range r.calls {
		changed, said := h.apply(r.path, c)
		if changed || said {
			h.fail(c)
		}
	}
}

// apply replays a call.
func (h *history) apply(path string, c powertest.Call) (changed, said bool) {
	changed, err := h.disk.Apply(path, c)
	must(h.t, err)
	if said = c.Name == "write" && c.Args[0] == "1"; said {
		h.hear(c.Args[1])
	}
	return changed, said
}

// hear records what a process printed about a step.
func (h *history) hear(line string) {
	text, begins := strings.CutPrefix(line, beginMark)
	text = strings.TrimPrefix(text, endMark)
	var a step
	must(h.t, json.Unmarshal([]byte(text), &a))
	before, after := h.may[0], h.may[0].after(a)
	setsDurability := a.Kind == "open" || a.Kind == "durability"
	if begins {
		h.may = append(h.may, after) // in addition to what an earlier kill has left open
		h.relaxed = h.relaxed || setsDurability && a.Durability == engine.Relaxed
		h.seen = make(map[string]bool)
		return
	}
	if !h.relaxed && len(h.seen) > 0 && !(h.seen[before.String()] && h.seen[after.String()]) {
		h.t.Errorf("%s: the power failures were all before it or all after it", text)
	}
	h.may = []contents{after}
	h.relaxed = h.relaxed && !(setsDurability && a.Durability == engine.Strict)
}

// fail opens every state that the disk may be in if the power fails after this call.
func (h *history) fail(last powertest.Call) {
	h.t.Helper()
	if h.relaxed {
		return
	}
	h.tally.moments++
	for s := range h.disk.Failures(h.tally.random) {
		h.tally.states++
		sum := s.Sum()
		outcome, known := h.tally.opened[sum]
		if !known {
			outcome = h.open(s)
			h.tally.opened[sum] = outcome
		}
		i := slices.IndexFunc(h.may, func(c contents) bool { return c.fits(outcome) })
		if i < 0 {
			h.wrong(s, last, outcome)
			continue
		}
		h.seen[h.may[i].String()] = true
		if !known && len(h.tally.opened)%100 == 0 {
			h.tally.some = append(h.tally.some, failure{s, h.may[i]})
		}
	}
}

// open describes a store after a failure.
func (h *history) open(s powertest.State) (words string) {
	folder := scratch(h.t)
	defer os.RemoveAll(folder)
	must(h.t, s.Write(folder))
	c, err := reopen(filepath.Join(folder, storePath))
	switch {
	case err == nil:
		return c.String()
	case errors.Is(err, engine.ErrCorrupt):
		words = isCorrupt + ", "
	}
	return words + strings.ReplaceAll(err.Error(), folder, "")
}

// wrong reports a state and saves the first one.
func (h *history) wrong(s powertest.State, last powertest.Call, outcome string) {
	h.t.Helper()
	if h.tally.wrong++; h.tally.wrong > 1 {
		return // the others are counted
	}
	folder, err := os.MkdirTemp("", "sandtable-power-")
	must(h.t, errors.Join(err, s.Write(folder)))
	h.t.Errorf("power failure after %s(%.100q), state saved in %s:\n got %s\nwant %s", last.Name, last.Args, folder, outcome, h.may)
}

// kill ends a process at a call, halfway through if it is a write. It reports
// whether the call changed anything.
func (h *history) kill(r recording, at int) (changed bool) {
	h.t.Helper()
	h.disk.Start()
	for _, c := range r.calls[:at] {
		h.apply(r.path, c)
	}
	c := r.calls[at]
	if c.Name == "pwrite64" && c.Result > 1 {
		c.Result /= 2
	}
	changed, _ = h.apply(r.path, c)
	if !changed {
		return false
	}
	// The file system shows whether the current step was done. A power failure now may
	// still undo it.
	shown := h.open(h.disk.Current())
	i := slices.IndexFunc(h.may, func(c contents) bool { return c.fits(shown) })
	if i < 0 {
		h.t.Errorf("killed at %s(%.100q):\n got %s\nwant %s", c.Name, c.Args, shown, h.may)
		return false
	}
	h.may = append([]contents{h.may[i]}, h.may...)
	return true
}
