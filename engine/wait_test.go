package engine_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"sandtable/engine"
)

// stuck is a storage in which reads of one block wait for the test.
type stuck struct {
	*engine.MemoryStorage
	asked chan struct{} // receives a value for each waiting read
	let   chan struct{} // closed to let reads continue
	block engine.BlockID
}

func (s *stuck) ReadBlocks(ids []engine.BlockID) ([][]byte, error) {
	if slices.Contains(ids, s.block) {
		s.asked <- struct{}{}
		<-s.let
	}
	return s.MemoryStorage.ReadBlocks(ids)
}

// openStuck opens a store and returns the block whose reads wait for the test.
func openStuck(t *testing.T) (*stuck, *engine.DB, engine.BlockInfo) {
	t.Helper()
	m, _ := blocksStore(t)
	d, err := m.Load()
	must(t, err)
	s := &stuck{MemoryStorage: m, asked: make(chan struct{}, 100), let: make(chan struct{})}
	var slow engine.BlockInfo
	for _, info := range d.Blocks {
		if info.First.PartitionKey == "p1" && info.First.RowKey > slow.First.RowKey {
			slow = info
		}
	}
	s.block = slow.ID
	db, err := engine.Open(s, engine.Options{})
	must(t, err)
	return s, db, slow
}

// checkOthers reads and writes outside the slow block: other accounts, other tables,
// and other entities of the same table.
func checkOthers(t *testing.T, db *engine.DB, round int) {
	t.Helper()
	name := fmt.Sprint("other", round)
	update(t, db, func(tx *engine.Tx) error {
		if err := tx.PutAccount(engine.Account{Name: name}); err != nil {
			return err
		}
		return tx.CreateTable(name, "Table")
	})
	update(t, db, func(tx *engine.Tx) error {
		table, err := tx.Table(name, "Table")
		if err == nil {
			_, err = table.Insert(key("p", "r"), number(1))
		}
		return err
	})
	view(t, db, inTable("Small", func(table *engine.Table) error {
		_, err := table.Get(key("p", "r"))
		return err
	}))
	update(t, db, inTable("Big", func(table *engine.Table) error {
		_, err := table.Replace(bigKey(0), number(round), engine.MustExist)
		return err
	}))
	view(t, db, inTable("Big", func(table *engine.Table) error {
		e, err := table.Get(bigKey(0))
		if v, _ := e.Property("N"); err == nil && v.Int() != int64(round) {
			t.Errorf("the entity is %v, want %d", e, round)
		}
		return err
	}))
}

// TestNobodyWaitsForASlowBlock: neither a scan that reaches a slow block nor an
// update of an entity in it delays any other read or write.
func TestNobodyWaitsForASlowBlock(t *testing.T) {
	s, db, slow := openStuck(t)
	var wg sync.WaitGroup
	wg.Go(func() {
		view(t, db, inTable("Big", func(table *engine.Table) error {
			page, err := table.Query(engine.Query{}).Page()
			if len(page.Entities) != blockEntities {
				t.Errorf("the scan found %d entities", len(page.Entities))
			}
			return err
		}))
	})
	<-s.asked
	checkOthers(t, db, 1)

	began := make(chan struct{}, 100)
	calls := 0
	wg.Go(func() {
		update(t, db, inTable("Big", func(table *engine.Table) error {
			calls++
			began <- struct{}{}
			if _, err := table.Insert(key("before", fmt.Sprint(calls)), number(1)); err != nil {
				return err
			}
			_, err := table.Replace(slow.First, number(77), engine.MustExist)
			return err
		}))
	})
	<-began
	for round := range 20 {
		checkOthers(t, db, 2+round)
	}
	close(s.let)
	wg.Wait()
	view(t, db, inTable("Big", func(table *engine.Table) error {
		e, err := table.Get(slow.First)
		if v, _ := e.Property("N"); err == nil && v.Int() != 77 {
			t.Errorf("the entity is %v", e)
		}
		page, err := table.Query(engine.Query{Filter: parseFilter(t, "PartitionKey eq 'before'")}).Page()
		// The abandoned run of the callback has left nothing behind.
		if len(page.Entities) != 1 || page.Entities[0].RowKey != fmt.Sprint(calls) || calls < 2 {
			t.Errorf("%d calls left %v", calls, page.Entities)
		}
		return err
	}))
	must(t, db.Close())
}

// TestCloseWaitsForParkedUpdate: Close waits for an accepted update that is parked.
func TestCloseWaitsForParkedUpdate(t *testing.T) {
	s, db, slow := openStuck(t)
	updated := make(chan error)
	go func() {
		updated <- db.Update(inTable("Big", func(table *engine.Table) error {
			return table.Delete(slow.First, engine.MustExist)
		}))
	}()
	<-s.asked
	closed := make(chan error)
	go func() { closed <- db.Close() }()
	for db.View(func(*engine.Tx) error { return nil }) == nil { // until it is closing
	}
	close(s.let)
	if err := <-updated; err != nil {
		t.Errorf("the update: %v", err)
	}
	must(t, <-closed)
	if err := db.Update(func(*engine.Tx) error { return nil }); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("another one: %v", err)
	}
}

// TestUpdateOfManyBlocks: an update can use any number of blocks without a memory
// budget, and each is read at most twice. It is parked for the first hundred.
func TestUpdateOfManyBlocks(t *testing.T) {
	const n = 2 * blockEntities
	m, blocks := makeBlocks(t, n)
	c := &counted{MemoryStorage: m}
	db, err := engine.Open(c, engine.Options{MemoryBudget: 1, CheckpointAfter: -1})
	must(t, err)
	defer db.Close()
	for _, every := range []int{100, 10} { // some blocks; all blocks, more than maxFetches
		c.reset()
		runs := 0
		update(t, db, inTable("Big", func(table *engine.Table) error {
			runs++
			for i := 0; i < n; i += every {
				if _, err := table.Merge(bigKey(i), number(-i), engine.MustExist); err != nil {
					return err
				}
			}
			return nil
		}))
		if _, read := c.reset(); read > 2*blocks+2 {
			t.Errorf("%d blocks were read, there are %d", read, blocks)
		}
		if want := min(blocks, 100) + 1; runs > want {
			t.Errorf("the callback ran %d times, want %d at most", runs, want)
		}
	}
	view(t, db, inTable("Big", func(table *engine.Table) error {
		page, err := table.Query(engine.Query{Filter: parseFilter(t, "N lt 0")}).Page()
		if len(page.Entities) != n/10-1 {
			t.Errorf("%d entities were changed", len(page.Entities))
		}
		return err
	}))
	// A query sees the changes of its transaction. A callback that panics or ends its
	// goroutine while it is parked behaves as usual.
	update(t, db, inTable("Big", func(table *engine.Table) error {
		page, err := table.Query(engine.Query{}).Page()
		if err == nil && len(page.Entities) != n {
			t.Errorf("a query in an update found %d", len(page.Entities))
		}
		return err
	}))
	panicked := func() (p any) {
		defer func() { p = recover() }()
		_ = db.Update(inTable("Big", func(table *engine.Table) error {
			if _, err := table.Get(bigKey(1503)); err != nil {
				panic("not yet")
			}
			panic("now")
		}))
		return nil
	}()
	if panicked != "now" {
		t.Errorf("panicked with %v", panicked)
	}
}

// TestParkedUpdateFails: an unreadable block fails only the update that needs it.
func TestParkedUpdateFails(t *testing.T) {
	m, _ := blocksStore(t)
	broken := errors.New("broken")
	c := &counted{MemoryStorage: m, before: func([]engine.BlockID) error { return nil }}
	db, err := engine.Open(c, engine.Options{})
	must(t, err)
	defer db.Close()
	c.before = func([]engine.BlockID) error { return broken }
	remove := inTable("Big", func(table *engine.Table) error { return table.Delete(bigKey(7), engine.MustExist) })
	if err := db.Update(remove); !errors.Is(err, engine.ErrReading) || !errors.Is(err, broken) {
		t.Errorf("delete: %v", err)
	}
	update(t, db, func(tx *engine.Tx) error { return tx.PutAccount(engine.Account{Name: "another"}) })
	c.before = nil
	update(t, db, remove)
}
