package engine_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"sandtable/engine"
	"sandtable/engine/storagetest"
	"sandtable/odata"
)

// TestModel compares random work with a plain map: transactions of many changes,
// tables several times as large as the memory budget, checkpoints in many small
// slices, readers that pin a version, and a crash in each part of a history.
func TestModel(t *testing.T) {
	for seed := range storagetest.Seeds(t, 8) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { newModel(t, seed).history() })
	}
}

// entitiesByKey is the content of a table.
type entitiesByKey map[odata.Key]*odata.Entity

// model is a store and the maps that it must equal.
type model struct {
	t       *testing.T
	random  *rand.Rand
	inner   *engine.MemoryStorage
	db      *engine.DB
	tables  map[string]entitiesByKey
	pending map[string]entitiesByKey // after the current transaction
}

func newModel(t *testing.T, seed uint64) *model {
	return &model{
		t: t, random: rand.New(rand.NewPCG(seed, 4)), inner: &engine.MemoryStorage{},
		tables: make(map[string]entitiesByKey),
	}
}

func copyTables(tables map[string]entitiesByKey) map[string]entitiesByKey {
	c := make(map[string]entitiesByKey, len(tables))
	for name, r := range tables {
		c[name] = maps.Clone(r)
	}
	return c
}

func (m *model) options() engine.Options {
	return engine.Options{CheckpointAfter: 2000 + m.random.IntN(30000), MemoryBudget: 64 << 10}
}

func (m *model) open(s engine.Storage) {
	m.t.Helper()
	db, err := engine.Open(s, m.options())
	must(m.t, err)
	db.SetSlice(1 + m.random.IntN(60_000))
	m.db = db
	_ = db.Update(func(tx *engine.Tx) error { return tx.PutAccount(engine.Account{Name: account}) })
}

func (m *model) history() {
	for range 3 {
		fault := storagetest.Fault(m.random.IntN(4))
		m.open(storagetest.NewFaulty(m.inner, 2+m.random.IntN(60), fault))
		unknown := m.work(20 + m.random.IntN(60))
		m.check("before the crash")
		must(m.t, m.db.Close())

		m.open(m.inner)
		if d := m.db.Corruption(); len(d) > 0 {
			m.t.Fatalf("corruption after a crash: %v", d)
		}
		checkSound(m.t, m.db)
		if unknown != nil && fault != storagetest.Refuse && m.differs(m.tables) != "" {
			m.tables = unknown
		}
		m.check(fmt.Sprintf("after the crash (%s)", fault))
		must(m.t, m.db.Close())
	}
}

// work runs transactions concurrently with a reader. It returns the store's other
// possible content, nil if there is none.
func (m *model) work(steps int) (unknown map[string]entitiesByKey) {
	var reader, maintenance sync.WaitGroup
	defer reader.Wait()
	defer maintenance.Wait()
	for range steps {
		if m.random.IntN(8) == 0 {
			reader.Wait()
			db := m.db
			reader.Go(func() { readTwice(m.t, db) })
		}
		err := m.step()
		switch {
		case err == nil && reflect.DeepEqual(m.tables, m.pending):
		case err == nil:
			m.tables, unknown = m.pending, nil
		case !errors.Is(err, engine.ErrStorage) || !errors.Is(err, storagetest.ErrFault):
			m.t.Fatalf("step: %v", err)
		case unknown == nil:
			unknown = m.pending
		}
		if m.random.IntN(4) == 0 {
			m.query()
		}
		if m.random.IntN(40) == 0 {
			maintenance.Wait()
			db := m.db
			maintenance.Go(func() { compactSound(m.t, db) })
		}
	}
	return unknown
}

// readTwice reads a version, waits for many changes and reads it again: replaced
// blocks must still be readable.
func readTwice(t *testing.T, db *engine.DB) {
	err := db.View(func(tx *engine.Tx) error {
		var first []*odata.Entity
		for round := range 6 {
			table, err := tx.Table(account, "First")
			if err != nil {
				return nil // missing in this version
			}
			page, err := table.Query(engine.Query{}).Page()
			if err != nil {
				return err
			}
			if n := table.Info().Entities; n != len(page.Entities) {
				return fmt.Errorf("%d entities, the table reports %d", len(page.Entities), n)
			}
			if round > 0 && !reflect.DeepEqual(first, page.Entities) {
				return errors.New("a version changed under its reader")
			}
			first = page.Entities
			if err := checkPartitions(table, page.Entities); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, engine.ErrClosed) {
		t.Errorf("reader: %v", err)
	}
}

// checkPartitions compares a table's partitions with its entities, if all of its
// blocks are in memory.
func checkPartitions(table *engine.Table, entities []*odata.Entity) error {
	want, got := make(map[string]int), make(map[string]int)
	for _, e := range entities {
		want[e.PartitionKey]++
	}
	for p := range table.Partitions("") {
		if p.Approximate {
			return nil
		}
		got[p.Key] = p.Entities
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("partitions are %v, want %v", got, want)
	}
	return nil
}

// compactSound compacts a store and checks that it is sound.
func compactSound(t *testing.T, db *engine.DB) {
	if _, _, err := db.Compact(t.Context(), nil); err != nil && !errors.Is(err, storagetest.ErrFault) && !errors.Is(err, engine.ErrStorage) {
		t.Errorf("compact: %v", err)
	}
	report, err := db.Verify(t.Context(), engine.VerifyOptions{})
	if err != nil || len(report.Problems) > 0 {
		t.Errorf("verify: %v, %v", report.Problems, err)
	}
}

func (m *model) step() error {
	return m.db.Update(func(tx *engine.Tx) error {
		m.pending = copyTables(m.tables)
		name := []string{"First", "First", "First", "Second"}[m.random.IntN(4)]
		if m.pending[name] == nil {
			m.pending[name] = make(entitiesByKey)
			must(m.t, tx.CreateTable(account, name))
		} else if m.random.IntN(60) == 0 {
			delete(m.pending, name)
			return tx.DeleteTable(account, name)
		}
		table, err := tx.Table(account, name)
		if err != nil {
			return err
		}
		// Long runs of deletes and inserts empty and split blocks.
		base, run := m.random.IntN(300), m.random.IntN(5)
		for i := range 1 + m.random.IntN(40) {
			at := m.random.IntN(300)
			if run < 2 {
				at = (base + i) % 300
			}
			if err := m.change(table, m.pending[name], at, run); err != nil {
				return err
			}
		}
		return nil
	})
}

func modelKey(n int) odata.Key {
	return key(fmt.Sprintf("p%d", n/100), fmt.Sprintf("%03d", n%100))
}

func (m *model) change(table *engine.Table, r entitiesByKey, at, run int) error {
	k := modelKey(at)
	stored := r[k]
	if got, err := table.Get(k); (err == nil) != (stored != nil) || err == nil && !reflect.DeepEqual(got, stored) {
		return fmt.Errorf("get %v: %v, %v, want %v", k, got, err, stored)
	}
	if stored != nil && (run == 0 || run > 1 && m.random.IntN(3) == 0) {
		delete(r, k)
		return table.Delete(k, engine.IfMatch(stored.ETag()))
	}
	properties := append(number(at), odata.Property{
		Name: fmt.Sprint("Text", m.random.IntN(3)), Value: odata.StringValue(string(make([]byte, m.random.IntN(1500)))),
	})
	e, err := table.Merge(k, properties, engine.Upsert)
	if stored == nil && m.random.IntN(2) == 0 {
		if _, err := table.Insert(k, properties); !errors.Is(err, engine.ErrEntityExists) {
			return fmt.Errorf("insert over %v: %v", k, err)
		}
	}
	r[k] = e
	return err
}

// expected returns the entities of a table in a range that match Age.
func (r entitiesByKey) expected(within odata.KeyRange, below int64) (want []*odata.Entity) {
	for k, e := range r {
		if v, _ := e.Property("N"); within.Contains(k) && v.Int() < below {
			want = append(want, e)
		}
	}
	slices.SortFunc(want, func(a, b *odata.Entity) int { return a.Key().Compare(b.Key()) })
	return want
}

// query checks a random query, page by page.
func (m *model) query() {
	m.t.Helper()
	within := odata.KeyRange{From: modelKey(m.random.IntN(300)), To: modelKey(m.random.IntN(300)), Bounded: m.random.IntN(3) > 0}
	below := m.random.IntN(400)
	q := engine.Query{Filter: parseFilter(m.t, fmt.Sprint("N lt ", below)), Within: within, Limit: m.random.IntN(50)}
	must(m.t, m.db.View(func(tx *engine.Tx) error {
		for name, r := range m.tables {
			table, err := tx.Table(account, name)
			if err != nil {
				return err
			}
			got, err := allPages(table, q)
			if err != nil {
				return err
			}
			if want := r.expected(within, int64(below)); !slices.EqualFunc(got, want, sameEntity) {
				return fmt.Errorf("query %+v of %s returned %d entities, want %d", q, name, len(got), len(want))
			}
		}
		return nil
	}))
}

func sameEntity(a, b *odata.Entity) bool { return reflect.DeepEqual(a, b) }

func allPages(table *engine.Table, q engine.Query) (all []*odata.Entity, err error) {
	for {
		page, err := table.Query(q).Page()
		if err != nil {
			return nil, err
		}
		if q.Limit > 0 && len(page.Entities) > q.Limit {
			return nil, fmt.Errorf("%d entities on a page of %d", len(page.Entities), q.Limit)
		}
		all = append(all, page.Entities...)
		if page.Next == nil {
			return all, nil
		}
		q.From = *page.Next
	}
}

// differs compares the whole store and returns the first difference.
func (m *model) differs(tables map[string]entitiesByKey) (difference string) {
	err := m.db.View(func(tx *engine.Tx) error {
		found := 0
		for info := range tx.Tables(account, "") {
			found++
			r, ok := tables[info.Name]
			table, err := tx.Table(account, info.Name)
			if err != nil || !ok {
				return fmt.Errorf("table %q: %v", info.Name, err)
			}
			got, err := allPages(table, engine.Query{Limit: 70})
			if err != nil {
				return err
			}
			if want := r.expected(odata.KeyRange{}, 1000); !slices.EqualFunc(got, want, sameEntity) {
				return fmt.Errorf("table %q: %d entities, want %d, or other entities", info.Name, len(got), len(want))
			}
			if info.Entities != len(got) {
				return fmt.Errorf("table %q has %d entities and reports %d", info.Name, len(got), info.Entities)
			}
		}
		if found != len(tables) {
			return fmt.Errorf("%d tables, want %d", found, len(tables))
		}
		return nil
	})
	if err != nil {
		return err.Error()
	}
	return ""
}

func (m *model) check(when string) {
	m.t.Helper()
	if d := m.differs(m.tables); d != "" {
		m.t.Fatalf("%s: %s", when, d)
	}
	if n := m.db.CacheBytes(); n > 64<<10 {
		m.t.Errorf("%d bytes of blocks are in memory", n)
	}
}
