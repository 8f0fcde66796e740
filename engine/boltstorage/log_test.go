//go:build !js

package boltstorage

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"sandtable/engine"
)

func openFolder(t *testing.T, folder string, d Durability) *Storage {
	t.Helper()
	s, err := Open(folder, Options{Durability: d})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { noError(t, s.Close()) })
	return s
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// loadedLog returns the records by number, after a look whether they are in order.
func loadedLog(t *testing.T, s *Storage) map[uint64]string {
	t.Helper()
	d, err := s.Load()
	noError(t, err)
	records, last := make(map[uint64]string), uint64(0)
	for i, r := range d.Log {
		if i > 0 && r.Seq <= last {
			t.Fatalf("record %d behind %d", r.Seq, last)
		}
		last = r.Seq
		records[r.Seq] = string(r.Data)
	}
	return records
}

func checkRecords(t *testing.T, got, want map[uint64]string) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Fatalf("the log has %d, want %d", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}

// copyStore copies the files of a store as a crash of the machine might leave
// them: the store need not be closed.
func copyStore(t *testing.T, from string) (to string) {
	t.Helper()
	to = t.TempDir()
	noError(t, os.CopyFS(to, os.DirFS(from)))
	return to
}

// appendRandom appends a record of a length that the random source says.
func appendRandom(t *testing.T, s *Storage, random *rand.Rand, number uint64, model map[uint64]string) {
	t.Helper()
	record := strings.Repeat(fmt.Sprint(random.Uint32(), " "), random.IntN(200))
	noError(t, s.Append(number, []byte(record)))
	model[number] = record
}

// TestLogModel compares the log with a plain map: numbers that ascend, come
// again, or begin from the start; checkpoints that drop some, all or none; closed
// and opened again, or copied amid, as after a crash.
func TestLogModel(t *testing.T) {
	TurnEarly(t)
	turns := 0
	for seed := range uint64(60) {
		random, model, next := rand.New(rand.NewPCG(seed, 1)), make(map[uint64]string), uint64(1)
		folder := t.TempDir()
		s := openFolder(t, folder, Relaxed)
		for range 60 {
			switch random.IntN(12) {
			default:
				appendRandom(t, s, random, next, model)
				next++
			case 0:
				next -= uint64(random.IntN(int(min(next, 4)))) // of an append that was refused
			case 1:
				if random.IntN(6) == 0 {
					next = 1
				}
			case 2, 3:
				slot := s.log.last().slot
				seq := next - min(next, uint64(random.IntN(10)))
				noError(t, s.Checkpoint(engine.Checkpoint{Seq: seq, Meta: []byte("m")}))
				maps.DeleteFunc(model, func(n uint64, _ string) bool { return n <= seq })
				if s.log.last().slot != slot {
					turns++
				}
			case 4:
				noError(t, s.Close())
				s = openFolder(t, folder, Durability(random.IntN(2)))
			case 5:
				copied := openFolder(t, copyStore(t, folder), Strict)
				checkRecords(t, loadedLog(t, copied), model)
				noError(t, copied.Close())
			}
			if random.IntN(4) == 0 {
				checkRecords(t, loadedLog(t, s), model)
			}
		}
		noError(t, s.Close())
		checkRecords(t, loadedLog(t, openFolder(t, folder, Strict)), model)
		noError(t, s.Close())
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if turns < 60 {
		t.Errorf("the log changed its file %d times", turns)
	}
}

// TestTornAppend: of the last append any part may be missing. It is there or
// not, all others are, and the log goes on.
func TestTornAppend(t *testing.T) {
	TurnEarly(t)
	folder := t.TempDir()
	s := openFolder(t, folder, Strict)
	model := make(map[uint64]string)
	random := rand.New(rand.NewPCG(1, 1))
	for n := uint64(1); n <= 40; n++ { // so that what was there before is below the torn one
		appendRandom(t, s, random, n, model)
		if n%9 == 0 {
			noError(t, s.Checkpoint(engine.Checkpoint{Seq: n - 3}))
			maps.DeleteFunc(model, func(m uint64, _ string) bool { return m <= n-3 })
		}
	}
	before := copyStore(t, folder)
	path := filepath.Join(before, logName(s.log.last().slot))
	old, err := os.ReadFile(path)
	noError(t, err)
	start := s.log.last().end
	last := strings.Repeat("last", 600)
	noError(t, s.Append(41, []byte(last)))
	written, err := os.ReadFile(filepath.Join(folder, filepath.Base(path)))
	noError(t, err)
	end := s.log.last().end
	for round := range 40 {
		text, whole := bytes.Clone(old), true
		if len(text) < len(written) {
			text = append(text, make([]byte, len(written)-len(text))...)
		}
		for at := start / 512; at*512 < end; at++ {
			from, to := max(start, at*512), min(end, (at+1)*512)
			if round > 0 && random.IntN(2) == 0 {
				whole = whole && bytes.Equal(text[from:to], written[from:to])
			} else {
				copy(text[from:to], written[from:to])
			}
		}
		noError(t, os.WriteFile(path, text, 0o600))
		again := openFolder(t, before, Strict)
		want := maps.Clone(model)
		if whole {
			want[41] = last
		}
		checkRecords(t, loadedLog(t, again), want)
		noError(t, again.Append(41, []byte("again")))
		want[41] = "again"
		checkRecords(t, loadedLog(t, again), want)
		noError(t, again.Close())
		checkRecords(t, loadedLog(t, again), want) // which opens it again
		noError(t, again.Close())
	}
}

// TestCutOff: a log whose file ends anywhere has the records before that, and
// goes on.
func TestCutOff(t *testing.T) {
	folder := t.TempDir()
	s := openFolder(t, folder, Relaxed) // without room behind
	noError(t, s.Append(1, []byte("one")))
	start := s.log.last().end
	noError(t, s.Append(2, []byte("two")))
	end := s.log.last().end
	noError(t, s.Close())
	places := []int64{
		firstFrame, firstFrame + 9, firstFrame + headerSize, firstFrame + headerSize + 3, start - 1, start,
		start + 1, start + headerSize + 2, start + headerSize + 3, start + headerSize + 4, end,
	}
	for _, at := range places {
		cut := copyStore(t, folder)
		noError(t, os.Truncate(filepath.Join(cut, logName(1)), at))
		again := openFolder(t, cut, Strict)
		want := make(map[uint64]string)
		if at >= firstFrame+headerSize+3 {
			want[1] = "one"
		}
		if at >= start+headerSize+3 {
			want[2] = "two"
		}
		checkRecords(t, loadedLog(t, again), want)
		noError(t, again.Append(3, []byte("three")))
		want[3] = "three"
		noError(t, again.Close())
		checkRecords(t, loadedLog(t, again), want)
		noError(t, again.Close())
	}
}

// TestLogGap: what is damaged within the log is missed by its number, or handed
// to the engine, which looks into it; all else is there.
func TestLogGap(t *testing.T) {
	TurnEarly(t)
	folder := t.TempDir()
	s := openFolder(t, folder, Strict)
	write := func(from, to uint64) {
		for n := from; n <= to; n++ {
			noError(t, s.Append(n, bytes.Repeat([]byte{byte(n)}, 100)))
		}
	}
	write(1, 6)
	noError(t, s.Checkpoint(engine.Checkpoint{Seq: 2})) // goes on in the other file
	write(7, 9)
	if len(s.log.files) != 2 {
		t.Fatalf("the log has %d files", len(s.log.files))
	}
	older, younger := logName(s.log.files[0].slot), logName(s.log.files[1].slot)
	const size = headerSize + 104
	cases := []struct {
		name string
		file string
		at   int64 // of the record in the file, from 0
		want []uint64
		bad  uint64 // that is there and is not what was written, 0 for none
	}{
		{"in the older file", older, 3, []uint64{3, 5, 6, 7, 8, 9}, 0},
		{"the end of the older file", older, 5, []uint64{3, 4, 5, 6, 7, 8, 9}, 6},
		{"the beginning of the younger file", younger, 0, []uint64{3, 4, 5, 6, 8, 9}, 0},
		{"what was dropped", older, 0, []uint64{3, 4, 5, 6, 7, 8, 9}, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			damaged := copyStore(t, folder)
			file, err := os.OpenFile(filepath.Join(damaged, c.file), os.O_RDWR, 0)
			noError(t, err)
			_, err = file.WriteAt(make([]byte, 20), firstFrame+c.at*size)
			noError(t, errors.Join(err, file.Close()))
			again := openFolder(t, damaged, Strict)
			for range 2 {
				got := loadedLog(t, again)
				if numbers := slices.Sorted(maps.Keys(got)); !slices.Equal(numbers, c.want) {
					t.Fatalf("got %d, want %d", numbers, c.want)
				}
				for n, record := range got {
					if whole := record == strings.Repeat(string(rune(n)), 100); whole == (n == c.bad) {
						t.Errorf("record %d has %d bytes", n, len(record))
					}
				}
			}
		})
	}
	t.Run("before an append that is torn", func(t *testing.T) {
		damaged := copyStore(t, folder)
		file, err := os.OpenFile(filepath.Join(damaged, younger), os.O_RDWR, 0)
		noError(t, err)
		_, err = file.WriteAt(make([]byte, 20), firstFrame+1*size)
		noError(t, err)
		_, err = file.WriteAt([]byte("torn"), firstFrame+2*size+headerSize)
		noError(t, errors.Join(err, file.Close()))
		again := openFolder(t, damaged, Strict)
		got := loadedLog(t, again)
		if numbers := slices.Sorted(maps.Keys(got)); !slices.Equal(numbers, []uint64{3, 4, 5, 6, 7, 8}) || got[8] == strings.Repeat("\b", 100) {
			t.Errorf("got %v", got)
		}
		noError(t, again.Append(9, []byte("nine")))
		delete(got, 8) // now its number is missing, which the engine sees
		got[9] = "nine"
		checkRecords(t, loadedLog(t, again), got)
	})
	t.Run("while it is open", func(t *testing.T) {
		file, err := os.OpenFile(filepath.Join(folder, younger), os.O_RDWR, 0)
		noError(t, err)
		_, err = file.WriteAt(make([]byte, 20), firstFrame+2*size)
		noError(t, errors.Join(err, file.Close()))
		if got := loadedLog(t, s); len(got) != 7 || got[9] == strings.Repeat("\t", 100) {
			t.Errorf("got %v", got)
		}
	})
}

// TestTurn stops at each step of a checkpoint with which the log changes its
// file: before its transaction the store is as it was, and then as it will be.
func TestTurn(t *testing.T) {
	TurnEarly(t)
	steps := []struct {
		name string
		do   func(*Storage, engine.Checkpoint) error
		done bool
	}{
		{"the other file was begun", func(s *Storage, c engine.Checkpoint) error {
			s.log.plan(c.Seq, Strict).forget()
			return nil
		}, false},
		{"and not even whole", func(s *Storage, c engine.Checkpoint) error {
			cut := s.log.plan(c.Seq, Strict)
			_, err := cut.begun.file.WriteAt([]byte("torn"), 10)
			cut.forget()
			return err
		}, false},
		{"the transaction failed", func(s *Storage, c engine.Checkpoint) error {
			cut := s.log.plan(c.Seq, Strict)
			defer cut.forget()
			err := s.update(func(tx *bbolt.Tx) error {
				return errors.Join(putLogState(tx, cut.state(cut.drops)), errors.New("stop"))
			})
			if fmt.Sprint(err) != "stop" {
				return fmt.Errorf("it ended with %w", err)
			}
			return nil
		}, false},
		{"the transaction is there", func(s *Storage, c engine.Checkpoint) error {
			cut := s.log.plan(c.Seq, Strict)
			defer cut.forget()
			return s.update(func(tx *bbolt.Tx) error { return putLogState(tx, cut.state(cut.drops)) })
		}, true},
		{"all is done", (*Storage).Checkpoint, true},
	}
	for _, step := range steps {
		for _, seq := range []uint64{0, 5, 8} {
			t.Run(fmt.Sprint(step.name, ", up to ", seq), func(t *testing.T) {
				folder, model := t.TempDir(), make(map[uint64]string)
				s, random := openFolder(t, folder, Strict), rand.New(rand.NewPCG(1, 2))
				// The other file has been used before.
				for n := uint64(1); n <= 4; n++ {
					appendRandom(t, s, random, n, model)
				}
				for n := uint64(3); n <= 4; n++ {
					noError(t, s.Checkpoint(engine.Checkpoint{Seq: n}))
				}
				clear(model)
				for n := uint64(5); n <= 8; n++ {
					appendRandom(t, s, random, n, model)
				}
				if len(s.log.files) != 1 {
					t.Fatalf("the log has %d files", len(s.log.files))
				}
				noError(t, step.do(s, engine.Checkpoint{Seq: seq}))
				crashed := copyStore(t, folder)
				if step.done {
					maps.DeleteFunc(model, func(n uint64, _ string) bool { return n <= seq })
				}
				again := openFolder(t, crashed, Strict)
				checkRecords(t, loadedLog(t, again), model)
				for n := uint64(9); n <= 12; n++ {
					appendRandom(t, again, random, n, model)
					noError(t, again.Checkpoint(engine.Checkpoint{Seq: n - 2}))
					maps.DeleteFunc(model, func(m uint64, _ string) bool { return m <= n-2 })
				}
				noError(t, again.Close())
				checkRecords(t, loadedLog(t, openFolder(t, crashed, Strict)), model)
			})
		}
	}
}

// TestTurnRefused: where the other file cannot be begun the log goes on where it
// is, until it can.
func TestTurnRefused(t *testing.T) {
	TurnEarly(t)
	folder, model := t.TempDir(), make(map[uint64]string)
	s, random := openFolder(t, folder, Strict), rand.New(rand.NewPCG(1, 2))
	inTheWay := filepath.Join(folder, logName(2))
	noError(t, os.Mkdir(inTheWay, 0o700))
	for n := uint64(1); n <= 6; n++ {
		appendRandom(t, s, random, n, model)
		noError(t, s.Checkpoint(engine.Checkpoint{Seq: n / 2}))
	}
	maps.DeleteFunc(model, func(m uint64, _ string) bool { return m <= 3 })
	checkRecords(t, loadedLog(t, s), model)
	noError(t, os.Remove(inTheWay))
	noError(t, s.Checkpoint(engine.Checkpoint{Seq: 3}))
	appendRandom(t, s, random, 7, model)
	noError(t, s.Close())
	checkRecords(t, loadedLog(t, s), model)
	if s.log.last().slot != 2 {
		t.Error("the log is still in its first file")
	}
}

// TestLogSize: a store that is written without end has files of a size, also
// when its numbers begin anew.
func TestLogSize(t *testing.T) {
	TurnEarly(t)
	folder := t.TempDir()
	s := openFolder(t, folder, Relaxed)
	seq := uint64(0)
	for round := range 50 {
		if round == 25 {
			if len(s.log.files) != 2 {
				t.Fatal("what the last file has goes with this checkpoint")
			}
			noError(t, s.Append(seq+1, nil))
			noError(t, s.Checkpoint(engine.Checkpoint{Seq: seq + 1}))
			seq = 0
		}
		begun := seq
		for range 100 { // half of it comes while the checkpoint is under way
			seq++
			noError(t, s.Append(seq, make([]byte, 1000)))
		}
		noError(t, s.Checkpoint(engine.Checkpoint{Seq: begun + 50}))
	}
	noError(t, s.Close())
	size, err := sizeOfFiles(folder)
	noError(t, err)
	if size > 1<<20 {
		t.Errorf("the store has %d bytes", size)
	}
	before, after, err := Compact(folder, Options{})
	if err != nil || before != size || after >= before {
		t.Errorf("compacted from %d to %d, %v", before, after, err)
	}
	if got := loadedLog(t, s); len(got) != 50 {
		t.Errorf("%d records, want 50", len(got))
	}
}

// TestKeptSize: a file that became large is not kept so.
func TestKeptSize(t *testing.T) {
	folder := t.TempDir()
	s := openFolder(t, folder, Relaxed)
	noError(t, s.Append(1, make([]byte, keptSize+1000)))
	noError(t, s.Append(2, []byte("two")))
	for range 2 {
		noError(t, s.Checkpoint(engine.Checkpoint{Seq: 1}))
	}
	noError(t, s.Checkpoint(engine.Checkpoint{Seq: 2}))
	noError(t, s.Append(3, make([]byte, 2<<20)))
	noError(t, s.Checkpoint(engine.Checkpoint{Seq: 2}))
	noError(t, s.Close())
	checkRecords(t, loadedLog(t, s), map[uint64]string{3: string(make([]byte, 2<<20))})
	info, err := os.Stat(filepath.Join(folder, logName(1)))
	noError(t, err)
	if info.Size() != keptSize {
		t.Errorf("it has %d bytes", info.Size())
	}
}

// TestAppendFailed: after a write or a sync that failed nothing is written, and
// what was there before is there when the store is opened again.
func TestAppendFailed(t *testing.T) {
	_, pipe, err := os.Pipe() // has no places to write at
	noError(t, err)
	defer pipe.Close()
	cases := map[string]*os.File{"write": pipe}
	if null, err := os.OpenFile("/dev/null", os.O_RDWR, 0); err == nil { // takes all, and has nothing to sync to
		defer null.Close()
		cases["sync"] = null
	}
	for name, other := range cases {
		t.Run(name, func(t *testing.T) {
			s := openFolder(t, t.TempDir(), Strict)
			noError(t, s.Append(1, []byte("one")))
			f := s.log.last()
			file := f.file
			f.file = other
			if err := s.Append(2, []byte("two")); err == nil || errors.Is(err, ErrFull) || errors.Is(err, ErrFailed) || !strings.Contains(err.Error(), name) {
				t.Errorf("got %v", err)
			}
			f.file = file
			if err := s.Append(2, []byte("two")); !errors.Is(err, ErrFailed) {
				t.Errorf("got %v", err)
			}
			if err := s.SetDurability(Relaxed); !errors.Is(err, ErrFailed) {
				t.Errorf("got %v", err)
			}
			noError(t, s.Close())
			checkRecords(t, loadedLog(t, s), map[uint64]string{1: "one"})
			noError(t, s.Append(2, []byte("two")))
		})
	}
}

// writeOldStore makes a store of the format before the log had files.
func writeOldStore(t *testing.T, folder string, records map[uint64]string) {
	t.Helper()
	db, err := bbolt.Open(filepath.Join(folder, FileName), 0o600, nil)
	noError(t, err)
	info := engine.BlockInfo{ID: 7, Table: 1, Size: 5}
	noError(t, db.Update(func(tx *bbolt.Tx) error {
		for _, name := range []string{"log", "blocks", "directory", "state"} {
			if _, err := tx.CreateBucket([]byte(name)); err != nil {
				return err
			}
		}
		for n, record := range records {
			if err := tx.Bucket([]byte("log")).Put(number(n), []byte(record)); err != nil {
				return err
			}
		}
		return errors.Join(
			tx.Bucket([]byte("blocks")).Put(number(7), []byte("block")),
			tx.Bucket([]byte("directory")).Put(number(7), engine.EncodeDirectory([]engine.BlockInfo{info})),
			tx.Bucket([]byte("state")).Put([]byte("format"), number(1)),
			tx.Bucket([]byte("state")).Put([]byte("meta"), []byte("meta")))
	}))
	noError(t, db.Close())
}

func formatIn(t *testing.T, folder string) (format uint64, hasBucket bool) {
	t.Helper()
	db, err := bbolt.Open(filepath.Join(folder, FileName), 0, &bbolt.Options{ReadOnly: true})
	noError(t, err)
	format, err = formatOf(db)
	noError(t, err)
	noError(t, db.View(func(tx *bbolt.Tx) error {
		hasBucket = tx.Bucket(logBucket) != nil
		return nil
	}))
	noError(t, db.Close())
	return format, hasBucket
}

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
			f, err := beginFile(folder, 1, 0, Strict)
			if err == nil {
				l := &recordLog{folder: folder, files: []*logFile{f}}
				err = errors.Join(l.append(5, []byte("five"), Strict), l.close())
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
			s := openFolder(t, folder, Strict)
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
		if _, err := Open(folder, Options{}); !errors.Is(err, engine.ErrDamaged) || !strings.Contains(err.Error(), folder) {
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
	s := openFolder(t, folder, Strict)
	for n := uint64(1); n <= 6; n++ {
		noError(t, s.Append(n, []byte(fmt.Sprint("record ", n))))
		if n == 4 {
			noError(t, s.Checkpoint(engine.Checkpoint{Seq: 2}))
		}
	}
	younger := s.log.last().opening
	noError(t, s.Close())
	foreign := t.TempDir()
	noError(t, openFolder(t, foreign, Strict).Append(1, []byte("of another store")))
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
		{"the older is another's", 1, replace(foreignLog), "log-1: damaged: it is that of another store", []uint64{5, 6}, 1},
		{"the younger is another's", 2, replace(foreignLog), "log-2: damaged: it is that of another store", []uint64{3, 4}, 1},
		{"words", 2, replace([]byte("words")), "log-2: damaged: it is no log", []uint64{3, 4}, 1},
		{"empty", 2, replace(nil), "log-2: damaged: it is no log", []uint64{3, 4}, 1},
		{"an opening that is damaged", 1, write([]byte{1}, 17), "log-1: damaged: its opening has a wrong checksum", []uint64{3, 4, 5, 6}, 0},
		{"an opening whose version is damaged", 1, write([]byte{'A'}, 7), "log-1: damaged: its opening has a wrong checksum", []uint64{3, 4, 5, 6}, 0},
		{"a size that is wrong", 2, func(path string) error { return os.Truncate(path, 1<<42) }, "log-2: damaged: it has 4398046511104 bytes", []uint64{3, 4, 5, 6}, 0},
		{"a size that is wrong, and an opening that is gone", 1, func(path string) error {
			return errors.Join(write(make([]byte, 100), 0)(path), os.Truncate(path, 1<<42))
		}, "log-1: damaged: it is no log", []uint64{3, 4, 5, 6}, 0},
		{"an opening that is gone", 2, write(make([]byte, 100), 0), "log-2: damaged: it is no log", []uint64{3, 4, 5, 6}, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			damaged := copyStore(t, folder)
			noError(t, c.do(filepath.Join(damaged, logName(c.slot))))
			before := sizesIn(t, damaged)
			_, err := Open(damaged, Options{})
			if !errors.Is(err, engine.ErrDamaged) || errors.Is(err, fs.ErrNotExist) || !strings.Contains(fmt.Sprint(err), c.says) {
				t.Errorf("got %v, want %q", err, c.says)
			}
			if after := sizesIn(t, damaged); !maps.Equal(before, after) {
				t.Errorf("the folder had %v and has %v", before, after)
			}
			done, err := Salvage(damaged, Options{})
			if err != nil || len(done.Lost) != 1 || !strings.Contains(fmt.Sprint(done.Lost[0]), c.says) || len(done.Kept) != c.kept {
				t.Errorf("salvaged %+v, %v", done, err)
			}
			again := openFolder(t, damaged, Strict)
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
		if _, err := Open(damaged, Options{}); !errors.Is(err, engine.ErrDamaged) || !strings.Contains(err.Error(), "is that of the store missing") {
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
		if _, err := Open(damaged, Options{}); !errors.Is(err, engine.ErrDamaged) || !strings.Contains(err.Error(), "log-2: damaged") {
			t.Errorf("got %v", err)
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
			t.Errorf("the log has changed, %v", err)
		}
	})
	t.Run("a new store was torn", func(t *testing.T) {
		torn := t.TempDir()
		noError(t, os.WriteFile(filepath.Join(torn, logName(1)), append([]byte(logMagic), make([]byte, firstFrame-len(logMagic))...), 0o600))
		noError(t, openFolder(t, torn, Strict).Append(1, []byte("one")))
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
			again := openFolder(t, damaged, Strict)
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
		if _, err := Open(damaged, Options{}); !errors.Is(err, engine.ErrDamaged) {
			t.Errorf("got %v", err)
		}
		done, err := Salvage(damaged, Options{})
		if err != nil || len(done.Lost) != 1 || len(done.Kept) > 0 {
			t.Errorf("salvaged %+v, %v", done, err)
		}
		if got := loadedLog(t, openFolder(t, damaged, Strict)); len(got) != 6 { // also what was dropped
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
	for _, d := range []Durability{Strict, Relaxed} {
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
	s := openFolder(t, folder, Strict)
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
	if _, err := Open(folder, Options{}); !errors.Is(err, engine.ErrDamaged) {
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
		if err := checkFile(path, Options{}); errors.Is(err, engine.ErrDamaged) {
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
	got := loadedLog(t, openFolder(t, folder, Strict))
	for n, record := range got {
		if want[n] != record {
			t.Errorf("record %d has changed", n)
		}
	}
	if len(got) < 100 {
		t.Errorf("%d records of %d are left", len(got), len(want))
	}
}
