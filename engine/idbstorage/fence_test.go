//go:build js && wasm

package idbstorage

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
	"sync"
	"testing"
	"time"

	"sandtable/engine"
)

// TestFence: who loaded the database last has it; a write of one before, of
// whatever kind, fails as a whole, whatever the new one has done since.
func TestFence(t *testing.T) {
	nothing := func(*testing.T, *Storage) {}
	appends := func(t *testing.T, s *Storage) {
		for seq := uint64(4); seq < 7; seq++ {
			appendRecord(t, s, seq)
		}
	}
	checkpoint := func(t *testing.T, s *Storage) {
		appends(t, s)
		if err := s.Checkpoint(engine.Checkpoint{Seq: 6, Meta: []byte("m")}); err != nil {
			t.Fatal(err)
		}
	}
	drop := func(t *testing.T, s *Storage) {
		if err := s.Checkpoint(engine.Checkpoint{Seq: 3, Meta: []byte("m")}); err != nil {
			t.Fatal(err)
		}
	}
	cases := []struct {
		name   string
		before func(*testing.T, *Storage) // what the old one does after three records
		after  func(*testing.T, *Storage) // and the new one
		seq    uint64                     // that the old one would append then
	}{
		{"new one wrote nothing", nothing, nothing, 4},
		{"new one appended", nothing, appends, 4},
		{"new one dropped the log", nothing, checkpoint, 4},
		{"old one dropped the log", drop, nothing, 4},
		{"old one dropped the log, new one too", drop, checkpoint, 4},
		{"old one does not know of its last record", nothing, nothing, 3},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			name := newDatabase(t)
			old := openStorage(t, name, Options{})
			for seq := uint64(1); seq <= 3; seq++ {
				appendRecord(t, old, seq)
			}
			c.before(t, old)
			if _, err := old.Load(); err != nil { // as Verify does
				t.Fatal(err)
			}
			next := openStorage(t, name, Options{})
			c.after(t, next)
			// Two more come and go, as many as workers do.
			for range 2 {
				again := openStorage(t, name, Options{})
				_ = again.Close()
			}
			next = openStorage(t, name, Options{})
			before, err := next.Load()
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if err := old.Append(c.seq, []byte("stale")); !errors.Is(err, ErrFenced) {
					t.Errorf("append after the end: %v", err)
				}
				if err := old.Checkpoint(engine.Checkpoint{Seq: 3, Meta: []byte("stale")}); !errors.Is(err, ErrFenced) {
					t.Errorf("checkpoint after the end: %v", err)
				}
				if _, err := old.Load(); !errors.Is(err, ErrFenced) {
					t.Errorf("load after the end: %v", err)
				}
				old.connection.db.Call("close") // also on another connection
			}
			after, err := next.Load()
			if err != nil || len(after.WAL) != len(before.WAL) || string(after.Meta) != string(before.Meta) {
				t.Errorf("the new one has %v, before that %v; %v", after, before, err)
			}
			for seq := uint64(7); seq < 10; seq++ {
				appendRecord(t, next, seq)
			}
		})
	}
}

// TestFenceRace: of those that load at once one has the database.
func TestFenceRace(t *testing.T) {
	name := newDatabase(t)
	var storages [4]*Storage
	var loaded sync.WaitGroup
	for i := range storages {
		s, err := Open(name, Options{})
		if err != nil {
			t.Fatal(err)
		}
		storages[i] = s
		loaded.Go(func() { _, _ = s.Load() })
	}
	loaded.Wait()
	accepted := 0
	for _, s := range storages {
		if err := s.Append(2, []byte("x")); err == nil {
			accepted++
		} else if !errors.Is(err, ErrFenced) {
			t.Errorf("append: %v", err)
		}
		_ = s.Close()
	}
	if accepted != 1 {
		t.Errorf("%d storages could write", accepted)
	}
}

// TestFenceOfSleeper: one that slept through many loadings, of which each of the
// first wrote and dropped the log, can write nothing any more.
func TestFenceOfSleeper(t *testing.T) {
	cases := []struct {
		name     string
		loadings int
		write    func(*Storage) error
	}{
		{"a checkpoint after more than a hundred", 102, func(s *Storage) error {
			return s.Checkpoint(engine.Checkpoint{Seq: 2, Meta: []byte("stale")})
		}},
		{"an append after more numbers than stay taken", takenKept + 1, func(s *Storage) error { return s.Append(3, []byte("stale")) }},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			name := newDatabase(t)
			old := openStorage(t, name, Options{})
			appendRecord(t, old, 1)
			appendRecord(t, old, 2)
			for i := range c.loadings {
				s := openStorage(t, name, Options{})
				if seq := uint64(3 + i); i <= takenKept {
					appendRecord(t, s, seq)
					checkpoint(t, s, engine.Checkpoint{Seq: seq, Puts: []engine.Block{textBlock(engine.BlockID(seq))}, Meta: []byte("new")})
				}
				_ = s.Close()
			}
			old.appended = old.appended.Add(-time.Minute) // that it slept
			if err := c.write(old); !errors.Is(err, ErrFenced) || !isFenced(old) {
				t.Errorf("it writes: %v", err)
			}
			s := openStorage(t, name, Options{})
			d, err := s.Load()
			if err != nil || len(d.Blocks) != takenKept+1 || string(d.Meta) != "new" || len(d.WAL) != 0 {
				t.Errorf("the store has %d blocks, %q, %d records; %v", len(d.Blocks), d.Meta, len(d.WAL), err)
			}
			appendRecord(t, s, 200)
			s.appended = s.appended.Add(-time.Minute) // it may pause
			appendRecord(t, s, 201)
		})
	}
}

// TestFenceOfNewNumbers: a store that has lost its checkpoint, and begins to
// count anew, comes to the numbers that were taken when it was longer.
func TestFenceOfNewNumbers(t *testing.T) {
	name := newDatabase(t)
	s := openStorage(t, name, Options{})
	for seq := uint64(1); seq <= 3; seq++ {
		appendRecord(t, s, seq)
	}
	if err := s.Checkpoint(engine.Checkpoint{Seq: 3, Meta: []byte("m")}); err != nil {
		t.Fatal(err)
	}
	_ = openStorage(t, name, Options{}) // takes 4
	s = openStorage(t, name, Options{})
	for seq := uint64(1); seq <= 6; seq++ {
		appendRecord(t, s, seq)
	}
	checkRecords(t, name, 6)
}

// TestForgottenMark: a number that was taken by one who is no longer known of is
// taken; loading does not try for ever to take it again.
func TestForgottenMark(t *testing.T) {
	name := newDatabase(t)
	s := openStorage(t, name, Options{})
	appendRecord(t, s, 1)
	if _, err := s.transact(readWrite, inLog, func(t *transaction) { t.store(logStore).Call("put", endedMark, 2) }); err != nil {
		t.Fatal(err)
	}
	s = openStorage(t, name, Options{})
	appendRecord(t, s, 2)
	checkRecords(t, name, 2)
}

func isFenced(s *Storage) bool {
	select {
	case <-s.Fenced():
		return true
	default:
		return false
	}
}

// TestFencedReader: who has lost the database finds out by reading, too, and
// does not take what the new owner has replaced for damage.
func TestFencedReader(t *testing.T) {
	name := newDatabase(t)
	old := openStorage(t, name, Options{})
	block := func(id engine.BlockID) engine.Block {
		return engine.Block{BlockInfo: engine.BlockInfo{ID: id, Table: 1, Count: 1}, Data: []byte("text")}
	}
	if err := old.Checkpoint(engine.Checkpoint{Seq: 1, Meta: []byte("m"), Puts: []engine.Block{block(1)}}); err != nil {
		t.Fatal(err)
	}
	if _, err := old.ReadBlocks([]engine.BlockID{1, 2}); !errors.Is(err, engine.ErrBlockNotFound) || isFenced(old) {
		t.Errorf("read of a block that never was: %v", err)
	}
	next := openStorage(t, name, Options{})
	c := engine.Checkpoint{Seq: 2, Meta: []byte("m"), Puts: []engine.Block{block(2)}, Deletes: []engine.BlockID{1}}
	if err := next.Checkpoint(c); err != nil {
		t.Fatal(err)
	}
	_, err := old.ReadBlocks([]engine.BlockID{1})
	if !errors.Is(err, ErrFenced) || !errors.Is(err, engine.ErrClosed) || errors.Is(err, engine.ErrBlockNotFound) {
		t.Errorf("read of a block that was replaced: %v", err)
	}
	if !isFenced(old) || isFenced(next) {
		t.Errorf("fenced: %t, and the new owner: %t", isFenced(old), isFenced(next))
	}
}

// TestFenced: each call that fails because of the fence tells so.
func TestFenced(t *testing.T) {
	calls := map[string]func(*Storage) error{
		"append":     func(s *Storage) error { return s.Append(1, nil) },
		"checkpoint": func(s *Storage) error { return s.Checkpoint(engine.Checkpoint{Seq: 1, Meta: []byte("m")}) },
		"load":       func(s *Storage) error { _, err := s.Load(); return err },
	}
	for what, call := range calls {
		t.Run(what, func(t *testing.T) {
			name := newDatabase(t)
			old, next := openStorage(t, name, Options{}), openStorage(t, name, Options{})
			if isFenced(old) {
				t.Error("it tells before it can know")
			}
			if err := call(old); !errors.Is(err, ErrFenced) || !isFenced(old) || isFenced(next) {
				t.Errorf("%v; fenced: %t, and the new owner: %t", err, isFenced(old), isFenced(next))
			}
		})
	}
}

// newerText returns a text of the engine's, of a version after this program's.
func newerText(kind byte) []byte {
	text := append([]byte{kind, 100, 0, 0, 0, 0}, "what nobody can read yet"...)
	table := crc32.MakeTable(crc32.Castagnoli)
	sum := crc32.Update(crc32.Checksum(text[:2], table), table, text[6:])
	binary.LittleEndian.PutUint32(text[2:], sum)
	return text
}

// TestNewerFormat: a program that cannot read a store leaves it to the newer one
// that has it, which goes on as if nothing had been.
func TestNewerFormat(t *testing.T) {
	newest := newerText('L')
	damaged := slices.Clone(newest)
	damaged[len(damaged)-1] ^= 1
	put := func(seq uint64, text []byte) func(*Storage) error {
		return func(s *Storage) error { return s.Append(seq, text) }
	}
	cases := []struct {
		name  string
		write func(*Storage) error // by the newer one, after a record that both can read
		next  uint64               // that it appends then
		want  error
	}{
		{"a record", put(2, newest), 3, engine.ErrFormat},
		{"a record before a number that is taken", func(s *Storage) error {
			err := s.Append(2, newest)
			_, failed := s.transact(readWrite, inLog, func(t *transaction) { t.store(logStore).Call("put", endedMark, 3) })
			return errors.Join(err, failed)
		}, 4, engine.ErrFormat},
		{"a checkpoint", func(s *Storage) error {
			return s.Checkpoint(engine.Checkpoint{Seq: 1, Meta: newerText('M')})
		}, 2, engine.ErrFormat},
		{"a checkpoint, and a record that is damaged", func(s *Storage) error {
			return errors.Join(s.Checkpoint(engine.Checkpoint{Seq: 1, Meta: newerText('M')}), s.Append(2, damaged))
		}, 3, engine.ErrFormat},
		{"a record that is damaged", put(2, damaged), 3, nil},
		{"nothing of its own", func(*Storage) error { return nil }, 2, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			name := newDatabase(t)
			newer := openStorage(t, name, Options{})
			appendRecord(t, newer, 1)
			if err := c.write(newer); err != nil {
				t.Fatal(err)
			}
			older, err := Open(name, Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer older.Close()
			if _, err := older.Load(); !errors.Is(err, c.want) {
				t.Fatalf("load: %v, want %v", err, c.want)
			}
			err = newer.Append(c.next, newest)
			if c.want == nil {
				if !errors.Is(err, ErrFenced) {
					t.Errorf("the one before goes on: %v", err)
				}
				return
			}
			if err != nil || isFenced(newer) {
				t.Errorf("the newer one goes on: %v, fenced: %t", err, isFenced(newer))
			}
			if older.Append(c.next+1, nil) == nil {
				t.Error("the older one writes")
			}
		})
	}
}

// BenchmarkFence appends with and without the two requests of the fence, in
// turns, and prints the medians.
func BenchmarkFence(b *testing.B) {
	record := make([]byte, 300)
	s := openStorage(b, newDatabase(b), Options{})
	var with, without []time.Duration
	seq := uint64(0)
	for b.Loop() {
		for _, fenced := range []bool{true, false} {
			seq++
			start := time.Now()
			_, err := s.transact(readWrite, inLog, func(t *transaction) {
				log := t.store(logStore)
				if fenced {
					s.fence(log)
				}
				t.put(log, float64(seq), record)
			})
			if err != nil {
				b.Fatal(err)
			}
			if took := time.Since(start); fenced {
				with = append(with, took)
			} else {
				without = append(without, took)
			}
		}
	}
	slices.Sort(with)
	slices.Sort(without)
	b.ReportMetric(float64(with[len(with)/2].Microseconds()), "us-with")
	b.ReportMetric(float64(without[len(without)/2].Microseconds()), "us-without")
}
