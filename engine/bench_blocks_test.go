package engine_test

import (
	"fmt"
	"runtime"
	"strconv"
	"testing"
	"time"

	"sandtable/engine"
	"sandtable/odata"
)

// smallProperties belong to an entity of about a hundred bytes by the service's count.
func smallProperties(i int) []odata.Property {
	return []odata.Property{
		{Name: "Name", Value: odata.StringValue("customer " + strconv.Itoa(i))},
		{Name: "Age", Value: odata.Int32Value(int32(i % 100))},
		{Name: "Balance", Value: odata.DoubleValue(float64(i) / 4)},
		{Name: "Active", Value: odata.BooleanValue(i%3 == 0)},
	}
}

// fillBench creates a store with n small entities in blocks and returns the
// blocks' size.
func fillBench(b *testing.B, n int) (m *engine.MemoryStorage, size int) {
	b.Helper()
	m = &engine.MemoryStorage{}
	db := open(b, m, engine.Options{})
	createTable(b, db, "Bench")
	for start := 0; start < n; start += 1000 {
		update(b, db, inTable("Bench", func(table *engine.Table) error {
			for i := start; i < min(start+1000, n); i++ {
				if _, err := table.Insert(benchKey(i), smallProperties(i)); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	must(b, db.Close())
	// Merge the rest of the WAL into blocks.
	db = open(b, m, engine.Options{CheckpointAfter: 1})
	update(b, db, func(tx *engine.Tx) error {
		return tx.PutAccount(engine.Account{Name: account, Properties: "x"})
	})
	db.Settle()
	must(b, db.Close())
	d, err := m.Load()
	must(b, err)
	for _, info := range d.Blocks {
		size += info.Size
	}
	return m, size
}

// runtimeGC returns the duration of a garbage collection in milliseconds.
func runtimeGC() float64 {
	start := time.Now()
	runtime.GC()
	return float64(time.Since(start).Microseconds()) / 1000
}

func heap() int {
	runtime.GC()
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int(s.HeapAlloc)
}

// BenchmarkHeap reads a million entities in blocks, all within the memory budget,
// and compares the heap with their encoded size.
func BenchmarkHeap(b *testing.B) {
	for range b.N {
		const n = 1_000_000
		before := heap()
		m, size := fillBench(b, n)
		db, err := engine.Open(m, engine.Options{MemoryBudget: 1 << 30})
		must(b, err)
		view(b, db, inTable("Bench", func(table *engine.Table) error {
			_, err := table.Query(engine.Query{Filter: parseFilter(b, "Age gt 1000")}).Page()
			return err
		}))
		used := heap() - before
		collection := runtimeGC()
		b.ReportMetric(float64(size)/n, "encoded-B/entity")
		b.ReportMetric(float64(used)/n, "heap-B/entity")
		b.ReportMetric(float64(used)/float64(size)*100-100, "%over")
		b.ReportMetric(collection, "ms/collection")
		must(b, db.Close())
		runtime.KeepAlive(m)
	}
}

// BenchmarkOpenSize opens stores of several sizes and reads one entity.
func BenchmarkOpenSize(b *testing.B) {
	for _, n := range []int{0, 10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			m, _ := fillBench(b, n)
			for b.Loop() {
				db, err := engine.Open(m, engine.Options{})
				must(b, err)
				view(b, db, inTable("Bench", func(table *engine.Table) error {
					if _, err := table.Get(benchKey(n / 2)); err != nil && n > 0 {
						return err
					}
					return nil
				}))
				must(b, db.Close())
			}
		})
	}
}

// BenchmarkInsertAnywhere inserts between a million entities, where a checkpoint
// writes the most bytes per change.
func BenchmarkInsertAnywhere(b *testing.B) {
	m, _ := fillBench(b, 1_000_000)
	db, err := engine.Open(m, engine.Options{})
	must(b, err)
	defer db.Close()
	properties := smallProperties(1)
	for i := 0; b.Loop(); i++ {
		k := benchKey(i * 7919 % 1_000_000)
		k.RowKey += strconv.Itoa(i)
		update(b, db, inTable("Bench", func(table *engine.Table) error {
			_, err := table.Insert(k, properties)
			return err
		}))
	}
	db.Settle()
}
