package engine_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"sandtable/engine"
)

// partitionsOf returns up to limit partitions and checks that they ascend.
func partitionsOf(t *testing.T, db *engine.DB, from string, limit int) (found []engine.Partition) {
	t.Helper()
	view(t, db, inTable("Big", func(table *engine.Table) error {
		for p := range table.Partitions(from) {
			if n := len(found); n > 0 && found[n-1].Key >= p.Key || p.Key < from {
				t.Errorf("partition %q is out of order", p.Key)
			}
			if found = append(found, p); len(found) == limit {
				break
			}
		}
		return nil
	}))
	return found
}

// counts formats the partitions with their numbers of entities, marking approximate
// ones with ~.
func counts(partitions []engine.Partition) (s []string) {
	for _, p := range partitions {
		text := fmt.Sprint(p.Key, " ", p.Entities)
		if p.Approximate {
			text = "~" + text
		}
		s = append(s, text)
	}
	return s
}

func TestPartitions(t *testing.T) {
	m, _ := blocksStore(t) // 1,000 entities in each of p0, p1 and p2
	c := &counted{MemoryStorage: m}
	db, err := engine.Open(c, engine.Options{CheckpointAfter: -1})
	must(t, err)
	defer db.Close()
	c.reset()
	check := func(when string, from string, limit int, want ...string) {
		t.Helper()
		if got := counts(partitionsOf(t, db, from, limit)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s from %q: %q, want %q", when, from, got, want)
		}
	}
	total := 0
	for _, p := range partitionsOf(t, db, "", 0) {
		total += p.Entities
	}
	if _, read := c.reset(); read != 0 || total != blockEntities {
		t.Errorf("%d entities and %d blocks read, want %d and none", total, read, blockEntities)
	}
	view(t, db, inTable("Big", func(table *engine.Table) error {
		_, err := table.Query(engine.Query{}).Page()
		return err
	}))
	check("all in memory", "", 0, "p0 1000", "p1 1000", "p2 1000")
	check("all in memory", "", 2, "p0 1000", "p1 1000")
	check("all in memory", "p1", 0, "p1 1000", "p2 1000")
	check("all in memory", "p11", 0, "p2 1000")
	check("all in memory", "q", 0)

	update(t, db, inTable("Big", func(table *engine.Table) error {
		for i := range 1000 {
			must(t, table.Delete(bigKey(1000+i), engine.MustExist))
		}
		must(t, table.Delete(bigKey(7), engine.MustExist))
		_, err := table.Replace(bigKey(8), nil, engine.MustExist)
		must(t, err)
		for _, k := range []string{"a", "p00", "p2", "z"} {
			_, err := table.Insert(key(k, "new"), number(1))
			must(t, err)
		}
		return nil
	}))
	check("with an overlay", "", 0, "a 1", "p0 999", "p00 1", "p2 1001", "z 1")
	check("with an overlay", "p00", 0, "p00 1", "p2 1001", "z 1")
}

// TestPartitionsNotInMemory: a partition's counts are approximate if it ends inside
// a block that is not in memory.
func TestPartitionsNotInMemory(t *testing.T) {
	m, _ := blocksStore(t)
	db, err := engine.Open(m, engine.Options{CheckpointAfter: -1})
	must(t, err)
	defer db.Close()
	update(t, db, inTable("Big", func(table *engine.Table) error {
		_, err := table.Insert(key("a", "new"), nil)
		return err
	}))
	before := partitionsOf(t, db, "", 0)
	if len(before) < 4 || before[0].Key != "a" || before[0].Approximate {
		t.Fatalf("partitions are %q, want a and others", counts(before))
	}
	for i, p := range before[1:] {
		if want := fmt.Sprint("p", i); p.Key != want || !p.Approximate || p.Entities < 900 || p.Entities > 1100 || p.Bytes < 900_000 {
			t.Errorf("partition %d is %+v, want about 1,000 entities of %s", i, p, want)
		}
	}
	view(t, db, inTable("Big", func(table *engine.Table) error {
		_, err := table.Query(engine.Query{Filter: parseFilter(t, "PartitionKey eq 'p1'")}).Page()
		return err
	}))
	for _, p := range partitionsOf(t, db, "", 0) {
		if p.Key == "p1" && (p.Approximate || p.Entities != 1000) {
			t.Errorf("after it was loaded: %+v, want exactly 1,000 entities", p)
		}
	}
}

// TestPartitionsEstimates: changes that a new process replays say nothing about a block
// that is not in memory: whether it has the entity that they delete, or others of a
// partition that they add to.
func TestPartitionsEstimates(t *testing.T) {
	m, _ := makeBlocks(t, 3)
	edit := func(f func(*engine.Table) error) {
		t.Helper()
		db, err := engine.Open(m, engine.Options{CheckpointAfter: -1})
		must(t, err)
		update(t, db, inTable("Big", f))
		must(t, db.Close())
	}
	check := func(from string, want ...string) {
		t.Helper()
		db, err := engine.Open(m, engine.Options{CheckpointAfter: -1})
		must(t, err)
		defer db.Close()
		if got := counts(partitionsOf(t, db, from, 0)); !reflect.DeepEqual(got, want) {
			t.Errorf("from %q: %q, want %q", from, got, want)
		}
	}
	edit(func(table *engine.Table) error {
		for i := range 10 {
			_, err := table.Insert(key("p0", fmt.Sprint("x", i)), nil)
			if err := errors.Join(err, table.Delete(key("p0", fmt.Sprint("x", i)), engine.MustExist)); err != nil {
				return err
			}
		}
		return nil
	})
	check("", "~p0 0")
	edit(func(table *engine.Table) error {
		_, err := table.Insert(key("p1", "x"), nil)
		return err
	})
	check("p0\x00", "~p1 1")
}

// TestPartitionBegunInABlockNotInMemory: of p1 only the block with its last rows is in
// memory, so that the block before may have others.
func TestPartitionBegunInABlockNotInMemory(t *testing.T) {
	m, _ := blocksStore(t)
	db := open(t, m, engine.Options{CheckpointAfter: -1})
	view(t, db, inTable("Big", func(table *engine.Table) error {
		_, err := table.Get(bigKey(1999))
		return err
	}))
	for _, from := range []string{"", "p1"} {
		for _, p := range partitionsOf(t, db, from, 0) {
			if p.Key == "p1" && (!p.Approximate || p.FirstRow != "") {
				t.Errorf("from %q: %+v, want an estimate with an unknown first row", from, p)
			}
		}
	}
}

// TestPartitionsRowKeys: the range of row keys is what is in memory or in the
// directory, and an end that is not is unknown.
func TestPartitionsRowKeys(t *testing.T) {
	m, _ := blocksStore(t)
	db, err := engine.Open(m, engine.Options{CheckpointAfter: -1})
	must(t, err)
	defer db.Close()
	first, last := bigKey(1000).RowKey, bigKey(1999).RowKey
	if p := partitionsOf(t, db, "p1", 1)[0]; p.FirstRow > "1" || !p.OpenEnded {
		t.Errorf("not in memory: %+v, want an unknown end", p)
	}
	view(t, db, inTable("Big", func(table *engine.Table) error {
		_, err := table.Query(engine.Query{}).Page()
		return err
	}))
	if p := partitionsOf(t, db, "p1", 1)[0]; p.FirstRow != first || p.LastRow != last || p.OpenEnded {
		t.Errorf("in memory: %+v, want %q to %q", p, first, last)
	}
	update(t, db, inTable("Big", func(table *engine.Table) error {
		_, err := table.Insert(key("p1", "~"), nil)
		return err
	}))
	if p := partitionsOf(t, db, "p1", 1)[0]; p.FirstRow != first || p.LastRow != "~" || p.OpenEnded {
		t.Errorf("with an overlay: %+v, want %q to ~", p, first)
	}
}
