package filestorage_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"sandtable/engine"
	"sandtable/engine/filestorage"
)

// TestNextWALSegmentOverwrites: a strict store overwrites the segment before the
// last with its next WAL segment. After a crash, what is left of the old segment is
// not taken for frames, and Close removes the spare file.
func TestNextWALSegmentOverwrites(t *testing.T) {
	folder := t.TempDir()
	s, err := filestorage.Open(folder, filestorage.Options{Durability: engine.Strict})
	must(t, err)
	wal := func(files storeFiles) (name string) {
		for other := range files {
			if strings.HasPrefix(other, "wal-") && !strings.HasSuffix(other, ".tmp") {
				name = other
			}
		}
		return name
	}
	spares := func(files storeFiles) (n int) {
		for name := range files {
			if strings.HasSuffix(name, ".tmp") {
				n++
			}
		}
		return n
	}
	names, overwritten := map[string]bool{}, 0
	seq := uint64(0)
	for rotations := 0; rotations < 4; {
		seq++
		must(t, s.Append(seq, sample(seq, 100<<10)))
		if seq%15 == 0 { // a checkpoint that drops all records but the last
			must(t, s.Checkpoint(engine.Checkpoint{Seq: seq - 1, Meta: []byte("meta")}))
		}
		files := readFiles(t, folder)
		if name := wal(files); !names[name] {
			names[name] = true
			rotations = len(names) - 1
			if n := spares(files); n > 1 {
				t.Errorf("%d spare segments, want at most one", n)
			}
			if bytes.Contains(files[name], sample(seq-20, 1<<10)) {
				overwritten++ // a record that was dropped long ago
			}
		}
	}
	if overwritten == 0 {
		t.Error("no WAL segment was written over an older one")
	}
	crashed := filepath.Join(t.TempDir(), "crashed")
	must(t, readFiles(t, folder).withoutOwner().write(crashed))
	must(t, s.Close())
	if n := spares(readFiles(t, folder)); n != 0 {
		t.Errorf("%d spare segments after closing", n)
	}

	s = openWith(t, crashed, filestorage.Options{Durability: engine.Strict})
	d, err := s.Load()
	must(t, err)
	if len(d.WAL) == 0 || d.WAL[len(d.WAL)-1].Seq != seq || string(d.Meta) != "meta" {
		t.Fatalf("%d records after the crash, metadata %q, want the last to be %d", len(d.WAL), d.Meta, seq)
	}
	for _, r := range d.WAL {
		if !bytes.Equal(r.Data, sample(r.Seq, 100<<10)) {
			t.Errorf("record %d has other bytes", r.Seq)
		}
	}
	if n := spares(readFiles(t, crashed)); n > 1 {
		t.Errorf("%d spare segments after opening", n)
	}
}
