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

// TestFence: the last storage that loaded the database owns it. Every write of a
// previous owner fails as a whole, whatever the owner has done since.
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
		before func(*testing.T, *Storage) // done by the old owner after three records
		after  func(*testing.T, *Storage) // done by the new owner
		seq    uint64                     // that the old owner tries to append
	}{
		{"the owner wrote nothing", nothing, nothing, 4},
		{"the owner appended", nothing, appends, 4},
		{"the owner truncated the WAL", nothing, checkpoint, 4},
		{"the old owner truncated the WAL", drop, nothing, 4},
		{"both truncated the WAL", drop, checkpoint, 4},
		{"the old owner repeats its last number", nothing, nothing, 3},
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
			owner := openStorage(t, name, Options{})
			c.after(t, owner)
			for range 2 {
				again := openStorage(t, name, Options{})
				_ = again.Close()
			}
			owner = openStorage(t, name, Options{})
			before, err := owner.Load()
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if err := old.Append(c.seq, []byte("stale")); !errors.Is(err, ErrFenced) {
					t.Errorf("append of a fenced storage: %v", err)
				}
				if err := old.Checkpoint(engine.Checkpoint{Seq: 3, Meta: []byte("stale")}); !errors.Is(err, ErrFenced) {
					t.Errorf("checkpoint of a fenced storage: %v", err)
				}
				if _, err := old.Load(); !errors.Is(err, ErrFenced) {
					t.Errorf("load of a fenced storage: %v", err)
				}
				old.connection.db.Call("close") // the next round uses a new connection
			}
			after, err := owner.Load()
			if err != nil || len(after.WAL) != len(before.WAL) || string(after.Meta) != string(before.Meta) {
				t.Errorf("the owner has %v, want %v; %v", after, before, err)
			}
			for seq := uint64(7); seq < 10; seq++ {
				appendRecord(t, owner, seq)
			}
		})
	}
}

// TestFenceRace: of several concurrent loads, one acquires the database.
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
		t.Errorf("%d storages could write, want 1", accepted)
	}
}

// TestFenceOfSuspendedOwner: an owner that was suspended during many loads, the
// first of which each truncated the WAL, can write nothing any more.
func TestFenceOfSuspendedOwner(t *testing.T) {
	cases := []struct {
		name  string
		loads int
		write func(*Storage) error
	}{
		{"a checkpoint after more than a hundred loads", 102, func(s *Storage) error {
			return s.Checkpoint(engine.Checkpoint{Seq: 2, Meta: []byte("stale")})
		}},
		{"an append after more loads than reservations are kept", reservedKept + 1, func(s *Storage) error { return s.Append(3, []byte("stale")) }},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			name := newDatabase(t)
			old := openStorage(t, name, Options{})
			appendRecord(t, old, 1)
			appendRecord(t, old, 2)
			for i := range c.loads {
				s := openStorage(t, name, Options{})
				if seq := uint64(3 + i); i <= reservedKept {
					appendRecord(t, s, seq)
					checkpoint(t, s, engine.Checkpoint{Seq: seq, Puts: []engine.Block{testBlock(engine.BlockID(seq))}, Meta: []byte("new")})
				}
				_ = s.Close()
			}
			old.appended = old.appended.Add(-time.Minute) // it was suspended
			if err := c.write(old); !errors.Is(err, ErrFenced) || !isFenced(old) {
				t.Errorf("the write gives %v, want ErrFenced", err)
			}
			s := openStorage(t, name, Options{})
			d, err := s.Load()
			if err != nil || len(d.Blocks) != reservedKept+1 || string(d.Meta) != "new" || len(d.WAL) != 0 {
				t.Errorf("the store has %d blocks, %q, %d records; %v", len(d.Blocks), d.Meta, len(d.WAL), err)
			}
			appendRecord(t, s, 200)
			s.appended = s.appended.Add(-time.Minute) // a pause is harmless to the owner
			appendRecord(t, s, 201)
		})
	}
}

// TestRestartedNumbering: a store that has lost its checkpoint, and numbers its
// records from 1 again, reaches the numbers that were reserved before.
func TestRestartedNumbering(t *testing.T) {
	name := newDatabase(t)
	s := openStorage(t, name, Options{})
	for seq := uint64(1); seq <= 3; seq++ {
		appendRecord(t, s, seq)
	}
	if err := s.Checkpoint(engine.Checkpoint{Seq: 3, Meta: []byte("m")}); err != nil {
		t.Fatal(err)
	}
	_ = openStorage(t, name, Options{}) // reserves 4
	s = openStorage(t, name, Options{})
	for seq := uint64(1); seq <= 6; seq++ {
		appendRecord(t, s, seq)
	}
	checkRecords(t, name, 6)
}

// TestFenceAfterRestartedNumbering: the number that a previous owner adds next is
// reserved, although a checkpoint has dropped higher ones.
func TestFenceAfterRestartedNumbering(t *testing.T) {
	name := newDatabase(t)
	s := openStorage(t, name, Options{})
	appendRecord(t, s, 500)
	if err := s.Checkpoint(engine.Checkpoint{Seq: 500, Meta: []byte("m")}); err != nil {
		t.Fatal(err)
	}
	old := openStorage(t, name, Options{})
	appendRecord(t, old, 1)
	_ = openStorage(t, name, Options{})
	if err := old.Append(2, []byte("stale")); !errors.Is(err, ErrFenced) {
		t.Errorf("append of a fenced storage: %v", err)
	}
	checkRecords(t, name, 1)
}

// TestUnlistedReservation: a load accepts a number whose marker exists but which
// is not listed as reserved, instead of retrying forever.
func TestUnlistedReservation(t *testing.T) {
	name := newDatabase(t)
	s := openStorage(t, name, Options{})
	appendRecord(t, s, 1)
	if _, err := s.transact(readWrite, inWAL, func(t *transaction) { t.store(walStore).Call("put", marker, 2) }); err != nil {
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

// TestFencedReader: a previous owner learns that it is fenced by reading, too,
// and does not report blocks that the owner has replaced as missing.
func TestFencedReader(t *testing.T) {
	name := newDatabase(t)
	old := openStorage(t, name, Options{})
	block := func(id engine.BlockID) engine.Block {
		return engine.Block{BlockInfo: engine.BlockInfo{ID: id, Table: 1, Count: 1}, Data: []byte("data")}
	}
	if err := old.Checkpoint(engine.Checkpoint{Seq: 1, Meta: []byte("m"), Puts: []engine.Block{block(1)}}); err != nil {
		t.Fatal(err)
	}
	if _, err := old.ReadBlocks([]engine.BlockID{1, 2}); !errors.Is(err, engine.ErrBlockNotFound) || isFenced(old) {
		t.Errorf("read of a block that never existed: %v", err)
	}
	owner := openStorage(t, name, Options{})
	c := engine.Checkpoint{Seq: 2, Meta: []byte("m"), Puts: []engine.Block{block(2)}, Deletes: []engine.BlockID{1}}
	if err := owner.Checkpoint(c); err != nil {
		t.Fatal(err)
	}
	_, err := old.ReadBlocks([]engine.BlockID{1})
	if !errors.Is(err, ErrFenced) || !errors.Is(err, engine.ErrClosed) || errors.Is(err, engine.ErrBlockNotFound) {
		t.Errorf("read of a block that was replaced: %v", err)
	}
	if !isFenced(old) || isFenced(owner) {
		t.Errorf("fenced: %t, and the new owner: %t", isFenced(old), isFenced(owner))
	}
}

// TestFenced: each call that fails because of the fence closes the channel.
func TestFenced(t *testing.T) {
	calls := map[string]func(*Storage) error{
		"append":     func(s *Storage) error { return s.Append(1, nil) },
		"reserved":   func(s *Storage) error { return s.AppendReserved(1, nil, false) },
		"checkpoint": func(s *Storage) error { return s.Checkpoint(engine.Checkpoint{Seq: 1, Meta: []byte("m")}) },
		"load":       func(s *Storage) error { _, err := s.Load(); return err },
	}
	for what, call := range calls {
		t.Run(what, func(t *testing.T) {
			name := newDatabase(t)
			old, owner := openStorage(t, name, Options{}), openStorage(t, name, Options{})
			if isFenced(old) {
				t.Error("fenced before any call")
			}
			if err := call(old); !errors.Is(err, ErrFenced) || !isFenced(old) || isFenced(owner) {
				t.Errorf("%v; fenced: %t, and the new owner: %t", err, isFenced(old), isFenced(owner))
			}
		})
	}
}

// newerEncoding returns data in a newer format of the engine's.
func newerEncoding(kind byte) []byte {
	data := append([]byte{kind, 100, 0, 0, 0, 0}, "a format of the future"...)
	table := crc32.MakeTable(crc32.Castagnoli)
	sum := crc32.Update(crc32.Checksum(data[:2], table), table, data[6:])
	binary.LittleEndian.PutUint32(data[2:], sum)
	return data
}

// TestNewerFormat: a program that cannot read a store does not acquire it, and
// the newer program that owns it continues undisturbed.
func TestNewerFormat(t *testing.T) {
	newest := newerEncoding('L')
	corrupt := slices.Clone(newest)
	corrupt[len(corrupt)-1] ^= 1
	put := func(seq uint64, data []byte) func(*Storage) error {
		return func(s *Storage) error { return s.Append(seq, data) }
	}
	cases := []struct {
		name  string
		write func(*Storage) error // by the newer program, after a record that both can read
		next  uint64               // number that it appends next
		want  error
	}{
		{"a record", put(2, newest), 3, engine.ErrFormat},
		{"a record before a reserved number", func(s *Storage) error {
			err := s.Append(2, newest)
			_, failed := s.transact(readWrite, inWAL, func(t *transaction) { t.store(walStore).Call("put", marker, 3) })
			return errors.Join(err, failed)
		}, 4, engine.ErrFormat},
		{"a checkpoint", func(s *Storage) error {
			return s.Checkpoint(engine.Checkpoint{Seq: 1, Meta: newerEncoding('M')})
		}, 2, engine.ErrFormat},
		{"a checkpoint, then a corrupt record", func(s *Storage) error {
			return errors.Join(s.Checkpoint(engine.Checkpoint{Seq: 1, Meta: newerEncoding('M')}), s.Append(2, corrupt))
		}, 3, engine.ErrFormat},
		{"a corrupt record", put(2, corrupt), 3, nil},
		{"nothing else", func(*Storage) error { return nil }, 2, nil},
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
					t.Errorf("append of the previous owner: %v", err)
				}
				return
			}
			if err != nil || isFenced(newer) {
				t.Errorf("append of the newer program: %v, fenced: %t", err, isFenced(newer))
			}
			if older.Append(c.next+1, nil) == nil {
				t.Error("the older program can write")
			}
		})
	}
}

// BenchmarkFence appends with and without checking the fence, alternating, and
// prints the medians.
func BenchmarkFence(b *testing.B) {
	record := make([]byte, 300)
	s := openStorage(b, newDatabase(b), Options{})
	var with, without []time.Duration
	seq := uint64(0)
	for b.Loop() {
		for _, fenced := range []bool{true, false} {
			seq++
			start := time.Now()
			_, err := s.transact(readWrite, inWAL, func(t *transaction) {
				wal := t.store(walStore)
				if fenced {
					s.assertOwner(wal)
				}
				t.put(wal, float64(seq), record)
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
