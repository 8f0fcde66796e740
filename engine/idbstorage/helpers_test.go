//go:build js && wasm

package idbstorage

import (
	"context"
	"fmt"
	"sync"
	"syscall/js"
	"testing"
	"time"

	"sandtable/engine"
)

var names int

func newDatabase(t testing.TB) string {
	t.Helper()
	names++
	name := fmt.Sprint("connection-test-", time.Now().UnixNano(), "-", names)
	t.Cleanup(func() {
		if err := deleteDatabase(name, 10*time.Second); err != nil {
			t.Error(err)
		}
	})
	return name
}

func openStorage(t testing.TB, name string, options Options) *Storage {
	t.Helper()
	s, err := Open(name, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if _, err := s.Load(); err != nil {
		t.Fatal(err)
	}
	return s
}

func appendRecord(t testing.TB, s *Storage, seq uint64) {
	t.Helper()
	if err := s.Append(seq, []byte{byte(seq)}); err != nil {
		t.Fatalf("append %d: %v", seq, err)
	}
}

// checkRecords loads the database with a new storage and counts the WAL records.
func checkRecords(t testing.TB, name string, want int) {
	t.Helper()
	s, err := Open(name, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	d, err := s.Load()
	if err != nil || len(d.WAL) != want {
		t.Errorf("%d records, want %d; %v", len(d.WAL), want, err)
	}
}

// hold opens a database with a connection that blocks deletion and upgrades.
func hold(t *testing.T, name string) (release func()) {
	t.Helper()
	opened := make(chan struct{})
	request := js.Global().Get("indexedDB").Call("open", name, schemaVersion)
	f := js.FuncOf(func(js.Value, []js.Value) any { close(opened); return nil })
	request.Set("onsuccess", f)
	<-opened
	f.Release()
	db := request.Get("result")
	return func() { db.Call("close") }
}

// fakeTransactions replaces the connection's transactions with fakes whose end the
// script defines, until undo is called.
func fakeTransactions(s *Storage, end string) (undo func()) {
	transaction := js.Global().Get("Function").New(`
		const t = {
			objectStore: () => ({ put() {}, add() {}, delete() {}, get() { return {}; } }),
			commit() {},
			abort() {},
			error: null,
		};
		setTimeout(() => { ` + end + ` }, 0); // whether or not commit was called
		return t;
	`)
	s.connection.db.Set("transaction", transaction)
	return func() { s.connection.db.Delete("transaction") }
}

// failWrites aborts all readwrite transactions of all connections, either when their
// requests have succeeded or at once. The error has the given name; "" means no error.
func failWrites(t *testing.T, requests bool, name string) (undo func()) {
	t.Helper()
	restore := js.Global().Get("Function").New("requests", "name", `
		const { prototype } = IDBDatabase, { transaction } = prototype;
		prototype.transaction = function (stores, mode, options) {
			const t = transaction.call(this, stores, mode, options);
			if (mode === "readwrite") {
				const abort = () => {
					if (name !== "") Object.defineProperty(t, "error", { value: new DOMException("on purpose", name) });
					t.abort();
				};
				t.commit = () => {};
				// A request issued after all others is the last to succeed.
				queueMicrotask(() => (requests ? t.objectStore(stores[0]).count().onsuccess = abort : abort()));
			}
			return t;
		};
		return () => { prototype.transaction = transaction; };
	`).Invoke(requests, name)
	undo = sync.OnceFunc(func() { restore.Invoke() })
	t.Cleanup(undo)
	return undo
}

// fillUp makes readwrite transactions fail as with a full quota until free is called.
func fillUp(t *testing.T) (free func()) {
	t.Helper()
	return failWrites(t, true, "QuotaExceededError")
}

// tear aborts a write, as if the browser was killed during it.
func tear(t *testing.T, s engine.Storage, part float64, write func() error) {
	t.Helper()
	undo := failWrites(t, part > 0, "")
	defer undo()
	if write() == nil {
		t.Error("a write was acknowledged although its transaction was aborted")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// deleteDatabase deletes a database in any state, without opening it. It fails with
// [ErrTimeout] if another context keeps the database open; the deletion happens
// as soon as that context closes it.
func deleteDatabase(name string, timeout time.Duration) (err error) {
	defer catch(&err)
	f, err := factory()
	if err != nil {
		return err
	}
	request, err := f.DeleteDatabase(name)
	if err != nil {
		return fmt.Errorf("delete %q: %w", name, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	err = request.Await(ctx)
	if ctx.Err() != nil {
		err = ErrTimeout
	}
	if err != nil {
		return fmt.Errorf("delete %q: %w", name, err)
	}
	return nil
}
