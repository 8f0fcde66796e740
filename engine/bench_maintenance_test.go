package engine_test

import (
	"runtime/metrics"
	"slices"
	"strconv"
	"testing"
	"time"

	"sandtable/engine"
)

const million = 1_000_000

// milliseconds converts a duration to a metric.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// pauses returns a histogram of the garbage collector's pauses: upper bounds in
// seconds, with their counts since another call.
func pauses(before *metrics.Float64Histogram) (now *metrics.Float64Histogram, longest float64) {
	sample := []metrics.Sample{{Name: "/sched/pauses/total/gc:seconds"}}
	metrics.Read(sample)
	now = sample[0].Value.Float64Histogram()
	for i, n := range now.Counts {
		if before == nil || n > before.Counts[i] {
			if n > 0 {
				longest = now.Buckets[i+1]
			}
		}
	}
	return &metrics.Float64Histogram{Counts: slices.Clone(now.Counts), Buckets: now.Buckets}, longest
}

// aBreak is the pause between writes that must not fill the WAL.
const aBreak = 500 * time.Microsecond

// writeUntil writes small entities at intervals until done is closed and returns
// the longest latency and the number of writes. Without a break it fills the WAL
// and has to wait for the checkpoint.
func writeUntil(b *testing.B, db *engine.DB, table string, rest time.Duration, done chan struct{}) (longest time.Duration, n int) {
	for ; ; n++ {
		select {
		case <-done:
			return longest, n
		default:
		}
		start := time.Now()
		update(b, db, inTable(table, func(table *engine.Table) error {
			_, err := table.Replace(key("p", strconv.Itoa(n%1000)), number(n), engine.Upsert)
			return err
		}))
		longest = max(longest, time.Since(start))
		time.Sleep(rest)
	}
}

// BenchmarkPauses scans and writes a store of a million entities, with all blocks
// in memory, and prints the longest stop-the-world pause.
func BenchmarkPauses(b *testing.B) {
	m, _ := fillBench(b, million)
	db, err := engine.Open(m, engine.Options{MemoryBudget: 1 << 30})
	must(b, err)
	createTable(b, db, "Other")
	none := parseFilter(b, "Age gt 1000")
	before, _ := pauses(nil)
	var longest time.Duration
	for b.Loop() {
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range 3 {
				view(b, db, inTable("Bench", func(table *engine.Table) error {
					_, err := table.Query(engine.Query{Filter: none}).Page()
					return err
				}))
			}
		}()
		took, _ := writeUntil(b, db, "Other", aBreak, done)
		longest = max(longest, took)
	}
	_, stop := pauses(before)
	b.ReportMetric(stop*1000, "ms-longest-stop")
	b.ReportMetric(milliseconds(longest), "ms-longest-write")
	must(b, db.Close())
}

// BenchmarkDeleteTable deletes a table of a million entities and prints how long
// that took, how long until its blocks were freed, and the longest latency of a
// concurrent write to another table.
func BenchmarkDeleteTable(b *testing.B) {
	var deleting, freeing, longest time.Duration
	for range b.N {
		b.StopTimer()
		m, _ := fillBench(b, million)
		db, err := engine.Open(m, engine.Options{CheckpointAfter: 1 << 30})
		must(b, err)
		createTable(b, db, "Other")
		b.StartTimer()
		start := time.Now()
		update(b, db, func(tx *engine.Tx) error { return tx.DeleteTable(account, "Bench") })
		deleting += time.Since(start)
		createTable(b, db, "Bench")
		start = time.Now()
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _, err := db.Compact(b.Context(), nil)
			must(b, err)
			freeing += time.Since(start)
		}()
		took, _ := writeUntil(b, db, "Other", aBreak, done)
		longest = max(longest, took)
		must(b, db.Close())
	}
	b.ReportMetric(milliseconds(deleting)/float64(b.N), "ms-to-delete")
	b.ReportMetric(milliseconds(freeing)/float64(b.N), "ms-to-free")
	b.ReportMetric(milliseconds(longest), "ms-longest-write")
}

// BenchmarkWriteDuringCheckpoint changes entities scattered over a million, so
// that the checkpoint rewrites nearly all blocks, and prints the longest latency
// of a concurrent write next to that of as many writes at rest. A writer without
// breaks reaches the WAL's size limit.
func BenchmarkWriteDuringCheckpoint(b *testing.B) {
	b.Run("at intervals", func(b *testing.B) { benchWriteDuringCheckpoint(b, aBreak) })
	b.Run("without a break", func(b *testing.B) { benchWriteDuringCheckpoint(b, 0) })
}

func benchWriteDuringCheckpoint(b *testing.B, between time.Duration) {
	var longest, atRest time.Duration
	for range b.N {
		b.StopTimer()
		m, _ := fillBench(b, million)
		db, err := engine.Open(m, engine.Options{CheckpointAfter: 1 << 30})
		must(b, err)
		createTable(b, db, "Other")
		for start := 0; start < million; start += million / 10 {
			update(b, db, inTable("Bench", func(table *engine.Table) error {
				for i := start; i < start+million/10; i += 200 {
					if _, err := table.Merge(benchKey(i), number(i), engine.MustExist); err != nil {
						return err
					}
				}
				return nil
			}))
		}
		b.StartTimer()
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _, err := db.Compact(b.Context(), nil)
			must(b, err)
		}()
		took, n := writeUntil(b, db, "Other", between, done)
		longest = max(longest, took)
		rest := make(chan struct{})
		go func() { time.Sleep(b.Elapsed() / time.Duration(b.N)); close(rest) }()
		took, _ = writeUntil(b, db, "Other", aBreak, rest)
		atRest = max(atRest, took)
		b.ReportMetric(float64(n), "writes-meanwhile")
		must(b, db.Close())
	}
	b.ReportMetric(milliseconds(longest), "ms-longest-write")
	b.ReportMetric(milliseconds(atRest), "ms-longest-at-rest")
}

// BenchmarkVerify verifies a million entities.
func BenchmarkVerify(b *testing.B) {
	m, _ := fillBench(b, million)
	db, err := engine.Open(m, engine.Options{})
	must(b, err)
	for b.Loop() {
		report, err := db.Verify(b.Context(), engine.VerifyOptions{})
		if err != nil || report.Entities != million || len(report.Problems) > 0 {
			b.Fatalf("%+v, %v", report, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/million, "ns/entity")
	must(b, db.Close())
}

// BenchmarkAccountOfManyTables takes a snapshot of an account and deletes the account. The
// time for each table stays the same.
func BenchmarkAccountOfManyTables(b *testing.B) {
	for _, n := range []int{1_000, 40_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				db := openMemory(b, engine.Options{CheckpointAfter: -1})
				update(b, db, func(tx *engine.Tx) error {
					for i := range n {
						if err := tx.CreateTable(account, "T"+strconv.Itoa(i)); err != nil {
							return err
						}
					}
					return nil
				})
				b.StartTimer()
				update(b, db, func(tx *engine.Tx) error {
					_, err := tx.TakeSnapshot(account, "many", engine.SnapshotTaken)
					return err
				})
				update(b, db, func(tx *engine.Tx) error { return tx.DeleteAccount(account) })
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/table")
		})
	}
}
