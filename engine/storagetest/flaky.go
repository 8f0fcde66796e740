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

// flaky is memory that fails any number of calls, reads among them.
type flaky struct {
	*engine.MemoryStorage
	write, read int         // one call in so many fails, of those that write and that read; 0 for none
	lose        int         // one in so many of the writes that fail was done
	quiet       atomic.Bool // none fails

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

// Append is that of the memory, or fails.
func (f *flaky) Append(seq uint64, record []byte) error {
	return f.try(2*f.write, func() error { return f.MemoryStorage.Append(seq, record) })
}

// Checkpoint is that of the memory, or fails.
func (f *flaky) Checkpoint(c engine.Checkpoint) error {
	return f.try(f.write, func() error { return f.MemoryStorage.Checkpoint(c) })
}

// ReadBlocks is that of the memory, or fails.
func (f *flaky) ReadBlocks(ids []engine.BlockID) ([][]byte, error) {
	if f.isOne(f.read) {
		return nil, ErrFault
	}
	return f.MemoryStorage.ReadBlocks(ids)
}

// openFlaky opens the memory, with the account, and has it fail from then on.
func openFlaky(t *testing.T, f *flaky, o engine.Options) *engine.DB {
	t.Helper()
	f.quiet.Store(true)
	db, err := engine.Open(f, o)
	must(t, err)
	must(t, db.Update(func(tx *engine.Tx) error { return tx.PutAccount(engine.Account{Name: account}) }))
	f.quiet.Store(false)
	return db
}

// FlakyHistories runs a history for each of n seeds on memory that fails any
// number of calls, while others read it, look after it, and now and then open a
// copy, as after a crash. How it is to fail follows from the seed; which calls it
// are depends on who comes when, too.
func FlakyHistories(t *testing.T, n int) {
	for seed := range Seeds(n) {
		h := flakyHistory{
			t: t, seed: seed, random: rand.New(rand.NewPCG(seed, 77)),
			memory: &engine.MemoryStorage{}, worker: newWorker(seed, "Tab"),
		}
		for range 3 {
			h.round()
			if t.Failed() {
				t.Fatalf("history with -seed=%d", seed)
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
	unknown []Contents // what the store may hold instead of the model
}

func (h *flakyHistory) round() {
	f := &flaky{
		MemoryStorage: h.memory, random: rand.New(rand.NewPCG(h.seed, 78)),
		write: 2 + h.random.IntN(6), read: 2 + h.random.IntN(20), lose: 1 + h.random.IntN(4),
	}
	o := options()
	o.CheckpointAfter = []int{1, 500, 4000}[h.random.IntN(3)]
	o.MemoryBudget = []int{1, 10 << 10, 40 << 10}[h.random.IntN(3)]
	h.unknown = nil // opening replaces what was refused by the account
	db := openFlaky(h.t, f, o)
	done := make(chan struct{})
	var beside sync.WaitGroup
	beside.Go(func() {
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
	for range 60 {
		h.step(db)
		if h.random.IntN(6) == 0 {
			h.checkStored(h.memory.Clone(), o)
		}
		if h.t.Failed() {
			break
		}
	}
	close(done)
	beside.Wait()
	f.quiet.Store(true)
	// A checkpoint may have a read under way that fails, in which others would
	// have a part. This waits for it.
	if _, _, err := db.Compact(context.Background(), nil); err != nil && !errors.Is(err, ErrFault) {
		h.t.Error(err)
	}
	ContentsOf(h.t, db, account).Check(h.t, h.worker.model)
	checkDamage(h.t, db, 0)
	must(h.t, db.Close())
	h.worker.model = h.checkStored(h.memory, o)
}

func (h *flakyHistory) step(db *engine.DB) {
	w, before := h.worker, h.worker.model
	switch err := w.step(db); {
	case err == nil && maps.Equal(w.model, before):
	case err == nil:
		h.unknown = nil // this record took the place of the refused ones
	case !errors.Is(err, engine.ErrStorage) || !errors.Is(err, ErrFault):
		h.t.Errorf("step: %v", err)
	default:
		h.unknown = append(h.unknown, w.pending)
	}
}

// checkStored opens what is stored and returns it: the model, or what was
// refused and may be there.
func (h *flakyHistory) checkStored(m *engine.MemoryStorage, o engine.Options) Contents {
	h.t.Helper()
	db, err := engine.Open(m, o)
	must(h.t, err)
	checkDamage(h.t, db, 0)
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

// useFlaky does something that may fail as its storage does, and not otherwise.
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
		t.Errorf("beside writers: %v", err)
	}
}

// How much the writers of MeetingHistories do.
const (
	meetingWriters  = 8
	meetingSteps    = 200
	meetingCounters = 4
)

// MeetingHistories runs a history for each of n seeds in which writers meet, on
// memory that refuses some of their writes: each adds to a few counters under
// the ETag that it has read, and inserts what all others insert, too. What
// succeeded is there once.
func MeetingHistories(t *testing.T, n int) {
	for seed := range Seeds(n) {
		m := &meeting{t: t, seed: seed}
		m.run()
		if t.Failed() {
			t.Fatalf("history with -seed=%d", seed)
		}
	}
}

type meeting struct {
	t        *testing.T
	seed     uint64
	db       *engine.DB
	added    [meetingCounters]atomic.Int64
	inserted [meetingSteps]atomic.Int64
}

func (m *meeting) run() {
	memory := &engine.MemoryStorage{}
	f := &flaky{MemoryStorage: memory, random: rand.New(rand.NewPCG(m.seed, 78)), write: 6, lose: 3}
	o := options()
	o.CheckpointAfter, o.MemoryBudget = 500, 1
	m.db = openFlaky(m.t, f, o)
	f.quiet.Store(true)
	must(m.t, m.db.Update(func(tx *engine.Tx) error { return tx.CreateTable(account, "Table") }))
	must(m.t, m.inTable(m.db.Update, func(table *engine.Table) error {
		for i := range 60 { // several blocks
			if _, err := table.Insert(counterKey(i), counter(0)); err != nil {
				return err
			}
		}
		return nil
	}))
	f.quiet.Store(false)
	var writers sync.WaitGroup
	for i := range meetingWriters {
		writers.Go(func() { m.write(rand.New(rand.NewPCG(m.seed, uint64(i)))) })
	}
	writers.Wait()
	f.quiet.Store(true)
	m.check()
	// The last record of the log is one that was accepted.
	must(m.t, m.db.Update(func(tx *engine.Tx) error { return tx.SetSettings("written") }))
	must(m.t, m.db.Close())
	var err error
	m.db, err = engine.Open(memory, o)
	must(m.t, err)
	m.check()
	must(m.t, m.db.Close())
}

func (m *meeting) inTable(do func(func(*engine.Tx) error) error, f func(*engine.Table) error) error {
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

func (m *meeting) write(random *rand.Rand) {
	for i := range meetingSteps {
		if err := errors.Join(m.add(random.IntN(meetingCounters)), m.insert(i)); err != nil {
			m.t.Error(err)
			return
		}
	}
}

// add adds one to a counter, unless another writer did since it was read, or
// the storage fails. The counters are in blocks of their own.
func (m *meeting) add(i int) error {
	k := counterKey(15 * i)
	var read *odata.Entity
	err := m.inTable(m.db.View, func(table *engine.Table) (err error) {
		read, err = table.Get(k)
		return err
	})
	if err != nil {
		return fmt.Errorf("read counter %d: %w", i, err)
	}
	n, _ := read.Property("N")
	err = m.inTable(m.db.Update, func(table *engine.Table) error {
		_, err := table.Replace(k, counter(n.Int()+1), engine.IfMatch(read.ETag()))
		return err
	})
	switch {
	case err == nil:
		m.added[i].Add(1)
	case !errors.Is(err, engine.ErrConditionNotMet) && !errors.Is(err, ErrFault):
		return fmt.Errorf("write counter %d: %w", i, err)
	}
	return nil
}

// insert inserts what all others do; where it is there, it is there for good.
func (m *meeting) insert(i int) error {
	err := m.inTable(m.db.Update, func(table *engine.Table) error {
		_, err := table.Insert(insertKey(i), counter(1))
		return err
	})
	switch {
	case err == nil:
		m.inserted[i].Add(1)
	case errors.Is(err, engine.ErrEntityExists):
		err := m.inTable(m.db.View, func(table *engine.Table) error {
			_, err := table.Get(insertKey(i))
			return err
		})
		if err != nil {
			return fmt.Errorf("read what exists, %d: %w", i, err)
		}
	case !errors.Is(err, ErrFault):
		return fmt.Errorf("insert %d: %w", i, err)
	}
	return nil
}

func (m *meeting) check() {
	m.t.Helper()
	checkSound(m.t, m.db)
	must(m.t, m.inTable(m.db.View, func(table *engine.Table) error {
		for i := range m.added {
			e, err := table.Get(counterKey(15 * i))
			if err != nil {
				return err
			}
			if n, _ := e.Property("N"); n.Int() != m.added[i].Load() {
				m.t.Errorf("counter %d is %d, and was added to %d times", i, n.Int(), m.added[i].Load())
			}
		}
		for i := range m.inserted {
			_, err := table.Get(insertKey(i))
			if n := m.inserted[i].Load(); n > 1 || (err == nil) != (n == 1) {
				m.t.Errorf("insert %d succeeded %d times, reading it: %v", i, n, err)
			}
		}
		return nil
	}))
}
