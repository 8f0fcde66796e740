package engine_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"sandtable/engine"
	"sandtable/engine/storagetest"
)

// takeSnapshot takes a snapshot of the tests' account and returns its identity.
func takeSnapshot(t *testing.T, db *engine.DB, name string) (id string) {
	t.Helper()
	update(t, db, func(tx *engine.Tx) error {
		s, err := tx.TakeSnapshot(account, name, engine.SnapshotTaken)
		id = s.ID
		return err
	})
	return id
}

func restoreSnapshot(t *testing.T, db *engine.DB, id string) {
	t.Helper()
	update(t, db, func(tx *engine.Tx) error { return tx.RestoreSnapshot(account, id) })
}

func snapshotsOf(t *testing.T, db *engine.DB) (list []engine.Snapshot) {
	t.Helper()
	view(t, db, func(tx *engine.Tx) error {
		for listed := range tx.Snapshots(account) {
			if listed.Tables+listed.Entities > 0 || listed.State != 0 {
				t.Errorf("%+v was counted", listed)
			}
			s, err := tx.Snapshot(account, listed.ID)
			if err != nil {
				return err
			}
			list = append(list, s)
		}
		return nil
	})
	return list
}

// withoutSnapshots returns the contents of the tests' account alone.
func withoutSnapshots(t *testing.T, db *engine.DB) storagetest.Contents {
	t.Helper()
	c := storagetest.ContentsOf(t, db, account)
	for path := range c {
		if strings.HasPrefix(path, "@") {
			delete(c, path)
		}
	}
	return c
}

// TestCurrentSnapshot finds the snapshot of the present state, unless that is incomplete.
func TestCurrentSnapshot(t *testing.T) {
	db := open(t, new(engine.MemoryStorage), engine.Options{})
	current := func() (id string) {
		view(t, db, func(tx *engine.Tx) error {
			s, err := tx.CurrentSnapshot(account)
			if id = s.ID; errors.Is(err, engine.ErrSnapshotNotFound) {
				err = nil
			}
			return err
		})
		return id
	}
	update(t, db, func(tx *engine.Tx) error {
		_, err := tx.BeginSnapshot(account, "as empty as the account")
		return err
	})
	if id := current(); id != "" {
		t.Errorf("the incomplete snapshot %q was found", id)
	}
	createTable(t, db, "Table")
	first := takeSnapshot(t, db, "first")
	update(t, db, inTable("Table", func(table *engine.Table) error {
		_, err := table.Insert(key("p", "r"), nil)
		return err
	}))
	if id := current(); id != "" {
		t.Errorf("found %q, which lacks an entity", id)
	}
	second := takeSnapshot(t, db, "second")
	if id := current(); id != second {
		t.Errorf("found %q, want %q", id, second)
	}
	restoreSnapshot(t, db, first)
	if id := current(); id != first {
		t.Errorf("found %q, want %q", id, first)
	}
}

// TestSnapshotSharesBlocks: a snapshot costs no block, and after a change only
// those that it alone has.
func TestSnapshotSharesBlocks(t *testing.T) {
	m, blocks := blocksStore(t)
	db := open(t, m, engine.Options{})
	before := withoutSnapshots(t, db)
	id := takeSnapshot(t, db, "clean")
	compact := func() int {
		t.Helper()
		_, after, err := db.Compact(t.Context(), nil)
		must(t, err)
		return after.Blocks
	}
	stored := compact()
	if s := snapshotsOf(t, db)[0]; s.Entities != blockEntities+1 || s.Tables != 2 || s.Bytes != 0 || s.Name != "clean" {
		t.Errorf("snapshot is %+v, want all entities and no bytes of its own", s)
	}
	update(t, db, inTable("Big", func(table *engine.Table) error { return table.Delete(bigKey(1500), engine.MustExist) }))
	if after := compact(); after != stored+1 && after != stored+2 {
		t.Errorf("%d blocks after a change, want one or two more than %d (the table has %d)", after, stored, blocks)
	}
	if s := snapshotsOf(t, db)[0]; s.Bytes != 0 {
		t.Errorf("%d bytes of its own after one change, want none: the table has its block, too, with a delta", s.Bytes)
	}
	update(t, db, inTable("Big", func(table *engine.Table) error {
		_, err := table.Insert(key("", "before all others"), number(1))
		return err
	}))
	compact()
	if s := snapshotsOf(t, db)[0]; s.Bytes == 0 || s.Bytes > 100_000 {
		t.Errorf("%d bytes of its own after the first block was rewritten, want a block", s.Bytes)
	}
	restoreSnapshot(t, db, id)
	withoutSnapshots(t, db).Check(t, before)
	update(t, db, func(tx *engine.Tx) error { return tx.DeleteSnapshot(account, id) })
	if after := compact(); after > stored {
		t.Errorf("%d blocks after the snapshot is gone, want at most %d", after, stored)
	}
	withoutSnapshots(t, db).Check(t, before)
	must(t, db.Close())
	db = open(t, m, engine.Options{})
	withoutSnapshots(t, db).Check(t, before)
	if list := snapshotsOf(t, db); len(list) > 0 {
		t.Errorf("after its deletion there is %+v", list)
	}
}

// TestSnapshotOutlivesItsTables: restoring brings back deleted tables, policies,
// service properties and ETags, and removes tables that are new; keys stay.
func TestSnapshotOutlivesItsTables(t *testing.T) {
	m := new(engine.MemoryStorage)
	db := open(t, m, engine.Options{CheckpointAfter: 1})
	createTable(t, db, "Kept")
	createTable(t, db, "Gone")
	update(t, db, inTable("Gone", func(table *engine.Table) error {
		_, err := table.Insert(key("p", "r"), number(1))
		return errors.Join(err, table.SetPolicies("<policies/>"))
	}))
	var id string
	before := withoutSnapshots(t, db)
	update(t, db, func(tx *engine.Tx) error {
		a, err := tx.Account(account)
		must(t, err)
		a.Properties = "<before/>"
		must(t, tx.PutAccount(a))
		s, err := tx.TakeSnapshot(account, "first", engine.SnapshotTaken)
		id = s.ID
		return err
	})
	update(t, db, func(tx *engine.Tx) error {
		must(t, tx.DeleteTable(account, "Gone"))
		must(t, tx.CreateTable(account, "New"))
		a, err := tx.Account(account)
		must(t, err)
		a.Properties, a.Keys[0] = "<after/>", []byte("key")
		return tx.PutAccount(a)
	})
	_, _, err := db.Compact(t.Context(), nil)
	must(t, err)
	must(t, db.Close())
	db = open(t, m, engine.Options{CheckpointAfter: 1})
	restoreSnapshot(t, db, id)
	withoutSnapshots(t, db).Check(t, before)
	view(t, db, func(tx *engine.Tx) error {
		a, err := tx.Account(account)
		if a.Properties != "<before/>" || string(a.Keys[0]) != "key" {
			t.Errorf("account is %+v, want the earlier properties and the present key", a)
		}
		table, err2 := tx.Table(account, "gone")
		must(t, err2)
		if table.Policies() != "<policies/>" || table.Info().Name != "Gone" {
			t.Errorf("table %q has the policies %q", table.Info().Name, table.Policies())
		}
		return err
	})
}

// TestSnapshotLimits: names and numbers are limited, and what does not exist or is
// incomplete is refused.
func TestSnapshotLimits(t *testing.T) {
	db := openMemory(t, engine.Options{})
	take := func(name string) func(*engine.Tx) error {
		return func(tx *engine.Tx) error {
			_, err := tx.TakeSnapshot(account, name, engine.SnapshotTaken)
			return err
		}
	}
	for _, name := range []string{"", " ", "a\nb", "\xff", strings.Repeat("é", engine.MaxSnapshotName+1)} {
		if err := db.Update(take(name)); !errors.Is(err, engine.ErrSnapshotName) {
			t.Errorf("name %q: %v", name, err)
		}
	}
	for i := range engine.MaxSnapshots {
		must(t, db.Update(take(fmt.Sprint(strings.Repeat("é", engine.MaxSnapshotName-3), i))))
	}
	if err := db.Update(take("one more")); !errors.Is(err, engine.ErrTooManySnapshots) {
		t.Errorf("one more: %v", err)
	}
	last := snapshotsOf(t, db)[engine.MaxSnapshots-1].ID
	update(t, db, func(tx *engine.Tx) error { return tx.DeleteSnapshot(account, last) })
	var begun engine.Snapshot
	update(t, db, func(tx *engine.Tx) (err error) {
		begun, err = tx.BeginSnapshot(account, "from a file")
		return err
	})
	cases := map[string]struct {
		do   func(*engine.Tx) error
		want error
	}{
		"no such snapshot":     {func(tx *engine.Tx) error { return tx.RestoreSnapshot(account, last) }, engine.ErrSnapshotNotFound},
		"no identity":          {func(tx *engine.Tx) error { return tx.DeleteSnapshot(account, "") }, engine.ErrSnapshotNotFound},
		"incomplete":           {func(tx *engine.Tx) error { return tx.RestoreSnapshot(account, begun.ID) }, engine.ErrSnapshotIncomplete},
		"no such account":      {func(tx *engine.Tx) error { _, err := tx.TakeSnapshot("nobody", "n", engine.SnapshotTaken); return err }, engine.ErrAccountNotFound},
		"the holder's account": {func(tx *engine.Tx) error { _, err := tx.Account(begun.Holder()); return err }, engine.ErrAccountNotFound},
		"a snapshot of one": {func(tx *engine.Tx) error {
			_, err := tx.TakeSnapshot(begun.Holder(), "n", engine.SnapshotTaken)
			return err
		}, engine.ErrAccountNotFound},
	}
	for name, c := range cases {
		if err := db.Update(c.do); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
}

// TestSnapshotChanges: subscribers learn about snapshots and about restored tables,
// and nothing about hidden ones.
func TestSnapshotChanges(t *testing.T) {
	db := openMemory(t, engine.Options{})
	createTable(t, db, "Same")
	createTable(t, db, "Back")
	wait := watch(t, db)
	id := takeSnapshot(t, db, "first")
	update(t, db, func(tx *engine.Tx) error {
		must(t, tx.DeleteTable(account, "Back"))
		return tx.CreateTable(account, "New")
	})
	update(t, db, func(tx *engine.Tx) error { return tx.RenameSnapshot(account, id, "renamed") })
	restoreSnapshot(t, db, id)
	update(t, db, func(tx *engine.Tx) error { return tx.DeleteSnapshot(account, id) })
	want := []string{
		"snapshots changed " + account + "/", "table deleted " + account + "/Back", "table created " + account + "/New",
		"snapshots changed " + account + "/", "table restored " + account + "/Back", "table restored " + account + "/Same",
		"table deleted " + account + "/New", "snapshots changed " + account + "/",
	}
	var got []string
	for _, c := range wait(len(want)) {
		got = append(got, describe(c))
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// TestCompareSnapshot: the differences are those that restoring makes, and only
// blocks that are not shared are read.
func TestCompareSnapshot(t *testing.T) {
	m, _ := blocksStore(t)
	db := open(t, m, engine.Options{})
	id := takeSnapshot(t, db, "before")
	update(t, db, inTable("Big", func(table *engine.Table) error {
		_, inserted := table.Insert(key("p1", "new"), number(1))
		_, merged := table.Merge(bigKey(2900), number(7), engine.MustExist)
		return errors.Join(inserted, merged, table.Delete(bigKey(3), engine.MustExist))
	}))
	update(t, db, func(tx *engine.Tx) error { return tx.DeleteTable(account, "Small") })
	createTable(t, db, "Tiny")
	for _, when := range []string{"in the overlay", "in blocks"} {
		var got []string
		view(t, db, func(tx *engine.Tx) error {
			tables, err := tx.CompareSnapshot(account, id)
			must(t, err)
			for _, table := range tables {
				got = append(got, fmt.Sprint(table.Name, " ", table.Created, " ", table.Deleted))
				for d, err := range table.Differences {
					must(t, err)
					got = append(got, differenceText(d))
				}
			}
			return nil
		})
		want := []string{
			"Big false false", "+ p0/000003", "- p1/new", "~ p2/002900", "Small true false", "+ p/r", "Tiny false true",
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %q\nwant %q", when, got, want)
		}
		_, _, err := db.Compact(t.Context(), nil)
		must(t, err)
	}
}

func differenceText(d engine.Difference) string {
	kind, e := "~", d.After
	switch {
	case d.Before == nil:
		kind = "+"
	case d.After == nil:
		kind, e = "-", d.Before
	}
	return kind + " " + e.PartitionKey + "/" + e.RowKey
}

// TestSnapshotWithLostMetadata: without the checkpoint's metadata the catalog still
// says which blocks a table has that others wrote.
func TestSnapshotWithLostMetadata(t *testing.T) {
	m, _ := blocksStore(t)
	db := open(t, m, engine.Options{})
	before := withoutSnapshots(t, db)
	id := takeSnapshot(t, db, "before")
	update(t, db, inTable("Big", func(table *engine.Table) error { return table.Delete(bigKey(1), engine.MustExist) }))
	_, _, err := db.Compact(t.Context(), nil)
	must(t, err)
	restoreSnapshot(t, db, id)
	_, _, err = db.Compact(t.Context(), nil)
	must(t, err)
	must(t, db.Close())
	d, err := m.Load()
	must(t, err)
	d.Meta[len(d.Meta)-1] ^= 1
	must(t, m.Checkpoint(engine.Checkpoint{Meta: d.Meta}))
	db, err = engine.Open(m, engine.Options{})
	must(t, err)
	defer db.Close()
	if c := db.Corruption(); len(c) != 1 || c[0].Kind != engine.CorruptMeta {
		t.Errorf("corruption is %v, want the metadata", c)
	}
	withoutSnapshots(t, db).Check(t, before)
	if s := snapshotsOf(t, db); len(s) != 1 || s[0].Entities != len(before)-2 {
		t.Errorf("snapshots are %+v, want one of %d entities", s, len(before)-2)
	}
}

// TestSnapshotOfManyEntities: snapshots share blocks, so that taking and restoring one
// writes a few bytes for each table, not for each entity.
func TestSnapshotOfManyEntities(t *testing.T) {
	db := openMemory(t, engine.Options{CheckpointAfter: -1})
	createTable(t, db, "Many")
	const n = 20_000
	update(t, db, inTable("Many", func(table *engine.Table) (err error) {
		for i := 0; i < n && err == nil; i++ {
			_, err = table.Insert(key("p", fmt.Sprintf("%06d", i)), number(i))
		}
		return err
	}))
	inserted := db.Stats().WAL
	id := takeSnapshot(t, db, "many")
	update(t, db, func(tx *engine.Tx) error { return tx.DeleteTable(account, "Many") })
	restoreSnapshot(t, db, id)
	view(t, db, inTable("Many", func(table *engine.Table) error {
		if got := table.Info().Entities; got != n {
			t.Errorf("%d entities, want %d", got, n)
		}
		return nil
	}))
	if wrote := db.Stats().WAL - inserted; wrote > 1000 {
		t.Errorf("wrote %d bytes after the %d of the entities", wrote, inserted)
	}
}
