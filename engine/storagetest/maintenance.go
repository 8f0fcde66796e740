package storagetest

import (
	"fmt"
	"slices"
	"testing"

	"sandtable/engine"
	"sandtable/odata"
)

// verify opens the store and returns Verify's findings.
func verify(t *testing.T, s engine.Storage) engine.Report {
	t.Helper()
	o := options()
	o.CheckpointAfter = -1
	db, err := engine.Open(s, o)
	must(t, err)
	report, err := db.Verify(t.Context(), engine.VerifyOptions{})
	must(t, err)
	must(t, db.Close())
	return report
}

// checkSound fails the test for every problem that Verify finds.
func checkSound(t testing.TB, db *engine.DB) engine.Report {
	t.Helper()
	report, err := db.Verify(t.Context(), engine.VerifyOptions{})
	if err != nil {
		t.Errorf("verify: %v", err)
	}
	for _, f := range report.Problems {
		t.Error(f)
	}
	return report
}

// testVerify corrupts a store in the ways that a Storage allows and checks that
// Verify finds exactly that.
func testVerify(t *testing.T, o Opener) {
	checkpointed(t, o)
	db := openDB(t, open(t, o))
	writeRows(t, db, "Log", "1", "2", "3")
	if report := checkSound(t, db); report.Entities != 19 || report.Tables != 3 || report.Blocks == 0 {
		t.Errorf("counted %+v", report)
	}
	must(t, db.Close())

	var lost engine.BlockInfo
	var sound []byte
	put := func(data []byte) {
		withStorage(t, o, func(s engine.Storage, d engine.Directory) {
			must(t, s.Checkpoint(engine.Checkpoint{Puts: []engine.Block{{BlockInfo: lost, Data: data}}, Meta: d.Meta}))
		})
	}
	withStorage(t, o, func(s engine.Storage, d engine.Directory) {
		lost = victim(t, d)
		texts, err := s.ReadBlocks([]engine.BlockID{lost.ID})
		must(t, err)
		sound = texts[0]
	})
	check := func(s engine.Storage, want ...engine.ProblemKind) {
		t.Helper()
		findings := verify(t, s).Problems
		var kinds []engine.ProblemKind
		for _, f := range findings {
			kinds = append(kinds, f.Kind)
			if f.Kind != engine.BadRecord && f.Block != lost.ID {
				t.Errorf("found %s, want block %d", f, lost.ID)
			}
		}
		if !slices.Equal(kinds, want) {
			t.Errorf("found %v, want %v", findings, want)
		}
	}
	flipped := slices.Clone(sound)
	flipped[len(flipped)/2] ^= 1
	put(flipped)
	check(open(t, o), engine.BadBlock)
	put(sound)
	check(open(t, o))
	s, err := o()
	must(t, err)
	check(&withoutBlock{s, lost.ID}, engine.MissingBlock)
	withStorage(t, o, func(s engine.Storage, d engine.Directory) {
		last := d.WAL[len(d.WAL)-1]
		record := slices.Clone(last.Data)
		record[len(record)-1] ^= 1
		must(t, s.Append(last.Seq, record))
	})
	check(open(t, o), engine.BadRecord)
}

// testCompact deletes most of a table and then tables of many blocks: the names can
// be reused at once and the blocks are freed, also after a restart.
func testCompact(t *testing.T, o Opener) {
	db := openDB(t, open(t, o))
	fillTable(t, db, "Table", 400)
	_, full, err := db.Compact(t.Context(), nil)
	must(t, err)
	must(t, db.Update(func(tx *engine.Tx) error {
		table, err := tx.Table(account, "Table")
		for i := 0; i < 400 && err == nil; i++ {
			if i%4 > 0 {
				err = table.Delete(rowOf(i), engine.MustExist)
			}
		}
		return err
	}))
	_, less, err := db.Compact(t.Context(), nil)
	must(t, err)
	if less.Blocks > full.Blocks/3+2 {
		t.Errorf("%v are left of %v", less, full)
	}
	must(t, db.Update(func(tx *engine.Tx) error { return tx.DeleteTable(account, "Table") }))
	fillTable(t, db, "Table", 5)
	db = reopenDB(t, o, db)
	if report := checkSound(t, db); report.Entities != 5 {
		t.Errorf("%d entities, want 5", report.Entities)
	}
	_, few, err := db.Compact(t.Context(), nil)
	must(t, err)
	if few.Blocks != 2 {
		t.Errorf("%v are left", few)
	}
	checkSound(t, reopenDB(t, o, db))
}

func rowOf(i int) odata.Key { return odata.Key{PartitionKey: "p", RowKey: fmt.Sprintf("%06d", i)} }

// fillTable creates a table with entities of a kilobyte.
func fillTable(t *testing.T, db *engine.DB, name string, n int) {
	t.Helper()
	value := []odata.Property{{Name: "Text", Value: odata.StringValue(string(make([]byte, 1000)))}}
	must(t, db.Update(func(tx *engine.Tx) error {
		if err := tx.CreateTable(account, name); err != nil {
			return err
		}
		table, err := tx.Table(account, name)
		for i := 0; i < n && err == nil; i++ {
			_, err = table.Insert(rowOf(i), value)
		}
		return err
	}))
}
