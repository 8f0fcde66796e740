//go:build js && wasm

package idbstorage

import (
	"fmt"
	"syscall/js"
	"testing"

	"sandtable/engine"
)

func BenchmarkAppend(b *testing.B) {
	record := make([]byte, 300)
	for _, d := range []engine.Durability{engine.Relaxed, engine.Strict} {
		b.Run(d.String(), func(b *testing.B) {
			s := openStorage(b, newDatabase(b), Options{Durability: d})
			seq := uint64(0)
			for b.Loop() {
				seq++
				if err := s.Append(seq, record); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkAppendInJavaScript is the lower bound for an append: the same
// transactions, one after another, in JavaScript.
func BenchmarkAppendInJavaScript(b *testing.B) {
	for _, d := range []engine.Durability{engine.Relaxed, engine.Strict} {
		b.Run(d.String(), func(b *testing.B) {
			s := openStorage(b, newDatabase(b), Options{Durability: d})
			script := js.Global().Get("Function").New("db", "durability", "n", "done", `
				const data = new Uint8Array(300);
				const next = (i) => {
					if (i > n) return done();
					const t = db.transaction(["wal"], "readwrite", { durability });
					t.oncomplete = () => next(i + 1);
					t.objectStore("wal").put(data.slice(), i);
					t.commit();
				};
				next(1);
			`)
			ended := make(chan struct{})
			done := js.FuncOf(func(js.Value, []js.Value) any { close(ended); return nil })
			defer done.Release()
			b.ResetTimer()
			script.Invoke(s.connection.db, d.String(), b.N, done)
			<-ended
		})
	}
}

// BenchmarkLoad loads a store with the directory of a million entities.
func BenchmarkLoad(b *testing.B) {
	for _, blocks := range []int{0, 10_000} {
		b.Run(fmt.Sprint(blocks, " blocks"), func(b *testing.B) {
			name := newDatabase(b)
			s := openStorage(b, name, Options{})
			c := engine.Checkpoint{Meta: []byte(metaKey)}
			for i := range blocks {
				c.Puts = append(c.Puts, engine.Block{BlockInfo: engine.BlockInfo{
					ID: engine.BlockID(i + 1), Table: 1, Count: 100, Size: 32 << 10,
				}, Data: []byte("short")})
				c.Puts[i].First.RowKey = fmt.Sprintf("row%012d", i)
			}
			if err := s.Checkpoint(c); err != nil {
				b.Fatal(err)
			}
			_ = s.Close()
			for b.Loop() {
				s, err := Open(name, Options{})
				if err != nil {
					b.Fatal(err)
				}
				if d, err := s.Load(); err != nil || len(d.Blocks) != blocks {
					b.Fatalf("%d blocks, %v", len(d.Blocks), err)
				}
				_ = s.Close()
			}
		})
	}
}

// BenchmarkLoadWAL loads as many records as a worker may find that was stopped.
func BenchmarkLoadWAL(b *testing.B) {
	const records = 1500
	name := newDatabase(b)
	s := openStorage(b, name, Options{})
	for seq := range uint64(records) {
		if err := s.Append(seq+1, make([]byte, 300)); err != nil {
			b.Fatal(err)
		}
	}
	_ = s.Close()
	for b.Loop() {
		s, err := Open(name, Options{})
		if err != nil {
			b.Fatal(err)
		}
		if d, err := s.Load(); err != nil || len(d.WAL) != records {
			b.Fatalf("%d records, %v", len(d.WAL), err)
		}
		_ = s.Close()
	}
}

// BenchmarkCheckpoint replaces 16 blocks with directories of several sizes. A
// million small entities have about 3,000 blocks.
func BenchmarkCheckpoint(b *testing.B) {
	data := make([]byte, 31<<10)
	for _, blocks := range []int{16, 3000, 30_000} {
		b.Run(fmt.Sprint(blocks, " blocks"), func(b *testing.B) {
			s := openStorage(b, newDatabase(b), Options{})
			next := engine.BlockID(1)
			slice := func(n int, data []byte, deletes []engine.BlockID) (ids []engine.BlockID) {
				c := engine.Checkpoint{Meta: []byte(metaKey), Deletes: deletes}
				for range n {
					info := engine.BlockInfo{ID: next, Table: 1, Count: 400, Size: len(data)}
					info.First.PartitionKey, info.First.RowKey = "partition0001", fmt.Sprintf("row%012d", next)
					c.Puts = append(c.Puts, engine.Block{BlockInfo: info, Data: data})
					ids = append(ids, next)
					next++
				}
				if err := s.Checkpoint(c); err != nil {
					b.Fatal(err)
				}
				return ids
			}
			slice(blocks, []byte("short"), nil)
			deletes := slice(16, data, nil)
			for b.Loop() {
				deletes = slice(16, data, deletes)
			}
		})
	}
}

// BenchmarkDeleteBlocks deletes a thousand blocks at once; its cost is why a
// checkpoint does not.
func BenchmarkDeleteBlocks(b *testing.B) {
	const blocks = 1000
	data := make([]byte, 31<<10)
	s := openStorage(b, newDatabase(b), Options{})
	next := engine.BlockID(1)
	for b.Loop() {
		b.StopTimer()
		var ids []engine.BlockID
		for range blocks / 20 {
			c := engine.Checkpoint{Meta: []byte(metaKey)}
			for range 20 {
				c.Puts = append(c.Puts, engine.Block{BlockInfo: engine.BlockInfo{ID: next, Table: 1, Size: len(data)}, Data: data})
				ids = append(ids, next)
				next++
			}
			if err := s.Checkpoint(c); err != nil {
				b.Fatal(err)
			}
		}
		b.StartTimer()
		if err := s.Checkpoint(engine.Checkpoint{Meta: []byte(metaKey), Deletes: ids}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDeletion deletes 16 short blocks, with directories of several sizes.
func BenchmarkDeletion(b *testing.B) {
	for _, blocks := range []int{1000, 3000, 30_000} {
		b.Run(fmt.Sprint(blocks, " blocks"), func(b *testing.B) {
			s := openStorage(b, newDatabase(b), Options{})
			next := engine.BlockID(1)
			put := func(n int) {
				c := engine.Checkpoint{Meta: []byte(metaKey)}
				for range n {
					info := engine.BlockInfo{ID: next, Table: 1, Count: 400, Size: 5}
					info.First.PartitionKey, info.First.RowKey = "partition0001", fmt.Sprintf("row%012d", next)
					c.Puts = append(c.Puts, engine.Block{BlockInfo: info, Data: []byte("short")})
					next++
				}
				if err := s.Checkpoint(c); err != nil {
					b.Fatal(err)
				}
			}
			put(blocks)
			first := engine.BlockID(1)
			for b.Loop() {
				if int(next-first) <= blocks {
					b.StopTimer()
					put(320)
					b.StartTimer()
				}
				var ids []engine.BlockID
				for range 16 {
					ids = append(ids, first)
					first++
				}
				if err := s.Checkpoint(engine.Checkpoint{Meta: []byte(metaKey), Deletes: ids}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
