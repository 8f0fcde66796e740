package filestorage_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"sandtable/engine"
	"sandtable/engine/filestorage"
	"sandtable/engine/storagetest"
	"sandtable/odata"
)

func TestStorage(t *testing.T) {
	for _, durability := range []engine.Durability{engine.Strict, engine.Relaxed} {
		t.Run(durability.String(), func(t *testing.T) {
			storagetest.Run(t, func(t *testing.T) storagetest.Store {
				folder := filepath.Join(t.TempDir(), "store")
				return storagetest.InFolder(folder, 0, func() (engine.Storage, error) {
					return filestorage.Open(folder, filestorage.Options{Durability: durability})
				})
			})
		})
	}
}

func TestHistories(t *testing.T) {
	storagetest.Histories(t, 300, func(t *testing.T) storagetest.Opener {
		folder := t.TempDir()
		return func() (engine.Storage, error) {
			return filestorage.Open(folder, filestorage.Options{Durability: engine.Relaxed})
		}
	})
}

// history writes records and checkpoints to a store, and returns the file after
// each of the calls.
func history(t *testing.T, folder string) (files [][]byte) {
	t.Helper()
	s := open(t, folder)
	note := func(err error) {
		t.Helper()
		must(t, err)
		files = append(files, fileOf(t, folder))
	}
	files = append(files, fileOf(t, folder))
	note(s.Append(1, []byte("one")))
	note(s.Append(2, bytes.Repeat([]byte("two"), 100)))
	note(s.Checkpoint(engine.Checkpoint{Seq: 1, Puts: []engine.Block{block(1, 300), block(2, 9000)}, Meta: []byte("first")}))
	note(s.Append(3, []byte("three")))
	note(s.Append(3, []byte("three again")))
	note(s.Checkpoint(engine.Checkpoint{Seq: 3, Puts: []engine.Block{block(3, 50)}, Deletes: []engine.BlockID{1}, Meta: []byte("second")}))
	note(s.Append(4, nil))
	must(t, s.Close())
	return files
}

// TestTornWrites cuts the file at every byte: what is there is what the calls
// that came to their end left.
func TestTornWrites(t *testing.T) {
	files := history(t, t.TempDir())
	whole := files[len(files)-1]
	want := make([]string, len(files))
	for i, file := range files {
		want[i] = describe(t, file)
	}
	for size := 0; size < len(whole); size++ {
		last := 0
		for last+1 < len(files) && len(files[last+1]) <= size {
			last++
		}
		if size > len(files[last])+80 && last+1 < len(files) && size < len(files[last+1])-80 {
			size += 36 // amid a block or a text
		}
		if got := describe(t, whole[:size]); got != want[last] {
			t.Fatalf("cut after %d of %d bytes it has\n%s\nwant\n%s", size, len(whole), got, want[last])
		}
	}
}

// TestWriteThatTheDiskLost: after a power failure a file may have its length
// and not its last bytes.
func TestWriteThatTheDiskLost(t *testing.T) {
	files := history(t, t.TempDir())
	for i := 1; i < len(files); i++ {
		before, after := files[i-1], files[i]
		want := describe(t, before)
		for at := len(before); at < len(after); at += 1 + (len(after)-len(before))/40 {
			lost := bytes.Clone(after)
			clear(lost[at:])
			if bytes.Equal(lost, after) {
				continue // they were zeros
			}
			if got := describe(t, lost); got != want {
				t.Fatalf("call %d without what is behind byte %d has\n%s\nwant\n%s", i, at, got, want)
			}
		}
	}
}

// TestDamage flips bits anywhere: nothing panics, and either Load says that the
// file is damaged or what comes back is what was written.
func TestDamage(t *testing.T) {
	folder := t.TempDir()
	files := history(t, folder)
	whole := files[len(files)-1]
	random := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for range 2000 {
		file := bytes.Clone(whole)
		at := random.IntN(len(file))
		file[at] ^= 1 << random.IntN(8)
		s, d, err := loadFile(t, file)
		if err != nil {
			if refused++; !errors.Is(err, engine.ErrCorrupt) && !errors.Is(err, engine.ErrFormat) {
				t.Fatalf("byte %d changed: %v", at, err)
			}
			continue
		}
		if string(d.Meta) == "second" && len(d.Blocks) != 2 {
			t.Fatalf("byte %d changed: nobody is told that %d blocks are not those of the last checkpoint", at, len(d.Blocks))
		}
		for _, info := range d.Blocks {
			want := block(info.ID, info.Size)
			if info != want.BlockInfo && string(d.Meta) != "lost" {
				t.Fatalf("byte %d changed: the directory has %v, want %v", at, info, want.BlockInfo)
			}
			if _, err := s.ReadBlocks([]engine.BlockID{info.ID}); err != nil && !errors.Is(err, engine.ErrBlockNotFound) {
				t.Fatalf("byte %d changed: %v", at, err)
			}
		}
	}
	if refused == 0 || refused > 100 {
		t.Errorf("%d of 2000 damaged files were refused, want those alone whose name or format is damaged", refused)
	}
}

// TestRewrite: a file that is mostly what no longer counts is written anew, and
// the store goes on as if nothing had been.
func TestRewrite(t *testing.T) {
	folder := t.TempDir()
	must(t, os.WriteFile(filepath.Join(folder, filestorage.FileName+".new"), []byte("left from a crash"), 0o600))
	s := open(t, folder)
	keep := block(1, 100)
	must(t, s.Checkpoint(engine.Checkpoint{Seq: 0, Puts: []engine.Block{keep}}))
	seq, largest := uint64(0), 0
	for round := range 20 {
		c := engine.Checkpoint{Seq: seq, Puts: []engine.Block{block(engine.BlockID(10+round), 1<<20)}, Meta: []byte{byte(round)}}
		if round > 0 {
			c.Deletes = []engine.BlockID{engine.BlockID(9 + round)}
		}
		must(t, s.Checkpoint(c))
		seq++
		must(t, s.Append(seq, []byte{byte(round)}))
		largest = max(largest, len(fileOf(t, folder)))
		check(t, s, keep, c.Puts[0])
	}
	if largest > 8<<20 {
		t.Errorf("the file grew to %d bytes for 1 MiB that counts", largest)
	}
	must(t, s.Close())
	s = open(t, folder)
	d, err := s.Load()
	must(t, err)
	if len(d.Blocks) != 2 || len(d.WAL) != 1 || d.WAL[0].Seq != seq || !bytes.Equal(d.Meta, []byte{19}) {
		t.Errorf("after it was opened again: %v", d)
	}
	check(t, s, keep, block(29, 1<<20))
}

// TestDamageAfterRewrite: the commit of a file that was written anew names all
// of its blocks, and may be its last frame. One bad block is one bad block.
func TestDamageAfterRewrite(t *testing.T) {
	folder := t.TempDir()
	s := open(t, folder)
	must(t, s.Checkpoint(engine.Checkpoint{Puts: []engine.Block{block(1, 100), block(2, 100), block(3, 5<<20)}, Meta: []byte("first")}))
	must(t, s.Checkpoint(engine.Checkpoint{Deletes: []engine.BlockID{3}, Meta: []byte("second")}))
	must(t, s.Close())
	whole := fileOf(t, folder)
	if len(whole) > 4096 {
		t.Fatalf("the file was not written anew: it has %d bytes", len(whole))
	}
	for at := 32; at < len(whole); at++ {
		file := bytes.Clone(whole)
		file[at] ^= 4
		s, d, err := loadFile(t, file)
		must(t, err)
		if len(d.Blocks) != 2 {
			t.Fatalf("byte %d changed: %d blocks are left", at, len(d.Blocks))
		}
		sound := 0
		for id := engine.BlockID(1); id <= 2; id++ {
			if texts, err := s.ReadBlocks([]engine.BlockID{id}); err == nil && bytes.Equal(texts[0], block(id, 100).Data) {
				sound++
			}
		}
		if sound == 0 {
			t.Fatalf("byte %d changed: no block can be read", at)
		}
	}
}

// TestCutAfterRewrite: a file that was written anew and has lost its end still
// has the blocks before that.
func TestCutAfterRewrite(t *testing.T) {
	folder := t.TempDir()
	s := open(t, folder)
	must(t, s.Checkpoint(engine.Checkpoint{Puts: []engine.Block{block(1, 100), block(2, 100), block(3, 5<<20)}, Meta: []byte("first")}))
	must(t, s.Checkpoint(engine.Checkpoint{Deletes: []engine.BlockID{3}, Meta: []byte("second")}))
	must(t, s.Close())
	whole := fileOf(t, folder)
	for range 2 { // opening it does not make it worse
		_, d, err := loadFile(t, whole[:32+2*(32+100)+10])
		must(t, err)
		if len(d.Blocks) != 2 || string(d.Meta) != "lost" {
			t.Fatalf("it has %d blocks and the text %q, want both, and to be told", len(d.Blocks), d.Meta)
		}
	}
}

// TestEngineAfterALostCommit: whatever byte of a store is damaged, the engine
// opens it, or says that it is damaged, and what it finds was once written.
func TestEngineAfterALostCommit(t *testing.T) {
	folder := t.TempDir()
	s := open(t, folder)
	db, err := engine.Open(s, engine.Options{CheckpointAfter: 2000})
	must(t, err)
	must(t, db.Update(func(tx *engine.Tx) error { return tx.PutAccount(engine.Account{Name: "acct"}) }))
	must(t, db.Update(func(tx *engine.Tx) error { return tx.CreateTable("acct", "Table") }))
	for i := range 60 {
		must(t, db.Update(func(tx *engine.Tx) error {
			table, err := tx.Table("acct", "Table")
			if err == nil {
				_, err = table.Insert(odata.Key{PartitionKey: "p", RowKey: fmt.Sprint(i)}, []odata.Property{{Name: "Text", Value: odata.StringValue("some text of it")}})
			}
			return err
		}))
	}
	must(t, db.Close())
	whole := fileOf(t, folder)
	random := rand.New(rand.NewPCG(5, 6))
	opened, reported := 0, 0
	for range 300 {
		file := bytes.Clone(whole)
		at := 32 + random.IntN(len(file)-32)
		file[at] ^= 1 << random.IntN(8)
		s, _, err := loadFile(t, file)
		must(t, err)
		db, err := engine.Open(s, engine.Options{})
		if err != nil {
			t.Fatalf("byte %d changed: %v", at, err)
		}
		opened++
		n := 0
		must(t, db.View(func(tx *engine.Tx) error {
			table, err := tx.Table("acct", "Table")
			if err != nil {
				return nil // the table itself is lost, and reported
			}
			page, err := table.Query(engine.Query{})
			n = len(page.Entities)
			return err
		}))
		if len(db.Corruption()) > 0 {
			reported++
		} else if n != 60 && at < len(whole)-200 {
			t.Fatalf("byte %d of %d changed: %d entities are left, and no damage is reported", at, len(whole), n)
		}
		must(t, db.Close())
	}
	if reported < 30 {
		t.Errorf("damage was reported in %d of %d stores", reported, opened)
	}
}

// TestLoadBesideWriting: who reads a store that is open, as a verification
// does, changes nothing about it.
func TestLoadBesideWriting(t *testing.T) {
	folder := t.TempDir()
	s := open(t, folder)
	must(t, s.Append(1, []byte("one")))
	must(t, s.Checkpoint(engine.Checkpoint{Seq: 1, Puts: []engine.Block{block(1, 100)}, Meta: []byte("m")}))
	must(t, s.Append(2, []byte("two")))
	before := fileOf(t, folder)
	d, err := s.Load()
	must(t, err)
	if len(d.Blocks) != 1 || len(d.WAL) != 1 || string(d.WAL[0].Data) != "two" || string(d.Meta) != "m" {
		t.Errorf("it reads %v", d)
	}
	if !bytes.Equal(fileOf(t, folder), before) {
		t.Error("the file was changed")
	}
	must(t, s.Append(3, []byte("three")))
}

// TestContentIsNoFrame: what a client stores is not taken for a frame, not even
// when it is one of another store's, and the header before it is damaged.
func TestContentIsNoFrame(t *testing.T) {
	other := t.TempDir()
	made := open(t, other)
	must(t, made.Append(7, []byte("of another store")))
	frame := fileOf(t, other)[32:]
	folder := t.TempDir()
	s := open(t, folder)
	must(t, s.Append(1, frame))
	must(t, s.Append(2, []byte("two")))
	must(t, s.Close())
	file := fileOf(t, folder)
	file[36] ^= 1 // in the header of record 1
	_, d, err := loadFile(t, file)
	must(t, err)
	if len(d.WAL) != 1 || d.WAL[0].Seq != 2 {
		t.Errorf("the log is %v, want record 2 alone", d.WAL)
	}
}

func TestOpenRefusesWhatIsNoStore(t *testing.T) {
	cases := []struct {
		name, text string
		want       error
	}{
		{"another file", "SQLite format 3\x00", engine.ErrCorrupt},
		{"a short other file", "hello", engine.ErrCorrupt},
		{"a newer format", "SNDTBLF\x02", engine.ErrFormat},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			path := filepath.Join(folder, filestorage.FileName)
			must(t, os.WriteFile(path, []byte(c.text), 0o600))
			if _, err := filestorage.Open(folder, filestorage.Options{}); !errors.Is(err, c.want) {
				t.Errorf("Open says %v, want %v", err, c.want)
			}
			if got := string(fileOf(t, folder)); got != c.text {
				t.Errorf("the file was changed to %q", got)
			}
		})
	}
}

func FuzzLoad(f *testing.F) {
	folder := f.TempDir()
	s, err := filestorage.Open(folder, filestorage.Options{Durability: engine.Relaxed})
	if err != nil {
		f.Fatal(err)
	}
	_, err = s.Load()
	for _, err := range []error{
		err, s.Append(1, []byte("one")), s.Checkpoint(engine.Checkpoint{Seq: 1, Puts: []engine.Block{block(1, 30)}, Meta: []byte("m")}), s.Append(2, nil), s.Close(),
	} {
		if err != nil {
			f.Fatal(err)
		}
	}
	file, err := os.ReadFile(filepath.Join(folder, filestorage.FileName))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(file)
	f.Add(file[:len(file)-1])
	f.Fuzz(func(t *testing.T, file []byte) {
		s, d, err := loadFile(t, file)
		if err != nil {
			return
		}
		for _, info := range d.Blocks {
			_, _ = s.ReadBlocks([]engine.BlockID{info.ID})
		}
		must(t, s.Append(1<<40, []byte("on")))
		if d, err = s.Load(); err != nil || len(d.WAL) == 0 || d.WAL[len(d.WAL)-1].Seq < 1<<40 {
			t.Fatalf("what was written to it is not there: %v, %v", d, err)
		}
	})
}

func open(t *testing.T, folder string) *filestorage.Storage {
	t.Helper()
	s, err := filestorage.Open(folder, filestorage.Options{Durability: engine.Relaxed})
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	_, err = s.Load()
	must(t, err)
	return s
}

// loadFile opens a store whose file has a text.
func loadFile(t *testing.T, file []byte) (*filestorage.Storage, engine.Directory, error) {
	t.Helper()
	folder := t.TempDir()
	must(t, os.WriteFile(filepath.Join(folder, filestorage.FileName), file, 0o600))
	s, err := filestorage.Open(folder, filestorage.Options{Durability: engine.Relaxed})
	if err != nil {
		return nil, engine.Directory{}, err
	}
	t.Cleanup(func() { must(t, s.Close()) })
	d, err := s.Load()
	return s, d, err
}

// describe says all that is in a file.
func describe(t *testing.T, file []byte) string {
	t.Helper()
	s, d, err := loadFile(t, file)
	must(t, err)
	text := fmt.Sprintf("meta %q\n", d.Meta)
	for _, r := range d.WAL {
		text += fmt.Sprintf("record %d %q\n", r.Seq, r.Data)
	}
	for id := engine.BlockID(1); id < 10; id++ {
		texts, err := s.ReadBlocks([]engine.BlockID{id})
		if err == nil {
			text += fmt.Sprintf("block %d %x\n", id, texts[0])
		} else if !errors.Is(err, engine.ErrBlockNotFound) {
			t.Fatal(err)
		}
	}
	return text
}

func fileOf(t *testing.T, folder string) []byte {
	t.Helper()
	file, err := os.ReadFile(filepath.Join(folder, filestorage.FileName))
	must(t, err)
	return file
}

func check(t *testing.T, s engine.Storage, want ...engine.Block) {
	t.Helper()
	for _, b := range want {
		texts, err := s.ReadBlocks([]engine.BlockID{b.ID})
		must(t, err)
		if !bytes.Equal(texts[0], b.Data) {
			t.Fatalf("block %d has another text", b.ID)
		}
	}
}

func block(id engine.BlockID, size int) engine.Block {
	data := make([]byte, size)
	random := rand.New(rand.NewPCG(uint64(id), 3))
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	return engine.Block{
		BlockInfo: engine.BlockInfo{ID: id, Table: 1, First: odata.Key{PartitionKey: fmt.Sprint(id)}, Count: 1, Size: size},
		Data:      data,
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestSetDurability: what is written in either way, and between, is there.
func TestSetDurability(t *testing.T) {
	folder := t.TempDir()
	s, err := filestorage.Open(folder, filestorage.Options{})
	must(t, err)
	_, err = s.Load()
	must(t, err)
	for i, d := range []engine.Durability{engine.Relaxed, engine.Strict, engine.Relaxed} {
		must(t, s.SetDurability(d))
		must(t, s.Append(uint64(i+1), []byte("record")))
	}
	must(t, s.Close())
	if err := s.SetDurability(engine.Strict); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("of a closed store: %v", err)
	}
	d, err := s.Load()
	must(t, err)
	if len(d.WAL) != 3 {
		t.Errorf("%d records", len(d.WAL))
	}
	must(t, s.Close())
}
