package storagetest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"

	"sandtable/engine"
)

var (
	histories = flag.Int("histories", 0, "number of histories in model tests; 0 picks what a test has time for")
	oneSeed   = flag.Int64("seed", -1, "run only the history with this seed, as printed by a failure")
)

// Seeds returns the seeds of a model test's histories: as many as -histories, by
// default n, or only -seed. They end with the first history that fails, and the test
// then says how to repeat it.
func Seeds(t *testing.T, n int) iter.Seq[uint64] {
	if *histories > 0 {
		n = *histories
	}
	from, to := uint64(0), uint64(n)
	if *oneSeed >= 0 {
		from = uint64(*oneSeed)
		to = from + 1
	}
	return func(yield func(uint64) bool) {
		seed := from
		defer func() { // also after FailNow
			if t.Failed() {
				t.Logf("history with -seed=%d", seed)
			}
		}()
		for ; seed < to; seed++ {
			if !yield(seed) || t.Failed() {
				return
			}
		}
	}
}

// Histories runs a history for each of n seeds on a new store: concurrent writers,
// each with a plain map that its tables must equal, a reader, compactions, and a
// storage that fails or stops at some call, after which the store is reopened. The
// seed determines the memory budget, the size of the WAL and the failures.
func Histories(t *testing.T, n int, create func(t *testing.T) Opener) {
	ran := 0
	for seed := range Seeds(t, n) {
		h := concurrentHistory{t: t, seed: seed, random: rand.New(rand.NewPCG(seed, 5)), open: create(t)}
		for i := range 1 + h.random.IntN(3) {
			w := newWorker(seed<<8+uint64(i), string(rune('A'+i))+"tab")
			w.account, w.snapshots = fmt.Sprint(account, i), true
			h.workers = append(h.workers, w)
		}
		for range 3 {
			if h.round(); t.Failed() {
				return
			}
		}
		ran++
	}
	t.Logf("%d histories", ran)
}

// concurrentHistory is a history with several concurrent workers.
type concurrentHistory struct {
	t       *testing.T
	seed    uint64
	random  *rand.Rand
	open    Opener
	workers []*worker
}

func (h *concurrentHistory) options() engine.Options {
	o := options()
	o.CheckpointAfter = []int{-1, 1, 500, 4000, 40_000}[h.random.IntN(5)]
	o.MemoryBudget = []int{1, 10 << 10, 40 << 10}[h.random.IntN(3)]
	return o
}

// round opens the store, works on it until the storage fails, and checks its
// contents after reopening.
func (h *concurrentHistory) round() {
	inner, err := h.open()
	must(h.t, err)
	fault := Fault(h.random.IntN(4))
	db, err := engine.Open(NewFaulty(inner, 2+h.random.IntN(60), fault), h.options())
	must(h.t, err)
	_ = db.Update(func(tx *engine.Tx) error {
		for _, w := range h.workers {
			if err := tx.PutAccount(engine.Account{Name: w.account}); err != nil {
				return err
			}
		}
		return nil
	})
	var wg sync.WaitGroup
	for _, w := range h.workers {
		steps := 5 + h.random.IntN(15)
		wg.Go(func() { w.unknown = workUntil(h.t, db, w, steps) })
	}
	maintenance, steps := rand.New(rand.NewPCG(h.seed, 6)), h.random.IntN(3)
	wg.Go(func() {
		for range steps {
			maintain(h.t, db, maintenance)
		}
	})
	wg.Wait()
	h.check(db, false)
	must(h.t, db.Close())

	inner, err = h.open()
	must(h.t, err)
	db, err = engine.Open(inner, h.options())
	must(h.t, err)
	checkCorruption(h.t, db, 0)
	checkSound(h.t, db)
	h.check(db, fault != Refuse)
	must(h.t, db.Close())
}

// workUntil runs transactions. It returns the store's other possible contents, nil
// if the model is certain.
func workUntil(t *testing.T, db *engine.DB, w *worker, steps int) (unknown Contents) {
	for range steps {
		before := w.model
		switch err := w.step(db); {
		case err == nil && maps.Equal(w.model, before):
		case err == nil:
			unknown = nil
		case !errors.Is(err, engine.ErrStorage) || !errors.Is(err, ErrFault):
			t.Errorf("step: %v", err)
			return nil
		case unknown == nil:
			unknown = w.pending
		}
	}
	return unknown
}

// maintain runs maintenance that must work at any time, concurrently with writers.
func maintain(t *testing.T, db *engine.DB, random *rand.Rand) {
	switch random.IntN(3) {
	case 0:
		if _, _, err := db.Compact(context.Background(), nil); err != nil && !errors.Is(err, engine.ErrStorage) {
			t.Errorf("compact: %v", err)
		}
	case 1:
		checkSound(t, db)
	case 2:
		ContentsOf(t, db, account+"0")
	}
}

// check compares each worker's tables with its model, or with the outcome of the
// transaction that the failure interrupted.
func (h *concurrentHistory) check(db *engine.DB, mayHave bool) {
	h.t.Helper()
	for _, w := range h.workers {
		got := ContentsOf(h.t, db, w.account)
		if mayHave && w.unknown != nil && got.diff(w.unknown) == "" {
			w.model = w.unknown
		}
		if d := got.diff(w.model); d != "" {
			h.t.Error(fmt.Errorf("seed %d, tables %s: %s", h.seed, w.prefix, d))
		}
	}
}
