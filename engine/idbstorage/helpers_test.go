//go:build js && wasm

package idbstorage

import (
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
		if err := Delete(name, 10*time.Second); err != nil {
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

// checkRecords opens the database on its own and counts the log.
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

// hold opens a database with a connection that lets nobody else in.
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

// fakeTransactions has the connection's next transactions be objects of ours,
// which end as the script says; it returns how to undo it.
func fakeTransactions(s *Storage, end string) (undo func()) {
	transaction := js.Global().Get("Function").New(`
		const t = {
			objectStore: () => ({ put() {}, add() {}, delete() {}, get() { return {}; } }),
			commit() {},
			abort() {},
			error: null,
		};
		setTimeout(() => { ` + end + ` }, 0); // told to commit or not
		return t;
	`)
	s.connection.db.Set("transaction", transaction)
	return func() { s.connection.db.Delete("transaction") }
}

// failWrites has transactions that write abort, whichever connection they are
// of, once so many have passed: when their requests have succeeded, or at once.
// The error is that of this name; none for "". Undo ends it.
func failWrites(t *testing.T, after int, requests bool, name string) (undo func()) {
	t.Helper()
	restore := js.Global().Get("Function").New("after", "requests", "name", `
		const { prototype } = IDBDatabase, { transaction } = prototype;
		prototype.transaction = function (stores, mode, options) {
			const t = transaction.call(this, stores, mode, options);
			if (mode === "readwrite" && --after < 0) {
				const abort = () => {
					if (name !== "") Object.defineProperty(t, "error", { value: new DOMException("on purpose", name) });
					t.abort();
				};
				t.commit = () => {};
				// When all requests have been made one more is the last to succeed.
				queueMicrotask(() => (requests ? t.objectStore(stores[0]).count().onsuccess = abort : abort()));
			}
			return t;
		};
		return () => { prototype.transaction = transaction; };
	`).Invoke(after, requests, name)
	undo = sync.OnceFunc(func() { restore.Invoke() })
	t.Cleanup(undo)
	return undo
}

// fillUp has the browser find no room for transactions that write, once so many
// have passed. It returns what makes room again.
func fillUp(t *testing.T, after int) (empty func()) {
	t.Helper()
	return failWrites(t, after, true, "QuotaExceededError")
}

// tear has the browser end amid a write: what it was about to do it has not done.
func tear(t *testing.T, s engine.Storage, part float64, write func() error) {
	t.Helper()
	undo := failWrites(t, 0, part > 0, "")
	defer undo()
	if write() == nil {
		t.Error("a write whose transaction was aborted was acknowledged")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
