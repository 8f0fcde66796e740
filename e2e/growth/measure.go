package main

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"sandtable/engine"
	"sandtable/engine/filestorage"
	"sandtable/odata/filter"
)

const account = "growth"

// store is a store of one shape under measurement.
type store struct {
	shape
	folder string
	data   float64 // bytes of blocks
	db     *engine.DB
	random *rand.Rand
}

func (s shape) measure(folder string) (f figures, err error) {
	dir, err := os.MkdirTemp(folder, "sandtable-growth-")
	if err != nil {
		return f, err
	}
	defer os.RemoveAll(dir)
	at := &store{shape: s, folder: dir, random: rand.New(rand.NewPCG(1, uint64(s.n)))}
	for _, step := range []func(*figures) error{at.load, at.open, at.readHeap, at.points, at.pages, at.scan, at.updates, at.inserts} {
		if err := step(&f); err != nil {
			return f, err
		}
	}
	return f, at.db.Close()
}

// start opens the store.
func (s *store) start(durability engine.Durability) error {
	files, err := filestorage.Open(s.folder, filestorage.Options{Durability: durability})
	if err != nil {
		return err
	}
	s.db, err = engine.Open(files, engine.Options{})
	return err
}

func (s *store) in(table string, f func(*engine.Table) error) func(*engine.Tx) error {
	return func(tx *engine.Tx) error {
		t, err := tx.Table(account, table)
		if err != nil {
			return err
		}
		return f(t)
	}
}

// load fills the store in key order, and counts the bytes of its blocks.
func (s *store) load(f *figures) error {
	if err := s.start(engine.Relaxed); err != nil {
		return err
	}
	if err := s.db.Update(func(tx *engine.Tx) error { return tx.PutAccount(engine.Account{Name: account}) }); err != nil {
		return err
	}
	begin, last := time.Now(), ""
	for i := 0; i < s.n; i += s.batch {
		table := s.table(i)
		create := table != last
		last = table
		if err := s.db.Update(func(tx *engine.Tx) error {
			if create {
				if err := tx.CreateTable(account, table); err != nil {
					return err
				}
			}
			return s.in(table, func(t *engine.Table) error { return s.insertRows(t, i, i+s.batch) })(tx)
		}); err != nil {
			return err
		}
	}
	f.load = time.Since(begin).Seconds() / float64(s.n)
	if err := s.settle(); err != nil {
		return err
	}
	return s.sizes(f)
}

func (s *store) insertRows(t *engine.Table, from, to int) error {
	for i := from; i < min(to, s.n); i++ {
		if _, err := t.Insert(s.key(i), s.properties(i)); err != nil {
			return err
		}
	}
	return nil
}

// settle writes all changes to blocks, and closes the store.
func (s *store) settle() error {
	_, _, err := s.db.Compact(context.Background(), nil)
	return errors.Join(err, s.db.Close())
}

func (s *store) sizes(f *figures) error {
	files, err := filestorage.Open(s.folder, filestorage.Options{})
	if err != nil {
		return err
	}
	d, err := files.Load()
	if err != nil {
		return err
	}
	for _, b := range d.Blocks {
		s.data += float64(b.Size)
	}
	if err := files.Close(); err != nil {
		return err
	}
	var total float64
	err = filepath.WalkDir(s.folder, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			total += float64(info.Size())
		}
		return err
	})
	f.files = total / s.data
	return err
}

// open is the median of five openings with the read of one entity each. The last
// one stays open.
func (s *store) open(f *figures) error {
	var took []float64
	for n := range 5 {
		if n > 0 {
			if err := s.db.Close(); err != nil {
				return err
			}
		}
		begin := time.Now()
		if err := s.start(engine.Strict); err != nil {
			return err
		}
		if err := s.read(s.n / 2); err != nil {
			return err
		}
		took = append(took, time.Since(begin).Seconds())
	}
	f.open = median(took)
	return nil
}

func (s *store) read(i int) error {
	return s.db.View(s.in(s.table(i), func(t *engine.Table) error {
		_, err := t.Get(s.key(i))
		return err
	}))
}

// readHeap is the heap after all was read, within the memory budget.
func (s *store) readHeap(f *figures) error {
	if err := s.scan(&figures{}); err != nil {
		return err
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	f.heap = float64(m.HeapAlloc) / s.data
	return nil
}

func (s *store) points(f *figures) (err error) {
	f.read, err = each(20_000, 3*time.Second, func(int) error { return s.read(s.random.IntN(s.n)) })
	return err
}

func (s *store) pages(f *figures) (err error) {
	f.page, err = each(1000, 3*time.Second, func(int) error {
		i := s.random.IntN(s.n) / 500 * 500
		return s.db.View(s.in(s.table(i), func(t *engine.Table) error {
			_, err := t.Query(engine.Query{From: s.key(i), Limit: 500}).Page()
			return err
		}))
	})
	return err
}

// scan reads the first table with a filter that nothing matches; of many tables,
// so much that there is something to measure.
func (s *store) scan(f *figures) error {
	none, err := filter.Parse("Age gt 1000")
	if err != nil {
		return err
	}
	examined := 0
	begin := time.Now()
	for i, last := 0, ""; i < s.n; i += 100 {
		if s.table(i) == last {
			continue
		}
		last = s.table(i)
		if err := s.db.View(s.in(last, func(t *engine.Table) error {
			page, err := t.Query(engine.Query{Filter: none}).Page()
			if err == nil {
				examined += page.Explain.Examined
			}
			return err
		})); err != nil {
			return err
		}
	}
	f.scan = time.Since(begin).Seconds() / float64(examined)
	return nil
}

// inserts adds entities between the others.
func (s *store) inserts(f *figures) (err error) {
	numbers := s.random.Perm(s.n)[:min(s.n, 20_000)]
	f.insert, err = s.parallel(len(numbers), limit, func(n int) error {
		i := numbers[n]
		key := s.key(i)
		key.RowKey += "+"
		return s.db.Update(s.in(s.table(i), func(t *engine.Table) error {
			_, err := t.Insert(key, s.properties(i))
			return err
		}))
	})
	return err
}

// limit ends a measurement that does not get through its steps.
const limit = 10 * time.Second

// parallel runs the steps with 32 goroutines, up to the limit, and returns the
// seconds of a step.
func (s *store) parallel(n int, limit time.Duration, step func(int) error) (float64, error) {
	var next atomic.Int64
	var wait sync.WaitGroup
	errs := make([]error, 32)
	begin := time.Now()
	for w := range errs {
		wait.Go(func() {
			for errs[w] == nil && time.Since(begin) < limit {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				errs[w] = step(i)
			}
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return 0, err
		}
	}
	return time.Since(begin).Seconds() / float64(min(int(next.Load()), n)), nil
}

// each repeats a step, at most n times and about so long, and returns the seconds
// of one.
func each(n int, long time.Duration, step func(int) error) (float64, error) {
	begin := time.Now()
	for i := range n {
		if time.Since(begin) > long {
			n = i
			break
		}
		if err := step(i); err != nil {
			return 0, err
		}
	}
	return time.Since(begin).Seconds() / float64(n), nil
}
