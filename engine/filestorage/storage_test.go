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
	for _, durability := range []filestorage.Durability{filestorage.Strict, filestorage.Relaxed} {
		t.Run(durability.String(), func(t *testing.T) {
			storagetest.Run(t, func(t *testing.T) storagetest.Opener {
				folder := filepath.Join(t.TempDir(), "store")
				return func() (engine.Storage, error) {
					return filestorage.Open(folder, filestorage.Options{Durability: durability})
				}
			})
		})
	}
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
			if refused++; !errors.Is(err, engine.ErrDamaged) && !errors.Is(err, engine.ErrFormat) {
				t.Fatalf("byte %d changed: %v", at, err)
			}
			continue
		}
		for _, info := range d.Blocks {
			want := block(info.ID, info.Size)
			if info != want.BlockInfo {
				t.Fatalf("byte %d changed: the directory has %v, want %v", at, info, want.BlockInfo)
			}
			if _, err := s.ReadBlocks([]engine.BlockID{info.ID}); err != nil && !errors.Is(err, engine.ErrBlockNotFound) {
				t.Fatalf("byte %d changed: %v", at, err)
			}
		}
	}
	if refused == 0 || refused > 1000 {
		t.Errorf("%d of 2000 damaged files were refused, want some and not most", refused)
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
	if len(d.Blocks) != 2 || len(d.Log) != 1 || d.Log[0].Seq != seq || !bytes.Equal(d.Meta, []byte{19}) {
		t.Errorf("after it was opened again: %v", d)
	}
	check(t, s, keep, block(29, 1<<20))
}

func TestOpenRefusesWhatIsNoStore(t *testing.T) {
	cases := []struct {
		name, text string
		want       error
	}{
		{"another file", "SQLite format 3\x00", engine.ErrDamaged},
		{"a short other file", "hello", engine.ErrDamaged},
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
	s, err := filestorage.Open(folder, filestorage.Options{Durability: filestorage.Relaxed})
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
		if d, err = s.Load(); err != nil || len(d.Log) == 0 || d.Log[len(d.Log)-1].Seq < 1<<40 {
			t.Fatalf("what was written to it is not there: %v, %v", d, err)
		}
	})
}

func open(t *testing.T, folder string) *filestorage.Storage {
	t.Helper()
	s, err := filestorage.Open(folder, filestorage.Options{Durability: filestorage.Relaxed})
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
	s, err := filestorage.Open(folder, filestorage.Options{Durability: filestorage.Relaxed})
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
	for _, r := range d.Log {
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
	for i, d := range []filestorage.Durability{filestorage.Relaxed, filestorage.Strict, filestorage.Relaxed} {
		must(t, s.SetDurability(d))
		must(t, s.Append(uint64(i+1), []byte("record")))
	}
	must(t, s.Close())
	if err := s.SetDurability(filestorage.Strict); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("of a closed store: %v", err)
	}
	d, err := s.Load()
	must(t, err)
	if len(d.Log) != 3 {
		t.Errorf("%d records", len(d.Log))
	}
	must(t, s.Close())
}
