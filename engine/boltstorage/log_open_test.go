//go:build !js

package boltstorage

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"sandtable/engine"
)

// TestOldStore: one with its log in a bucket is opened, and is one of ours then,
// which a program of before refuses by its number.
func TestOldStore(t *testing.T) {
	want := map[uint64]string{5: "five", 6: "", 9: strings.Repeat("nine", 100_000)}
	for _, c := range []struct {
		name    string
		prepare func(folder string) error
	}{
		{"as it was left", func(string) error { return nil }},
		{"a crash left a log", func(folder string) error {
			f, err := beginFile(folder, 1, 0, engine.Strict)
			if err == nil {
				l := &recordLog{folder: folder, files: []*logFile{f}}
				err = errors.Join(l.append(5, []byte("five"), engine.Strict), l.close())
			}
			return err
		}},
		{"a crash left a torn log", func(folder string) error {
			return os.WriteFile(filepath.Join(folder, logName(1)), []byte(logMagic), 0o600)
		}},
		{"compacted before", func(folder string) error {
			_, _, err := Compact(folder, Options{})
			return err
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			writeOldStore(t, folder, want)
			noError(t, c.prepare(folder))
			if format, hasBucket := formatIn(t, folder); format != 1 || !hasBucket {
				t.Fatalf("it has format %d", format)
			}
			s := openFolder(t, folder, engine.Strict)
			d, err := s.Load()
			noError(t, err)
			if len(d.Blocks) != 1 || d.Blocks[0].ID != 7 || string(d.Meta) != "meta" {
				t.Errorf("loaded %v", d)
			}
			checkRecords(t, loadedLog(t, s), want)
			noError(t, s.Checkpoint(engine.Checkpoint{Seq: 5, Meta: []byte("m")}))
			noError(t, s.Append(10, []byte("ten")))
			noError(t, s.Close())
			if format, hasBucket := formatIn(t, folder); format != 2 || hasBucket {
				t.Errorf("it has format %d", format)
			}
			checkRecords(t, loadedLog(t, s), map[uint64]string{6: "", 9: want[9], 10: "ten"})
		})
	}
	t.Run("a key that is no number", func(t *testing.T) {
		folder := t.TempDir()
		writeOldStore(t, folder, nil)
		db, err := bbolt.Open(filepath.Join(folder, FileName), 0, nil)
		noError(t, err)
		noError(t, db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(logBucket).Put([]byte("key"), nil) }))
		noError(t, db.Close())
		if _, err := Open(folder, Options{}); !errors.Is(err, engine.ErrCorrupt) || !strings.Contains(err.Error(), folder) {
			t.Errorf("got %v", err)
		}
		if format, hasBucket := formatIn(t, folder); format != 1 || !hasBucket {
			t.Errorf("it has format %d", format)
		}
	})
}

// TestLogFile: a file of the log that is missing, or another one than was
// meant, is refused and changes nothing; Salvage gives it up, or mends it.
func TestLogFile(t *testing.T) {
	TurnEarly(t)
	setMostSize(t, 1<<20)
	folder := t.TempDir()
	s := openFolder(t, folder, engine.Strict)
	for n := uint64(1); n <= 6; n++ {
		noError(t, s.Append(n, []byte(fmt.Sprint("record ", n))))
		if n == 4 {
			noError(t, s.Checkpoint(engine.Checkpoint{Seq: 2}))
		}
	}
	younger := s.log.last().opening
	noError(t, s.Close())
	foreign := t.TempDir()
	noError(t, openFolder(t, foreign, engine.Strict).Append(1, []byte("of another store")))
	foreignLog, err := os.ReadFile(filepath.Join(foreign, logName(1)))
	noError(t, err)
	// The records 3 and 4 are in the first file, and 5 and 6 in the second.
	remove := func(path string) error { return os.Remove(path) }
	write := func(text []byte, offset int64) func(string) error {
		return func(path string) error {
			file, err := os.OpenFile(path, os.O_RDWR, 0)
			if err == nil {
				_, err = file.WriteAt(text, offset)
			}
			return errors.Join(err, file.Close())
		}
	}
	replace := func(text []byte) func(string) error {
		return func(path string) error { return os.WriteFile(path, text, 0o600) }
	}
	cases := []struct {
		name string
		slot byte
		do   func(path string) error
		says string
		want []uint64 // that Salvage leaves
		kept int
	}{
		{"the older is missing", 1, remove, "sandtable.db.log-1 is missing", []uint64{5, 6}, 0},
		{"the younger is missing", 2, remove, "sandtable.db.log-2 is missing", []uint64{3, 4}, 0},
		{"the older is another's", 1, replace(foreignLog), "log-1: corrupt: it is that of another store", []uint64{5, 6}, 1},
		{"the younger is another's", 2, replace(foreignLog), "log-2: corrupt: it is that of another store", []uint64{3, 4}, 1},
		{"words", 2, replace([]byte("words")), "log-2: corrupt: it is no log", []uint64{3, 4}, 1},
		{"empty", 2, replace(nil), "log-2: corrupt: it is no log", []uint64{3, 4}, 1},
		{"an opening that is damaged", 1, write([]byte{1}, 17), "log-1: corrupt: its opening has a wrong checksum", []uint64{3, 4, 5, 6}, 0},
		{"an opening whose version is damaged", 1, write([]byte{'A'}, 7), "log-1: corrupt: its opening has a wrong checksum", []uint64{3, 4, 5, 6}, 0},
		{"a size that is wrong", 2, func(path string) error { return os.Truncate(path, 1<<42) }, "log-2: corrupt: it has 4398046511104 bytes", []uint64{3, 4, 5, 6}, 0},
		{"a size that is wrong, and an opening that is gone", 1, func(path string) error {
			return errors.Join(write(make([]byte, 100), 0)(path), os.Truncate(path, 1<<42))
		}, "log-1: corrupt: it is no log", []uint64{3, 4, 5, 6}, 0},
		{"an opening that is gone", 2, write(make([]byte, 100), 0), "log-2: corrupt: it is no log", []uint64{3, 4, 5, 6}, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			damaged := copyStore(t, folder)
			noError(t, c.do(filepath.Join(damaged, logName(c.slot))))
			before := sizesIn(t, damaged)
			_, err := Open(damaged, Options{})
			if !errors.Is(err, engine.ErrCorrupt) || errors.Is(err, fs.ErrNotExist) || !strings.Contains(fmt.Sprint(err), c.says) {
				t.Errorf("got %v, want %q", err, c.says)
			}
			if after := sizesIn(t, damaged); !maps.Equal(before, after) {
				t.Errorf("the folder had %v and has %v", before, after)
			}
			done, err := Salvage(damaged, Options{})
			if err != nil || len(done.Lost) != 1 || !strings.Contains(fmt.Sprint(done.Lost[0]), c.says) || len(done.Kept) != c.kept {
				t.Errorf("salvaged %+v, %v", done, err)
			}
			again := openFolder(t, damaged, engine.Strict)
			got := loadedLog(t, again)
			if numbers := slices.Sorted(maps.Keys(got)); !slices.Equal(numbers, c.want) {
				t.Fatalf("got %d, want %d", numbers, c.want)
			}
			noError(t, again.Append(7, []byte("seven")))
			got[7] = "seven"
			noError(t, again.Close())
			checkRecords(t, loadedLog(t, again), got)
			if done, err := Salvage(t.TempDir(), Options{}); err == nil {
				t.Errorf("salvaged nothing: %+v", done)
			}
		})
	}
	t.Run("the store is missing", func(t *testing.T) {
		damaged := copyStore(t, folder)
		noError(t, os.Remove(filepath.Join(damaged, FileName)))
		if _, err := Open(damaged, Options{}); !errors.Is(err, engine.ErrCorrupt) || !strings.Contains(err.Error(), "is that of the store missing") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("the store is missing, and an opening is damaged", func(t *testing.T) {
		damaged := copyStore(t, folder)
		noError(t, os.Remove(filepath.Join(damaged, FileName)))
		noError(t, os.Remove(filepath.Join(damaged, logName(1))))
		path := filepath.Join(damaged, logName(2))
		noError(t, write([]byte{1}, 17)(path))
		before, err := os.ReadFile(path)
		noError(t, err)
		if _, err := Open(damaged, Options{}); !errors.Is(err, engine.ErrCorrupt) || !strings.Contains(err.Error(), "log-2: corrupt") {
			t.Errorf("got %v", err)
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
			t.Errorf("the log has changed, %v", err)
		}
	})
	t.Run("a new store was torn", func(t *testing.T) {
		torn := t.TempDir()
		noError(t, os.WriteFile(filepath.Join(torn, logName(1)), append([]byte(logMagic), make([]byte, firstFrame-len(logMagic))...), 0o600))
		noError(t, openFolder(t, torn, engine.Strict).Append(1, []byte("one")))
	})
	t.Run("a newer log", func(t *testing.T) {
		damaged := copyStore(t, folder)
		noError(t, write(newerOpening(younger), 0)(filepath.Join(damaged, logName(2))))
		for name, err := range map[string]error{
			"open":    func() error { _, err := Open(damaged, Options{}); return err }(),
			"salvage": func() error { _, err := Salvage(damaged, Options{}); return err }(),
		} {
			if !errors.Is(err, engine.ErrFormat) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
	t.Run("nothing says which files there are, and an opening is damaged", func(t *testing.T) {
		for slot, want := range map[byte]int{1: 2, 2: 4} { // the first has what was dropped, too
			damaged := copyStore(t, folder)
			path := filepath.Join(damaged, logName(slot))
			noError(t, write([]byte{1}, 17)(path))
			before, err := os.ReadFile(path)
			noError(t, err)
			forgetLog(t, damaged)
			done, err := Salvage(damaged, Options{})
			if err != nil || len(done.Lost) != 2 || len(done.Kept) != 1 {
				t.Fatalf("salvaged %+v, %v", done, err)
			}
			if kept, err := os.ReadFile(done.Kept[0]); err != nil || !bytes.Equal(kept, before) {
				t.Errorf("%s is not the file as it was, %v", done.Kept[0], err)
			}
			again := openFolder(t, damaged, engine.Strict)
			if got := loadedLog(t, again); len(got) != want {
				t.Errorf("%d records are left, want %d", len(got), want)
			}
			noError(t, again.Append(7, []byte("seven")))
			noError(t, again.Close())
		}
	})
	t.Run("nothing says which files there are", func(t *testing.T) {
		damaged := copyStore(t, folder)
		forgetLog(t, damaged)
		if _, err := Open(damaged, Options{}); !errors.Is(err, engine.ErrCorrupt) {
			t.Errorf("got %v", err)
		}
		done, err := Salvage(damaged, Options{})
		if err != nil || len(done.Lost) != 1 || len(done.Kept) > 0 {
			t.Errorf("salvaged %+v, %v", done, err)
		}
		if got := loadedLog(t, openFolder(t, damaged, engine.Strict)); len(got) != 6 { // also what was dropped
			t.Errorf("%d records are left", len(got))
		}
	})
}

// forgetLog has a closed store say nothing about its log.
func forgetLog(t *testing.T, folder string) {
	t.Helper()
	db, err := bbolt.Open(filepath.Join(folder, FileName), 0, nil)
	noError(t, err)
	noError(t, db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(stateBucket).Delete(logKey) }))
	noError(t, db.Close())
}

// setMostSize says how long a file of the log may become, for a test.
func setMostSize(t *testing.T, n int64) {
	t.Helper()
	was := mostSize
	mostSize = n
	t.Cleanup(func() { mostSize = was })
}

// TestMostSize: a log that is as long as one may be refuses appends, until a
// checkpoint has the store go on in the other file.
func TestMostSize(t *testing.T) {
	TurnEarly(t)
	setMostSize(t, 200<<10)
	for _, d := range []engine.Durability{engine.Strict, engine.Relaxed} {
		s := openFolder(t, t.TempDir(), d)
		n, err := uint64(0), error(nil)
		for ; err == nil && n < 100; n++ {
			err = s.Append(n+1, make([]byte, 10_000))
		}
		if !errors.Is(err, ErrFull) || n < 19 || n > 21 {
			t.Errorf("append %d: %v", n, err)
		}
		info, err := os.Stat(filepath.Join(s.folder, logName(1)))
		noError(t, err)
		if info.Size() > mostSize {
			t.Errorf("the file has %d bytes", info.Size())
		}
		noError(t, s.Close())
		if got := loadedLog(t, s); len(got) != int(n-1) {
			t.Errorf("%d records are left of %d", len(got), n-1)
		}
		noError(t, s.Checkpoint(engine.Checkpoint{Seq: n - 1}))
		noError(t, s.Append(n, make([]byte, 10_000)))
	}
}

func sizesIn(t *testing.T, folder string) map[string]int64 {
	t.Helper()
	sizes := make(map[string]int64)
	entries, err := os.ReadDir(folder)
	noError(t, err)
	for _, e := range entries {
		info, err := e.Info()
		noError(t, err)
		sizes[e.Name()] = info.Size()
	}
	return sizes
}

// TestSalvageBringsTheLog: of a file whose pages are gone the log is left.
func TestSalvageBringsTheLog(t *testing.T) {
	folder := t.TempDir()
	s := openFolder(t, folder, engine.Strict)
	want := map[uint64]string{1: "one", 2: "two"}
	for n, record := range want {
		noError(t, s.Append(n, []byte(record)))
	}
	noError(t, s.Close())
	path := filepath.Join(folder, FileName)
	text, err := os.ReadFile(path)
	noError(t, err)
	clear(text[2*os.Getpagesize():])
	noError(t, os.WriteFile(path, text, 0o600))
	if _, err := Open(folder, Options{}); !errors.Is(err, engine.ErrCorrupt) {
		t.Errorf("got %v", err)
	}
	done, err := Salvage(folder, Options{})
	if err != nil || len(done.Lost) == 0 || len(done.Kept) != 1 || done.Values != 2 {
		t.Errorf("salvaged %+v, %v", done, err)
	}
	checkRecords(t, loadedLog(t, s), want)
}

// TestSalvageOldStore: of one with its log in a bucket the log is brought, too.
func TestSalvageOldStore(t *testing.T) {
	folder := t.TempDir()
	want := make(map[uint64]string)
	for n := range uint64(200) {
		want[n+1] = strings.Repeat(fmt.Sprint(n), 100)
	}
	writeOldStore(t, folder, want)
	path := filepath.Join(folder, FileName)
	text, err := os.ReadFile(path)
	noError(t, err)
	broken := 0
	for page := 2 * os.Getpagesize(); page < len(text) && broken == 0; page += os.Getpagesize() {
		damaged := bytes.Clone(text)
		clear(damaged[page:][:pageHeaderSize])
		noError(t, os.WriteFile(path, damaged, 0o600))
		if err := checkFile(path, Options{}); errors.Is(err, engine.ErrCorrupt) {
			done, err := Salvage(folder, Options{})
			if err != nil || len(done.Lost) == 0 {
				continue // it was the root's
			}
			broken++
		}
	}
	if broken == 0 {
		t.Fatal("no page was broken")
	}
	got := loadedLog(t, openFolder(t, folder, engine.Strict))
	for n, record := range got {
		if want[n] != record {
			t.Errorf("record %d has changed", n)
		}
	}
	if len(got) < 100 {
		t.Errorf("%d records of %d are left", len(got), len(want))
	}
}
