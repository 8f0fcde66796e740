//go:build js && wasm

package idbstorage

import (
	"context"
	"errors"
	"syscall/js"
	"testing"
	"time"

	"github.com/hack-pad/go-indexeddb/idb"

	"sandtable/engine"
)

// TestLostConnection: a lost connection is replaced, with or without an event,
// and the write is done on the new one.
func TestLostConnection(t *testing.T) {
	cases := []struct {
		name string
		lose func(*Storage)
	}{
		{"closed silently", func(s *Storage) { s.connection.db.Call("close") }},
		{"close event", func(s *Storage) {
			s.connection.db.Call("dispatchEvent", js.Global().Get("Event").New("close"))
		}},
		{"versionchange event", func(s *Storage) {
			s.connection.db.Call("dispatchEvent", js.Global().Get("Event").New("versionchange"))
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			name := newDatabase(t)
			s := openStorage(t, name, Options{})
			appendRecord(t, s, 1)
			lost := s.connection
			c.lose(s)
			appendRecord(t, s, 2)
			if s.connection == lost || !lost.isLost() {
				t.Error("the connection was not replaced")
			}
			if err := s.Checkpoint(engine.Checkpoint{Seq: 1, Meta: []byte("m")}); err != nil {
				t.Error(err)
			}
			checkRecords(t, name, 1)
		})
	}
}

// TestRetryWithoutSpace: a checkpoint may have been committed before the connection was
// lost. If there is no space for the retry, the error does not say that nothing was
// written: the engine would delete the blocks that are now in use.
func TestRetryWithoutSpace(t *testing.T) {
	name := newDatabase(t)
	s := openStorage(t, name, Options{})
	appendRecord(t, s, 1)
	restore := js.Global().Get("Function").New(`
		const { prototype } = IDBDatabase, { transaction } = prototype;
		let writes = 0;
		prototype.transaction = function (stores, mode, options) {
			const t = transaction.call(this, stores, mode, options);
			if (mode === "readwrite" && ++writes === 1) {
				Object.defineProperty(t, "oncomplete", { set() {} });
				t.addEventListener("complete", () => this.dispatchEvent(new Event("close")));
			} else if (mode === "readwrite") {
				Object.defineProperty(t, "error", { value: new DOMException("on purpose", "QuotaExceededError") });
				t.commit = () => {};
				queueMicrotask(() => t.abort());
			}
			return t;
		};
		return () => { prototype.transaction = transaction; };
	`).Invoke()
	err := s.Checkpoint(engine.Checkpoint{Seq: 1, Meta: []byte("m")})
	restore.Invoke()
	if err == nil || errors.Is(err, engine.ErrNoSpace) {
		t.Errorf("got %v", err)
	}
	checkRecords(t, name, 0)
}

// TestDeletedDatabase: another context can delete the open database, and we do not
// write to its new, empty successor.
func TestDeletedDatabase(t *testing.T) {
	name := newDatabase(t)
	s := openStorage(t, name, Options{})
	appendRecord(t, s, 1)
	if err := deleteDatabase(name, 5*time.Second); err != nil {
		t.Fatalf("delete an open database: %v", err)
	}
	for range 2 {
		if err := s.Append(2, nil); !errors.Is(err, ErrLost) {
			t.Errorf("append to a deleted database: %v", err)
		}
	}
	if _, err := s.ReadBlocks([]engine.BlockID{1}); !errors.Is(err, ErrLost) {
		t.Errorf("read of a deleted database: %v", err)
	}
	checkRecords(t, name, 0)
}

// TestDeletedWhileLoading: a database that is deleted while it is loaded is lost. Its
// successor knows nothing of the epoch that has been started, so no later owner could
// fence this storage there.
func TestDeletedWhileLoading(t *testing.T) {
	name := newDatabase(t)
	// The first transaction starts the epoch. The database is gone before the second.
	deleteBeforeRead := js.Global().Get("Function").New("db", `
		db.transaction = (stores, mode, options) => {
			if (mode === "readonly") {
				db.close();
				indexedDB.deleteDatabase(db.name);
			}
			return IDBDatabase.prototype.transaction.call(db, stores, mode, options);
		};
	`)
	first := true
	s, err := Open(name, Options{Opened: func(db js.Value) {
		if first {
			deleteBeforeRead.Invoke(db)
		}
		first = false
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Load(); !errors.Is(err, ErrLost) {
		t.Errorf("load of a deleted database: %v", err)
	}
	if err := s.Append(1, nil); !errors.Is(err, ErrLost) {
		t.Errorf("append to its successor: %v", err)
	}
	checkRecords(t, name, 0)
}

// TestBlockedDatabase: no call waits forever while another context keeps the
// database open.
func TestBlockedDatabase(t *testing.T) {
	name := newDatabase(t)
	s := openStorage(t, name, Options{})
	appendRecord(t, s, 1)
	_ = s.Close()
	release := hold(t, name)
	if err := deleteDatabase(name, 100*time.Millisecond); !errors.Is(err, ErrTimeout) {
		t.Errorf("delete a database that is kept open: %v", err)
	}
	if _, err := Open(name, Options{Timeout: 100 * time.Millisecond}); !errors.Is(err, ErrTimeout) {
		t.Errorf("open a database that is about to be deleted: %v", err)
	}
	release()
	checkRecords(t, name, 0)
}

// TestDeleteUnusableDatabase: a database that cannot be opened, because a newer
// version created it or because it lacks our object stores, can be deleted, and
// its name used again.
func TestDeleteUnusableDatabase(t *testing.T) {
	for _, version := range []int{schemaVersion, schemaVersion + 1} {
		name := newDatabase(t)
		opened := make(chan struct{})
		request := js.Global().Get("indexedDB").Call("open", name, version)
		f := js.FuncOf(func(js.Value, []js.Value) any { close(opened); return nil })
		request.Set("onsuccess", f)
		<-opened
		f.Release()
		request.Get("result").Call("close")
		s, err := Open(name, Options{})
		if err == nil {
			_, err = s.Load()
			_ = s.Close()
		}
		if err == nil {
			t.Errorf("a database of version %d without object stores was opened", version)
		}
		if err := deleteDatabase(name, 5*time.Second); err != nil {
			t.Errorf("delete: %v", err)
		}
		appendRecord(t, openStorage(t, name, Options{}), 1)
	}
}

func TestNoIndexedDB(t *testing.T) {
	object, global := js.Global().Get("Object"), js.Global()
	const property = "indexedDB"
	descriptor := object.Call("getOwnPropertyDescriptor", global, property)
	object.Call("defineProperty", global, property, map[string]any{"value": js.Null(), "configurable": true})
	t.Cleanup(func() { object.Call("defineProperty", global, property, descriptor) })
	if _, err := Open("none", Options{}); !errors.Is(err, ErrUnavailable) {
		t.Errorf("open: %v", err)
	}
	if err := deleteDatabase("none", time.Second); !errors.Is(err, ErrUnavailable) {
		t.Errorf("delete: %v", err)
	}
}

func TestDeniedIndexedDB(t *testing.T) {
	factory := js.Global().Get("indexedDB")
	factory.Set("open", js.Global().Get("Function").New(`throw new DOMException("denied", "SecurityError")`))
	t.Cleanup(func() { factory.Delete("open") }) // the prototype has it, too
	if _, err := Open("denied", Options{}); !errors.Is(err, ErrUnavailable) {
		t.Errorf("open: %v", err)
	}
}

// TestUpgradeByNewerVersion: a database upgraded by a newer version is lost to this
// one, which notices at once and not only at its next write.
func TestUpgradeByNewerVersion(t *testing.T) {
	name := newDatabase(t)
	var opened []js.Value
	s := openStorage(t, name, Options{Opened: func(db js.Value) { opened = append(opened, db) }})
	if _, err := s.Load(); err != nil {
		t.Fatal(err)
	}
	if len(opened) != 1 || opened[0].Get("name").String() != name {
		t.Errorf("Opened was called with %v", opened)
	}
	f, err := factory()
	if err != nil {
		t.Fatal(err)
	}
	request, err := f.Open(context.Background(), name, schemaVersion+1, func(*idb.Database, uint, uint) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	newer, err := request.Await(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer newer.Close()
	select {
	case <-s.Lost():
	case <-time.After(10 * time.Second):
		t.Fatal("the upgrade was not noticed")
	}
	if err := s.Append(1, []byte("x")); !errors.Is(err, engine.ErrFormat) {
		t.Errorf("append: %v", err)
	}
}
