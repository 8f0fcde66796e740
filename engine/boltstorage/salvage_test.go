//go:build !js

package boltstorage_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"sandtable/engine"
	"sandtable/engine/boltstorage"
	"sandtable/engine/storagetest"
	"sandtable/odata"
)

// makeStore makes a store with entities in blocks and in the log, and returns
// its files and what is in it.
func makeStore(t *testing.T) (storeFiles, storagetest.Contents) {
	t.Helper()
	folder := t.TempDir()
	for start, after := range []int{1, -1} {
		db, err := engine.Open(open(t, folder), engine.Options{CheckpointAfter: after})
		must(t, err)
		if start == 0 {
			createTable(t, db)
		}
		for n := range 30 {
			must(t, insertLarge(db, 1000*start+n))
		}
		must(t, db.Close())
	}
	db := openDB(t, folder, engine.Options{CheckpointAfter: -1})
	contents := storagetest.ContentsOf(t, db, account)
	must(t, db.Close())
	return readFiles(t, folder), contents
}

// TestSalvage wipes out a page after another: what is left is as it was, what
// is not is reported, and the file is kept.
func TestSalvage(t *testing.T) {
	files, want := makeStore(t)
	whole := files[boltstorage.FileName]
	salvaged, left, ended := 0, 0, 0
	enough := errors.New("enough")
	for page := 2; page < len(whole)/os.Getpagesize(); page++ {
		header := whole[page*os.Getpagesize():]
		if binary.NativeEndian.Uint64(header) != uint64(page) {
			continue // it is within a value
		}
		folder := t.TempDir()
		text := bytes.Clone(whole)
		clear(text[page*os.Getpagesize():][:os.Getpagesize()])
		must(t, files.with(boltstorage.FileName, text).write(folder))
		s, err := boltstorage.Open(folder, boltstorage.Options{})
		if err == nil { // a page that is free
			must(t, s.Close())
			continue
		}
		stopped := t.TempDir()
		must(t, files.with(boltstorage.FileName, text).write(stopped))
		_, err = boltstorage.Salvage(stopped, boltstorage.Options{Progress: func(int64) error { return enough }})
		if errors.Is(err, enough) { // it came to a value
			ended++
			if after := readFiles(t, stopped); !bytes.Equal(after[boltstorage.FileName], text) || len(after) != len(files) {
				t.Error("a salvage that was ended has changed something")
			}
		}
		done, err := boltstorage.Salvage(folder, boltstorage.Options{})
		if errors.Is(err, engine.ErrCorrupt) { // it was the root
			continue
		}
		must(t, err)
		salvaged++
		if len(done.Lost) == 0 || len(done.Kept) != 1 {
			t.Fatalf("lost %v, kept %q", done.Lost, done.Kept)
		}
		kept, err := os.ReadFile(done.Kept[0])
		must(t, err)
		if !bytes.Equal(kept, text) {
			t.Errorf("%s is not the file as it was", done.Kept[0])
		}
		db := openDB(t, folder, engine.Options{})
		got := storagetest.ContentsOf(t, db, account)
		must(t, db.Close())
		left += len(got)
		for path, e := range got {
			if !reflect.DeepEqual(want[path], e) {
				t.Errorf("%s is %v", path, e)
			}
		}
	}
	t.Logf("%d salvaged, of %d tables and entities %d left on average", salvaged, len(want), left/max(salvaged, 1))
	if ended < 5 {
		t.Errorf("%d were ended", ended)
	}
	if salvaged < 5 || left/max(salvaged, 1) < len(want)/2 {
		t.Error("hardly anything was salvaged")
	}
}

// TestSalvageCutOff: the beginning of a file is better than nothing.
func TestSalvageCutOff(t *testing.T) {
	files, want := makeStore(t)
	whole := files[boltstorage.FileName]
	page, salvaged := os.Getpagesize(), 0
	for n := 4; n < len(whole)/page; n += 15 {
		folder := t.TempDir()
		must(t, files.with(boltstorage.FileName, whole[:n*page]).write(folder))
		_, err := boltstorage.Salvage(folder, boltstorage.Options{})
		if errors.Is(err, engine.ErrCorrupt) {
			continue // the root was cut off
		}
		must(t, err)
		salvaged++
		db := openDB(t, folder, engine.Options{})
		for path, e := range storagetest.ContentsOf(t, db, account) {
			if !reflect.DeepEqual(want[path], e) {
				t.Errorf("%d pages: %s is %v", n, path, e)
			}
		}
		must(t, db.Close())
	}
	t.Logf("%d salvaged", salvaged)
	if salvaged < 5 {
		t.Errorf("%d salvaged", salvaged)
	}
}

func TestSalvageRefused(t *testing.T) {
	files, _ := makeStore(t)
	whole := files[boltstorage.FileName]
	page := os.Getpagesize()
	changed := func(f func(text []byte)) []byte {
		text := bytes.Clone(whole)
		f(text)
		return text
	}
	cases := []struct {
		name string
		text []byte
		want error
	}{
		{"nothing is wrong", whole, nil},
		{"no root", changed(func(text []byte) { clear(text[:2*page]) }), engine.ErrCorrupt},
		{"words", []byte(strings.Repeat("words ", 10_000)), engine.ErrCorrupt},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			refuse(t, files.with(boltstorage.FileName, c.text), c.want)
		})
	}
	t.Run("nothing but roots, and no log", func(t *testing.T) {
		text := changed(func(text []byte) { clear(text[2*page:]) })
		refuse(t, storeFiles{boltstorage.FileName: text}, engine.ErrCorrupt)
	})
	t.Run("none there", func(t *testing.T) {
		if _, err := boltstorage.Salvage(t.TempDir(), boltstorage.Options{}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("in use", func(t *testing.T) {
		folder := t.TempDir()
		open(t, folder)
		if _, err := boltstorage.Salvage(folder, boltstorage.Options{Timeout: time.Millisecond}); !errors.Is(err, boltstorage.ErrInUse) {
			t.Errorf("got %v", err)
		}
	})
}

// refuse salvages a store of files, which are to stay as they are.
func refuse(t *testing.T, files storeFiles, want error) {
	t.Helper()
	folder := t.TempDir()
	must(t, files.write(folder))
	done, err := boltstorage.Salvage(folder, boltstorage.Options{})
	if !errors.Is(err, want) || len(done.Lost) > 0 || len(done.Kept) > 0 {
		t.Errorf("got %+v, %v", done, err)
	}
	if !readFiles(t, folder).equal(files) {
		t.Error("the folder has changed")
	}
}

// TestSalvageDirectory: blocks whose entries are gone get new ones.
func TestSalvageDirectory(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, boltstorage.FileName)
	db, err := engine.Open(open(t, folder), engine.Options{CheckpointAfter: 1})
	must(t, err)
	createTable(t, db)
	for n := range 200 { // so many blocks that the directory has pages of its own
		must(t, db.Update(inTable(func(table *engine.Table) error {
			_, err := table.Insert(odata.Key{PartitionKey: "p", RowKey: fmt.Sprintf("%04d", n)}, []odata.Property{
				{Name: "Text", Value: odata.StringValue(strings.Repeat("x", 30_000))},
			})
			return err
		})))
	}
	want := storagetest.ContentsOf(t, db, account)
	must(t, db.Close())
	var root uint64
	change(t, folder, func(tx *bbolt.Tx) error {
		root = uint64(tx.Bucket([]byte("directory")).RootPage())
		return nil
	})
	if root == 0 {
		t.Fatal("the directory has no page")
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	_, err = file.WriteAt(make([]byte, 100), int64(root)*int64(os.Getpagesize()))
	must(t, errors.Join(err, file.Close()))
	if _, err := boltstorage.Open(folder, boltstorage.Options{}); !errors.Is(err, engine.ErrCorrupt) {
		t.Fatalf("open: %v", err)
	}
	must(t, os.WriteFile(path+".damaged-1", nil, 0o600)) // of another time
	done, err := boltstorage.Salvage(folder, boltstorage.Options{})
	must(t, err)
	if len(done.Lost) != 1 || !slices.Equal(done.Kept, []string{path + ".damaged-2"}) {
		t.Errorf("got %+v", done)
	}
	db = openDB(t, folder, engine.Options{})
	if d := db.Corruption(); len(d) > 0 {
		t.Errorf("damage: %v", d)
	}
	storagetest.ContentsOf(t, db, account).Check(t, want)
}
