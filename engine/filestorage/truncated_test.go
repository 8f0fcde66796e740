package filestorage_test

import (
	"encoding/binary"
	"syscall"
	"testing"

	"sandtable/engine"
	"sandtable/engine/filestorage"
)

// TestTruncatedWAL: a WAL without its commits, as a copy to a full disk leaves it, looks
// like the WAL of an older moment. But there are blocks of later commits, and they stay.
func TestTruncatedWAL(t *testing.T) {
	folder := t.TempDir()
	db := filled(t, folder)
	_, _, err := db.Compact(t.Context(), nil)
	must(t, err)
	must(t, db.Close())
	whole := readFiles(t, folder).withoutOwner()
	name := whole.only(t, "wal-")
	base := binary.LittleEndian.Uint64(whole[name][16:])
	must(t, whole.with(name, whole[name][:base]).write(folder))
	for _, state := range []string{"opened", "opened again"} {
		db, err = engine.Open(open(t, folder), engine.Options{CheckpointAfter: -1})
		must(t, err)
		n := 0
		must(t, db.View(func(tx *engine.Tx) error {
			table, err := tx.Table(account, "Table")
			if err != nil {
				return err
			}
			page, err := table.Query(engine.Query{}).Page()
			n = len(page.Entities)
			return err
		}))
		if n != 60 || len(db.Corruption()) == 0 {
			t.Errorf("%s, it has %d entities, and reports %v", state, n, db.Corruption())
		}
		must(t, db.Close())
	}
}

// TestRenamedSegmentIsUsed: once a WAL segment has its name, no error may make the storage
// continue the segment before it.
func TestRenamedSegmentIsUsed(t *testing.T) {
	filestorage.WithSmallFiles(t)
	folder := t.TempDir()
	s := openWith(t, folder, filestorage.Options{})
	must(t, s.Append(1, sample(1, 3000)))
	end := filestorage.FailStats(t, syscall.EDQUOT)
	err := s.Checkpoint(engine.Checkpoint{Seq: 1, Meta: []byte("meta")}) // begins a segment
	end()
	acknowledged := err == nil && s.Append(2, []byte("two")) == nil
	must(t, s.Close())
	s = openWith(t, folder, filestorage.Options{})
	d, err := s.Load()
	must(t, err)
	if acknowledged && len(d.WAL) == 0 {
		t.Error("an acknowledged record is lost")
	}
}
