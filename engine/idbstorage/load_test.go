//go:build js && wasm

package idbstorage

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"syscall/js"
	"testing"

	"sandtable/engine"
)

// TestCorruptDirectory: the directory is rebuilt from the blocks.
func TestCorruptDirectory(t *testing.T) {
	remove := func(keys ...string) func(*transaction) {
		return func(tx *transaction) {
			for _, key := range keys {
				tx.store(stateStore).Call("delete", key)
			}
		}
	}
	cases := []struct {
		name    string
		corrupt func(*transaction)
		found   []engine.CorruptionKind // in addition to CorruptBlock
	}{
		{"corrupt", func(tx *transaction) { tx.put(tx.store(stateStore), directoryKey, []byte("corrupt")) }, nil},
		{"missing", remove(directoryKey), nil},
		{"of deleted blocks, corrupt", func(tx *transaction) { tx.put(tx.store(stateStore), deletedKey, []byte("corrupt")) }, nil},
		{"missing with the meta data of the checkpoint", remove(directoryKey, metaKey), []engine.CorruptionKind{engine.CorruptMeta}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			name := newDatabase(t)
			// Two checkpoints: the second one replaces block 1.
			for _, account := range []string{"gone", "test"} {
				db, err := engine.Open(openStorage(t, name, Options{}), engine.Options{CheckpointAfter: 1})
				if err == nil {
					err = db.Update(func(tx *engine.Tx) error { return tx.PutAccount(engine.Account{Name: account}) })
				}
				if err == nil {
					err = db.Close()
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			s := openStorage(t, name, Options{})
			if len(s.directory) != 1 {
				t.Fatalf("directory is %v", s.directory)
			}
			want := s.directory
			_, err := s.transact(readWrite, inAll, func(tx *transaction) {
				c.corrupt(tx)
				tx.put(tx.store(blocksStore), 1.0, []byte("corrupt"))
			})
			if err != nil {
				t.Fatal(err)
			}
			_ = s.Close()
			s = openStorage(t, name, Options{})
			for _, info := range want {
				if !slices.Contains(s.directory, info) {
					t.Errorf("%v is not in %v", info, s.directory)
				}
			}
			db, err := engine.Open(s, engine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var found []engine.CorruptionKind
			for _, d := range db.Corruption() {
				if d.Block.ID != 1 {
					found = append(found, d.Kind)
				}
			}
			if len(db.Corruption()) != len(c.found)+1 || !slices.Equal(found, c.found) {
				t.Errorf("corruption is %v", db.Corruption())
			}
			if _, _, err := db.Compact(t.Context(), nil); err != nil {
				t.Error(err)
			}
			err = db.View(func(tx *engine.Tx) error { _, err := tx.Account("test"); return err })
			if err != nil {
				t.Error(err)
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestCorruptDirectoryWithoutBlocks: what a rebuilt directory lacks is reported. Without
// its delta, a block has older entities.
func TestCorruptDirectoryWithoutBlocks(t *testing.T) {
	name := newDatabase(t)
	s := openStorage(t, name, Options{})
	checkpoint(t, s, engine.Checkpoint{Puts: []engine.Block{testBlock(1), testBlock(2), testBlock(3), testBlock(4)}})
	checkpoint(t, s, engine.Checkpoint{Deletes: []engine.BlockID{2}})
	for _, step := range []struct {
		name    string
		change  func(*transaction)
		missing int
	}{
		{"the directory is corrupt", func(tx *transaction) { tx.put(tx.store(stateStore), directoryKey, []byte("corrupt")) }, 0},
		{"and a block is gone", func(tx *transaction) { tx.store(blocksStore).Call("delete", 3) }, 1},
		{"and the count is corrupt", func(tx *transaction) { tx.put(tx.store(stateStore), countKey, []byte("corrupt")) }, 0},
	} {
		if _, err := s.transact(readWrite, inAll, step.change); err != nil {
			t.Fatal(err)
		}
		s = openStorage(t, name, Options{})
		if d, err := s.Load(); err != nil || d.Missing != step.missing || d.Rebuilt != len(d.Blocks) {
			t.Errorf("%s: %d blocks, %d rebuilt, %d missing, want %d; %v", step.name, len(d.Blocks), d.Rebuilt, d.Missing, step.missing, err)
		}
	}
	checkpoint(t, s, engine.Checkpoint{Puts: []engine.Block{testBlock(5)}})
	if d, err := openStorage(t, name, Options{}).Load(); err != nil || len(d.Blocks) != 3 || d.Rebuilt != 0 || d.Missing != 0 {
		t.Errorf("after a checkpoint: %+v, %v", d, err)
	}
}

// TestCorruptEpoch: whatever the state record contains, the store opens and belongs
// to the last storage that loaded it, even if the quota was full at first.
func TestCorruptEpoch(t *testing.T) {
	cases := map[string][]byte{
		"missing":                 nil,
		"short":                   []byte("short"),
		"an epoch that has ended": {1, 7: 0},
		"a future epoch":          {100, 7: 0},
		"too large a number":      bytes.Repeat([]byte{0xff}, 8),
	}
	for what, data := range cases {
		for _, full := range []bool{false, true} {
			t.Run(fmt.Sprint(what, ", full: ", full), func(t *testing.T) {
				name := newDatabase(t)
				_ = openStorage(t, name, Options{}).Close()
				old := writeSample(t, name)
				_, err := old.transact(readWrite, inState, func(tx *transaction) {
					state := tx.store(stateStore)
					if state.Call("delete", epochKey); data != nil {
						tx.put(state, epochKey, data)
					}
				})
				if err != nil {
					t.Fatal(err)
				}
				free := func() {}
				if full {
					free = fillUp(t)
				}
				s := openStorage(t, name, Options{})
				free()
				appendRecord(t, s, 4)
				if err := old.Append(4, []byte("stale")); !errors.Is(err, ErrFenced) {
					t.Errorf("append of the previous owner: %v", err)
				}
				if _, err := s.ReadBlocks([]engine.BlockID{2}); !errors.Is(err, engine.ErrBlockNotFound) {
					t.Errorf("read of a block that never existed: %v", err)
				}
				checkRecords(t, name, 3)
			})
		}
	}
}

// failGets makes reads of a key fail as the browser does for a value that it cannot read:
// the whole transaction is aborted.
func failGets(t *testing.T, key any, name string) (undo func()) {
	t.Helper()
	restore := js.Global().Get("Function").New("bad", "name", `
		const { prototype } = IDBObjectStore, { get } = prototype;
		prototype.get = function (key) {
			const request = get.call(this, key);
			if (key === bad) {
				const t = this.transaction;
				Object.defineProperty(t, "error", { value: new DOMException("on purpose", name) });
				queueMicrotask(() => t.abort());
			}
			return request;
		};
		return () => { prototype.get = get; };
	`).Invoke(key, name)
	undo = func() { restore.Invoke() }
	t.Cleanup(undo)
	return undo
}

// TestUnreadableBlock: a block that the browser cannot read, although it can read others,
// counts as lost. An error that may pass does not.
func TestUnreadableBlock(t *testing.T) {
	for name, lost := range map[string]bool{
		"UnknownError": true, "DataError": true, "NotReadableError": true, "AbortError": false, "InvalidStateError": false,
	} {
		t.Run(name, func(t *testing.T) {
			s := openStorage(t, newDatabase(t), Options{})
			checkpoint(t, s, engine.Checkpoint{Puts: []engine.Block{testBlock(1), testBlock(2)}, Meta: []byte("m")})
			failGets(t, 2.0, name)
			if _, err := s.ReadBlocks([]engine.BlockID{2}); err == nil || errors.Is(err, engine.ErrBlockNotFound) != lost {
				t.Errorf("the unreadable block: %v, want lost: %t", err, lost)
			}
			if _, err := s.ReadBlocks([]engine.BlockID{1}); err != nil {
				t.Errorf("the other block: %v", err)
			}
		})
	}
}

// TestUnreadableDirectory: a directory that the browser cannot read is rebuilt, and the next
// checkpoint replaces it.
func TestUnreadableDirectory(t *testing.T) {
	name := newDatabase(t)
	checkpoint(t, openStorage(t, name, Options{}), engine.Checkpoint{Puts: []engine.Block{testBlock(1), testBlock(2)}, Meta: []byte("m")})
	undo := failGets(t, directoryKey, "NotReadableError")
	s := openStorage(t, name, Options{})
	d, err := s.Load()
	if err != nil || len(d.Blocks) != 2 || d.Rebuilt != 2 || d.Missing != 0 || string(d.Meta) != "m" {
		t.Errorf("loaded %+v, %v", d, err)
	}
	checkpoint(t, s, engine.Checkpoint{Deletes: []engine.BlockID{1}, Meta: []byte("m")})
	undo()
	d, err = openStorage(t, name, Options{}).Load()
	if err != nil || len(d.Blocks) != 1 || d.Rebuilt != 0 {
		t.Errorf("loaded again %+v, %v", d, err)
	}
}

// failGetAlls makes reads of several values, one after the other or at once, fail if a
// key is among them.
func failGetAlls(t *testing.T, key float64, name string) {
	t.Helper()
	restore := js.Global().Get("Function").New("bad", "name", `
		const { prototype } = IDBObjectStore, { getAll, openCursor } = prototype;
		const abort = (t) => {
			Object.defineProperty(t, "error", { value: new DOMException("on purpose", name) });
			t.abort();
		};
		prototype.getAll = function (range, count) {
			this.getAllKeys(range, count).onsuccess = (event) => event.target.result.includes(bad) && abort(this.transaction);
			return getAll.call(this, range, count);
		};
		prototype.openCursor = function (range, direction) {
			openCursor.call(this, range, direction).onsuccess = ({ target: { result } }) => {
				if (result?.key === bad) abort(this.transaction);
				else if (result?.value === 1) result.continue(); // past a marker
			};
			return openCursor.call(this, range, direction);
		};
		return () => Object.assign(prototype, { getAll, openCursor });
	`).Invoke(key, name)
	t.Cleanup(func() { restore.Invoke() })
}

// TestUnreadableRecord: a WAL record that the browser cannot read is corrupt, and all others
// are loaded. What is appended then is kept.
func TestUnreadableRecord(t *testing.T) {
	for _, name := range []string{"UnknownError", "NotReadableError"} {
		for at, unreadable := range map[string]uint64{"one": 3, "the last": 5} {
			t.Run(name+", "+at, func(t *testing.T) {
				database := newDatabase(t)
				s := openStorage(t, database, Options{})
				for seq := range uint64(5) {
					appendRecord(t, s, seq+1)
				}
				failGetAlls(t, float64(unreadable), name)
				checkUnreadable(t, openStorage(t, database, Options{}), 5, unreadable)
				next := openStorage(t, database, Options{}) // now there is a marker after the last record
				checkUnreadable(t, next, 5, unreadable)
				if err := s.Append(6, []byte("stale")); !errors.Is(err, ErrFenced) {
					t.Errorf("append of the previous owner: %v", err)
				}
				appendRecord(t, next, 6)
				checkUnreadable(t, openStorage(t, database, Options{}), 6, unreadable)
			})
		}
	}
}

// checkUnreadable loads records up to a number, of which one cannot be read.
func checkUnreadable(t *testing.T, s *Storage, last int, unreadable uint64) {
	t.Helper()
	d, err := s.Load()
	if err != nil || len(d.WAL) != last {
		t.Fatalf("%d records, %v, want %d", len(d.WAL), err, last)
	}
	for i, r := range d.WAL {
		if want := []byte{byte(i + 1)}; r.Seq != uint64(i+1) || bytes.Equal(r.Data, want) == (r.Seq == unreadable) {
			t.Errorf("record %d is %v", r.Seq, r.Data)
		}
	}
}
