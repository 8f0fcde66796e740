package filestorage_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"syscall"
	"testing"

	"sandtable/engine"
	"sandtable/engine/filestorage"
	"sandtable/odata"
)

// stored describes the contents of an open store.
func stored(t testing.TB, s *filestorage.Storage) map[string]string {
	t.Helper()
	d, err := s.Load()
	must(t, err)
	has := map[string]string{"meta": string(d.Meta)}
	for _, r := range d.WAL {
		has[fmt.Sprint("record ", r.Seq)] = string(r.Data)
	}
	for _, b := range d.Blocks {
		data, err := s.ReadBlocks([]engine.BlockID{b.ID})
		switch {
		case errors.Is(err, engine.ErrBlockNotFound):
			has[fmt.Sprint("block ", b.ID)] = "lost"
		case err != nil:
			t.Fatal(err)
		default:
			has[fmt.Sprint("block ", b.ID)] = string(data[0])
		}
	}
	return has
}

// halfDead creates a store whose next checkpoint copies blocks forward and starts a
// WAL segment.
func halfDead(t testing.TB, folder string) {
	t.Helper()
	s := open(t, folder)
	must(t, s.Append(1, []byte("one")))
	c := engine.Checkpoint{Seq: 1, Meta: []byte("first")}
	for id := engine.BlockID(1); id <= 6; id++ {
		c.Puts = append(c.Puts, blockOf(id, 2000))
	}
	must(t, s.Checkpoint(c))
	must(t, s.Checkpoint(engine.Checkpoint{Seq: 1, Deletes: []engine.BlockID{1, 2, 3, 4}, Meta: []byte("first")}))
	must(t, s.Append(2, []byte("two")))
	must(t, s.Append(3, []byte("three")))
	must(t, s.Close())
}

// TestFullCheckpoint fills the disk at every byte of a checkpoint, with and without
// the reserve. The checkpoint took effect or it did not, also after reopening, and
// succeeds once there is space.
func TestFullCheckpoint(t *testing.T) {
	filestorage.WithSmallFiles(t)
	folder := t.TempDir()
	halfDead(t, folder)
	files := readFiles(t, folder)
	c := engine.Checkpoint{Seq: 2, Puts: []engine.Block{blockOf(7, 100), blockOf(8, 300)}, Deletes: []engine.BlockID{5}, Meta: []byte("second")}
	var before, after map[string]string
	failed := 0
	for left := 0; ; left++ {
		must(t, files.write(folder))
		s := open(t, folder)
		if before == nil {
			before = stored(t, s)
		}
		end := filestorage.LimitWrites(t, left)
		err := s.Checkpoint(c)
		if got := stored(t, s); err == nil {
			if after == nil {
				after = got
			}
			if !reflect.DeepEqual(got, after) {
				t.Fatalf("with %d bytes the store has %d parts, want %d", left, len(got), len(after))
			}
		} else if failed++; !errors.Is(err, filestorage.ErrFull) || !reflect.DeepEqual(got, before) {
			t.Fatalf("with %d bytes: %v, and the store has %d parts", left, err, len(got))
		}
		want := stored(t, s)
		must(t, s.Close())
		s = open(t, folder) // reopening has no space either
		if got := stored(t, s); !reflect.DeepEqual(got, want) {
			t.Fatalf("with %d bytes, reopened: %d parts, want %d", left, len(got), len(want))
		}
		enough := s.Append(4, nil) == nil
		end()
		must(t, s.Append(4, []byte("four")))
		must(t, s.Checkpoint(c))
		want = map[string]string{"record 4": "four"}
		for key, value := range after {
			want[key] = value
		}
		if got := stored(t, s); after != nil && !reflect.DeepEqual(got["block 8"], want["block 8"]) || got["record 4"] != "four" {
			t.Fatalf("with space again it has %d parts", len(got))
		}
		must(t, s.Close())
		if err == nil && enough && left > 10_000 {
			break
		}
		if left > 400 {
			left += 36
		}
	}
	if failed < 100 {
		t.Errorf("%d checkpoints failed", failed)
	}
}

// fullStore returns a store with n large entities on a disk that is full.
func fullStore(t *testing.T) (db *engine.DB, n int) {
	t.Helper()
	folder := smallDisk(t)
	s := openWith(t, filepath.Join(folder, "store"), filestorage.Options{})
	db, err := engine.Open(s, engine.Options{IdleAfter: -1})
	must(t, err)
	createTable(t, db)
	for ; err == nil; n++ {
		err = insertLarge(db, n)
	}
	if !errors.Is(err, filestorage.ErrFull) {
		t.Fatalf("insert %d: %v", n, err)
	}
	fillDisk(t, folder)
	return db, n
}

// TestFullFileSystem fills a real file system. Deletions still succeed, as does the
// checkpoint that drops a table, and free space.
func TestFullFileSystem(t *testing.T) {
	db, n := fullStore(t)
	var err error
	for ; err == nil && n < 200; n++ { // a checkpoint that ends now gives some space back
		err = insertLarge(db, n)
	}
	if !errors.Is(err, filestorage.ErrFull) {
		t.Errorf("insert %d: %v", n, err)
	}
	// Entities can be deleted one by one, and then the table, after which a checkpoint
	// frees the space.
	for row := range 20 {
		err := db.Update(inTable(func(table *engine.Table) error {
			return table.Delete(odata.Key{PartitionKey: "large", RowKey: fmt.Sprintf("%04d", row)}, engine.MustExist)
		}))
		if err != nil {
			t.Fatalf("delete %d on a full disk: %v", row, err)
		}
	}
	must(t, db.Update(func(tx *engine.Tx) error { return tx.DeleteTable(account, "Table") }))
	writeAgain(t, db)
}

// writeAgain writes to a store whose only table was dropped, and closes it: there is space
// again.
func writeAgain(t *testing.T, db *engine.DB) {
	t.Helper()
	_, _, err := db.Compact(t.Context(), nil)
	must(t, err)
	createTable(t, db)
	for row := range 20 {
		must(t, insertLarge(db, row))
	}
	must(t, db.Close())
}

// TestResetOfFullFileSystem: a store on a disk that has not even space for a short record
// can be reset, again and again.
func TestResetOfFullFileSystem(t *testing.T) {
	db, n := fullStore(t)
	var err error
	for ; err == nil; n++ {
		err = db.Update(inTable(func(table *engine.Table) error {
			_, err := table.Insert(odata.Key{PartitionKey: "small", RowKey: fmt.Sprint(n)}, nil)
			return err
		}))
	}
	if !errors.Is(err, filestorage.ErrFull) {
		t.Fatal(err)
	}
	for range 3 {
		must(t, db.Update(func(tx *engine.Tx) error {
			return errors.Join(tx.DeleteAccounts(), tx.PutAccount(engine.Account{Name: account}))
		}))
	}
	_, _, err = db.Compact(t.Context(), nil)
	must(t, err)
	createTable(t, db)
	must(t, insertLarge(db, 0))
	must(t, db.Close())
}

// TestReserveIsForDeletions: the reserve is not for a checkpoint that makes the store
// larger, and once it is used, the space that is left of it goes to deletions and
// their checkpoints, not to other writes.
func TestReserveIsForDeletions(t *testing.T) {
	folder := smallDisk(t)
	s := openWith(t, filepath.Join(folder, "store"), filestorage.Options{})
	must(t, s.Append(1, []byte("one")))
	fillDisk(t, folder)
	small := engine.Checkpoint{Seq: 1, Puts: []engine.Block{blockOf(1, 60_000)}, Meta: []byte("small")}
	if err := s.Checkpoint(small); !errors.Is(err, filestorage.ErrFull) {
		t.Errorf("a checkpoint of 60 kB with the reserve: %v", err)
	}
	small.Shrinks = true
	must(t, s.Checkpoint(small))
	must(t, s.Checkpoint(engine.Checkpoint{Seq: 1, Puts: []engine.Block{blockOf(3, 100)}, Meta: []byte("deletions")}))
	if err := s.Append(2, sample(2, 60_000)); !errors.Is(err, filestorage.ErrFull) {
		t.Errorf("a record of 60 kB: %v", err)
	}
	large := engine.Checkpoint{Seq: 1, Puts: []engine.Block{blockOf(2, 100_000)}, Meta: []byte("large")}
	if err := s.Checkpoint(large); !errors.Is(err, filestorage.ErrFull) {
		t.Errorf("a checkpoint of 100 kB: %v", err)
	}
	for seq := range uint64(1000) {
		must(t, s.AppendReserved(2+seq, []byte("a deletion"), false))
	}
	must(t, os.Remove(filepath.Join(folder, "filler")))
	must(t, s.Append(1002, sample(2, 60_000)))
	must(t, s.Checkpoint(large))
	must(t, s.Close())
}

// TestOpenOnFullDisk: a store whose reserve is used up opens on a full disk, also after a
// write that was broken off. It has everything, and things can be deleted.
func TestOpenOnFullDisk(t *testing.T) {
	for name, torn := range map[string]int{"closed": 0, "killed while writing": 300} {
		t.Run(name, func(t *testing.T) {
			disk := smallDisk(t)
			folder := filepath.Join(disk, "store")
			s := openWith(t, folder, filestorage.Options{})
			must(t, s.Append(1, []byte("one")))
			must(t, s.Checkpoint(engine.Checkpoint{Seq: 1, Puts: []engine.Block{blockOf(1, 2000)}, Meta: []byte("meta")}))
			must(t, s.Append(2, []byte("two")))
			want := stored(t, s)
			path, content := s.NextFrame()
			must(t, s.Close())
			wal, err := os.OpenFile(path, os.O_WRONLY, 0)
			must(t, err)
			_, err = wal.WriteAt(bytes.Repeat([]byte{1}, torn), content)
			must(t, errors.Join(err, wal.Close(), os.Remove(filepath.Join(folder, "reserve"))))
			fillDisk(t, disk)
			s = openWith(t, folder, filestorage.Options{})
			if got := stored(t, s); !reflect.DeepEqual(got, want) {
				t.Errorf("it has %v, want %v", got, want)
			}
			if err := s.Append(3, []byte("three")); !errors.Is(err, filestorage.ErrFull) {
				t.Errorf("a write: %v", err)
			}
			must(t, s.AppendReserved(3, []byte("a deletion"), false))
			must(t, s.Close())
			want["record 3"] = "a deletion"
			s = openWith(t, folder, filestorage.Options{})
			if got := stored(t, s); !reflect.DeepEqual(got, want) {
				t.Errorf("after a deletion it has %v, want %v", got, want)
			}
			must(t, s.Checkpoint(engine.Checkpoint{Seq: 3, Deletes: []engine.BlockID{1}, Meta: []byte("meta"), Shrinks: true}))
			must(t, s.Close())
		})
	}
}

// smallDisk mounts a file system of 8 MiB until the test ends.
func smallDisk(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", folder).CombinedOutput(); err != nil {
		t.Skipf("mounting a small file system needs root: %v, %s", err, out)
	}
	t.Cleanup(func() { must(t, exec.Command("umount", folder).Run()) })
	return folder
}

// fillDisk takes every byte that is left, with a file "filler".
func fillDisk(t *testing.T, folder string) {
	t.Helper()
	filler, err := os.Create(filepath.Join(folder, "filler"))
	must(t, err)
	for err == nil {
		_, err = filler.Write(make([]byte, 512))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	must(t, filler.Close())
}

// insertLarge inserts an entity of 60 kB.
func insertLarge(db *engine.DB, n int) error {
	return db.Update(inTable(func(table *engine.Table) error {
		value := []odata.Property{{Name: "Bytes", Value: odata.BinaryValue(sample(uint64(n), 60_000))}}
		_, err := table.Insert(odata.Key{PartitionKey: "large", RowKey: fmt.Sprintf("%04d", n)}, value)
		return err
	}))
}

// TestWriteFailed: after a failed sync nothing more is written, and reopening finds
// the previous contents. A disk may lose accepted writes when it discovers only
// during the sync that it is full.
func TestWriteFailed(t *testing.T) {
	for name, write := range map[string]func(*filestorage.Storage) error{
		"append": func(s *filestorage.Storage) error { return s.Append(2, []byte("two")) },
		"checkpoint": func(s *filestorage.Storage) error {
			return s.Checkpoint(engine.Checkpoint{Seq: 1, Puts: []engine.Block{blockOf(1, 10)}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := openWith(t, t.TempDir(), filestorage.Options{})
			must(t, s.Append(1, []byte("one")))
			end := filestorage.FailSyncs(t, &os.PathError{Op: "sync", Err: syscall.ENOSPC})
			if err := write(s); err == nil || errors.Is(err, filestorage.ErrFull) || errors.Is(err, filestorage.ErrFailed) {
				t.Errorf("got %v", err)
			}
			end()
			for _, err := range []error{write(s), s.SetDurability(engine.Relaxed)} {
				if !errors.Is(err, filestorage.ErrFailed) {
					t.Errorf("got %v", err)
				}
			}
			must(t, s.Close())
			if got := stored(t, s); got["record 1"] != "one" && got["block 1"] == "" {
				t.Errorf("it has %v", got)
			}
			must(t, s.Append(3, []byte("three")))
		})
	}
}

// TestWALLimit appends until a WAL is as long as it may become: a checkpoint still
// shortens it, and the store still opens.
func TestWALLimit(t *testing.T) {
	filestorage.LimitWAL(t, 300<<10)
	folder := t.TempDir()
	s := openWith(t, folder, filestorage.Options{})
	seq, err := uint64(0), error(nil)
	for err == nil {
		seq++
		err = s.Append(seq, sample(seq, 1000))
	}
	if !errors.Is(err, filestorage.ErrFull) || seq < 200 {
		t.Fatalf("append %d: %v", seq, err)
	}
	must(t, s.Close())
	s = openWith(t, folder, filestorage.Options{})
	if got := stored(t, s); len(got) < int(seq)-1 {
		t.Fatalf("reopened, it has %d parts, want %d records", len(got), seq-1)
	}
	must(t, s.Checkpoint(engine.Checkpoint{Seq: seq - 1, Meta: []byte("meta")}))
	must(t, s.Append(seq, []byte("on")))
}
