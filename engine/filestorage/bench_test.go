package filestorage_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"sandtable/engine"
	"sandtable/engine/filestorage"
	"sandtable/odata"
)

var durabilities = []engine.Durability{engine.Strict, engine.Relaxed}

// BenchmarkAppend appends records of one insert each and truncates the WAL at the
// engine's limit.
func BenchmarkAppend(b *testing.B) {
	for _, durability := range durabilities {
		b.Run(durability.String(), func(b *testing.B) {
			s, err := filestorage.Open(b.TempDir(), filestorage.Options{Durability: durability})
			must(b, err)
			record := make([]byte, 150)
			for seq := uint64(1); b.Loop(); seq++ {
				must(b, s.Append(seq, record))
				if seq%2600 == 0 {
					must(b, s.Checkpoint(engine.Checkpoint{Seq: seq}))
				}
			}
			must(b, s.Close())
		})
	}
}

// BenchmarkPlainLog is the lower bound: one write and one sync per record.
func BenchmarkPlainLog(b *testing.B) {
	for _, durability := range durabilities {
		b.Run(durability.String(), func(b *testing.B) {
			file, err := os.Create(filepath.Join(b.TempDir(), "log"))
			must(b, err)
			record := make([]byte, 150)
			for b.Loop() {
				_, err := file.Write(record)
				must(b, err)
				if durability == engine.Strict {
					must(b, file.Sync())
				}
			}
			must(b, file.Close())
		})
	}
}

// BenchmarkInsert inserts entities through the engine, with group commit and
// checkpoints.
func BenchmarkInsert(b *testing.B) {
	for _, durability := range durabilities {
		for _, writers := range []int{1, 32} {
			b.Run(fmt.Sprintf("%s/%d writers", durability, writers), func(b *testing.B) {
				s, err := filestorage.Open(b.TempDir(), filestorage.Options{Durability: durability})
				must(b, err)
				benchInsert(b, s, writers)
			})
		}
	}
}

func benchInsert(b *testing.B, s engine.Storage, writers int) {
	db, err := engine.Open(s, engine.Options{})
	must(b, err)
	createTable(b, db)
	properties := []odata.Property{
		{Name: "Name", Value: odata.StringValue("customer 1")}, {Name: "Age", Value: odata.Int32Value(7)},
		{Name: "Balance", Value: odata.DoubleValue(0.25)}, {Name: "Active", Value: odata.BooleanValue(true)},
	}
	var last atomic.Int64
	var wg sync.WaitGroup
	b.ResetTimer()
	for range writers {
		wg.Go(func() {
			for n := last.Add(1); n <= int64(b.N); n = last.Add(1) {
				key := odata.Key{PartitionKey: "p" + strconv.FormatInt(n/1000, 10), RowKey: strconv.FormatInt(n, 10)}
				err := db.Update(inTable(func(table *engine.Table) error {
					_, err := table.Insert(key, properties)
					return err
				}))
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "inserts/s")
	must(b, db.Close())
}

// BenchmarkOpen opens a store of many blocks, without reading them.
func BenchmarkOpen(b *testing.B) {
	folder := b.TempDir()
	s, err := filestorage.Open(folder, filestorage.Options{Durability: engine.Relaxed})
	must(b, err)
	const blocks = 4000 // 128 MB: a million small entities
	for start := 0; start < blocks; start += 100 {
		c := engine.Checkpoint{Meta: []byte("meta")}
		for i := start; i < start+100; i++ {
			info := engine.BlockInfo{ID: engine.BlockID(i + 1), Table: 1, First: odata.Key{RowKey: fmt.Sprint(i)}, Size: 32 << 10}
			c.Puts = append(c.Puts, engine.Block{BlockInfo: info, Data: make([]byte, 32<<10)})
		}
		must(b, s.Checkpoint(c))
	}
	must(b, s.Close())
	for b.Loop() {
		s, err := filestorage.Open(folder, filestorage.Options{})
		must(b, err)
		_, err = s.Load()
		must(b, err)
		must(b, s.Close())
	}
}
