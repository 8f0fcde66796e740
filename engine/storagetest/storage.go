package storagetest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"sandtable/engine"
	"sandtable/odata"
)

func testEmpty(t *testing.T, o Opener) {
	s := open(t, o)
	d := load(t, s)
	if len(d.Blocks) != 0 || len(d.WAL) != 0 || d.Meta != nil {
		t.Errorf("a new store has %v", d)
	}
}

func testWALOrder(t *testing.T, o Opener) {
	s := open(t, o)
	load(t, s)
	var want []engine.WALRecord
	for seq := uint64(1); seq <= 20; seq++ {
		r := engine.WALRecord{Seq: seq, Data: payload(seq, 10+int(seq))}
		want = append(want, r)
		must(t, s.Append(r.Seq, r.Data))
	}
	_, d := reopen(t, o, s)
	checkWAL(t, d.WAL, want)
}

func testWALReplace(t *testing.T, o Opener) {
	s := open(t, o)
	load(t, s)
	must(t, s.Append(1, []byte("first")))
	must(t, s.Append(2, []byte("refused, but stored")))
	must(t, s.Append(2, []byte("second")))
	_, d := reopen(t, o, s)
	checkWAL(t, d.WAL, []engine.WALRecord{{Seq: 1, Data: []byte("first")}, {Seq: 2, Data: []byte("second")}})
}

func testLargeRecord(t *testing.T, o Opener) {
	s := open(t, o)
	load(t, s)
	want := []engine.WALRecord{{Seq: 1, Data: payload(1, 4<<20)}, {Seq: 2, Data: payload(2, 10)}}
	for _, r := range want {
		must(t, s.Append(r.Seq, r.Data))
	}
	_, d := reopen(t, o, s)
	checkWAL(t, d.WAL, want)
}

func testEmptyRecord(t *testing.T, o Opener) {
	s := open(t, o)
	load(t, s)
	must(t, s.Append(1, nil))
	_, d := reopen(t, o, s)
	checkWAL(t, d.WAL, []engine.WALRecord{{Seq: 1, Data: []byte{}}})
}

func testManyRecords(t *testing.T, o Opener) {
	s := open(t, o)
	load(t, s)
	const n = 1100 // more than a storage reads at once
	var want []engine.WALRecord
	for seq := uint64(1); seq <= n; seq++ {
		want = append(want, engine.WALRecord{Seq: seq, Data: payload(seq, 3)})
		must(t, s.Append(seq, want[seq-1].Data))
	}
	_, d := reopen(t, o, s)
	checkWAL(t, d.WAL, want)
}

// testLargeNumbers: a number stored as a string or in 32 bits sorts wrong.
func testLargeNumbers(t *testing.T, o Opener) {
	s := open(t, o)
	load(t, s)
	numbers := []uint64{9, 10, 255, 256, 1<<32 - 1, 1 << 32, 1<<40 + 1}
	var want []engine.WALRecord
	var puts []engine.Block
	for _, n := range numbers {
		want = append(want, engine.WALRecord{Seq: n, Data: payload(n, 8)})
		must(t, s.Append(n, payload(n, 8)))
		puts = append(puts, block(engine.BlockID(n), 100))
	}
	must(t, s.Checkpoint(engine.Checkpoint{Seq: 8, Puts: puts, Meta: []byte("m")}))
	s, d := reopen(t, o, s)
	checkWAL(t, d.WAL, want)
	checkBlocks(t, s, d, puts)
}

func testCallerKeepsSlices(t *testing.T, o Opener) {
	s := open(t, o)
	load(t, s)
	record, b, m := []byte("record"), block(1, 100), []byte("meta")
	want := slices.Clone(b.Data)
	must(t, s.Checkpoint(engine.Checkpoint{Puts: []engine.Block{b}, Meta: m}))
	must(t, s.Append(1, record))
	clear(record)
	clear(b.Data)
	clear(m)
	texts, err := s.ReadBlocks([]engine.BlockID{1})
	must(t, err)
	if !bytes.Equal(texts[0], want) {
		t.Error("the block shares the caller's slice")
	}
	_, d := reopen(t, o, s)
	if string(d.Meta) != "meta" {
		t.Errorf("meta is %q", d.Meta)
	}
	checkWAL(t, d.WAL, []engine.WALRecord{{Seq: 1, Data: []byte("record")}})
}

func testCheckpoint(t *testing.T, o Opener) {
	s := open(t, o)
	load(t, s)
	for seq := uint64(1); seq <= 5; seq++ {
		must(t, s.Append(seq, payload(seq, 5)))
	}
	first := []engine.Block{block(1, 100), block(2, 200), block(3, 300)}
	must(t, s.Checkpoint(engine.Checkpoint{Seq: 3, Puts: first, Meta: []byte("one")}))
	s, d := reopen(t, o, s)
	checkWAL(t, d.WAL, []engine.WALRecord{{Seq: 4, Data: payload(4, 5)}, {Seq: 5, Data: payload(5, 5)}})
	checkBlocks(t, s, d, first)

	second := engine.Checkpoint{
		Seq: 5, Puts: []engine.Block{block(4, 50)}, Deletes: []engine.BlockID{1, 3}, Meta: []byte("two"),
	}
	must(t, s.Checkpoint(second))
	s, d = reopen(t, o, s)
	checkWAL(t, d.WAL, nil)
	checkBlocks(t, s, d, []engine.Block{first[1], block(4, 50)})
	if string(d.Meta) != "two" {
		t.Errorf("meta is %q, want the meta of the last checkpoint", d.Meta)
	}
	must(t, s.Append(6, []byte("on")))
	_, d = reopen(t, o, s)
	checkWAL(t, d.WAL, []engine.WALRecord{{Seq: 6, Data: []byte("on")}})
}

func testManyBlocks(t *testing.T, o Opener) {
	s := open(t, o)
	load(t, s)
	var all []engine.Block
	for round := range 3 {
		c := engine.Checkpoint{Seq: uint64(round), Meta: []byte{byte(round)}}
		for i := range 200 {
			c.Puts = append(c.Puts, block(engine.BlockID(round*200+i+1), 1000+i))
		}
		must(t, s.Checkpoint(c))
		all = append(all, c.Puts...)
	}
	s, d := reopen(t, o, s)
	checkBlocks(t, s, d, all)
}

func testEmptyCheckpoint(t *testing.T, o Opener) {
	s := open(t, o)
	load(t, s)
	must(t, s.Append(1, []byte("x")))
	must(t, s.Checkpoint(engine.Checkpoint{Seq: 1, Meta: []byte("m"), Deletes: []engine.BlockID{77}}))
	_, d := reopen(t, o, s)
	checkWAL(t, d.WAL, nil)
	if string(d.Meta) != "m" || len(d.Blocks) != 0 {
		t.Errorf("directory is %v", d)
	}
}

func testMissingBlock(t *testing.T, o Opener) {
	s := open(t, o)
	load(t, s)
	must(t, s.Checkpoint(engine.Checkpoint{Puts: []engine.Block{block(1, 10)}}))
	if texts, err := s.ReadBlocks(nil); err != nil || len(texts) != 0 {
		t.Errorf("reading no block: %v, %v", texts, err)
	}
	if _, err := s.ReadBlocks([]engine.BlockID{1, 2}); !errors.Is(err, engine.ErrBlockNotFound) {
		t.Errorf("reading a missing block: %v", err)
	}
}

func testConcurrentReads(t *testing.T, o Opener) {
	s := open(t, o)
	load(t, s)
	want := block(1, 5000)
	must(t, s.Checkpoint(engine.Checkpoint{Puts: []engine.Block{want}}))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 20 {
				texts, err := s.ReadBlocks([]engine.BlockID{1})
				if err != nil || !bytes.Equal(texts[0], want.Data) {
					t.Errorf("read concurrent with writes: %v", err)
					return
				}
			}
		})
	}
	for seq := uint64(1); seq <= 20; seq++ {
		must(t, s.Append(seq, payload(seq, 100)))
	}
	wg.Wait()
}

func testClosed(t *testing.T, o Opener) {
	s, err := o()
	must(t, err)
	load(t, s)
	must(t, s.Append(1, []byte("x")))
	must(t, s.Close())
	must(t, s.Close())
	calls := map[string]func() error{
		"append":     func() error { return s.Append(2, []byte("y")) },
		"checkpoint": func() error { return s.Checkpoint(engine.Checkpoint{}) },
		"read blocks": func() error {
			_, err := s.ReadBlocks([]engine.BlockID{1})
			return err
		},
	}
	for name, call := range calls {
		if err := call(); !errors.Is(err, engine.ErrClosed) {
			t.Errorf("%s after close: %v", name, err)
		}
	}
	d := load(t, open(t, o))
	checkWAL(t, d.WAL, []engine.WALRecord{{Seq: 1, Data: []byte("x")}})
}

// payload returns n bytes derived from a number.
func payload(number uint64, n int) []byte {
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[:], number)
	b := make([]byte, n)
	rand.NewChaCha8(seed).Read(b)
	return b
}

// block returns a block with n bytes derived from its id; a storage does not
// interpret them.
func block(id engine.BlockID, n int) engine.Block {
	return engine.Block{
		BlockInfo: engine.BlockInfo{
			ID: id, Table: engine.TableID(id % 7), Count: int(id % 1000), Size: n,
			First: odata.Key{PartitionKey: fmt.Sprint("pärt\x00", id), RowKey: "\U0001F600"},
		},
		Data: payload(uint64(id), n),
	}
}

func checkWAL(t *testing.T, got, want []engine.WALRecord) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d WAL records, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i].Seq != want[i].Seq || !bytes.Equal(got[i].Data, want[i].Data) {
			t.Fatalf("WAL record %d has number %d and %d bytes, want number %d and %d bytes",
				i, got[i].Seq, len(got[i].Data), want[i].Seq, len(want[i].Data))
		}
	}
}

// checkBlocks compares the directory and the blocks' data.
func checkBlocks(t *testing.T, s engine.Storage, d engine.Directory, want []engine.Block) {
	t.Helper()
	byID := func(a, b engine.BlockInfo) int { return int(int64(a.ID) - int64(b.ID)) }
	var infos []engine.BlockInfo
	var ids []engine.BlockID
	for _, b := range want {
		infos, ids = append(infos, b.BlockInfo), append(ids, b.ID)
	}
	got := slices.SortedFunc(slices.Values(d.Blocks), byID)
	slices.SortFunc(infos, byID)
	if !reflect.DeepEqual(got, infos) {
		t.Fatalf("directory is %v, want %v", got, infos)
	}
	texts, err := s.ReadBlocks(ids)
	must(t, err)
	for i, b := range want {
		if !bytes.Equal(texts[i], b.Data) {
			t.Fatalf("block %d has other data", b.ID)
		}
	}
}
