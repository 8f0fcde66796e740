//go:build js && wasm

package idbstorage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"syscall/js"
	"testing"
	"time"

	"github.com/hack-pad/go-indexeddb/idb"

	"sandtable/engine"
)

// TestQuota: a quota error arrives with the abort, after every request has
// succeeded. Reads continue, and writes succeed once there is space.
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
		t.Errorf("update without space: %v", err)
	}
	undo()
	if err := put("third"); err != nil {
		t.Errorf("update with space again: %v", err)
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
			s.connection.timeout = 300 * time.Millisecond // of transactions only: opening may take longer
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

// TestAbortIsRetried: a write that was aborted without an error, or because the
// connection died, is retried on a new connection.
func TestAbortIsRetried(t *testing.T) {
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

// TestExceptionWhileIssuing: an exception while making requests aborts the
// transaction.
func TestExceptionWhileIssuing(t *testing.T) {
	name := newDatabase(t)
	s := openStorage(t, name, Options{})
	_, err := s.transact(readWrite, inWAL, func(tx *transaction) {
		tx.put(tx.store(walStore), 1.0, []byte("half"))
		tx.put(tx.store(walStore), js.Global().Get("Object").New(), []byte("no key"))
	})
	var e *exception
	if !errors.As(err, &e) || e.name != "DataError" {
		t.Errorf("a bad key: %v", err)
	}
	if _, err := s.transact(readWrite, js.ValueOf([]any{"none"}), func(*transaction) {}); err == nil {
		t.Error("a missing object store is no error")
	}
	checkRecords(t, name, 0)
}

// manyBlocks is a checkpoint whose blocks are put in several turns.
func manyBlocks() engine.Checkpoint {
	c := engine.Checkpoint{Seq: 1, Meta: []byte("m")}
	for id := range engine.BlockID(3 * putsAtOnce) {
		c.Puts = append(c.Puts, engine.Block{BlockInfo: engine.BlockInfo{ID: id + 1, Table: 1, Count: 1, Size: 4}, Data: []byte("data")})
	}
	return c
}

// watchPuts calls a function of JavaScript with the arguments of each put, and counts
// the puts of each turn of the event loop.
func watchPuts(before string) (turns func() []int) {
	watch := js.Global().Get("Function").New(`
		const { prototype } = IDBObjectStore, { put } = prototype, turns = [];
		let puts = 0;
		prototype.put = function (...args) {
			(` + before + `)(...args);
			if (++puts === 1) queueMicrotask(() => { turns.push(puts); puts = 0; });
			return put.apply(this, args);
		};
		return () => { prototype.put = put; return turns; };`).Invoke()
	return func() (counts []int) {
		list := watch.Invoke()
		for i := range list.Length() {
			counts = append(counts, list.Index(i).Int())
		}
		return counts
	}
}

// TestCheckpointsTakeTurns: a checkpoint of many blocks lets other events be handled.
func TestCheckpointsTakeTurns(t *testing.T) {
	name := newDatabase(t)
	s := openStorage(t, name, Options{})
	turns := watchPuts(`() => {}`)
	err := s.Checkpoint(manyBlocks())
	puts := turns()
	if err != nil {
		t.Fatal(err)
	}
	if len(puts) != 3 || puts[0] != putsAtOnce || puts[1] != putsAtOnce || puts[2] <= putsAtOnce {
		t.Errorf("puts in each turn: %v", puts)
	}
	checkBlocks(t, name, 3*putsAtOnce)
}

// TestExceptionInALaterTurn: a checkpoint that fails after some of its blocks were put
// stores none of them.
func TestExceptionInALaterTurn(t *testing.T) {
	name := newDatabase(t)
	s := openStorage(t, name, Options{})
	turns := watchPuts(fmt.Sprintf(`(_, key) => { if (key === %d) throw new DOMException("bad", "DataError"); }`, 2*putsAtOnce))
	err := s.Checkpoint(manyBlocks())
	puts := turns()
	var e *exception
	if !errors.As(err, &e) || e.name != "DataError" || len(puts) != 2 {
		t.Errorf("after puts %v: %v", puts, err)
	}
	checkBlocks(t, name, 0)
	if err := openStorage(t, name, Options{}).Checkpoint(manyBlocks()); err != nil {
		t.Error(err)
	}
	checkBlocks(t, name, 3*putsAtOnce)
}

// TestForeignKey: a key that no Storage wrote is an error, not a panic.
func TestForeignKey(t *testing.T) {
	s := openStorage(t, newDatabase(t), Options{})
	checkpoint(t, s, engine.Checkpoint{Puts: []engine.Block{testBlock(1)}})
	if _, err := s.transact(readWrite, inAll, func(tx *transaction) { tx.put(tx.store(blocksStore), "text", []byte("data")) }); err != nil {
		t.Fatal(err)
	}
	if ids, err := s.BlockIDs(); err == nil {
		t.Errorf("ids %v", ids)
	}
}

// checkBlocks counts the blocks in the directory and in the store.
func checkBlocks(t *testing.T, name string, want int) {
	t.Helper()
	s := openStorage(t, name, Options{})
	if ids, err := s.BlockIDs(); err != nil || len(ids) != want || len(s.directory) != want {
		t.Errorf("%d blocks, %d in the directory, want %d; %v", len(ids), len(s.directory), want, err)
	}
}

// TestDurability: transactions have the durability of the options.
func TestDurability(t *testing.T) {
	for _, d := range []engine.Durability{engine.Relaxed, engine.Strict} {
		s := openStorage(t, newDatabase(t), Options{Durability: d})
		checkDurability(t, s, d)
	}
}

func checkDurability(t *testing.T, s *Storage, want engine.Durability) {
	t.Helper()
	tx, err := s.connection.begin(readWrite, inWAL)
	if err != nil {
		t.Fatal(err)
	}
	if got := tx.value.Get("durability").String(); got != want.String() {
		t.Errorf("durability is %s, want %s", got, want)
	}
	tx.abort()
	tx.end.Release()
}

// TestSetDurability: the durability applies to the transactions that follow, on
// this connection and on the next.
func TestSetDurability(t *testing.T) {
	s := openStorage(t, newDatabase(t), Options{})
	for i, d := range []engine.Durability{engine.Strict, engine.Relaxed, engine.Strict} {
		s.SetDurability(d)
		if i == 2 {
			s.connection.close()
		}
		appendRecord(t, s, uint64(i+1))
		checkDurability(t, s, d)
	}
}

// TestAwaitHidesAborts shows why we do not use go-indexeddb's transactions. When
// it fails, transaction.go can be deleted.
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
	tx, err := db.Transaction(idb.TransactionReadWrite, walStore)
	if err != nil {
		t.Fatal(err)
	}
	store, err := tx.ObjectStore(walStore)
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
		t.Errorf("a string: %v", err)
	}
	array := js.Global().Get("Uint8Array").New(3)
	if b, err := bytesOf(array); err != nil || !bytes.Equal(b, []byte{0, 0, 0}) {
		t.Errorf("%v, %v", b, err)
	}
}
