package engine

import (
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// refusing is a storage that, on demand, refuses checkpoints.
type refusing struct {
	MemoryStorage
	mu      sync.Mutex
	refuse  func() error // nil for a storage that works
	full    bool         // refuses records too
	tried   int          // refused checkpoints with blocks
	records int          // since the last accepted checkpoint
}

func (r *refusing) set(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
}

// counts returns the numbers of records in the WAL and of refused checkpoints.
func (r *refusing) counts() (records, tried int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.records, r.tried
}

func (r *refusing) Checkpoint(c Checkpoint) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refuse != nil {
		if len(c.Puts) > 0 {
			r.tried++
		}
		return r.refuse()
	}
	d, _ := r.Load()
	err := r.MemoryStorage.Checkpoint(c)
	after, _ := r.Load()
	r.records -= len(d.WAL) - len(after.WAL)
	return err
}

func (r *refusing) Append(seq uint64, record []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.full {
		return ErrNoSpace
	}
	r.records++
	return r.MemoryStorage.Append(seq, record)
}

func noSpace() error { return ErrNoSpace }

// TestFailingCheckpointIsReported: Stats report since when, how often and why
// checkpoints fail, until one succeeds. Without writes they are retried with
// exponential backoff.
func TestFailingCheckpointIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &refusing{refuse: noSpace}
		db, err := Open(r, Options{})
		if err != nil {
			t.Fatal(err)
		}
		check := func(attempts int, since time.Duration, says string) {
			t.Helper()
			synctest.Wait()
			f := db.Stats().Failing
			if f == nil {
				t.Fatal("no failure is reported")
			}
			_, tried := r.counts()
			if f.Attempts != attempts || tried != attempts || !strings.Contains(f.Err.Error(), says) || time.Since(f.Since.Time()) != since {
				t.Errorf("reported %+v, want %d attempts since %v; there were %d", f, attempts, since, tried)
			}
		}
		if db.Stats().Failing != nil {
			t.Error("a new store reports a failure")
		}
		fill(t, db, "Table", "p", 100, 1000)
		time.Sleep(DefaultIdleAfter)
		check(1, 0, "no space")
		time.Sleep(2 * DefaultIdleAfter)
		check(2, 2*DefaultIdleAfter, "no space")
		r.set(func() { r.refuse = func() error { panic("on fire") } })
		time.Sleep(4 * DefaultIdleAfter)
		check(3, 6*DefaultIdleAfter, "on fire")
		time.Sleep(time.Hour)
		synctest.Wait()
		if _, tried := r.counts(); tried < 55 || tried > 75 { // every 64 seconds
			t.Errorf("%d attempts in an hour", tried)
		}
		r.set(func() { r.refuse = nil })
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if f := db.Stats().Failing; f != nil {
			t.Errorf("reported %+v", f)
		}
		if d, _ := r.Load(); len(d.WAL) != 0 {
			t.Errorf("%d records are left in the WAL", len(d.WAL))
		}
		if n := count(t, db); n != 100 {
			t.Errorf("%d entities", n)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestFailingCheckpointBlocksNobody: updates that wait for a checkpoint because the
// WAL is full continue when it fails, and are refused only when the disk is full;
// once there is space the WAL becomes short again.
func TestFailingCheckpointBlocksNobody(t *testing.T) {
	r := &refusing{refuse: noSpace}
	begun, fail := make(chan struct{}), make(chan struct{})
	first := true
	db, err := Open(r, Options{CheckpointAfter: 2 << 20, IdleAfter: -1, Yield: func() {
		if first { // before the first slice
			first = false
			close(begun)
			<-fail
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	records := func() int {
		n, _ := r.counts()
		return n
	}
	put := func() { fill(t, db, "Table", "p", 1, 10) }
	for db.queue.lead(); !db.wal.running.on; db.queue.lead() {
		db.queue.handOver(nil)
		put()
	}
	half := (db.wal.running.records + 2*maxWALRecords) / 2 // the other half is released slice by slice
	db.queue.handOver(nil)
	<-begun
	for records() < half {
		put()
	}
	const writers = 3
	written := make(chan struct{})
	for range writers {
		go func() {
			put()
			written <- struct{}{}
		}()
	}
	for waiting := 0; waiting < writers; runtime.Gosched() {
		db.queue.mu.Lock()
		waiting = len(db.queue.updates)
		db.queue.mu.Unlock()
	}
	close(fail)
	for range writers {
		<-written
	}
	settle(db)
	if f := db.Stats().Failing; f == nil || f.Attempts != 1 {
		t.Fatalf("reported %+v", f)
	}

	// Beyond the WAL's normal limit the checkpoint is retried at intervals.
	for records() < 3*2*maxWALRecords {
		put()
		settle(db)
	}
	_, tried := r.counts()
	if f := db.Stats().Failing; f == nil || f.Attempts != tried || tried < 2 || tried > 6 {
		t.Errorf("reported %+v, there were %d attempts", f, tried)
	}
	r.set(func() { r.full = true })
	if err := db.Update(func(tx *Tx) error { return tx.CreateTable("test", "Late") }); !errors.Is(err, ErrNoSpace) || !errors.Is(err, ErrStorage) {
		t.Errorf("a write to a full disk: %v", err)
	}
	r.set(func() { r.full, r.refuse = false, nil })
	for db.Stats().Failing != nil {
		put()
		settle(db)
	}
	if n := records(); n > 1 {
		t.Errorf("%d records are in the WAL after a checkpoint", n)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(r.Clone(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := count(t, again); n != 1 || len(again.Corruption()) > 0 {
		t.Errorf("%d entities, corruption %v", n, again.Corruption())
	}
}
