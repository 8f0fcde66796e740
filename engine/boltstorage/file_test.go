//go:build !js

package boltstorage_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"sandtable/engine"
	"sandtable/engine/boltstorage"
)

// TestInUse: a second Open is refused, whoever asks, and works once the first
// has ended.
func TestInUse(t *testing.T) {
	folder := t.TempDir()
	first := open(t, folder)
	_, err := boltstorage.Open(folder, boltstorage.Options{Timeout: time.Millisecond})
	if !errors.Is(err, boltstorage.ErrInUse) || !strings.Contains(err.Error(), folder) {
		t.Errorf("second open: %v", err)
	}
	must(t, first.Close())
	open(t, folder)
}

// TestReopen: Load opens a closed storage again, unless another has it.
func TestReopen(t *testing.T) {
	folder := t.TempDir()
	s, err := boltstorage.Open(folder, boltstorage.Options{Timeout: time.Millisecond})
	must(t, err)
	must(t, s.Append(7, []byte("seven")))
	must(t, s.Close())
	other := open(t, folder)
	if _, err := s.Load(); !errors.Is(err, boltstorage.ErrInUse) {
		t.Errorf("load while another has it: %v", err)
	}
	must(t, other.Close())
	d, err := s.Load()
	must(t, err)
	if len(d.WAL) != 1 || string(d.WAL[0].Data) != "seven" {
		t.Errorf("loaded %v", d)
	}
	must(t, s.Append(8, nil))
	must(t, s.Close())
}

// TestFault: pages that the disk does not give are an error of that read, which
// calls nothing damaged, and can be read once the disk gives them.
func TestFault(t *testing.T) {
	folder := t.TempDir()
	s := open(t, folder)
	data := make([]byte, 100_000)
	must(t, s.Checkpoint(engine.Checkpoint{Puts: []engine.Block{{BlockInfo: engine.BlockInfo{ID: 1}, Data: data}}}))
	path := filepath.Join(folder, boltstorage.FileName)
	whole, err := os.ReadFile(path)
	must(t, err)
	if err := os.Truncate(path, int64(2*os.Getpagesize())); err != nil {
		t.Skip("no file that is mapped can be cut off here: ", err)
	}
	_, err = s.ReadBlocks([]engine.BlockID{1})
	if err == nil || errors.Is(err, engine.ErrCorrupt) {
		t.Errorf("pages that are missing: %v", err)
	}
	must(t, os.WriteFile(path, whole, 0o600))
	texts, err := s.ReadBlocks([]engine.BlockID{1})
	must(t, err)
	if !bytes.Equal(texts[0], data) {
		t.Error("the block is another one")
	}
}

func TestFolder(t *testing.T) {
	parent := t.TempDir()
	deep := filepath.Join(parent, "a", "b")
	open(t, deep)
	info, err := os.Stat(filepath.Join(deep, boltstorage.FileName))
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v", info.Mode())
	}

	file := filepath.Join(parent, "file")
	must(t, os.WriteFile(file, nil, 0o600))
	if _, err := boltstorage.Open(file, boltstorage.Options{}); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("a file for a folder: %v", err)
	}
	must(t, os.MkdirAll(filepath.Join(parent, "c", boltstorage.FileName), 0o700))
	if _, err := boltstorage.Open(filepath.Join(parent, "c"), boltstorage.Options{}); err == nil {
		t.Error("a folder for the file was opened")
	}
}

func TestReadOnlyFolder(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("permissions do not bind root")
	}
	folder := t.TempDir()
	must(t, os.Chmod(folder, 0o500))
	t.Cleanup(func() { must(t, os.Chmod(folder, 0o700)) })
	for _, path := range []string{folder, filepath.Join(folder, "below")} {
		_, err := boltstorage.Open(path, boltstorage.Options{})
		if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), path) {
			t.Errorf("open %s: %v", path, err)
		}
	}
}

// makeFiles returns a store's files, with a log, blocks and a directory.
func makeFiles(t testing.TB) storeFiles {
	t.Helper()
	folder := t.TempDir()
	s := open(t, folder)
	var c engine.Checkpoint
	for id := engine.BlockID(1); id <= 300; id++ {
		data := bytes.Repeat([]byte{byte(id)}, 100+int(id)*20)
		c.Puts = append(c.Puts, engine.Block{BlockInfo: engine.BlockInfo{ID: id, Table: 1, Size: len(data)}, Data: data})
	}
	c.Meta = []byte("meta")
	must(t, s.Checkpoint(c))
	for seq := uint64(1); seq <= 50; seq++ {
		must(t, s.Append(seq, make([]byte, 200)))
	}
	must(t, s.Close())
	return readFiles(t, folder)
}

// use opens a store of files and reads all of it.
func use(folder string, files storeFiles) error {
	if err := files.write(folder); err != nil {
		return err
	}
	s, err := boltstorage.Open(folder, boltstorage.Options{Durability: engine.Relaxed})
	if err != nil {
		return err
	}
	d, err := s.Load()
	if err != nil {
		return errors.Join(err, s.Close())
	}
	for _, info := range d.Blocks {
		if _, err := s.ReadBlocks([]engine.BlockID{info.ID}); err != nil && !errors.Is(err, engine.ErrBlockNotFound) {
			return errors.Join(err, s.Close())
		}
	}
	err = s.Checkpoint(engine.Checkpoint{Seq: 40, Deletes: []engine.BlockID{2, 100}, Meta: []byte("m")})
	return errors.Join(err, s.Append(51, []byte("more")), s.Close())
}

func TestDamagedFile(t *testing.T) {
	files := makeFiles(t)
	whole := files[boltstorage.FileName]
	zeros := func(from, to int) []byte {
		text := bytes.Clone(whole)
		clear(text[from:to])
		return text
	}
	page := os.Getpagesize()
	cases := []struct {
		name string
		text []byte
		want error
	}{
		{"whole", whole, nil},
		{"empty, and a log that is not", []byte{}, engine.ErrCorrupt},
		{"one byte", []byte{1}, engine.ErrCorrupt},
		{"words", []byte(strings.Repeat("This is not a store. ", 10_000)), engine.ErrCorrupt},
		{"the first page", whole[:page], engine.ErrCorrupt},
		{"cut off", whole[:len(whole)/2], engine.ErrCorrupt},
		{"cut off within a page", whole[:len(whole)/2+100], engine.ErrCorrupt},
		{"both roots overwritten", zeros(0, 2*page), engine.ErrCorrupt},
		{"all but the roots overwritten", zeros(2*page, len(whole)), engine.ErrCorrupt},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			folder, damaged := t.TempDir(), files.with(boltstorage.FileName, c.text)
			err := use(folder, damaged)
			if !errors.Is(err, c.want) || err != nil && !strings.Contains(err.Error(), folder) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
			left := readFiles(t, folder)
			if len(c.text) == 0 { // bbolt's own beginning
				left, damaged = left.with(boltstorage.FileName, nil), damaged.with(boltstorage.FileName, nil)
			}
			if c.want != nil && !left.equal(damaged) {
				t.Error("a store that was refused has changed")
			}
		})
	}
	t.Run("empty, as it was made", func(t *testing.T) {
		if err := use(t.TempDir(), storeFiles{boltstorage.FileName: nil}); err != nil {
			t.Error(err)
		}
	})
}

// TestOneRoot: a root that was torn leaves the one before it.
func TestOneRoot(t *testing.T) {
	files := makeFiles(t)
	for root := range 2 {
		text := bytes.Clone(files[boltstorage.FileName])
		clear(text[root*os.Getpagesize():][:os.Getpagesize()])
		if err := use(t.TempDir(), files.with(boltstorage.FileName, text)); err != nil {
			t.Errorf("without root %d: %v", root, err)
		}
	}
}

// TestRandomDamage changes pages at random: the file is refused, or what is
// wrong is in values, which are the engine's to check. Nothing panics.
func TestRandomDamage(t *testing.T) {
	files, folder := makeFiles(t), t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for range 150 {
		text := bytes.Clone(files[boltstorage.FileName])
		for range 1 + random.IntN(4) {
			// Headers are where it hurts, so most of it goes there.
			at := random.IntN(len(text) / 4096)
			text[at*4096+random.IntN(1<<(4+random.IntN(9)))] ^= byte(1 << random.IntN(8))
		}
		err := use(folder, files.with(boltstorage.FileName, text))
		if err != nil && !errors.Is(err, engine.ErrCorrupt) && !errors.Is(err, engine.ErrFormat) {
			t.Errorf("got %v", err)
		}
		if err != nil {
			refused++
		}
	}
	t.Logf("%d of 150 refused", refused)
	if refused < 10 {
		t.Error("hardly any damage was found")
	}
}

// TestDamagedEntry: an entry of the directory is made anew from its block, and
// reported as damage where that is impossible.
func TestDamagedEntry(t *testing.T) {
	folder := t.TempDir()
	db, err := engine.Open(open(t, folder), engine.Options{CheckpointAfter: 1})
	must(t, err)
	createTable(t, db)
	must(t, insertBatchOf(db, 10))
	must(t, db.Close())
	change(t, folder, func(tx *bbolt.Tx) error {
		directory := tx.Bucket([]byte("directory"))
		return directory.ForEach(func(key, _ []byte) error { return directory.Put(key, []byte("damaged")) })
	})
	db = openDB(t, folder, engine.Options{})
	if d := db.Corruption(); len(d) > 0 {
		t.Errorf("damage: %v", d)
	}
	must(t, db.View(inTable(func(table *engine.Table) error {
		if n := table.Info().Entities; n != 10 {
			t.Errorf("%d entities", n)
		}
		return nil
	})))
	must(t, db.Close())

	// Another checkpoint of the catalog, which replaces block 1.
	db = openDB(t, folder, engine.Options{CheckpointAfter: 1})
	must(t, db.Update(func(tx *engine.Tx) error { return tx.PutAccount(engine.Account{Name: "another"}) }))
	must(t, db.Close())
	change(t, folder, func(tx *bbolt.Tx) error {
		key := binary.BigEndian.AppendUint64(nil, 1) // replaced by a later checkpoint
		return errors.Join(tx.Bucket([]byte("directory")).Put(key, []byte("damaged")), tx.Bucket([]byte("blocks")).Put(key, []byte("too")))
	})
	db = openDB(t, folder, engine.Options{})
	if d := db.Corruption(); len(d) != 1 || d[0].Block.ID != 1 {
		t.Errorf("damage: %v", d)
	}
}

// TestNewFile: a file that a crash left while it was made is no store, and in
// nobody's way.
func TestNewFile(t *testing.T) {
	folder := t.TempDir()
	part := filepath.Join(folder, boltstorage.FileName+".new")
	for name, text := range map[string][]byte{"empty": nil, "zeros": make([]byte, 4*os.Getpagesize()), "words": []byte("words")} {
		t.Run(name, func(t *testing.T) {
			must(t, storeFiles{filepath.Base(part): text}.write(folder))
			s := open(t, folder)
			must(t, s.Append(1, []byte("one")))
			must(t, s.Close())
			if _, err := os.Lstat(part); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("it is still there, %v", err)
			}
		})
	}
}

// TestNewFileTwice: a crash that left the file with both names has left a store.
func TestNewFileTwice(t *testing.T) {
	folder := t.TempDir()
	s := open(t, folder)
	must(t, s.Append(1, []byte("one")))
	must(t, s.Close())
	path := filepath.Join(folder, boltstorage.FileName)
	if err := os.Link(path, path+".new"); err != nil {
		t.Skip("there are no links here: ", err)
	}
	d, err := open(t, folder).Load()
	must(t, err)
	if _, err := os.Lstat(path + ".new"); len(d.WAL) != 1 || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%d records, and the other name is still there, %v", len(d.WAL), err)
	}
}

// TestNewFileTogether: of several that make a store at once each gets it in its
// turn, with what the ones before have written.
func TestNewFileTogether(t *testing.T) {
	for range 5 {
		folder, failed := filepath.Join(t.TempDir(), "below"), make(chan error)
		const makers = 4
		for n := range uint64(makers) {
			go func() {
				s, err := boltstorage.Open(folder, boltstorage.Options{Timeout: time.Minute})
				if err == nil {
					err = errors.Join(s.Append(n+1, []byte("record")), s.Close())
				}
				failed <- err
			}()
		}
		for range makers {
			must(t, <-failed)
		}
		d, err := open(t, folder).Load()
		must(t, err)
		if len(d.WAL) != makers {
			t.Errorf("%d records, want %d", len(d.WAL), makers)
		}
	}
}

// change changes a closed store's file behind its back.
func change(t *testing.T, folder string, f func(*bbolt.Tx) error) {
	t.Helper()
	db, err := bbolt.Open(filepath.Join(folder, boltstorage.FileName), 0o600, nil)
	must(t, err)
	must(t, db.Update(f))
	must(t, db.Close())
}

func TestForeignFile(t *testing.T) {
	put := func(bucket, key string, value []byte) func(*bbolt.Tx) error {
		return func(tx *bbolt.Tx) error { return tx.Bucket([]byte(bucket)).Put([]byte(key), value) }
	}
	cases := []struct {
		name   string
		change func(*bbolt.Tx) error
		want   error
	}{
		{"a newer layout", put("state", "format", binary.BigEndian.AppendUint64(nil, 3)), engine.ErrFormat},
		{"no layout", put("state", "format", nil), engine.ErrCorrupt},
		{"nothing about the log", put("state", "log", nil), engine.ErrCorrupt},
		{"words about the log", put("state", "log", []byte("This is no log.")), engine.ErrCorrupt},
		{"an entry that is no number", put("directory", "key", nil), engine.ErrCorrupt},
		{"a bucket that is gone", func(tx *bbolt.Tx) error { return tx.DeleteBucket([]byte("blocks")) }, engine.ErrCorrupt},
		{"a bucket within a bucket", func(tx *bbolt.Tx) error {
			_, err := tx.Bucket([]byte("blocks")).CreateBucket([]byte("12345678"))
			return err
		}, engine.ErrCorrupt},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			must(t, open(t, folder).Close())
			change(t, folder, c.change)
			s, err := boltstorage.Open(folder, boltstorage.Options{})
			if err == nil {
				_, err = s.Load()
				must(t, s.Close())
			}
			if !errors.Is(err, c.want) || !strings.Contains(fmt.Sprint(err), folder) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}
