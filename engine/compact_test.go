package engine_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"sandtable/engine"
	"sandtable/engine/storagetest"
	"sandtable/odata"
)

// checkSound fails the test for every problem that Verify finds.
func checkSound(t *testing.T, db *engine.DB) engine.Report {
	t.Helper()
	report, err := db.Verify(t.Context(), engine.VerifyOptions{})
	must(t, err)
	for _, f := range report.Problems {
		t.Error(f)
	}
	return report
}

// deleteTwoThirds deletes two of every three of the first n entities.
func deleteTwoThirds(t *testing.T, db *engine.DB, n int) {
	t.Helper()
	update(t, db, inTable("Big", func(table *engine.Table) error {
		for i := range n {
			if i%3 == 0 {
				continue
			}
			if err := table.Delete(bigKey(i), engine.MustExist); err != nil {
				return err
			}
		}
		return nil
	}))
}

// TestCompact merges underfull blocks concurrently with writers and a reader, and
// empties the WAL.
func TestCompact(t *testing.T) {
	m, blocks := blocksStore(t)
	db, err := engine.Open(m, engine.Options{MemoryBudget: 200 << 10})
	must(t, err)
	// A third of each block is left, and full blocks at the end.
	deleteTwoThirds(t, db, blockEntities-300)
	began, reading := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		view(t, db, inTable("Big", func(table *engine.Table) error {
			close(began)
			<-reading
			page, err := table.Query(engine.Query{}).Page()
			if want := 300 + (blockEntities-300)/3; len(page.Entities) != want {
				t.Errorf("a reader of an older version found %d entities, want %d", len(page.Entities), want)
			}
			return err
		}))
	})
	<-began
	wg.Go(func() {
		for i := range 200 {
			update(t, db, inTable("Big", func(table *engine.Table) error {
				_, err := table.Replace(key("p1", fmt.Sprint("new", i)), number(i), engine.Upsert)
				return err
			}))
		}
	})
	steps := 0
	before, after, err := db.Compact(t.Context(), func(engine.Usage) { steps++ })
	must(t, err)
	close(reading)
	wg.Wait()
	if before.Records == 0 || steps < 2 {
		t.Errorf("before: %v; %d steps; after: %v", before, steps, after)
	}
	_, after, err = db.Compact(t.Context(), nil)
	must(t, err)
	if after.Blocks > blocks/3+20 || after.Records != 0 {
		t.Errorf("after: %v, there were %d blocks", after, blocks)
	}
	_, again, err := db.Compact(t.Context(), nil)
	must(t, err)
	if again.Blocks != after.Blocks {
		t.Errorf("a second run left %v, the first %v", again, after)
	}
	report := checkSound(t, db)
	if want := 300 + (blockEntities-300)/3 + 200 + 1; report.Entities != want || report.Garbage != 0 {
		t.Errorf("verified %+v, want %d entities", report, want)
	}
	want := storagetest.ContentsOf(t, db, account)
	must(t, db.Close())
	db, err = engine.Open(m, engine.Options{})
	must(t, err)
	storagetest.ContentsOf(t, db, account).Check(t, want)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := db.Compact(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	must(t, db.Close())
	if _, _, err := db.Compact(t.Context(), nil); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

// TestCompactEnds: a compaction is one pass, although updates leave new deltas during
// each of its steps.
func TestCompactEnds(t *testing.T) {
	const budget = 200 << 10
	m, blocks := blocksStore(t)
	db := open(t, m, engine.Options{CheckpointAfter: -1})
	deleteTwoThirds(t, db, blockEntities-300)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	steps := 0
	change := func(engine.Usage) {
		if steps++; steps > blocks {
			cancel()
		}
		update(t, db, inTable("Big", func(table *engine.Table) error {
			for n := range 3 {
				i := (steps + n*blockEntities/9) * 3 % blockEntities
				if _, err := table.Merge(bigKey(i), number(steps), engine.MustExist); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	if _, _, err := db.CompactBy(ctx, budget, change); err != nil || steps < 4 {
		t.Errorf("after %d steps: %v", steps, err)
	}
	_, after, err := db.CompactBy(t.Context(), budget, nil)
	must(t, err)
	if after.Blocks > blocks/3+20 {
		t.Errorf("after: %v, there were %d blocks", after, blocks)
	}
	_, again, err := db.CompactBy(t.Context(), budget, nil)
	must(t, err)
	if again.Blocks != after.Blocks {
		t.Errorf("a third run left %v, the second %v", again, after)
	}
	checkSound(t, db)
}

// TestCompactFails: a failed compaction leaves the store unchanged and sound.
func TestCompactFails(t *testing.T) {
	const entities = 300
	m, _ := makeBlocks(t, entities)
	for n := 1; n < 12; n++ {
		for _, fault := range []storagetest.Fault{storagetest.Refuse, storagetest.Lose, storagetest.StopBefore, storagetest.StopAfter} {
			copied := m.Clone()
			db, err := engine.Open(copied, engine.Options{CheckpointAfter: -1})
			must(t, err)
			deleteTwoThirds(t, db, entities)
			want := storagetest.ContentsOf(t, db, account)
			must(t, db.Close())

			db, err = engine.Open(storagetest.NewFaulty(copied, n, fault), engine.Options{})
			must(t, err)
			db.SetSlice(16 << 10)
			_, _, err = db.Compact(t.Context(), nil)
			if err != nil && (!errors.Is(err, engine.ErrStorage) || errors.Is(err, engine.ErrReading)) {
				t.Fatalf("%s at write %d: %v", fault, n, err)
			}
			checkSound(t, db)
			must(t, db.Close())
			db, err = engine.Open(copied, engine.Options{})
			must(t, err)
			checkSound(t, db)
			storagetest.ContentsOf(t, db, account).Check(t, want)
			if _, _, err := db.Compact(t.Context(), nil); err != nil {
				t.Fatalf("after %s at write %d: %v", fault, n, err)
			}
			if report := checkSound(t, db); report.Garbage != 0 || report.Records != 0 {
				t.Errorf("after %s at write %d: %+v", fault, n, report)
			}
			storagetest.ContentsOf(t, db, account).Check(t, want)
			must(t, db.Close())
			if t.Failed() {
				t.Fatalf("%s at write %d", fault, n)
			}
		}
	}
}

// TestCompactAfterSnapshots: blocks that a table shared with a snapshot until that was
// deleted are compacted like others.
func TestCompactAfterSnapshots(t *testing.T) {
	compacted := func(t *testing.T, db *engine.DB) (blocks int) {
		t.Helper()
		for range 2 {
			_, after, err := db.Compact(t.Context(), nil)
			must(t, err)
			blocks = after.Blocks
		}
		return blocks
	}
	thin := func(t *testing.T, db *engine.DB) {
		t.Helper()
		deleteTwoThirds(t, db, blockEntities-300)
		_, _, err := db.Compact(t.Context(), nil)
		must(t, err)
	}
	remove := func(t *testing.T, db *engine.DB, id string) {
		t.Helper()
		update(t, db, func(tx *engine.Tx) error { return tx.DeleteSnapshot(account, id) })
	}
	want := 0
	for _, c := range []struct {
		name string
		do   func(*testing.T, *engine.DB)
	}{
		{"no snapshot", thin},
		{"a deleted snapshot", func(t *testing.T, db *engine.DB) {
			id := takeSnapshot(t, db, "s")
			thin(t, db)
			remove(t, db, id)
		}},
		{"a restored and deleted snapshot", func(t *testing.T, db *engine.DB) {
			id := takeSnapshot(t, db, "s")
			restoreSnapshot(t, db, id)
			remove(t, db, id)
			thin(t, db)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, _ := blocksStore(t)
			db := open(t, m, engine.Options{IdleAfter: -1})
			c.do(t, db)
			got := compacted(t, db)
			if want == 0 {
				want = got
			}
			if got > want+2 {
				t.Errorf("%d blocks, want %d", got, want)
			}
			checkSound(t, db)
			must(t, db.Close())
			db = open(t, m.Clone(), engine.Options{IdleAfter: -1})
			if again := compacted(t, db); again > want+2 {
				t.Errorf("after a restart: %d blocks, want %d", again, want)
			}
			checkSound(t, db)
		})
	}
}

// TestMergeable: what a compaction has to gain is known without reading blocks, about.
func TestMergeable(t *testing.T) {
	everyTenth := func(change func(*engine.Table, odata.Key) error) func(*testing.T, *engine.DB) {
		return func(t *testing.T, db *engine.DB) {
			update(t, db, inTable("Big", func(table *engine.Table) error {
				for i := 0; i < blockEntities; i += 10 {
					if err := change(table, bigKey(i)); err != nil {
						return err
					}
				}
				return nil
			}))
		}
	}
	for _, test := range []struct {
		name   string
		change func(*testing.T, *engine.DB)
	}{
		{"nothing", func(*testing.T, *engine.DB) {}},
		{"updates", everyTenth(func(table *engine.Table, k odata.Key) error {
			_, err := table.Merge(k, number(1), engine.MustExist)
			return err
		})},
		{"inserts", everyTenth(func(table *engine.Table, k odata.Key) error {
			_, err := table.Replace(odata.Key{PartitionKey: k.PartitionKey, RowKey: k.RowKey + "+"}, number(1), engine.Upsert)
			return err
		})},
		{"a few deletions", everyTenth(func(table *engine.Table, k odata.Key) error { return table.Delete(k, engine.MustExist) })},
		{"many deletions", func(t *testing.T, db *engine.DB) { deleteTwoThirds(t, db, blockEntities-300) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, _ := blocksStore(t)
			db := open(t, m, engine.Options{CheckpointAfter: -1})
			test.change(t, db)
			if test.name == "many deletions" {
				if gain := db.Mergeable(); gain.Bytes < 1<<20 {
					t.Errorf("before a checkpoint, %+v were to gain", gain)
				}
			}
			// The first step of a compaction is a checkpoint that merges no blocks.
			ctx, cancel := context.WithCancel(t.Context())
			if _, _, err := db.Compact(ctx, func(engine.Usage) { cancel() }); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			gain := db.Mergeable()
			before, after, err := db.Compact(t.Context(), nil)
			must(t, err)
			freed := before.Bytes - after.Bytes
			if off := gain.Bytes - freed; off < -before.Bytes/50 || off > before.Bytes/50 {
				t.Errorf("%+v were to gain, and %d of %d bytes were freed", gain, freed, before.Bytes)
			}
			if (gain.Blocks > 0) != (after.Blocks != before.Blocks) {
				t.Errorf("%+v were to merge; before %v, after %v", gain, before, after)
			}
			if left := db.Mergeable(); left != (engine.Mergeable{}) {
				t.Errorf("left to merge: %+v", left)
			}
		})
	}
}

// TestMergeableInASnapshot: what was deleted since a snapshot is not to gain.
func TestMergeableInASnapshot(t *testing.T) {
	m, _ := blocksStore(t)
	db := open(t, m, engine.Options{CheckpointAfter: -1})
	takeSnapshot(t, db, "s")
	deleteTwoThirds(t, db, blockEntities-300)
	if gain := db.Mergeable(); gain != (engine.Mergeable{}) {
		t.Errorf("%+v are to gain, want nothing: the snapshot keeps all blocks", gain)
	}
}
