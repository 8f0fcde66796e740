//go:build js && wasm

package idbstorage

import (
	"fmt"
	"sync"
	"syscall/js"
	"testing"
	"time"
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
	if err != nil || len(d.Log) != want {
		t.Errorf("%d records, want %d; %v", len(d.Log), want, err)
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

// fillUp has the browser find no room for transactions that write, whichever
// connection they are of, once so many have passed: their requests succeed, and
// they abort. It returns what makes room again.
func fillUp(t *testing.T, after int) (empty func()) {
	t.Helper()
	undo := js.Global().Get("Function").New("after", `
		const { prototype } = IDBDatabase, { transaction } = prototype;
		prototype.transaction = function (stores, mode, options) {
			const t = transaction.call(this, stores, mode, options);
			if (mode === "readwrite" && --after < 0) {
				t.commit = () => {};
				// The last request; then there is one thing left to do.
				queueMicrotask(() => t.objectStore(stores[0]).count().onsuccess = () => {
					Object.defineProperty(t, "error", { value: new DOMException("full", "QuotaExceededError") });
					t.abort();
				});
			}
			return t;
		};
		return () => { prototype.transaction = transaction; };
	`).Invoke(after)
	empty = sync.OnceFunc(func() { undo.Invoke() })
	t.Cleanup(empty)
	return empty
}
