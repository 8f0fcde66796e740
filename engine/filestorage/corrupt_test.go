package filestorage_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"sandtable/engine"
	"sandtable/engine/filestorage"
)

// smallStore writes to a store and returns its files and contents after each call.
func smallStore(t testing.TB, folder string) (files []storeFiles, contents []map[string]string) {
	t.Helper()
	s := open(t, folder)
	note := func(err error) {
		t.Helper()
		must(t, err)
		files, contents = append(files, readFiles(t, folder).withoutOwner()), append(contents, stored(t, s))
	}
	note(nil)
	note(s.Append(1, []byte("one")))
	note(s.Append(2, sample(2, 300)))
	note(s.Checkpoint(engine.Checkpoint{Seq: 1, Puts: []engine.Block{blockOf(1, 300), blockOf(2, 9000)}, Meta: []byte("first")}))
	note(s.Append(3, []byte("three")))
	note(s.Append(3, []byte("three again")))
	note(s.Checkpoint(engine.Checkpoint{Seq: 3, Puts: []engine.Block{blockOf(3, 50)}, Deletes: []engine.BlockID{1}, Meta: []byte("second")}))
	note(s.Append(4, nil))
	must(t, s.Close())
	return files, contents
}

// TestTornWrites truncates or zeroes a call's WAL write at every byte: the call
// took effect or it did not.
func TestTornWrites(t *testing.T) {
	files, contents := smallStore(t, t.TempDir())
	folder := t.TempDir()
	for i := 1; i < len(files); i++ {
		name := files[i].only(t, "wal-")
		old, whole := len(files[i-1][name]), files[i][name]
		for size := old; size <= len(whole); size++ {
			for _, zeros := range []bool{false, true} {
				torn := bytes.Clone(whole[:size])
				if zeros {
					torn = append(torn, make([]byte, len(whole)-size)...)
				}
				must(t, files[i].with(name, torn).write(folder))
				s := open(t, folder)
				got := stored(t, s)
				if !reflect.DeepEqual(got, contents[i-1]) && !(reflect.DeepEqual(got, contents[i]) && size > len(whole)-8) {
					t.Fatalf("call %d cut after %d of %d bytes: %d parts", i, size-old, len(whole)-old, len(got))
				}
				must(t, s.Append(9, []byte("on")))
				must(t, s.Close())
			}
		}
	}
}

// TestFlippedBits flips bits in the files: nothing panics, and the store is refused
// or contains what was written, with everything missing or extra reported.
func TestFlippedBits(t *testing.T) {
	files, contents := smallStore(t, t.TempDir())
	whole, want := files[len(files)-1], contents[len(contents)-1]
	random := rand.New(rand.NewPCG(1, 2))
	folder, refused := t.TempDir(), 0
	const rounds = 1500
	for range rounds {
		names := slices.Sorted(maps.Keys(whole))
		name := names[random.IntN(len(names))]
		data := bytes.Clone(whole[name])
		if len(data) == 0 {
			continue
		}
		at := random.IntN(len(data))
		data[at] ^= 1 << random.IntN(8)
		must(t, whole.with(name, data).write(folder))
		s, err := filestorage.Open(folder, filestorage.Options{Durability: engine.Relaxed})
		if err != nil {
			if refused++; !errors.Is(err, engine.ErrCorrupt) && !errors.Is(err, engine.ErrFormat) {
				t.Fatalf("%s, byte %d: %v", name, at, err)
			}
			s, err = filestorage.Open(folder, filestorage.Options{Durability: engine.Relaxed, Quarantine: true})
			if errors.Is(err, engine.ErrFormat) {
				continue
			}
			must(t, err)
		}
		got := stored(t, s)
		isTold := got["meta"] == "lost" || len(got) == len(want)-1 && strings.HasPrefix(name, "wal-")
		for key := range maps.Keys(want) {
			if got[key] != want[key] && !isTold && !strings.HasPrefix(key, "block") {
				t.Fatalf("%s, byte %d: %s is %q, want %q", name, at, key, got[key], want[key])
			}
		}
		must(t, s.Close())
	}
	if refused == 0 || refused > rounds/3 {
		t.Errorf("%d of %d stores were refused", refused, rounds)
	}
}

// TestQuarantine opens stores with missing or corrupt files: they are refused and
// left unchanged, or opened with the remaining data and then sound.
func TestQuarantine(t *testing.T) {
	folder := t.TempDir()
	files, contents := smallStore(t, folder)
	whole, want := files[len(files)-1], contents[len(contents)-1]
	wal, blocks := whole.only(t, "wal-"), whole.only(t, "blocks-")
	flip := func(name string, at int) storeFiles {
		b := bytes.Clone(whole[name])
		b[at] ^= 1
		return whole.with(name, b)
	}
	const longest = 1 << 20
	filestorage.LimitWAL(t, longest)
	for _, c := range []struct {
		name  string
		files storeFiles
		has   []string // unchanged
		kept  bool
	}{
		{"a WAL that is longer than any", whole.with(wal, append(bytes.Clone(whole[wal]), make([]byte, longest)...)), []string{"block 2", "block 3"}, true},
		{"no WAL", whole.with(wal, nil), []string{"block 2", "block 3"}, false},
		{"no blocks", whole.with(blocks, nil), []string{"meta", "record 4"}, false},
		{"truncated blocks", whole.with(blocks, whole[blocks][:9000]), []string{"meta", "record 4"}, false},
		{"the WAL's header", flip(wal, 20), []string{"meta", "block 2", "block 3", "record 4"}, true},
		{"the WAL's snapshot", flip(wal, 40), []string{"block 2", "block 3", "record 4"}, true},
		{"the WAL truncated within its snapshot", whole.with(wal, whole[wal][:50]), []string{"block 2", "block 3"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			must(t, c.files.write(folder))
			_, err := filestorage.Open(folder, filestorage.Options{})
			if !errors.Is(err, engine.ErrCorrupt) || !strings.Contains(err.Error(), folder) {
				t.Fatalf("got %v", err)
			}
			if left := readFiles(t, folder); !reflect.DeepEqual(left.withoutOwner(), c.files) {
				t.Error("a refused store has changed")
			}
			s := openWith(t, folder, filestorage.Options{Quarantine: true})
			got := stored(t, s)
			for _, key := range c.has {
				if got[key] != want[key] {
					t.Errorf("%s is %.20q, want %.20q", key, got[key], want[key])
				}
			}
			lost, kept := s.Quarantined()
			if len(lost) == 0 || (len(kept) > 0) != c.kept {
				t.Errorf("lost %v, kept %v", lost, kept)
			}
			must(t, s.Append(9, []byte("on")))
			must(t, s.Close())
			got["record 9"] = "on"
			if again := stored(t, openWith(t, folder, filestorage.Options{})); !reflect.DeepEqual(again, got) {
				t.Errorf("reopened, it has %d parts, want %d", len(again), len(got))
			}
		})
	}
}

// TestLostCommit: whichever byte of a WAL is corrupt, the engine opens the store
// and reports corruption, or only the last frame is missing.
func TestLostCommit(t *testing.T) {
	folder := t.TempDir()
	db := filled(t, folder)
	must(t, db.Close())
	whole := readFiles(t, folder)
	name := whole.only(t, "wal-")
	random := rand.New(rand.NewPCG(5, 6))
	reported := 0
	for range 300 {
		data := bytes.Clone(whole[name])
		at := random.IntN(len(data))
		data[at] ^= 1 << random.IntN(8)
		must(t, whole.with(name, data).write(folder))
		s, err := filestorage.Open(folder, filestorage.Options{Durability: engine.Relaxed, Quarantine: true})
		if errors.Is(err, engine.ErrFormat) {
			continue
		}
		must(t, err)
		lost, _ := s.Quarantined()
		db, err := engine.Open(s, engine.Options{})
		must(t, err)
		n := 0
		must(t, db.View(func(tx *engine.Tx) error {
			table, err := tx.Table(account, "Table")
			if err != nil {
				return nil // the table itself is lost, and reported
			}
			page, err := table.Query(engine.Query{}).Page()
			n = len(page.Entities)
			return err
		}))
		if len(db.Corruption())+len(lost) > 0 {
			reported++
		} else if n != 60 && at < len(data)-200 {
			t.Fatalf("byte %d of %d: %d entities are left, and nothing is reported", at, len(data), n)
		}
		must(t, db.Close())
	}
	if reported < 10 { // most of the WAL is already superseded
		t.Errorf("corruption was reported in %d of 300 stores", reported)
	}
}

// TestLostDeletion: what a corrupt commit deleted comes back, but its file is gone. The
// store opens, and the block cannot be read.
func TestLostDeletion(t *testing.T) {
	filestorage.WithFilePerCheckpoint(t)
	folder := t.TempDir()
	s := open(t, folder)
	put := func(id engine.BlockID, deletes ...engine.BlockID) {
		t.Helper()
		must(t, s.Checkpoint(engine.Checkpoint{Puts: []engine.Block{blockOf(id, 5000)}, Deletes: deletes, Meta: []byte("meta")}))
	}
	put(1)
	path, content := s.NextFrame()
	put(2, 1) // removes the file of block 1
	put(3)
	must(t, s.Close())
	b, err := os.ReadFile(path)
	must(t, err)
	b[content+3] ^= 4
	must(t, os.WriteFile(path, b, 0o600))
	s = open(t, folder)
	if _, err := s.ReadBlocks([]engine.BlockID{2, 3}); err != nil {
		t.Error(err)
	}
	if _, err := s.ReadBlocks([]engine.BlockID{1}); !errors.Is(err, engine.ErrBlockNotFound) {
		t.Errorf("the deleted block: %v", err)
	}
	must(t, s.Close())
}

// TestLastRecordBeforeCommit: a record whose frame cannot be recognised is
// reported, although only a commit follows it and no number shows the loss.
func TestLastRecordBeforeCommit(t *testing.T) {
	for _, c := range []struct {
		name  string
		drops uint64 // the commit's
		want  int    // records that are left, readable or not
	}{
		{"dropped by the commit", 3, 0},
		{"not dropped", 2, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			s := open(t, folder)
			for seq := uint64(1); seq <= 3; seq++ {
				must(t, s.Append(seq, []byte(fmt.Sprint("record ", seq))))
			}
			must(t, s.Checkpoint(engine.Checkpoint{Seq: c.drops, Meta: []byte("meta")}))
			must(t, s.Close())
			whole := readFiles(t, folder)
			name := whole.only(t, "wal-")
			data := bytes.Clone(whole[name])
			data[bytes.LastIndex(data, []byte("record 3"))-1] ^= 1 // in the frame's header
			must(t, whole.with(name, data).write(folder))
			d, err := openWith(t, folder, filestorage.Options{}).Load()
			if err != nil || len(d.WAL) != c.want {
				t.Fatalf("%d records, want %d; %v", len(d.WAL), c.want, err)
			}
			if c.want == 1 && (d.WAL[0].Seq != 3 || bytes.Equal(d.WAL[0].Data, []byte("record 3"))) {
				t.Errorf("got record %d: %q", d.WAL[0].Seq, d.WAL[0].Data)
			}
		})
	}
}

// TestContentIsNoFrame: a client's data are never parsed as a frame, even if they
// contain another store's frame and the header before them is corrupt.
func TestContentIsNoFrame(t *testing.T) {
	other := t.TempDir()
	s := open(t, other)
	must(t, s.Append(7, []byte("of another store")))
	must(t, s.Close())
	foreign := readFiles(t, other)
	folder := t.TempDir()
	s = open(t, folder)
	must(t, s.Append(1, foreign[foreign.only(t, "wal-")][32:]))
	must(t, s.Append(2, []byte("two")))
	must(t, s.Close())
	files := readFiles(t, folder)
	name := files.only(t, "wal-")
	data := files[name]
	header := bytes.Index(data, []byte("of another store")) - 32
	first := bytes.LastIndex(data[:header-32], []byte{1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}) // kind and number
	data[first] ^= 4
	must(t, files.write(folder))
	if got := stored(t, open(t, folder)); len(got) != 2 || got["record 2"] != "two" {
		t.Errorf("store has %q", got)
	}
}

// TestNotAStore: foreign files with our names are left unchanged.
func TestNotAStore(t *testing.T) {
	for content, want := range map[string]error{"SQLite format 3\x00": engine.ErrCorrupt, "SNDTBLW\x02": engine.ErrCorrupt, "": engine.ErrCorrupt} {
		folder, files := t.TempDir(), storeFiles{"wal-3-1": []byte(content)}
		must(t, files.write(folder))
		if _, err := filestorage.Open(folder, filestorage.Options{}); !errors.Is(err, want) {
			t.Errorf("%q: %v", content, err)
		}
		if left := readFiles(t, folder).withoutOwner(); string(left["wal-3-1"]) != content {
			t.Errorf("%q was changed to %q", content, left)
		}
	}
}

func FuzzOpen(f *testing.F) {
	files, _ := smallStore(f, f.TempDir())
	whole := files[len(files)-1]
	name, blocks := whole.only(f, "wal-"), whole.only(f, "blocks-")
	f.Add(whole[name], whole[blocks])
	f.Add(whole[name][:len(whole[name])-1], whole[blocks][:100])
	f.Fuzz(func(t *testing.T, wal, segment []byte) {
		folder := t.TempDir()
		must(t, whole.with(name, wal).with(blocks, segment).write(folder))
		s, err := filestorage.Open(folder, filestorage.Options{Durability: engine.Relaxed, Quarantine: true})
		if err != nil {
			return
		}
		stored(t, s)
		must(t, s.Append(1<<40, []byte("on")))
		if got := stored(t, s); got[fmt.Sprint("record ", 1<<40)] != "on" {
			t.Fatal("a written record is missing")
		}
		must(t, s.Close())
	})
}

// TestUnfinishedCommit: a store without its WAL has the blocks of finished commits,
// and not one with the same identity whose commit failed.
func TestUnfinishedCommit(t *testing.T) {
	folder := t.TempDir()
	block := blockOf(2, 100)
	unfinished := block
	unfinished.Data = sample(3, 100)
	put := func(s *filestorage.Storage, b engine.Block) error {
		return s.Checkpoint(engine.Checkpoint{Puts: []engine.Block{b}, Meta: []byte("meta")})
	}
	s := openWith(t, folder, filestorage.Options{})
	must(t, put(s, blockOf(1, 100)))
	end := filestorage.FailSyncs(t, syscall.EIO)
	if put(s, unfinished) == nil {
		t.Fatal("a checkpoint without a sync succeeded")
	}
	end()
	must(t, s.Close())
	s = openWith(t, folder, filestorage.Options{})
	must(t, put(s, block))
	must(t, s.Close())
	files := readFiles(t, folder)
	must(t, files.with(files.only(t, "wal-"), nil).write(folder))
	s = openWith(t, folder, filestorage.Options{Quarantine: true})
	got, err := s.ReadBlocks([]engine.BlockID{2})
	must(t, err)
	if !bytes.Equal(got[0], block.Data) {
		t.Errorf("block 2 is the unfinished one: %t", bytes.Equal(got[0], unfinished.Data))
	}
}
