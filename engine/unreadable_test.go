package engine_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sandtable/engine"
	"sandtable/odata"
)

// TestUnreadableBlock: a temporary storage failure is not corruption.
func TestUnreadableBlock(t *testing.T) {
	m, _ := blocksStore(t)
	c := &counted{MemoryStorage: m}
	db, err := engine.Open(c, engine.Options{})
	must(t, err)
	defer db.Close()
	errGone := errors.New("gone for a while")
	scan := inTable("Big", func(table *engine.Table) error {
		page, err := table.Query(engine.Query{}).Page()
		if err == nil && len(page.Entities) != blockEntities {
			t.Errorf("%d entities", len(page.Entities))
		}
		return err
	})
	insert := inTable("Big", func(table *engine.Table) error {
		_, err := table.Insert(bigKey(5), nil)
		return err
	})
	c.before = func([]engine.BlockID) error { return errGone }
	if err := db.View(scan); !errors.Is(err, errGone) || !errors.Is(err, engine.ErrStorage) {
		t.Errorf("scan: %v", err)
	}
	if err := db.Update(insert); !errors.Is(err, errGone) || !errors.Is(err, engine.ErrReading) {
		t.Errorf("insert: %v", err)
	}
	c.before = func([]engine.BlockID) error { panic("in JavaScript") }
	if err := db.View(scan); !errors.Is(err, engine.ErrStorage) {
		t.Errorf("scan of a storage that panics: %v", err)
	}
	c.before = nil
	view(t, db, scan)
	if err := db.Update(insert); !errors.Is(err, engine.ErrEntityExists) {
		t.Errorf("insert: %v", err)
	}
	if d := db.Corruption(); len(d) > 0 {
		t.Errorf("corruption: %v", d)
	}
}

// TestReadAheadOfUnreadableBlock: a block that cannot be read does not keep others, with
// which it would be read ahead, from being read.
func TestReadAheadOfUnreadableBlock(t *testing.T) {
	m, _ := blocksStore(t)
	d, err := m.Load()
	must(t, err)
	var bad engine.BlockInfo
	for _, info := range d.Blocks {
		if info.First.PartitionKey == "p1" && bad.First.Less(info.First) {
			bad = info
		}
	}
	errDisk := errors.New("input/output error")
	c := &counted{MemoryStorage: m, before: func(ids []engine.BlockID) error {
		if slices.Contains(ids, bad.ID) {
			return errDisk
		}
		return nil
	}}
	db, err := engine.Open(c, engine.Options{})
	must(t, err)
	defer db.Close()
	view(t, db, inTable("Big", func(table *engine.Table) error {
		rows := table.Query(engine.Query{})
		defer rows.Close()
		var last odata.Key
		for rows.Next() {
			last = rows.Entity().Key()
		}
		if err := rows.Err(); !errors.Is(err, errDisk) || !errors.Is(err, engine.ErrReading) {
			t.Errorf("the scan ends with %v", err)
		}
		first, err := strconv.Atoi(bad.First.RowKey)
		if want := bigKey(first - 1); last != want {
			t.Errorf("the scan ends after %v, want %v", last, want)
		}
		return err
	}))
}

// TestLostBlock: a missing block is reported and not counted, while WAL changes to
// its keys stay visible.
func TestLostBlock(t *testing.T) {
	m, _ := blocksStore(t)
	d, err := m.Load()
	must(t, err)
	var lost engine.BlockInfo
	for _, info := range d.Blocks {
		if info.First.PartitionKey == "p1" {
			lost = info
		}
	}
	// Within the block: one entity is replaced, one deleted, one deleted and reinserted,
	// one new, and one new and deleted.
	db, err := engine.Open(m, engine.Options{CheckpointAfter: -1})
	must(t, err)
	update(t, db, inTable("Big", func(table *engine.Table) error {
		first, err := strconv.Atoi(lost.First.RowKey)
		must(t, err)
		within := bigKey(first + 3)
		within.RowKey += "new"
		gone := within
		gone.RowKey += "gone"
		_, replaced := table.Replace(bigKey(first+1), number(1), engine.MustExist)
		deleted := table.Delete(bigKey(first+2), engine.MustExist)
		moved := table.Delete(bigKey(first+3), engine.MustExist)
		_, back := table.Insert(bigKey(first+3), number(1))
		_, added := table.Insert(within, number(1))
		_, passing := table.Insert(gone, number(1))
		return errors.Join(replaced, deleted, moved, back, added, passing, table.Delete(gone, engine.MustExist))
	}))
	must(t, db.Close())

	c := &counted{MemoryStorage: m}
	db, err = engine.Open(c, engine.Options{})
	must(t, err)
	defer db.Close()
	c.before = func(ids []engine.BlockID) error {
		for _, id := range ids {
			if id == lost.ID {
				return engine.ErrBlockNotFound
			}
		}
		return nil
	}
	view(t, db, inTable("Big", func(table *engine.Table) error {
		page, err := table.Query(engine.Query{}).Page()
		want := blockEntities - lost.Count + 3
		info := table.Info()
		if len(page.Entities) != want || info.Entities > want || info.Entities < want-3 || !info.AtLeast {
			t.Errorf("%d entities, the table reports %+v, want %d", len(page.Entities), info, want)
		}
		return err
	}))
	// Its keys can be reused.
	update(t, db, inTable("Big", func(table *engine.Table) error {
		_, err := table.Insert(lost.First, number(1))
		return err
	}))
	corruption := db.Corruption()
	if len(corruption) != 1 || corruption[0].Block != lost || corruption[0].Table != "Big" || !errors.Is(corruption[0].Err, engine.ErrCorrupt) {
		t.Errorf("corruption is %v, want block %v", corruption, lost)
	}
}

// TestFailedReadLosesNothing: whatever error a read returns, neither the block nor
// the read-ahead blocks count as lost.
func TestFailedReadLosesNothing(t *testing.T) {
	c := &counted{MemoryStorage: new(engine.MemoryStorage)}
	db := open(t, c, engine.Options{CheckpointAfter: 1, MemoryBudget: 64 << 10})
	createTable(t, db, "Table")
	value := []odata.Property{{Name: "Text", Value: odata.StringValue(strings.Repeat("x", 30_000))}}
	update(t, db, inTable("Table", func(table *engine.Table) error {
		for i := range 40 {
			if _, err := table.Insert(key("p", fmt.Sprintf("%02d", i)), value); err != nil {
				return err
			}
		}
		return nil
	}))
	db.Settle()
	read := func() (page engine.Page, err error) {
		err = db.View(inTable("Table", func(table *engine.Table) error {
			page, err = table.Query(engine.Query{}).Page()
			return err
		}))
		return page, err
	}
	c.before = func([]engine.BlockID) error { return fmt.Errorf("%w: a page", engine.ErrCorrupt) }
	if _, err := read(); !errors.Is(err, engine.ErrReading) {
		t.Errorf("a failed read returns %v", err)
	}
	c.before = nil
	page, err := read()
	must(t, err)
	if n := len(page.Entities); n != 40 || len(db.Corruption()) > 0 {
		t.Errorf("%d entities are left of 40, corruption %v", n, db.Corruption())
	}
}

// loads counts the calls of Load.
type loads struct {
	*counted
	n int
}

func (l *loads) Load() (engine.Directory, error) {
	l.n++
	return l.counted.Load()
}

// TestVerifyLoadsOnce: Verify reports each missing block, and loads the directory once
// more for all of them.
func TestVerifyLoadsOnce(t *testing.T) {
	m, _ := blocksStore(t)
	d, err := m.Load()
	must(t, err)
	var big []engine.BlockID
	for _, info := range d.Blocks {
		if info.First.PartitionKey == "p1" {
			big = append(big, info.ID)
		}
	}
	s := &loads{counted: &counted{MemoryStorage: m}}
	db, err := engine.Open(s, engine.Options{})
	must(t, err)
	defer db.Close()
	s.before = func(ids []engine.BlockID) error {
		if slices.ContainsFunc(ids, func(id engine.BlockID) bool { return slices.Contains(big, id) }) {
			return engine.ErrBlockNotFound
		}
		return nil
	}
	s.n = 0
	report, err := db.Verify(t.Context(), engine.VerifyOptions{})
	must(t, err)
	for _, p := range report.Problems {
		if p.Kind != engine.MissingBlock || p.Table != "Big" || p.Entities == 0 {
			t.Error(p)
		}
	}
	if len(report.Problems) != len(big) || s.n != 2 {
		t.Errorf("%d problems of %d blocks after %d loads, want 2", len(report.Problems), len(big), s.n)
	}
}

// TestUnreadableBlockOfComparison: what only one side could read is no difference.
func TestUnreadableBlockOfComparison(t *testing.T) {
	m, _ := blocksStore(t)
	d, err := m.Load()
	must(t, err)
	ofSnapshot := make(map[engine.BlockID]bool)
	for _, info := range d.Blocks {
		ofSnapshot[info.ID] = true
	}
	db := open(t, m, engine.Options{})
	id := takeSnapshot(t, db, "before")
	update(t, db, inTable("Big", func(table *engine.Table) (err error) {
		for i := 0; i < blockEntities && err == nil; i++ {
			_, err = table.Replace(bigKey(i), number(-i), engine.MustExist)
		}
		return err
	}))
	_, _, err = db.Compact(t.Context(), nil)
	must(t, err)
	for _, fails := range []bool{true, false} {
		c := &counted{MemoryStorage: m.Clone()}
		db, err := engine.Open(c, engine.Options{})
		must(t, err)
		errGone := errors.New("gone for a while")
		c.before = func(ids []engine.BlockID) error {
			if slices.ContainsFunc(ids, func(id engine.BlockID) bool { return ofSnapshot[id] == fails }) {
				return errGone
			}
			return nil
		}
		view(t, db, func(tx *engine.Tx) error {
			tables, err := tx.CompareSnapshot(account, id)
			must(t, err)
			for d, err := range tables[0].Differences {
				if !errors.Is(err, errGone) {
					t.Errorf("blocks of the snapshot: %v, difference %s, %v; want an error", fails, differenceText(d), err)
				}
				break
			}
			return nil
		})
		must(t, db.Close())
	}
}
