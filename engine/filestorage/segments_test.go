package filestorage_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"sandtable/engine"
	"sandtable/engine/filestorage"
)

// TestModel compares a store with a plain map: records with ascending, repeated or
// restarted numbers; checkpoints that truncate the WAL, write and delete blocks;
// reopening, and copies as after a crash.
func TestModel(t *testing.T) {
	filestorage.WithSmallFiles(t)
	for seed := range uint64(60) {
		random, model, next, id := rand.New(rand.NewPCG(seed, 1)), map[string]string{"meta": ""}, uint64(1), engine.BlockID(1)
		folder := t.TempDir()
		s := open(t, folder)
		for range 60 {
			switch random.IntN(12) {
			default:
				data := strings.Repeat(fmt.Sprint(random.Uint32(), " "), random.IntN(200))
				must(t, s.Append(next, []byte(data)))
				model[fmt.Sprint("record ", next)] = data
				next++
			case 0:
				next -= uint64(random.IntN(int(min(next, 4)))) // after a refused append
			case 1:
				if random.IntN(6) == 0 {
					next = 1
				}
			case 2, 3, 4:
				c := engine.Checkpoint{Seq: next - min(next, uint64(random.IntN(10))), Meta: []byte(fmt.Sprint(random.Uint32()))}
				for range random.IntN(4) {
					c.Puts = append(c.Puts, blockOf(id, random.IntN(3000)))
					id++
				}
				for old := range id {
					if _, ok := model[fmt.Sprint("block ", old)]; ok && random.IntN(3) == 0 {
						c.Deletes = append(c.Deletes, old)
					}
				}
				must(t, s.Checkpoint(c))
				follow(model, c)
			case 5:
				must(t, s.Close())
				s = openWith(t, folder, filestorage.Options{Durability: engine.Durability(random.IntN(2))})
			case 6:
				copied := t.TempDir()
				must(t, os.CopyFS(copied, os.DirFS(folder)))
				again := openWith(t, copied, filestorage.Options{})
				checkStored(t, again, model)
				must(t, again.Close())
			}
			if random.IntN(4) == 0 {
				checkStored(t, s, model)
			}
		}
		must(t, s.Close())
		checkStored(t, s, model)
		must(t, s.Close())
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// follow applies a checkpoint to the model.
func follow(model map[string]string, c engine.Checkpoint) {
	maps.DeleteFunc(model, func(key, _ string) bool {
		seq := uint64(0)
		_, err := fmt.Sscanf(key, "record %d", &seq)
		return err == nil && seq <= c.Seq
	})
	for _, id := range c.Deletes {
		delete(model, fmt.Sprint("block ", id))
	}
	for _, b := range c.Puts {
		model[fmt.Sprint("block ", b.ID)] = string(b.Data)
	}
	model["meta"] = string(c.Meta)
}

func checkStored(t *testing.T, s *filestorage.Storage, want map[string]string) {
	t.Helper()
	if got := stored(t, s); !reflect.DeepEqual(got, want) {
		t.Fatalf("it has %q, want %q", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}

// TestFileSizes: under endless writes the files stay bounded and complete, and
// compaction leaves little garbage.
func TestFileSizes(t *testing.T) {
	folder := t.TempDir()
	s := open(t, folder)
	random, model := rand.New(rand.NewPCG(1, 1)), map[string]string{"meta": ""}
	id, live := engine.BlockID(0), []engine.BlockID(nil)
	largest := int64(0)
	for round := range uint64(400) {
		must(t, s.Append(round+1, sample(round, 20_000)))
		c := engine.Checkpoint{Seq: round, Meta: []byte("m")}
		for range 4 {
			id++
			c.Puts, live = append(c.Puts, blockOf(id, 30_000)), append(live, id)
		}
		for len(live) > 160 { // 5 MB
			i := random.IntN(len(live))
			c.Deletes, live = append(c.Deletes, live[i]), slices.Delete(live, i, i+1)
		}
		model[fmt.Sprint("record ", round+1)] = string(sample(round, 20_000))
		must(t, s.Checkpoint(c))
		follow(model, c)
		largest = max(largest, sizeOfFolder(t, folder))
	}
	checkStored(t, s, model)
	if largest > 18<<20 {
		t.Errorf("the files grew to %d bytes for 5 MB of live data", largest)
	}
	must(t, s.Close())
	copied := int64(0)
	before, after, err := filestorage.Compact(folder, filestorage.Options{}, func(n int64) error { copied = n; return nil })
	if err != nil || after > 6<<20 || before <= after || copied == 0 {
		t.Errorf("compacted from %d to %d bytes, %d copied, %v", before, after, copied, err)
	}
	checkStored(t, s, model)
}

func sizeOfFolder(t *testing.T, folder string) (size int64) {
	entries, err := os.ReadDir(folder)
	must(t, err)
	for _, e := range entries {
		info, err := e.Info()
		must(t, err)
		size += info.Size()
	}
	return size
}

// TestManyOpenings: opening leaves no files behind, even if the process is killed.
func TestManyOpenings(t *testing.T) {
	folder := t.TempDir()
	must(t, open(t, folder).Close())
	for _, leftover := range []string{"wal-7-2.tmp", "blocks-7-9", "owner-6", "owner-6-123.tmp", "wal-3-1.tmp"} {
		must(t, os.WriteFile(filepath.Join(folder, leftover), nil, 0o600))
	}
	must(t, os.WriteFile(filepath.Join(folder, "blocks-notes"), nil, 0o600))
	s := open(t, folder)
	for i := range 30 {
		must(t, s.Checkpoint(engine.Checkpoint{Seq: uint64(i), Puts: []engine.Block{blockOf(engine.BlockID(i+1), 100)}}))
		must(t, s.Close())
		_, err := s.Load()
		must(t, err)
	}
	must(t, s.Close())
	if files := readFiles(t, folder); len(files) > 24 || files["blocks-notes"] == nil {
		t.Errorf("the folder has %q", slices.Sorted(maps.Keys(files)))
	}
}

// TestSyncs: a strict store syncs every file before acknowledging, with its name and
// all parent folders; a relaxed store syncs nothing until it becomes strict.
func TestSyncs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("folders are not synced on this platform")
	}
	top := t.TempDir()
	folder := filepath.Join(top, "a", "b")
	synced := filestorage.NoteSyncs(t)
	s := open(t, folder)
	must(t, s.Append(1, []byte("one")))
	must(t, s.Checkpoint(engine.Checkpoint{Seq: 1, Puts: []engine.Block{blockOf(1, 10)}}))
	if len(*synced) > 0 {
		t.Errorf("relaxed: synced %q", *synced)
	}
	above := []string{folder, filepath.Join(top, "a"), top, filepath.Dir(top)}
	check := func(what string, want ...string) {
		t.Helper()
		for _, name := range want {
			if !slices.ContainsFunc(*synced, func(path string) bool { return path == name || strings.HasPrefix(filepath.Base(path), name) }) {
				t.Errorf("%s: %s is not synced, only %q", what, name, *synced)
			}
		}
		*synced = nil
	}
	must(t, s.SetDurability(engine.Strict))
	check("becomes strict", append(above, "wal-", "blocks-")...)
	must(t, s.Append(2, []byte("two")))
	check("append", "wal-")
	must(t, s.Checkpoint(engine.Checkpoint{Seq: 1, Puts: []engine.Block{blockOf(2, 10)}}))
	check("checkpoint", "wal-", "blocks-")
	must(t, s.Close())
	must(t, openWith(t, folder, filestorage.Options{}).Close())
	check("opened", append(above, "blocks-")...)
}
