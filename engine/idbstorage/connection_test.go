//go:build js && wasm

package idbstorage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"syscall/js"
	"testing"
	"time"

	"github.com/hack-pad/go-indexeddb/idb"

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
	if err != nil || len(d.Log) != want {
		t.Errorf("%d records, want %d; %v", len(d.Log), want, err)
	}
}

// TestLostConnection: a connection that ended, whether we were told or not, is
// replaced, and the write done on the new one.
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

// TestDeletedDatabase: another context can delete the database, our
// connection does not stand in its way, and we do not write on in an empty one.
func TestDeletedDatabase(t *testing.T) {
	name := newDatabase(t)
	s := openStorage(t, name, Options{})
	appendRecord(t, s, 1)
	if err := Delete(name, 5*time.Second); err != nil {
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

// TestBlockedDatabase: nothing waits for ever for a context that does not let
// go.
func TestBlockedDatabase(t *testing.T) {
	name := newDatabase(t)
	s := openStorage(t, name, Options{})
	appendRecord(t, s, 1)
	_ = s.Close()
	release := hold(t, name)
	if err := Delete(name, 100*time.Millisecond); !errors.Is(err, ErrTimeout) {
		t.Errorf("delete a database that is held: %v", err)
	}
	if _, err := Open(name, Options{Timeout: 100 * time.Millisecond}); !errors.Is(err, ErrTimeout) {
		t.Errorf("open a database that is about to be deleted: %v", err)
	}
	release()
	checkRecords(t, name, 0)
}

// TestDeleteWhatDoesNotOpen: a database that cannot be opened, since a newer
// version of the program made it, or since it has none of our object stores,
// can be deleted all the same, and its name used again.
func TestDeleteWhatDoesNotOpen(t *testing.T) {
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
		if err := Delete(name, 5*time.Second); err != nil {
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
	if err := Delete("none", time.Second); !errors.Is(err, ErrUnavailable) {
		t.Errorf("delete: %v", err)
	}
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

// TestFence: who loaded the database last has it; a write of one before, of
// whatever kind, fails as a whole, whatever the new one has done since.
func TestFence(t *testing.T) {
	nothing := func(*testing.T, *Storage) {}
	appends := func(t *testing.T, s *Storage) {
		for seq := uint64(4); seq < 7; seq++ {
			appendRecord(t, s, seq)
		}
	}
	checkpoint := func(t *testing.T, s *Storage) {
		appends(t, s)
		if err := s.Checkpoint(engine.Checkpoint{Seq: 6, Meta: []byte("m")}); err != nil {
			t.Fatal(err)
		}
	}
	drop := func(t *testing.T, s *Storage) {
		if err := s.Checkpoint(engine.Checkpoint{Seq: 3, Meta: []byte("m")}); err != nil {
			t.Fatal(err)
		}
	}
	cases := []struct {
		name   string
		before func(*testing.T, *Storage) // what the old one does after three records
		after  func(*testing.T, *Storage) // and the new one
		seq    uint64                     // that the old one would append then
	}{
		{"new one wrote nothing", nothing, nothing, 4},
		{"new one appended", nothing, appends, 4},
		{"new one dropped the log", nothing, checkpoint, 4},
		{"old one dropped the log", drop, nothing, 4},
		{"old one dropped the log, new one too", drop, checkpoint, 4},
		{"old one does not know of its last record", nothing, nothing, 3},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			name := newDatabase(t)
			old := openStorage(t, name, Options{})
			for seq := uint64(1); seq <= 3; seq++ {
				appendRecord(t, old, seq)
			}
			c.before(t, old)
			if _, err := old.Load(); err != nil { // as Verify does
				t.Fatal(err)
			}
			next := openStorage(t, name, Options{})
			c.after(t, next)
			// Two more come and go, as many as workers do.
			for range 2 {
				again := openStorage(t, name, Options{})
				_ = again.Close()
			}
			next = openStorage(t, name, Options{})
			before, err := next.Load()
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if err := old.Append(c.seq, []byte("stale")); !errors.Is(err, ErrFenced) {
					t.Errorf("append after the end: %v", err)
				}
				if err := old.Checkpoint(engine.Checkpoint{Seq: 3, Meta: []byte("stale")}); !errors.Is(err, ErrFenced) {
					t.Errorf("checkpoint after the end: %v", err)
				}
				if _, err := old.Load(); !errors.Is(err, ErrFenced) {
					t.Errorf("load after the end: %v", err)
				}
				old.connection.db.Call("close") // also on another connection
			}
			after, err := next.Load()
			if err != nil || len(after.Log) != len(before.Log) || string(after.Meta) != string(before.Meta) {
				t.Errorf("the new one has %v, before that %v; %v", after, before, err)
			}
			for seq := uint64(7); seq < 10; seq++ {
				appendRecord(t, next, seq)
			}
		})
	}
}

// TestFenceRace: of those that load at once one has the database, and as many
// epochs as it takes leave no more fences than are kept.
func TestFenceRace(t *testing.T) {
	name := newDatabase(t)
	var storages [4]*Storage
	var loaded sync.WaitGroup
	for i := range storages {
		s, err := Open(name, Options{})
		if err != nil {
			t.Fatal(err)
		}
		storages[i] = s
		loaded.Go(func() { _, _ = s.Load() })
	}
	loaded.Wait()
	accepted := 0
	for _, s := range storages {
		if err := s.Append(2, []byte("x")); err == nil {
			accepted++
		} else if !errors.Is(err, ErrFenced) {
			t.Errorf("append: %v", err)
		}
		_ = s.Close()
	}
	if accepted != 1 {
		t.Errorf("%d storages could write", accepted)
	}
	for range fencesKept + 5 {
		s := openStorage(t, name, Options{})
		_ = s.Close()
	}
	s := openStorage(t, name, Options{})
	requests, err := s.transact(readOnly, inLog, func(tx *transaction) {
		tx.requests = append(tx.requests, tx.store(logStore).Call("getAllKeys"))
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := requests[0].Get("result").Length(); n > fencesKept+5 {
		t.Errorf("the log has %d records", n)
	}
}

// TestFenceOfNewNumbers: a store that has lost its checkpoint, and begins to
// count anew, comes to the numbers that were taken when it was longer.
func TestFenceOfNewNumbers(t *testing.T) {
	name := newDatabase(t)
	s := openStorage(t, name, Options{})
	for seq := uint64(1); seq <= 3; seq++ {
		appendRecord(t, s, seq)
	}
	if err := s.Checkpoint(engine.Checkpoint{Seq: 3, Meta: []byte("m")}); err != nil {
		t.Fatal(err)
	}
	_ = openStorage(t, name, Options{}) // takes 4
	s = openStorage(t, name, Options{})
	for seq := uint64(1); seq <= 6; seq++ {
		appendRecord(t, s, seq)
	}
	checkRecords(t, name, 6)
}

// TestForgottenMark: a number that was taken by one who is no longer known of is
// taken; loading does not try for ever to take it again.
func TestForgottenMark(t *testing.T) {
	name := newDatabase(t)
	s := openStorage(t, name, Options{})
	appendRecord(t, s, 1)
	if _, err := s.transact(readWrite, inLog, func(t *transaction) { t.store(logStore).Call("put", endedMark, 2) }); err != nil {
		t.Fatal(err)
	}
	s = openStorage(t, name, Options{})
	appendRecord(t, s, 2)
	checkRecords(t, name, 2)
}

func isFenced(s *Storage) bool {
	select {
	case <-s.Fenced():
		return true
	default:
		return false
	}
}

// TestFencedReader: who has lost the database finds out by reading, too, and
// does not take what the new owner has replaced for damage.
func TestFencedReader(t *testing.T) {
	name := newDatabase(t)
	old := openStorage(t, name, Options{})
	block := func(id engine.BlockID) engine.Block {
		return engine.Block{BlockInfo: engine.BlockInfo{ID: id, Table: 1, Count: 1}, Data: []byte("text")}
	}
	if err := old.Checkpoint(engine.Checkpoint{Seq: 1, Meta: []byte("m"), Puts: []engine.Block{block(1)}}); err != nil {
		t.Fatal(err)
	}
	if _, err := old.ReadBlocks([]engine.BlockID{1, 2}); !errors.Is(err, engine.ErrBlockNotFound) || isFenced(old) {
		t.Errorf("read of a block that never was: %v", err)
	}
	next := openStorage(t, name, Options{})
	c := engine.Checkpoint{Seq: 2, Meta: []byte("m"), Puts: []engine.Block{block(2)}, Deletes: []engine.BlockID{1}}
	if err := next.Checkpoint(c); err != nil {
		t.Fatal(err)
	}
	_, err := old.ReadBlocks([]engine.BlockID{1})
	if !errors.Is(err, ErrFenced) || !errors.Is(err, engine.ErrClosed) || errors.Is(err, engine.ErrBlockNotFound) {
		t.Errorf("read of a block that was replaced: %v", err)
	}
	if !isFenced(old) || isFenced(next) {
		t.Errorf("fenced: %t, and the new owner: %t", isFenced(old), isFenced(next))
	}
}

// TestFenced: each call that fails because of the fence tells so.
func TestFenced(t *testing.T) {
	calls := map[string]func(*Storage) error{
		"append":     func(s *Storage) error { return s.Append(1, nil) },
		"checkpoint": func(s *Storage) error { return s.Checkpoint(engine.Checkpoint{Seq: 1, Meta: []byte("m")}) },
		"load":       func(s *Storage) error { _, err := s.Load(); return err },
	}
	for what, call := range calls {
		t.Run(what, func(t *testing.T) {
			name := newDatabase(t)
			old, next := openStorage(t, name, Options{}), openStorage(t, name, Options{})
			if isFenced(old) {
				t.Error("it tells before it can know")
			}
			if err := call(old); !errors.Is(err, ErrFenced) || !isFenced(old) || isFenced(next) {
				t.Errorf("%v; fenced: %t, and the new owner: %t", err, isFenced(old), isFenced(next))
			}
		})
	}
}

// TestQuota: the error of a full disk comes with the abort, after every
// request has succeeded. Readers read on, and writers can again when there is
// room.
func TestQuota(t *testing.T) {
	name := newDatabase(t)
	s := openStorage(t, name, Options{})
	db, err := engine.Open(s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	put := func(account string) error {
		return db.Update(func(tx *engine.Tx) error { return tx.PutAccount(engine.Account{Name: account}) })
	}
	if err := put("first"); err != nil {
		t.Fatal(err)
	}
	undo := fakeTransactions(s, `t.error = new DOMException("full", "QuotaExceededError"); t.onabort({ type: "abort" })`)
	err = put("second")
	if !errors.Is(err, ErrQuota) || !errors.Is(err, engine.ErrStorage) {
		t.Errorf("update without room: %v", err)
	}
	undo()
	if err := put("third"); err != nil {
		t.Errorf("update with room again: %v", err)
	}
	var got []string
	_ = db.View(func(tx *engine.Tx) error {
		for a := range tx.Accounts() {
			got = append(got, a.Name)
		}
		return nil
	})
	if fmt.Sprint(got) != "[first third]" {
		t.Errorf("accounts are %v", got)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	checkRecords(t, name, 2)
}

func TestTransactionErrors(t *testing.T) {
	cases := []struct {
		name, end string
		want      error
	}{
		{"never ends", ``, ErrTimeout},
		{"other error", `t.error = new DOMException("odd", "DataError"); t.onabort({ type: "abort" })`, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			name := newDatabase(t)
			s := openStorage(t, name, Options{})
			s.connection.timeout = 300 * time.Millisecond // of transactions alone: to open may take longer
			undo := fakeTransactions(s, c.end)
			err := s.Append(1, nil)
			undo()
			if err == nil || c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("append: %v, want %v", err, c.want)
			}
			appendRecord(t, s, 1)
		})
	}
}

// TestAbortIsDoneAgain: an abort without an error, or with one of a dying
// connection, is no answer; the write is made again on another connection.
func TestAbortIsDoneAgain(t *testing.T) {
	for _, end := range []string{
		`t.onabort({ type: "abort" })`,
		`t.error = new DOMException("Connection to Indexed Database server lost", "UnknownError"); t.onabort({ type: "abort" })`,
		`t.error = new DOMException("gone", "AbortError"); t.onabort({ type: "abort" })`,
	} {
		name := newDatabase(t)
		s := openStorage(t, name, Options{})
		fakeTransactions(s, end)
		appendRecord(t, s, 1)
		checkRecords(t, name, 1)
	}
}

// TestExceptionWhileIssuing leaves nothing of a transaction behind.
func TestExceptionWhileIssuing(t *testing.T) {
	name := newDatabase(t)
	s := openStorage(t, name, Options{})
	_, err := s.transact(readWrite, inLog, func(tx *transaction) {
		tx.put(tx.store(logStore), 1.0, []byte("half"))
		tx.put(tx.store(logStore), js.Global().Get("Object").New(), []byte("no key"))
	})
	var e *exception
	if !errors.As(err, &e) || e.name != "DataError" {
		t.Errorf("a bad key: %v", err)
	}
	if _, err := s.transact(readWrite, js.ValueOf([]any{"none"}), func(*transaction) {}); err == nil {
		t.Error("a store that is not there is no error")
	}
	checkRecords(t, name, 0)
}

// TestDamagedDirectory: it is made again from the blocks.
func TestDamagedDirectory(t *testing.T) {
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
		tx.put(tx.store(stateStore), "directory", []byte("damaged"))
		tx.put(tx.store(blocksStore), 1.0, []byte("damaged"))
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
	if d := db.Damage(); len(d) != 1 || d[0].Block.ID != 1 {
		t.Errorf("damage is %v", d)
	}
	err = db.View(func(tx *engine.Tx) error { _, err := tx.Account("test"); return err })
	if err != nil {
		t.Error(err)
	}
}

// TestDurability is handed to the browser.
func TestDurability(t *testing.T) {
	for _, d := range []Durability{Relaxed, Strict} {
		s := openStorage(t, newDatabase(t), Options{Durability: d})
		tx, err := s.connection.begin(readWrite, inLog)
		if err != nil {
			t.Fatal(err)
		}
		if got := tx.value.Get("durability").String(); got != d.String() {
			t.Errorf("durability is %s, want %s", got, d)
		}
		tx.abort()
		tx.end.Release()
	}
}

// TestSetDurability counts for the transactions that follow, on this
// connection and on the next.
func TestSetDurability(t *testing.T) {
	s := openStorage(t, newDatabase(t), Options{})
	for i, d := range []Durability{Strict, Relaxed, Strict} {
		s.SetDurability(d)
		if i == 2 {
			s.connection.close()
		}
		appendRecord(t, s, uint64(i+1))
		tx, err := s.connection.begin(readWrite, inLog)
		if err != nil {
			t.Fatal(err)
		}
		if got := tx.value.Get("durability").String(); got != d.String() {
			t.Errorf("durability is %s, want %s", got, d)
		}
		tx.abort()
		tx.end.Release()
	}
}

// TestAwaitHidesAborts shows why transactions are not go-indexeddb's: the day
// that this fails, transaction.go may go.
func TestAwaitHidesAborts(t *testing.T) {
	name := newDatabase(t)
	s := openStorage(t, name, Options{})
	_ = s.Close()
	request, err := idb.Global().Open(context.Background(), name, schemaVersion, nil)
	if err != nil {
		t.Fatal(err)
	}
	db, err := request.Await(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tx, err := db.Transaction(idb.TransactionReadWrite, logStore)
	if err != nil {
		t.Fatal(err)
	}
	store, err := tx.ObjectStore(logStore)
	if err != nil {
		t.Fatal(err)
	}
	put, err := store.PutKey(js.ValueOf(1), js.ValueOf("lost"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := put.Await(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := tx.Abort(); err != nil {
		t.Fatal(err)
	}
	if err := tx.Await(context.Background()); err != nil {
		t.Errorf("Await reports an abort: %v", err)
	}
	db.Close()
	checkRecords(t, name, 0)
}

func TestBytes(t *testing.T) {
	if _, err := bytesOf(js.ValueOf("text")); !errors.Is(err, errNotBytes) {
		t.Errorf("a text: %v", err)
	}
	array := js.Global().Get("Uint8Array").New(3)
	if b, err := bytesOf(array); err != nil || !bytes.Equal(b, []byte{0, 0, 0}) {
		t.Errorf("%v, %v", b, err)
	}
}

func BenchmarkAppend(b *testing.B) {
	record := make([]byte, 300)
	for _, d := range []Durability{Relaxed, Strict} {
		b.Run(d.String(), func(b *testing.B) {
			s := openStorage(b, newDatabase(b), Options{Durability: d})
			seq := uint64(0)
			for b.Loop() {
				seq++
				if err := s.Append(seq, record); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFence appends with and without the two requests of the fence, in
// turns, and prints the medians.
func BenchmarkFence(b *testing.B) {
	record := make([]byte, 300)
	s := openStorage(b, newDatabase(b), Options{})
	var with, without []time.Duration
	seq := uint64(0)
	for b.Loop() {
		for _, fenced := range []bool{true, false} {
			seq++
			start := time.Now()
			_, err := s.transact(readWrite, inLog, func(t *transaction) {
				log := t.store(logStore)
				if fenced {
					s.fence(log)
				}
				t.put(log, float64(seq), record)
			})
			if err != nil {
				b.Fatal(err)
			}
			if took := time.Since(start); fenced {
				with = append(with, took)
			} else {
				without = append(without, took)
			}
		}
	}
	slices.Sort(with)
	slices.Sort(without)
	b.ReportMetric(float64(with[len(with)/2].Microseconds()), "us-with")
	b.ReportMetric(float64(without[len(without)/2].Microseconds()), "us-without")
}

// BenchmarkAppendInJavaScript is the least that an append can cost: the same
// transactions, one after another, from a script.
func BenchmarkAppendInJavaScript(b *testing.B) {
	for _, d := range []Durability{Relaxed, Strict} {
		b.Run(d.String(), func(b *testing.B) {
			s := openStorage(b, newDatabase(b), Options{Durability: d})
			script := js.Global().Get("Function").New("db", "durability", "n", "done", `
				const data = new Uint8Array(300);
				const next = (i) => {
					if (i > n) return done();
					const t = db.transaction(["log"], "readwrite", { durability });
					t.oncomplete = () => next(i + 1);
					t.objectStore("log").put(data.slice(), i);
					t.commit();
				};
				next(1);
			`)
			ended := make(chan struct{})
			done := js.FuncOf(func(js.Value, []js.Value) any { close(ended); return nil })
			defer done.Release()
			b.ResetTimer()
			script.Invoke(s.connection.db, d.String(), b.N, done)
			<-ended
		})
	}
}

// BenchmarkLoad opens a store with a directory of a million entities' size.
func BenchmarkLoad(b *testing.B) {
	for _, blocks := range []int{0, 10_000} {
		b.Run(fmt.Sprint(blocks, " blocks"), func(b *testing.B) {
			name := newDatabase(b)
			s := openStorage(b, name, Options{})
			c := engine.Checkpoint{Meta: []byte("meta")}
			for i := range blocks {
				c.Puts = append(c.Puts, engine.Block{BlockInfo: engine.BlockInfo{
					ID: engine.BlockID(i + 1), Table: 1, Count: 100, Size: 32 << 10,
				}, Data: []byte("short")})
				c.Puts[i].First.RowKey = fmt.Sprintf("row%012d", i)
			}
			if err := s.Checkpoint(c); err != nil {
				b.Fatal(err)
			}
			_ = s.Close()
			for b.Loop() {
				s, err := Open(name, Options{})
				if err != nil {
					b.Fatal(err)
				}
				if d, err := s.Load(); err != nil || len(d.Blocks) != blocks {
					b.Fatalf("%d blocks, %v", len(d.Blocks), err)
				}
				_ = s.Close()
			}
		})
	}
}

// BenchmarkCheckpoint writes a slice of sixteen blocks, in the place of as
// many, beside directories of several sizes: 3,000 blocks are those of about a
// million small entities.
func BenchmarkCheckpoint(b *testing.B) {
	data := make([]byte, 31<<10)
	for _, blocks := range []int{16, 3000, 30_000} {
		b.Run(fmt.Sprint(blocks, " blocks"), func(b *testing.B) {
			s := openStorage(b, newDatabase(b), Options{})
			next := engine.BlockID(1)
			slice := func(n int, data []byte, deletes []engine.BlockID) (ids []engine.BlockID) {
				c := engine.Checkpoint{Meta: []byte("meta"), Deletes: deletes}
				for range n {
					info := engine.BlockInfo{ID: next, Table: 1, Count: 400, Size: len(data)}
					info.First.PartitionKey, info.First.RowKey = "partition0001", fmt.Sprintf("row%012d", next)
					c.Puts = append(c.Puts, engine.Block{BlockInfo: info, Data: data})
					ids = append(ids, next)
					next++
				}
				if err := s.Checkpoint(c); err != nil {
					b.Fatal(err)
				}
				return ids
			}
			slice(blocks, []byte("short"), nil)
			deletes := slice(16, data, nil)
			for b.Loop() {
				deletes = slice(16, data, deletes)
			}
		})
	}
}

// BenchmarkDeleteBlocks deletes a thousand blocks at once, which is why a
// checkpoint does not.
func BenchmarkDeleteBlocks(b *testing.B) {
	const blocks = 1000
	data := make([]byte, 31<<10)
	s := openStorage(b, newDatabase(b), Options{})
	next := engine.BlockID(1)
	for b.Loop() {
		b.StopTimer()
		var ids []engine.BlockID
		for range blocks / 20 {
			c := engine.Checkpoint{Meta: []byte("meta")}
			for range 20 {
				c.Puts = append(c.Puts, engine.Block{BlockInfo: engine.BlockInfo{ID: next, Table: 1, Size: len(data)}, Data: data})
				ids = append(ids, next)
				next++
			}
			if err := s.Checkpoint(c); err != nil {
				b.Fatal(err)
			}
		}
		b.StartTimer()
		if err := s.Checkpoint(engine.Checkpoint{Meta: []byte("meta"), Deletes: ids}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestNewerVersionTakesOver: a store that a newer version has made its own is
// lost to this one, which is told at once and not at its next write.
func TestNewerVersionTakesOver(t *testing.T) {
	name := newDatabase(t)
	var opened []js.Value
	s := openStorage(t, name, Options{Opened: func(db js.Value) { opened = append(opened, db) }})
	if _, err := s.Load(); err != nil {
		t.Fatal(err)
	}
	if len(opened) != 1 || opened[0].Get("name").String() != name {
		t.Errorf("told of %v", opened)
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
		t.Fatal("not noticed")
	}
	if err := s.Append(1, []byte("x")); !errors.Is(err, engine.ErrFormat) {
		t.Errorf("append: %v", err)
	}
}
