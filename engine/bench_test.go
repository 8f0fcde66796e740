package engine_test

import (
	"fmt"
	"strconv"
	"testing"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/odata/filter"
)

const benchEntities = 100_000

// benchKey is cheap compared with the measured operations.
func benchKey(i int) odata.Key {
	b := strconv.AppendInt([]byte("row"), int64(10_000_000+i), 10)
	return odata.Key{PartitionKey: benchPartitions[i/1000%len(benchPartitions)], RowKey: string(b)}
}

var benchPartitions = func() (names [1000]string) {
	for i := range names {
		names[i] = fmt.Sprintf("partition%03d", i)
	}
	return names
}()

func benchProperties(i int) []odata.Property {
	return []odata.Property{
		{Name: "Name", Value: odata.StringValue(fmt.Sprint("customer ", i))},
		{Name: "Age", Value: odata.Int32Value(int32(i % 100))},
		{Name: "Balance", Value: odata.DoubleValue(float64(i) / 4)},
		{Name: "Active", Value: odata.BooleanValue(i%3 == 0)},
	}
}

// benchDB returns a DB with n entities, all in blocks.
func benchDB(b *testing.B, n int) *engine.DB {
	b.Helper()
	m, _ := fillBench(b, n)
	db := open(b, m, engine.Options{CheckpointAfter: -1})
	b.ReportAllocs()
	b.ResetTimer()
	return db
}

// Benchmarks of about a microsecond call the DB directly: b.Helper, which view
// and update call, would take a fifth of the time.

func BenchmarkPointRead(b *testing.B) {
	db := benchDB(b, benchEntities)
	keys := make([]odata.Key, 1000)
	for i := range keys {
		keys[i] = benchKey(i * 7919 % benchEntities)
	}
	b.ResetTimer()
	for i := 0; b.Loop(); i++ {
		err := db.View(func(tx *engine.Tx) error {
			table, err := tx.Table(account, "Bench")
			if err == nil {
				_, err = table.Get(keys[i%len(keys)])
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkInsert(b *testing.B) { benchmarkInsert(b, engine.Options{}) }

func BenchmarkInsertWithoutCheckpoints(b *testing.B) {
	benchmarkInsert(b, engine.Options{CheckpointAfter: -1})
}

func benchmarkInsert(b *testing.B, options engine.Options) {
	db := openMemory(b, options)
	createTable(b, db, "Bench")
	properties := benchProperties(1)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		key := benchKey(i)
		err := db.Update(func(tx *engine.Tx) error {
			table, err := tx.Table(account, "Bench")
			if err == nil {
				_, err = table.Insert(key, properties)
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkInsertParallel(b *testing.B) {
	db := openMemory(b, engine.Options{CheckpointAfter: -1})
	createTable(b, db, "Bench")
	b.ReportAllocs()
	b.SetParallelism(16)
	b.RunParallel(func(pb *testing.PB) {
		properties := benchProperties(1)
		for pb.Next() {
			err := db.Update(func(tx *engine.Tx) error {
				table, err := tx.Table(account, "Bench")
				if err == nil {
					_, err = table.Replace(odata.Key{PartitionKey: "p", RowKey: "r"}, properties, engine.Upsert)
				}
				return err
			})
			if err != nil {
				b.Error(err)
				return
			}
		}
	})
}

func benchScan(b *testing.B, expr filter.Expr) {
	db := benchDB(b, benchEntities)
	b.ResetTimer()
	for b.Loop() {
		view(b, db, func(tx *engine.Tx) error {
			table, err := tx.Table(account, "Bench")
			if err != nil {
				return err
			}
			rows := table.Query(engine.Query{Filter: expr, Limit: 1000})
			defer rows.Close()
			for rows.Next() {
				rows.Row()
			}
			if n := rows.Explain().Examined; n < 1000 {
				b.Fatalf("examined %d", n)
			}
			return rows.Err()
		})
	}
}

func parseFilter(b testing.TB, text string) filter.Expr {
	b.Helper()
	x, err := filter.Parse(text)
	if err != nil {
		b.Fatal(err)
	}
	return x
}

// BenchmarkScan scans all entities for a filter that matches none.
func BenchmarkScan(b *testing.B) {
	benchScan(b, parseFilter(b, "Age gt 1000"))
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchEntities, "ns/entity")
}

// BenchmarkPage reads pages of a thousand entities.
func BenchmarkPage(b *testing.B) { benchScan(b, nil) }

func BenchmarkOpen(b *testing.B) {
	for _, after := range []int{-1, 1} {
		name := "from the WAL"
		if after > 0 {
			name = "from blocks"
		}
		b.Run(name, func(b *testing.B) {
			m := &engine.MemoryStorage{}
			db := open(b, m, engine.Options{CheckpointAfter: after})
			createTable(b, db, "Bench")
			for start := 0; start < benchEntities; start += 100 {
				update(b, db, func(tx *engine.Tx) error {
					table, err := tx.Table(account, "Bench")
					for i := start; i < start+100 && err == nil; i++ {
						_, err = table.Insert(benchKey(i), benchProperties(i))
					}
					return err
				})
			}
			must(b, db.Close())
			for b.Loop() {
				db := open(b, m, engine.Options{CheckpointAfter: -1})
				must(b, db.Close())
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchEntities, "ns/entity")
		})
	}
}
