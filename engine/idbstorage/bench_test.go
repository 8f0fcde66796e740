//go:build js && wasm

package idbstorage

import (
	"fmt"
	"testing"

	"sandtable/engine"
	"sandtable/odata"
)

func benchKey(i int) odata.Key {
	return odata.Key{PartitionKey: fmt.Sprintf("partition%04d", i/1000), RowKey: fmt.Sprintf("row%08d", i)}
}

func benchProperties(i int) []odata.Property {
	return []odata.Property{
		{Name: "Name", Value: odata.StringValue(fmt.Sprint("customer ", i))},
		{Name: "Age", Value: odata.Int32Value(int32(i % 100))},
		{Name: "Balance", Value: odata.DoubleValue(float64(i) / 4)},
		{Name: "Active", Value: odata.BooleanValue(i%3 == 0)},
	}
}

func inBench(f func(*engine.Table) error) func(*engine.Tx) error {
	return func(tx *engine.Tx) error {
		table, err := tx.Table("bench", "Bench")
		if err != nil {
			return err
		}
		return f(table)
	}
}

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func openBench(b *testing.B, name string) *engine.DB {
	b.Helper()
	s, err := Open(name, Options{})
	must(b, err)
	db, err := engine.Open(s, engine.Options{})
	must(b, err)
	return db
}

// fillBench inserts n entities, a hundred per commit.
func fillBench(b *testing.B, name string, n int) {
	b.Helper()
	db := openBench(b, name)
	must(b, db.Update(func(tx *engine.Tx) error {
		if err := tx.PutAccount(engine.Account{Name: "bench"}); err != nil {
			return err
		}
		return tx.CreateTable("bench", "Bench")
	}))
	for start := 0; start < n; start += 100 {
		must(b, db.Update(inBench(func(table *engine.Table) error {
			for i := start; i < start+100; i++ {
				if _, err := table.Insert(benchKey(i), benchProperties(i)); err != nil {
					return err
				}
			}
			return nil
		})))
	}
	must(b, db.Close())
}

// BenchmarkOpen opens a store and reads one entity, as a restarted worker does,
// with a WAL to replay and without one.
func BenchmarkOpen(b *testing.B) {
	for _, n := range []int{0, 10_000, 100_000, 1_000_000} {
		name := fmt.Sprint("idbstorage-bench-", n)
		must(b, deleteDatabase(name, DefaultTimeout))
		filled := false
		b.Run(fmt.Sprint(n, "/wal"), func(b *testing.B) {
			if !filled {
				fillBench(b, name, n)
				filled = true
			}
			benchOpen(b, name, n)
		})
		b.Run(fmt.Sprint(n, "/blocks"), func(b *testing.B) {
			checkpointBench(b, name)
			benchOpen(b, name, n)
		})
		must(b, deleteDatabase(name, DefaultTimeout))
	}
}

func benchOpen(b *testing.B, name string, n int) {
	for b.Loop() {
		db := openBench(b, name)
		must(b, db.View(inBench(func(table *engine.Table) error {
			if _, err := table.Get(benchKey(n / 2)); err != nil && n > 0 {
				return err
			}
			return nil
		})))
		must(b, db.Close())
	}
}

// checkpointBench writes a checkpoint.
func checkpointBench(b *testing.B, name string) {
	b.Helper()
	s, err := Open(name, Options{})
	must(b, err)
	db, err := engine.Open(s, engine.Options{CheckpointAfter: 1})
	must(b, err)
	must(b, db.Update(func(tx *engine.Tx) error {
		a, err := tx.Account("bench")
		if err != nil {
			return err
		}
		a.Properties += "x"
		return tx.PutAccount(a)
	}))
	must(b, db.Close())
}

// BenchmarkImport inserts 100,000 entities, a hundred per commit.
func BenchmarkImport(b *testing.B) {
	for i := 0; b.Loop(); i++ {
		name := fmt.Sprint("idbstorage-import-", i)
		fillBench(b, name, 100_000)
		must(b, deleteDatabase(name, DefaultTimeout))
	}
}

// BenchmarkScan scans 100,000 entities whose blocks are not in memory.
func BenchmarkScan(b *testing.B) {
	const n = 100_000
	name := "idbstorage-scan"
	must(b, deleteDatabase(name, DefaultTimeout))
	b.Cleanup(func() { must(b, deleteDatabase(name, DefaultTimeout)) })
	fillBench(b, name, n)
	s, err := Open(name, Options{})
	must(b, err)
	db, err := engine.Open(s, engine.Options{MemoryBudget: 1 << 20})
	must(b, err)
	for b.Loop() {
		must(b, db.View(inBench(func(table *engine.Table) error {
			page, err := table.Query(engine.Query{}).Page()
			if len(page.Entities) != n {
				b.Fatalf("%d entities", len(page.Entities))
			}
			return err
		})))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/entity")
	must(b, db.Close())
}
