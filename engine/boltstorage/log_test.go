//go:build !js

package boltstorage

import (
	"bytes"
	"errors"
	"fmt"
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

func openFolder(t *testing.T, folder string, d engine.Durability) *Storage {
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
	for i, r := range d.WAL {
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
		s := openFolder(t, folder, engine.Relaxed)
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
				s = openFolder(t, folder, engine.Durability(random.IntN(2)))
			case 5:
				copied := openFolder(t, copyStore(t, folder), engine.Strict)
				checkRecords(t, loadedLog(t, copied), model)
				noError(t, copied.Close())
			}
			if random.IntN(4) == 0 {
				checkRecords(t, loadedLog(t, s), model)
			}
		}
		noError(t, s.Close())
		checkRecords(t, loadedLog(t, openFolder(t, folder, engine.Strict)), model)
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
	s := openFolder(t, folder, engine.Strict)
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
		again := openFolder(t, before, engine.Strict)
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
	s := openFolder(t, folder, engine.Relaxed) // without room behind
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
		again := openFolder(t, cut, engine.Strict)
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
	s := openFolder(t, folder, engine.Strict)
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
			again := openFolder(t, damaged, engine.Strict)
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
		again := openFolder(t, damaged, engine.Strict)
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
			s.log.plan(c.Seq, engine.Strict).forget()
			return nil
		}, false},
		{"and not even whole", func(s *Storage, c engine.Checkpoint) error {
			cut := s.log.plan(c.Seq, engine.Strict)
			_, err := cut.begun.file.WriteAt([]byte("torn"), 10)
			cut.forget()
			return err
		}, false},
		{"the transaction failed", func(s *Storage, c engine.Checkpoint) error {
			cut := s.log.plan(c.Seq, engine.Strict)
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
			cut := s.log.plan(c.Seq, engine.Strict)
			defer cut.forget()
			return s.update(func(tx *bbolt.Tx) error { return putLogState(tx, cut.state(cut.drops)) })
		}, true},
		{"all is done", (*Storage).Checkpoint, true},
	}
	for _, step := range steps {
		for _, seq := range []uint64{0, 5, 8} {
			t.Run(fmt.Sprint(step.name, ", up to ", seq), func(t *testing.T) {
				folder, model := t.TempDir(), make(map[uint64]string)
				s, random := openFolder(t, folder, engine.Strict), rand.New(rand.NewPCG(1, 2))
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
				again := openFolder(t, crashed, engine.Strict)
				checkRecords(t, loadedLog(t, again), model)
				for n := uint64(9); n <= 12; n++ {
					appendRandom(t, again, random, n, model)
					noError(t, again.Checkpoint(engine.Checkpoint{Seq: n - 2}))
					maps.DeleteFunc(model, func(m uint64, _ string) bool { return m <= n-2 })
				}
				noError(t, again.Close())
				checkRecords(t, loadedLog(t, openFolder(t, crashed, engine.Strict)), model)
			})
		}
	}
}

// TestTurnRefused: where the other file cannot be begun the log goes on where it
// is, until it can.
func TestTurnRefused(t *testing.T) {
	TurnEarly(t)
	folder, model := t.TempDir(), make(map[uint64]string)
	s, random := openFolder(t, folder, engine.Strict), rand.New(rand.NewPCG(1, 2))
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
	s := openFolder(t, folder, engine.Relaxed)
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
	s := openFolder(t, folder, engine.Relaxed)
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
			s := openFolder(t, t.TempDir(), engine.Strict)
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
			if err := s.SetDurability(engine.Relaxed); !errors.Is(err, ErrFailed) {
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
