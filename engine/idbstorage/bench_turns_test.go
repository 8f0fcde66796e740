//go:build js && wasm

package idbstorage

import (
	"slices"
	"sync"
	"syscall/js"
	"testing"
	"time"

	"sandtable/engine"
	"sandtable/engine/eventloop"
)

// turnsScript records how long each turn of the Go program blocks the thread,
// and how long a self-renewing event waits for its turn.
const turnsScript = `
	const { prototype } = Go, resume = prototype._resume;
	const turns = [], gaps = [];
	let inside = false, going = true;
	prototype._resume = function () {
		if (inside) return resume.call(this);
		inside = true;
		const begin = performance.now();
		try { resume.call(this); } finally { inside = false; }
		if (going) turns.push(performance.now() - begin);
	};
	let last = performance.now();
	const { port1, port2 } = new MessageChannel();
	port1.onmessage = () => {
		const now = performance.now();
		gaps.push(now - last);
		last = now;
		if (going) port2.postMessage(null);
	};
	port2.postMessage(null);
	return () => {
		going = false;
		prototype._resume = resume;
		return [turns, gaps];
	};`

// sliced signals when a checkpoint starts to write.
type sliced struct {
	*Storage
	begun chan struct{}
	calls int
}

func (s *sliced) Checkpoint(c engine.Checkpoint) error {
	if s.calls++; s.calls == 1 {
		close(s.begun)
	}
	return s.Storage.Checkpoint(c)
}

// BenchmarkTurns merges scattered changes into nearly all blocks of a store and
// prints how long a turn of the program blocks the thread and how long an event
// waits. Without a Yield that returns to the event loop, a turn is a whole slice.
func BenchmarkTurns(b *testing.B) {
	const name = "idbstorage-turns"
	must(b, deleteDatabase(name, DefaultTimeout))
	b.Cleanup(func() { must(b, deleteDatabase(name, DefaultTimeout)) })
	fillBench(b, name, turnsEntities)
	checkpointBench(b, name)
	b.Run("of slices", func(b *testing.B) { benchTurns(b, name, nil, 0) })
	b.Run("of milliseconds", func(b *testing.B) { benchTurns(b, name, eventloop.Yield, 0) })
	b.Run("next to transactions of 100", func(b *testing.B) { benchTurns(b, name, eventloop.Yield, 4) })
}

const turnsEntities, turnsChanges = 200_000, 20_000

func benchTurns(b *testing.B, name string, yield func(), writers int) {
	var turns, waits measured
	var took time.Duration
	for range b.N {
		s, err := Open(name, Options{})
		must(b, err)
		w := &sliced{Storage: s, begun: make(chan struct{})}
		db, err := engine.Open(w, engine.Options{CheckpointAfter: 1 << 30, IdleAfter: time.Second, Yield: yield})
		must(b, err)
		for start := 0; start < turnsChanges; start += 100 {
			must(b, mergeBench(db, start*(turnsEntities/turnsChanges), turnsEntities/turnsChanges))
		}
		end := js.Global().Get("Function").New(turnsScript).Invoke()
		<-w.begun
		start, before := time.Now(), db.Stats().Checkpointed
		var wait sync.WaitGroup
		for n := range writers {
			wait.Go(func() {
				for i := n; db.Stats().Checkpointed == before; i += writers {
					must(b, mergeBench(db, i*100%turnsEntities, 1))
				}
			})
		}
		wait.Wait()
		must(b, db.Close()) // which waits for the checkpoint
		took += time.Since(start)
		lists := end.Invoke()
		turns.add(lists.Index(0))
		waits.add(lists.Index(1))
	}
	turns.report(b, "turn")
	b.ReportMetric(slices.Max(waits), "ms-longest-wait")
	b.ReportMetric(milliseconds(took)/float64(b.N), "ms-checkpoint")
}

// mergeBench changes a hundred entities with a transaction.
func mergeBench(db *engine.DB, from, step int) error {
	return db.Update(inBench(func(table *engine.Table) error {
		for i := range 100 {
			if _, err := table.Merge(benchKey(from+i*step), benchProperties(i), engine.MustExist); err != nil {
				return err
			}
		}
		return nil
	}))
}

// measured is in milliseconds.
type measured []float64

func (m *measured) add(list js.Value) {
	for i := range list.Length() {
		*m = append(*m, list.Index(i).Float())
	}
}

func (m measured) report(b *testing.B, of string) {
	if len(m) == 0 {
		b.Fatal("the checkpoint started before the changes were complete: nothing was measured")
	}
	slices.Sort(m)
	b.ReportMetric(m[len(m)/2], "ms-median-"+of)
	b.ReportMetric(m[len(m)*9/10], "ms-p90-"+of)
	b.ReportMetric(m[len(m)*99/100], "ms-p99-"+of)
	b.ReportMetric(m[len(m)-1], "ms-longest-"+of)
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
