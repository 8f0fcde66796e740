package engine

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"sandtable/odata"
)

var errTest = errors.New("test")

// gated is a storage whose Append blocks until the test releases it.
type gated struct {
	MemoryStorage
	entered chan struct{} // an Append has started
	answers chan error    // the result to return; nil passes the call on
	appends int
}

func newGated() *gated {
	return &gated{entered: make(chan struct{}), answers: make(chan error)}
}

func (g *gated) Append(seq uint64, record []byte) error {
	g.appends++
	g.entered <- struct{}{}
	if err := <-g.answers; err != nil {
		return err
	}
	return g.MemoryStorage.Append(seq, record)
}

// pass lets n appends through.
func (g *gated) pass(n int) {
	for range n {
		<-g.entered
		g.answers <- nil
	}
}

// openGated returns a DB with the table Table in the account "test".
func openGated(t *testing.T) (*gated, *DB) {
	t.Helper()
	g := newGated()
	db, err := Open(g, Options{})
	if err != nil {
		t.Fatal(err)
	}
	go g.pass(1)
	err = db.Update(func(tx *Tx) error {
		if err := tx.PutAccount(Account{Name: "test"}); err != nil {
			return err
		}
		return tx.CreateTable("test", "Table")
	})
	if err != nil {
		t.Fatal(err)
	}
	g.appends = 0
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return g, db
}

func insert(row string) func(*Tx) error {
	return func(tx *Tx) error {
		table, err := tx.Table("test", "Table")
		if err == nil {
			_, err = table.Insert(odata.Key{PartitionKey: "p", RowKey: row}, nil)
		}
		return err
	}
}

func count(t *testing.T, db *DB) (n int) {
	t.Helper()
	err := db.View(func(tx *Tx) error {
		table, err := tx.Table("test", "Table")
		if err == nil {
			n = table.Info().Entities
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// start calls Update in a new goroutine and returns once it is queued after the
// earlier ones.
func start(db *DB, waiting int, f func(*Tx) error) (result chan error) {
	result = make(chan error, 1)
	go func() { result <- db.Update(f) }()
	for waiting > 0 {
		db.queue.mu.Lock()
		n := len(db.queue.updates)
		db.queue.mu.Unlock()
		if n >= waiting {
			break
		}
		runtime.Gosched()
	}
	return result
}

// TestGroupCommit: updates that arrive during an append share the next one, see each
// other's changes, and are invisible to readers until it is durable.
func TestGroupCommit(t *testing.T) {
	g, db := openGated(t)
	first := start(db, 0, insert("first"))
	<-g.entered
	const n = 50
	var results []chan error
	for i := range n {
		results = append(results, start(db, i+1, insert(fmt.Sprint(i/2)))) // every second one fails
	}
	if got := count(t, db); got != 0 {
		t.Errorf("readers see %d entities before the append is durable", got)
	}
	g.answers <- nil
	if err := <-first; err != nil {
		t.Fatal(err)
	}
	<-g.entered
	if got := count(t, db); got != 1 {
		t.Errorf("readers see %d entities during the group's append, want only the first update's", got)
	}
	g.answers <- nil
	for i, result := range results {
		want := error(nil)
		if i%2 == 1 {
			want = ErrEntityExists
		}
		if err := <-result; err != want {
			t.Errorf("update %d: %v, want %v", i, err, want)
		}
	}
	if got := count(t, db); got != 1+n/2 {
		t.Errorf("%d entities, want %d", got, 1+n/2)
	}
	if g.appends != 2 {
		t.Errorf("%d appends for %d updates, want 2", g.appends, n+1)
	}
}

// TestGroupFails: a failed append fails every update with changes or that saw
// another's changes, and none of them becomes visible.
func TestGroupFails(t *testing.T) {
	g, db := openGated(t)
	first := start(db, 0, insert("first"))
	<-g.entered
	look := func(tx *Tx) error { _, err := tx.Table("test", "Table"); return err }
	early := start(db, 1, look)
	members := []chan error{
		start(db, 2, insert("a")),
		start(db, 3, insert("b")),
		start(db, 4, insert("a")), // exists only if the group's append succeeds
		start(db, 5, look),
	}
	g.answers <- nil
	if err := <-first; err != nil {
		t.Fatal(err)
	}
	<-g.entered
	g.answers <- errTest
	if err := <-early; err != nil {
		t.Errorf("update without changes before all others: %v", err)
	}
	for i, result := range members {
		if err := <-result; !errors.Is(err, ErrStorage) || !errors.Is(err, errTest) {
			t.Errorf("member %d: %v, want the storage's error", i, err)
		}
	}
	if got := count(t, db); got != 1 {
		t.Errorf("%d entities, want 1", got)
	}
	go g.pass(1)
	if err := db.Update(insert("a")); err != nil {
		t.Errorf("update after a failure: %v", err)
	}
}

// TestGroupMemberFails: a failing update does not affect earlier or later members.
func TestGroupMemberFails(t *testing.T) {
	g, db := openGated(t)
	first := start(db, 0, insert("first"))
	<-g.entered
	a := start(db, 1, insert("a"))
	failed := start(db, 2, func(tx *Tx) error {
		if err := insert("b")(tx); err != nil {
			return err
		}
		if err := tx.DeleteTable("test", "Table"); err != nil {
			return err
		}
		return errTest
	})
	c := start(db, 3, func(tx *Tx) error {
		if err := insert("b")(tx); err != nil {
			return err
		}
		return insert("c")(tx)
	})
	go g.pass(1)
	g.answers <- nil
	for name, result := range map[string]chan error{"first": first, "a": a, "c": c} {
		if err := <-result; err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := <-failed; err != errTest {
		t.Errorf("failed member: %v", err)
	}
	if got := count(t, db); got != 4 {
		t.Errorf("%d entities, want 4", got)
	}
}

// TestPanicGoesToItsCaller: a callback's panic reaches its own caller, even if
// another goroutine leads.
func TestPanicGoesToItsCaller(t *testing.T) {
	g, db := openGated(t)
	first := start(db, 0, insert("first"))
	<-g.entered
	panicked := make(chan any, 1)
	go func() {
		defer func() { panicked <- recover() }()
		_ = db.Update(func(tx *Tx) error {
			_ = insert("lost")(tx)
			panic(errTest)
		})
	}()
	after := start(db, 2, insert("after"))
	go g.pass(1)
	g.answers <- nil
	if err := <-first; err != nil {
		t.Error(err)
	}
	if p := <-panicked; p != errTest {
		t.Errorf("caller recovered %v", p)
	}
	if err := <-after; err != nil {
		t.Error(err)
	}
	if got := count(t, db); got != 2 {
		t.Errorf("%d entities, want 2", got)
	}
}

// TestCallbackEndsItsGoroutine: the DB keeps working if a callback calls
// runtime.Goexit, as t.FailNow does.
func TestCallbackEndsItsGoroutine(t *testing.T) {
	g, db := openGated(t)
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = db.Update(func(tx *Tx) error {
			_ = insert("lost")(tx)
			runtime.Goexit()
			return nil
		})
		t.Error("Update returned")
	})
	wg.Wait()
	go g.pass(1)
	if err := db.Update(insert("next")); err != nil {
		t.Fatal(err)
	}
	if got := count(t, db); got != 1 {
		t.Errorf("%d entities, want 1", got)
	}
}

// TestParkedLeaderExits: a leader is parked, and another update's callback ends its
// goroutine: no waiter depends on the leader's return.
func TestParkedLeaderExits(t *testing.T) {
	w := &whileAppending{}
	db := openBlock20(t, w, Options{})
	ended, exited := make(chan struct{}), make(chan error)
	w.do = func() {
		go func() {
			defer close(ended)
			_ = db.Update(func(tx *Tx) error { // reads the block
				table, err := tx.Table("test", "Table")
				if err == nil {
					_, err = table.Get(row20(1))
				}
				return err
			})
			t.Error("Update returned")
		}()
		waitFor(db, 0, 1)
		go func() {
			exited <- db.Update(func(*Tx) error {
				runtime.Goexit()
				return nil
			})
		}()
		waitFor(db, 0, 2)
	}
	if err := db.Update(func(tx *Tx) error { return tx.SetSettings("x") }); err != nil {
		t.Fatal(err)
	}
	if err := <-exited; err != errExited {
		t.Errorf("update that ended the goroutine: %v", err)
	}
	<-ended
	db.queue.mu.Lock()
	waiting := db.queue.parked
	db.queue.mu.Unlock()
	if readers := db.current.Load().epoch.readers.Load(); waiting != 0 || readers != 0 {
		t.Fatalf("%d parked updates, %d readers, want none", waiting, readers)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// panicking is a storage that panics, as calls into JavaScript can.
type panicking struct {
	MemoryStorage
	on bool
}

func (p *panicking) Append(seq uint64, record []byte) error {
	if p.on {
		panic("no")
	}
	return p.MemoryStorage.Append(seq, record)
}

func (p *panicking) Checkpoint(c Checkpoint) error {
	if p.on {
		panic("no")
	}
	return p.MemoryStorage.Checkpoint(c)
}

func TestStoragePanics(t *testing.T) {
	p := &panicking{}
	db, err := Open(p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	put := func() error {
		return db.Update(func(tx *Tx) error { return tx.PutAccount(Account{Name: "test"}) })
	}
	p.on = true
	if err := put(); !errors.Is(err, ErrStorage) {
		t.Errorf("update on a storage that panics: %v", err)
	}
	if err := db.saveCheckpoint(Checkpoint{}); err == nil {
		t.Error("a checkpoint that panics is no error")
	}
	p.on = false
	if err := put(); err != nil {
		t.Errorf("update after that: %v", err)
	}
}
