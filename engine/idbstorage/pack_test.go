//go:build js && wasm

package idbstorage

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"syscall/js"
	"testing"

	"sandtable/engine"
)

// appendSizes appends records of these sizes, numbered from first.
func appendSizes(t testing.TB, s *Storage, first uint64, sizes ...int) {
	t.Helper()
	for i, size := range sizes {
		seq := first + uint64(i)
		if err := s.Append(seq, sized(seq, size)); err != nil {
			t.Fatalf("append %d: %v", seq, err)
		}
	}
}

func sized(seq uint64, size int) []byte { return bytes.Repeat([]byte{byte(seq)}, size) }

// walKeys returns the keys of the WAL without fences.
func walKeys(t testing.TB, s *Storage) (keys []float64) {
	t.Helper()
	err := s.scan(walStore, walPage, func(key float64, _ []byte) { keys = append(keys, key) })
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func numbersOfRecords(records []engine.WALRecord) (numbers []uint64) {
	for _, r := range records {
		numbers = append(numbers, r.Seq)
	}
	return numbers
}

func TestPacks(t *testing.T) {
	cases := []struct {
		name  string
		sizes []int
		keys  []float64
	}{
		{"as many as are not packed", []int{1, 2, 3}, []float64{1, 2, 3}},
		{"one more", []int{1, 2, 3, 4}, []float64{2.5, 4}},
		{"several packs", []int{9, 9, 9, 9, 9, 9, 9, 9}, []float64{2.5, 5.5, 7, 8}},
		{"empty records", []int{0, 0, 0, 0}, []float64{2.5, 4}},
		{"the largest that are packed", []int{maxPacked, maxPacked, maxPacked, 5}, []float64{2.5, 4}},
		{"a larger one", []int{5, 5, maxPacked + 1, 5, 5, 5, 5}, []float64{1, 2, 3, 5.5, 7}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			name := newDatabase(t)
			s := openStorage(t, name, Options{packRecords: 3})
			appendSizes(t, s, 1, c.sizes...)
			if got := walKeys(t, s); !slices.Equal(got, c.keys) {
				t.Errorf("keys %v, want %v", got, c.keys)
			}
			d, err := openStorage(t, name, Options{}).Load()
			if err != nil || len(d.WAL) != len(c.sizes) {
				t.Fatalf("%d records, %v", len(d.WAL), err)
			}
			for i, r := range d.WAL {
				if seq := uint64(i + 1); r.Seq != seq || !bytes.Equal(r.Data, sized(seq, c.sizes[i])) {
					t.Errorf("record %d is number %d with %d bytes", seq, r.Seq, len(r.Data))
				}
			}
		})
	}
}

func TestDefaultPack(t *testing.T) {
	s := openStorage(t, newDatabase(t), Options{})
	appendSizes(t, s, 1, make([]int, packRecords+1)...)
	if got, want := walKeys(t, s), []float64{packRecords - 0.5, packRecords + 1}; !slices.Equal(got, want) {
		t.Errorf("keys %v, want %v", got, want)
	}
}

// TestPacksAreTruncated: a checkpoint removes the packs that it makes unnecessary, and
// no pack is made of what it has removed.
func TestPacksAreTruncated(t *testing.T) {
	cases := []struct {
		name string
		seq  uint64    // of the checkpoint, after 8 records
		keys []float64 // after three more
	}{
		{"everything", 8, []float64{9, 10, 11}},
		{"up to the end of a pack", 6, []float64{8.5, 10, 11}},
		{"up to the middle of a pack", 5, []float64{5.5, 8.5, 10, 11}},
		{"up to the end of the first pack", 3, []float64{5.5, 8.5, 10, 11}},
		{"nothing", 0, []float64{2.5, 5.5, 8.5, 10, 11}},
		{"between records that are not packed", 7, []float64{8, 9, 10, 11}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			name := newDatabase(t)
			s := openStorage(t, name, Options{packRecords: 3})
			appendSizes(t, s, 1, make([]int, 8)...)
			if err := s.Checkpoint(engine.Checkpoint{Seq: c.seq, Meta: []byte("m")}); err != nil {
				t.Fatal(err)
			}
			appendSizes(t, s, 9, make([]int, 3)...)
			if got := walKeys(t, s); !slices.Equal(got, c.keys) {
				t.Errorf("keys %v, want %v", got, c.keys)
			}
			d, err := openStorage(t, name, Options{}).Load()
			if err != nil {
				t.Fatal(err)
			}
			got := slices.DeleteFunc(numbersOfRecords(d.WAL), func(n uint64) bool { return n <= c.seq })
			if uint64(len(got)) != 11-c.seq || !slices.IsSorted(got) {
				t.Errorf("records %v after %d", got, c.seq)
			}
		})
	}
}

// TestPacksKeepReservations: the number that the previous owner would add next stays
// taken when its record goes into a pack.
func TestPacksKeepReservations(t *testing.T) {
	name := newDatabase(t)
	old := openStorage(t, name, Options{packRecords: 3})
	appendSizes(t, old, 1, 1, 1)
	owner := openStorage(t, name, Options{packRecords: 3})
	appendSizes(t, owner, 3, 1, 1, 1, 1)
	if got, want := walKeys(t, owner), []float64{1, 2, 3, 4.5, 6}; !slices.Equal(got, want) {
		t.Errorf("keys %v, want %v", got, want)
	}
	if err := old.Append(3, []byte("stale")); !errors.Is(err, ErrFenced) {
		t.Errorf("append of a fenced storage: %v", err)
	}
	again := openStorage(t, name, Options{})
	d, err := again.Load()
	if got := numbersOfRecords(d.WAL); err != nil || !slices.Equal(got, []uint64{1, 2, 3, 4, 5, 6}) {
		t.Errorf("records %v, %v", got, err)
	}
}

// TestNumberInDoubt: a record whose append failed although it was stored is not removed
// by a pack of the records around it.
func TestNumberInDoubt(t *testing.T) {
	name := newDatabase(t)
	s := openStorage(t, name, Options{packRecords: 3})
	appendSizes(t, s, 1, 1)
	if err := s.append(2, sized(2, 1), nil); err != nil { // Append would have noted it
		t.Fatal(err)
	}
	appendSizes(t, s, 3, 1, 1, 1, 1)
	if got, want := walKeys(t, s), []float64{1, 2, 4.5, 6}; !slices.Equal(got, want) {
		t.Errorf("keys %v, want %v", got, want)
	}
	checkRecords(t, name, 6)
}

// TestRepeatedNumber: a record that replaces the last one is not stored next to a pack
// with the one that it replaces.
func TestRepeatedNumber(t *testing.T) {
	name := newDatabase(t)
	s := openStorage(t, name, Options{packRecords: 3})
	appendSizes(t, s, 1, 1, 1, 1)
	appendSizes(t, s, 3, 2)
	d, err := openStorage(t, name, Options{}).Load()
	if err != nil || !slices.Equal(numbersOfRecords(d.WAL), []uint64{1, 2, 3}) || len(d.WAL[2].Data) != 2 {
		t.Errorf("records %v, %v", d.WAL, err)
	}
}

// TestFencedStoragePacksNothing: a storage that is fenced does not replace records.
func TestFencedStoragePacksNothing(t *testing.T) {
	name := newDatabase(t)
	old := openStorage(t, name, Options{packRecords: 3})
	appendSizes(t, old, 1, 1, 1, 1)
	owner := openStorage(t, name, Options{})
	before := walKeys(t, owner)
	if err := old.Append(4, []byte("stale")); !errors.Is(err, ErrFenced) {
		t.Errorf("append of a fenced storage: %v", err)
	}
	if got := walKeys(t, owner); !slices.Equal(got, before) {
		t.Errorf("keys %v, before %v", got, before)
	}
}

// TestNoSpaceForPack: an append for which there is space succeeds without its pack.
func TestNoSpaceForPack(t *testing.T) {
	name := newDatabase(t)
	s := openStorage(t, name, Options{packRecords: 3})
	appendSizes(t, s, 1, 100, 100, 100)
	restore := js.Global().Get("Function").New(`
		const { prototype } = IDBObjectStore, { put } = prototype;
		prototype.put = function (value, key) {
			const request = put.call(this, value, key);
			if (value.length > 300) {
				Object.defineProperty(this.transaction, "error", { value: new DOMException("on purpose", "QuotaExceededError") });
				this.transaction.commit = () => {};
				queueMicrotask(() => this.transaction.abort());
			}
			return request;
		};
		return () => { prototype.put = put; };
	`).Invoke()
	defer restore.Invoke()
	appendSizes(t, s, 4, 100, 100)
	if got, want := walKeys(t, s), []float64{1, 2, 3, 4, 5}; !slices.Equal(got, want) {
		t.Errorf("keys %v, want %v", got, want)
	}
	checkRecords(t, name, 5)
}

func TestUnpack(t *testing.T) {
	var p pack
	for seq := uint64(3); seq <= 5; seq++ {
		p.add(seq, sized(seq, 10))
	}
	whole := p.data
	second, third := len(whole)/3, 2*len(whole)/3
	changed := func(at int, to byte) []byte {
		b := bytes.Clone(whole)
		b[at] = to
		return b
	}
	cases := []struct {
		name    string
		data    []byte
		numbers []uint64
		corrupt int // length of the last one's data
	}{
		{"whole", whole, []uint64{3, 4, 5}, 10},
		{"cut in a record", whole[:third+15], []uint64{3, 4, 5}, 15},
		{"cut in a header", whole[:second+5], []uint64{3, 5}, 5},
		{"without the last record", whole[:third], []uint64{3, 5}, third - second},
		{"more than the last record", append(bytes.Clone(whole), 1), []uint64{3, 4, 5}, len(whole) - third + 1},
		{"number too large", changed(second, 9), []uint64{3, 5}, len(whole) - second},
		{"number too small", changed(second, 3), []uint64{3, 5}, len(whole) - second},
		{"length too large", changed(second+8, 99), []uint64{3, 5}, len(whole) - second},
		{"no pack", []byte("no pack at all"), []uint64{5}, 14},
		{"empty", nil, nil, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			records := unpack(5, c.data)
			if got := numbersOfRecords(records); !slices.Equal(got, c.numbers) {
				t.Fatalf("records %v, want %v", got, c.numbers)
			}
			if n := len(records); n > 0 && len(records[n-1].Data) != c.corrupt {
				t.Errorf("the last one has %d bytes, want %d", len(records[n-1].Data), c.corrupt)
			}
		})
	}
}

// TestUnpackAnything: whatever is stored, unpack returns ascending numbers up to the
// last and no more bytes than it got.
func TestUnpackAnything(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var p pack
		for seq := uint64(1); seq <= r.Uint64N(6); seq++ {
			p.add(seq, sized(seq, r.IntN(20)))
		}
		data := p.data[:r.IntN(len(p.data)+1)]
		for range r.IntN(3) {
			if len(data) > 0 {
				data[r.IntN(len(data))] ^= byte(1 << r.IntN(8))
			}
		}
		last, size := 1+r.Uint64N(7), 0
		records := unpack(last, data)
		for _, record := range records {
			size += len(record.Data)
		}
		numbers := numbersOfRecords(records)
		if !slices.IsSorted(numbers) || len(slices.Compact(numbers)) != len(records) || len(records) > 0 && numbers[len(numbers)-1] > last || size > len(data) {
			t.Fatalf("records %v up to %d of %x", numbers, last, data)
		}
	}
}
