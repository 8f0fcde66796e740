package storagetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"sandtable/engine"
	"sandtable/odata"
)

// flaky is a memory storage that fails random calls, reads included.
type flaky struct {
	*engine.MemoryStorage
	write, read int         // one in this many writes and reads fails; 0 for none
	lose        int         // one in this many failing writes takes effect
	quiet       atomic.Bool // no call fails

	mu     sync.Mutex
	random *rand.Rand
}

func (f *flaky) isOne(in int) bool {
	if in == 0 || f.quiet.Load() {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.random.IntN(in) == 0
}

func (f *flaky) try(in int, do func() error) error {
	if !f.isOne(in) {
		return do()
	}
	if f.isOne(f.lose) {
		if err := do(); err != nil {
			return err
		}
		return ErrFault
	}
	if f.isOne(2) {
		return fmt.Errorf("%w: %w", ErrFault, engine.ErrNoSpace)
	}
	return ErrFault
}

// Append calls the memory storage or fails.
func (f *flaky) Append(seq uint64, record []byte) error {
	return f.try(2*f.write, func() error { return f.MemoryStorage.Append(seq, record) })
}

// Checkpoint calls the memory storage or fails.
func (f *flaky) Checkpoint(c engine.Checkpoint) error {
	return f.try(f.write, func() error { return f.MemoryStorage.Checkpoint(c) })
}

// ReadBlocks calls the memory storage or fails.
func (f *flaky) ReadBlocks(ids []engine.BlockID) ([][]byte, error) {
	if f.isOne(f.read) {
		return nil, ErrFault
	}
	return f.MemoryStorage.ReadBlocks(ids)
}

// openFlaky opens a DB with the account; the storage fails from then on.
func openFlaky(t *testing.T, f *flaky, o engine.Options) *engine.DB {
	t.Helper()
	f.quiet.Store(true)
	db, err := engine.Open(f, o)
	must(t, err)
	must(t, db.Update(func(tx *engine.Tx) error { return tx.PutAccount(engine.Account{Name: account}) }))
	f.quiet.Store(false)
	return db
}

// FlakyHistories runs a history for each of n seeds on a memory storage that fails
// random calls, while other goroutines read, run maintenance and sometimes open a
// copy, as after a crash. The seed determines the failure rates; which calls fail
// also depends on scheduling.
func FlakyHistories(t *testing.T, n int) {
	for seed := range Seeds(t, n) {
		h := flakyHistory{
			t: t, seed: seed, random: rand.New(rand.NewPCG(seed, 77)),
			memory: &engine.MemoryStorage{}, worker: newWorker(seed, "Tab"),
		}
		h.worker.snapshots = true
		for range 3 {
			if h.round(); t.Failed() {
				return
			}
		}
	}
}

type flakyHistory struct {
	t       *testing.T
	seed    uint64
	random  *rand.Rand
	memory  *engine.MemoryStorage
	worker  *worker
	unknown []Contents // other possible contents of the store
}

func (h *flakyHistory) round() {
	f := &flaky{
		MemoryStorage: h.memory, random: rand.New(rand.NewPCG(h.seed, 78)),
		write: 2 + h.random.IntN(6), read: 2 + h.random.IntN(20), lose: 1 + h.random.IntN(4),
	}
	o := options()
	o.CheckpointAfter = []int{1, 500, 4000}[h.random.IntN(3)]
	o.MemoryBudget = []int{1, 10 << 10, 40 << 10}[h.random.IntN(3)]
	h.unknown = nil // the account's record replaces the refused one
	db := openFlaky(h.t, f, o)
	done := make(chan struct{})
	var concurrent sync.WaitGroup
	concurrent.Go(func() {
		random := rand.New(rand.NewPCG(h.seed, 79))
		for {
			select {
			case <-done:
				return
			default:
				useFlaky(h.t, db, random)
			}
		}
	})
	stop := sync.OnceFunc(func() {
		close(done)
		concurrent.Wait()
	})
	defer stop()
	for range 60 {
		h.step(db)
		if h.random.IntN(6) == 0 {
			h.checkStored(h.memory.Clone(), o)
		}
		if h.t.Failed() {
			break
		}
	}
	stop()
	f.quiet.Store(true)
	// Waits for a checkpoint's failing read, which other readers would share.
	if _, _, err := db.Compact(context.Background(), nil); err != nil && !errors.Is(err, ErrFault) {
		h.t.Error(err)
	}
	ContentsOf(h.t, db, account).Check(h.t, h.worker.model)
	checkCorruption(h.t, db, 0)
	must(h.t, db.Close())
	h.worker.model = h.checkStored(h.memory, o)
}

func (h *flakyHistory) step(db *engine.DB) {
	w, before := h.worker, h.worker.model
	switch err := w.step(db); {
	case err == nil && maps.Equal(w.model, before):
	case err == nil:
		h.unknown = nil // this record replaced the refused ones
	case !errors.Is(err, engine.ErrStorage) || !errors.Is(err, ErrFault):
		h.t.Errorf("step: %v", err)
	default:
		h.unknown = append(h.unknown, w.pending)
	}
}

// checkStored opens a copy of the storage and returns its contents: the model, or a
// refused write that took effect.
func (h *flakyHistory) checkStored(m *engine.MemoryStorage, o engine.Options) Contents {
	h.t.Helper()
	db, err := engine.Open(m, o)
	must(h.t, err)
	checkCorruption(h.t, db, 0)
	checkSound(h.t, db)
	got := ContentsOf(h.t, db, account)
	must(h.t, db.Close())
	for _, u := range h.unknown {
		if got.diff(u) == "" {
			return got
		}
	}
	got.Check(h.t, h.worker.model)
	return got
}

// useFlaky calls a function that may only fail with the storage's errors.
func useFlaky(t *testing.T, db *engine.DB, random *rand.Rand) {
	var err error
	switch random.IntN(4) {
	case 0:
		_, _, err = db.Compact(context.Background(), nil)
	case 1:
		var report engine.Report
		report, err = db.Verify(context.Background(), engine.VerifyOptions{})
		for _, f := range report.Problems {
			t.Error(f)
		}
	default:
		err = db.View(func(tx *engine.Tx) error {
			for info := range tx.Tables(account, "") {
				table, err := tx.Table(account, info.Name)
				if err == nil {
					_, err = table.Query(engine.Query{}).Page()
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil && (!errors.Is(err, engine.ErrStorage) || !errors.Is(err, ErrFault)) {
		t.Errorf("concurrently with writers: %v", err)
	}
}

// The amount of work in ContendingHistories.
const (
	contentionWriters  = 8
	contentionSteps    = 200
	contentionCounters = 4
)

// ContendingHistories runs a history for each of n seeds in which writers contend,
// on a memory storage that refuses some of their writes: each increments a few
// counters with optimistic concurrency and inserts the same entities as all others.
// Every success must have taken effect once.
func ContendingHistories(t *testing.T, n int) {
	for seed := range Seeds(t, n) {
		(&contention{t: t, seed: seed}).run()
	}
}

// contention is a history of ContendingHistories.
type contention struct {
	t        *testing.T
	seed     uint64
	db       *engine.DB
	added    [contentionCounters]atomic.Int64
	inserted [contentionSteps]atomic.Int64
}

func (c *contention) run() {
	memory := &engine.MemoryStorage{}
	f := &flaky{MemoryStorage: memory, random: rand.New(rand.NewPCG(c.seed, 78)), write: 6, lose: 3}
	o := options()
	o.CheckpointAfter, o.MemoryBudget = 500, 1
	c.db = openFlaky(c.t, f, o)
	f.quiet.Store(true)
	must(c.t, c.db.Update(func(tx *engine.Tx) error { return tx.CreateTable(account, "Table") }))
	must(c.t, c.inTable(c.db.Update, func(table *engine.Table) error {
		for i := range 60 { // several blocks
			if _, err := table.Insert(counterKey(i), counter(0)); err != nil {
				return err
			}
		}
		return nil
	}))
	f.quiet.Store(false)
	var writers sync.WaitGroup
	for i := range contentionWriters {
		writers.Go(func() { c.write(rand.New(rand.NewPCG(c.seed, uint64(i)))) })
	}
	writers.Wait()
	f.quiet.Store(true)
	c.check()
	// The WAL's last record is an accepted one.
	must(c.t, c.db.Update(func(tx *engine.Tx) error { return tx.SetSettings("written") }))
	must(c.t, c.db.Close())
	var err error
	c.db, err = engine.Open(memory, o)
	must(c.t, err)
	c.check()
	must(c.t, c.db.Close())
}

func (c *contention) inTable(do func(func(*engine.Tx) error) error, f func(*engine.Table) error) error {
	return do(func(tx *engine.Tx) error {
		table, err := tx.Table(account, "Table")
		if err == nil {
			err = f(table)
		}
		return err
	})
}

func counterKey(i int) odata.Key { return odata.Key{PartitionKey: "p", RowKey: fmt.Sprintf("%03d", i)} }

func insertKey(i int) odata.Key { return odata.Key{PartitionKey: "q", RowKey: fmt.Sprint(i)} }

func counter(n int64) []odata.Property {
	return []odata.Property{
		{Name: "N", Value: odata.Int64Value(n)},
		{Name: "Pad", Value: odata.StringValue(string(make([]byte, 3000)))},
	}
}

func (c *contention) write(random *rand.Rand) {
	for i := range contentionSteps {
		if err := errors.Join(c.add(random.IntN(contentionCounters)), c.insert(i)); err != nil {
			c.t.Error(err)
			return
		}
	}
}

// add increments a counter, unless another writer has changed it since the read or
// the storage fails. Each counter is in its own block.
func (c *contention) add(i int) error {
	k := counterKey(15 * i)
	var read *odata.Entity
	err := c.inTable(c.db.View, func(table *engine.Table) (err error) {
		read, err = table.Get(k)
		return err
	})
	if err != nil {
		return fmt.Errorf("read counter %d: %w", i, err)
	}
	n, _ := read.Property("N")
	err = c.inTable(c.db.Update, func(table *engine.Table) error {
		_, err := table.Replace(k, counter(n.Int()+1), engine.IfMatch(read.ETag()))
		return err
	})
	switch {
	case err == nil:
		c.added[i].Add(1)
	case !errors.Is(err, engine.ErrConditionNotMet) && !errors.Is(err, ErrFault):
		return fmt.Errorf("write counter %d: %w", i, err)
	}
	return nil
}

// insert inserts an entity that all others insert too; an existing one must stay.
func (c *contention) insert(i int) error {
	err := c.inTable(c.db.Update, func(table *engine.Table) error {
		_, err := table.Insert(insertKey(i), counter(1))
		return err
	})
	switch {
	case err == nil:
		c.inserted[i].Add(1)
	case errors.Is(err, engine.ErrEntityExists):
		err := c.inTable(c.db.View, func(table *engine.Table) error {
			_, err := table.Get(insertKey(i))
			return err
		})
		if err != nil {
			return fmt.Errorf("read existing entity %d: %w", i, err)
		}
	case !errors.Is(err, ErrFault):
		return fmt.Errorf("insert %d: %w", i, err)
	}
	return nil
}

func (c *contention) check() {
	c.t.Helper()
	checkSound(c.t, c.db)
	must(c.t, c.inTable(c.db.View, func(table *engine.Table) error {
		for i := range c.added {
			e, err := table.Get(counterKey(15 * i))
			if err != nil {
				return err
			}
			if n, _ := e.Property("N"); n.Int() != c.added[i].Load() {
				c.t.Errorf("counter %d is %d after %d increments", i, n.Int(), c.added[i].Load())
			}
		}
		for i := range c.inserted {
			_, err := table.Get(insertKey(i))
			if n := c.inserted[i].Load(); n > 1 || (err == nil) != (n == 1) {
				c.t.Errorf("insert %d succeeded %d times; read: %v", i, n, err)
			}
		}
		return nil
	}))
}
