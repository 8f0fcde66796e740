package engine_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"sandtable/engine"
	"sandtable/odata"
)

// counted is a storage that counts reads and lets a test intervene.
type counted struct {
	*engine.MemoryStorage
	mu     sync.Mutex
	calls  int
	blocks int
	before func(ids []engine.BlockID) error // nil for nothing
}

func (c *counted) ReadBlocks(ids []engine.BlockID) ([][]byte, error) {
	c.mu.Lock()
	c.calls++
	c.blocks += len(ids)
	before := c.before
	c.mu.Unlock()
	if before != nil {
		if err := before(ids); err != nil {
			return nil, err
		}
	}
	return c.MemoryStorage.ReadBlocks(ids)
}

// reset returns the counts since its last call.
func (c *counted) reset() (calls, blocks int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	calls, blocks = c.calls, c.blocks
	c.calls, c.blocks = 0, 0
	return calls, blocks
}

const blockEntities = 3000

// blocksStore returns a store and its number of blocks: the table Big has 3,000
// entities of a kilobyte, the table Small one.
func blocksStore(t *testing.T) (m *engine.MemoryStorage, blocks int) {
	t.Helper()
	return makeBlocks(t, blockEntities)
}

// makeBlocks is blocksStore with another number of entities.
func makeBlocks(t *testing.T, n int) (m *engine.MemoryStorage, blocks int) {
	t.Helper()
	m = &engine.MemoryStorage{}
	db := open(t, m, engine.Options{CheckpointAfter: 1})
	createTable(t, db, "Big")
	createTable(t, db, "Small")
	value := odata.Property{Name: "Text", Value: odata.StringValue(string(make([]byte, 1000)))}
	for start := 0; start < n; start += 500 {
		update(t, db, inTable("Big", func(table *engine.Table) error {
			for i := start; i < min(start+500, n); i++ {
				if _, err := table.Insert(bigKey(i), append(number(i), value)); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	update(t, db, inTable("Small", func(table *engine.Table) error {
		_, err := table.Insert(key("p", "r"), number(1))
		return err
	}))
	for range 2 { // the second one merges what arrived during the first
		db.Settle()
		update(t, db, func(tx *engine.Tx) error {
			a, err := tx.Account(account)
			a.Properties += "x"
			return errors.Join(err, tx.PutAccount(a))
		})
	}
	must(t, db.Close())
	d, err := m.Load()
	must(t, err)
	for _, info := range d.Blocks {
		if info.Count > 1 && info.First.PartitionKey != account {
			blocks++
		}
	}
	return m, blocks
}

func bigKey(i int) odata.Key { return key(fmt.Sprint("p", i/1000), fmt.Sprintf("%06d", i)) }

// TestOpenReadsNoBlocks: Open reads only the catalog's blocks, whatever the WAL
// has changed, and still knows the number of entities.
func TestOpenReadsNoBlocks(t *testing.T) {
	m, blocks := blocksStore(t)
	if blocks < 90 {
		t.Fatalf("%d blocks are too few", blocks)
	}
	db, err := engine.Open(m, engine.Options{CheckpointAfter: -1})
	must(t, err)
	update(t, db, inTable("Big", func(table *engine.Table) error {
		for i := 0; i < blockEntities; i += 10 {
			if err := table.Delete(bigKey(i), engine.MustExist); err != nil {
				return err
			}
			if _, err := table.Insert(key("new", fmt.Sprint(i)), number(i)); err != nil {
				return err
			}
		}
		_, err := table.Replace(bigKey(1), number(-1), engine.MustExist)
		return err
	}))
	must(t, db.Close())

	c := &counted{MemoryStorage: m}
	db, err = engine.Open(c, engine.Options{CheckpointAfter: -1})
	must(t, err)
	defer db.Close()
	if _, read := c.reset(); read != 1 {
		t.Errorf("opening read %d blocks, want only the block of the catalog", read)
	}
	view(t, db, inTable("Big", func(table *engine.Table) error {
		if n := table.Info().Entities; n != blockEntities {
			t.Errorf("%d entities, want %d", n, blockEntities)
		}
		e, err := table.Get(bigKey(1))
		if v, _ := e.Property("N"); err == nil && v.Int() != -1 {
			t.Errorf("a change in the WAL is %v", e)
		}
		return err
	}))
	if _, read := c.reset(); read != 0 {
		t.Errorf("%d blocks were read for an entity in the WAL", read)
	}
	for range 2 {
		view(t, db, inTable("Big", func(table *engine.Table) error {
			_, err := table.Get(bigKey(1501))
			return err
		}))
	}
	if _, read := c.reset(); read != 1 {
		t.Errorf("%d blocks were read for two reads of one entity", read)
	}
}

// TestScanBeyondBudget scans a table many times as large as the memory budget.
func TestScanBeyondBudget(t *testing.T) {
	m, blocks := blocksStore(t)
	const budget = 300 << 10
	c := &counted{MemoryStorage: m}
	db, err := engine.Open(c, engine.Options{MemoryBudget: budget})
	must(t, err)
	defer db.Close()
	c.reset()
	for range 3 {
		view(t, db, inTable("Big", func(table *engine.Table) error {
			page, err := table.Query(engine.Query{Filter: parseFilter(t, "N ge 0")}).Page()
			if len(page.Entities) != blockEntities || page.Explain.Blocks != blocks {
				t.Errorf("%d entities of %d blocks, want %d of %d", len(page.Entities), page.Explain.Blocks, blockEntities, blocks)
			}
			for i, e := range page.Entities {
				if e.Key() != bigKey(i) {
					t.Fatalf("entity %d is %v", i, e.Key())
				}
			}
			return err
		}))
		if n := db.CacheBytes(); n > budget {
			t.Errorf("%d bytes are in memory", n)
		}
		if calls, read := c.reset(); read > blocks+2 || calls*2 > read+2 {
			t.Errorf("%d blocks were read with %d calls; there are %d", read, calls, blocks)
		}
	}
}

// TestExplainBlocks: a query only searches the blocks of its range.
func TestExplainBlocks(t *testing.T) {
	m, blocks := blocksStore(t)
	db, err := engine.Open(m, engine.Options{})
	must(t, err)
	defer db.Close()
	cases := []struct {
		filter   string
		limit    int
		min, max int
	}{
		{"PartitionKey eq 'p1' and RowKey eq '001500'", 0, 1, 1},
		{"PartitionKey eq 'p1' and RowKey ge '001500' and RowKey lt '001520'", 0, 1, 2},
		{"PartitionKey eq 'p1'", 0, blocks/3 - 3, blocks/3 + 3},
		{"PartitionKey eq 'p1'", 10, 1, 2},
		{"N eq 17", 0, blocks, blocks},
		{"PartitionKey eq 'q'", 0, 1, 1},
	}
	for _, c := range cases {
		view(t, db, inTable("Big", func(table *engine.Table) error {
			page, err := table.Query(engine.Query{Filter: parseFilter(t, c.filter), Limit: c.limit}).Page()
			if n := page.Explain.Blocks; n < c.min || n > c.max {
				t.Errorf("%s searched %d blocks, want %d to %d", c.filter, n, c.min, c.max)
			}
			return err
		}))
	}
}

// TestNobodyWaitsForASlowRead: only readers of the same block wait for a slow
// read, and the block is read once.
func TestNobodyWaitsForASlowRead(t *testing.T) {
	m, _ := blocksStore(t)
	c := &counted{MemoryStorage: m}
	db, err := engine.Open(c, engine.Options{})
	must(t, err)
	defer db.Close()
	get := func(table string, k odata.Key) error {
		return db.View(inTable(table, func(table *engine.Table) error {
			_, err := table.Get(k)
			return err
		}))
	}
	must(t, get("Big", bigKey(2999)))
	c.reset()
	begun, goOn := make(chan bool, 10), make(chan bool)
	c.mu.Lock()
	c.before = func([]engine.BlockID) error {
		begun <- true
		<-goOn
		return nil
	}
	c.mu.Unlock()
	slow := make(chan error, 2)
	go func() { slow <- get("Big", bigKey(0)) }()
	<-begun
	go func() { slow <- get("Big", bigKey(1)) }() // of the same block

	must(t, get("Big", bigKey(2998)))
	update(t, db, inTable("Small", func(table *engine.Table) error {
		_, err := table.Insert(key("new", "r"), number(2))
		return err
	}))
	must(t, get("Small", key("new", "r")))
	select {
	case err := <-slow:
		t.Fatalf("a read did not wait for the storage: %v", err)
	default:
	}
	close(goOn)
	for range 2 {
		must(t, <-slow)
	}
	// The update needed no block for the new key, or waited only for its own.
	if calls, _ := c.reset(); calls > 2 {
		t.Errorf("%d reads, want one of the block that two readers requested", calls)
	}
}
