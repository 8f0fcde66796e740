package engine_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"sandtable/engine"
)

// TestCrash copies the storage at random moments under load: each copy contains
// every batch acknowledged before, and every batch is whole or absent.
func TestCrash(t *testing.T) {
	m := &engine.MemoryStorage{}
	db := open(t, m, engine.Options{CheckpointAfter: 5000})
	createTable(t, db, "Table")
	const writers, batches, batch = 6, 150, 3
	var mu sync.Mutex
	acknowledged := make(map[string]bool)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range batches {
				name := fmt.Sprint(w, "-", i)
				err := db.Update(inTable("Table", func(table *engine.Table) error {
					for row := range batch {
						if _, err := table.Insert(key(name, fmt.Sprint(row)), number(i)); err != nil {
							return err
						}
					}
					return nil
				}))
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				acknowledged[name] = true
				mu.Unlock()
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	for crashes := 0; ; crashes++ {
		mu.Lock()
		var want []string
		for name := range acknowledged {
			want = append(want, name)
		}
		mu.Unlock()
		checkCrashed(t, m.Clone(), want, batch)
		select {
		case <-done:
			t.Logf("%d crashes", crashes)
			return
		default:
			runtime.Gosched()
		}
	}
}

func checkCrashed(t *testing.T, m *engine.MemoryStorage, want []string, batch int) {
	t.Helper()
	db, err := engine.Open(m, engine.Options{})
	must(t, err)
	if d := db.Corruption(); len(d) > 0 {
		t.Fatalf("corruption: %v", d)
	}
	rows := make(map[string]int)
	view(t, db, inTable("Table", func(table *engine.Table) error {
		page, err := table.Query(engine.Query{}).Page()
		for _, e := range page.Entities {
			rows[e.PartitionKey]++
		}
		return err
	}))
	for _, name := range want {
		if rows[name] == 0 {
			t.Fatalf("acknowledged batch %s is lost", name)
		}
	}
	for name, n := range rows {
		if n != batch {
			t.Fatalf("%d entities of batch %s, want all %d", n, name, batch)
		}
	}
}
