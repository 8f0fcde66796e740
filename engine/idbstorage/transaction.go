//go:build js && wasm

package idbstorage

import (
	"errors"
	"fmt"
	"syscall/js"
	"time"

	"sandtable/engine"
)

// The names of the object stores.
const (
	logStore    = "log"
	blocksStore = "blocks"
	stateStore  = "state"
)

// Values of JavaScript that every transaction needs, made once: each crossing
// costs a microsecond or more.
var (
	uint8Array = js.Global().Get("Uint8Array")
	keyRange   = js.Global().Get("IDBKeyRange")
	canCommit  = hasCommit()

	readOnly  = js.ValueOf("readonly")
	readWrite = js.ValueOf("readwrite")

	// writing are the options of transactions that write, by durability.
	writing = [...]js.Value{
		engine.Relaxed: js.ValueOf(map[string]any{"durability": engine.Relaxed.String()}),
		engine.Strict:  js.ValueOf(map[string]any{"durability": engine.Strict.String()}),
	}

	inLog         = js.ValueOf([]any{logStore})
	inLogAndState = js.ValueOf([]any{logStore, stateStore})
	inBlocks      = js.ValueOf([]any{blocksStore})
	inState       = js.ValueOf([]any{stateStore})
	inAll         = js.ValueOf([]any{logStore, blocksStore, stateStore})
)

// hasCommit reports whether a transaction may be told to commit: in Chromium,
// which saves a turn of the event loop. Elsewhere one that was told is not the
// same any more when a request of it fails, as those of the fenced do (see
// fence.go): Firefox 153 then commits the others, and WebKit 2.50 aborts
// without an error. Only Chromium has navigator.userAgentData.
func hasCommit() bool {
	navigator, class := js.Global().Get("navigator"), js.Global().Get("IDBTransaction")
	return navigator.Truthy() && navigator.Get("userAgentData").Truthy() &&
		class.Truthy() && class.Get("prototype").Get("commit").Truthy()
}

// transaction is an IDBTransaction in which requests are being made.
type transaction struct {
	value    js.Value
	commit   bool
	requests []js.Value
	checks   []check
	refusal  error      // of one of them
	end      js.Func    // called when it completed or aborted
	outcome  chan error // gets what end was told
}

// check is called when its request has succeeded.
type check struct {
	request js.Value
	call    js.Func
}

// transact makes the requests of issue in one transaction and waits until it
// is done: complete and nil, or an error. Issue must not wait for anything.
// Where the outcome cannot be known the error wraps errDisconnected or
// ErrTimeout.
func (c *connection) transact(mode, stores js.Value, issue func(*transaction)) (requests []js.Value, err error) {
	t, err := c.begin(mode, stores)
	if err != nil {
		return nil, err
	}
	defer t.release()
	if err := t.issue(issue); err != nil {
		t.abort()
		return nil, err
	}
	timeout := time.NewTimer(c.timeout)
	defer timeout.Stop()
	select {
	case err := <-t.outcome:
		return t.requests, err
	case <-c.lost:
		// The specification has the abort event come first; do not rely on it.
		t.forget()
		return nil, errDisconnected
	case <-timeout.C:
		t.abort()
		return nil, fmt.Errorf("%w: transaction", ErrTimeout)
	}
}

// begin opens a transaction.
func (c *connection) begin(mode, stores js.Value) (t *transaction, err error) {
	defer catch(&err)
	t = &transaction{outcome: make(chan error, 1)}
	if mode.Equal(readWrite) {
		t.value, t.commit = c.db.Call("transaction", stores, mode, writing[c.durability.Load()]), canCommit
	} else {
		t.value = c.db.Call("transaction", stores, mode)
	}
	t.end = js.FuncOf(func(_ js.Value, events []js.Value) any {
		var err error
		if text(events[0], "type") != "complete" {
			if err = t.refusal; err == nil {
				err = errorOf(t.value.Get("error"))
			}
		}
		t.outcome <- err // there is one end
		return nil
	})
	t.value.Set("oncomplete", t.end)
	t.value.Set("onabort", t.end)
	return t, nil
}

// issue makes the requests. A transaction that is not told to commit ends one
// turn of the event loop later. One that reads must not be told: Chromium,
// which keeps large values in files, then reports it complete before their
// requests are done.
func (t *transaction) issue(f func(*transaction)) (err error) {
	defer catch(&err)
	f(t)
	if t.commit {
		t.value.Call("commit")
	}
	return nil
}

// forget has nothing of ours called any more when it ends.
func (t *transaction) forget() {
	t.value.Set("oncomplete", js.Null())
	t.value.Set("onabort", js.Null())
	for _, c := range t.checks {
		c.request.Set("onsuccess", js.Null())
	}
}

// release is for a transaction that has ended, or was forgotten.
func (t *transaction) release() {
	t.end.Release()
	for _, c := range t.checks {
		c.call.Release()
	}
}

// check looks at the result of a request as soon as it is there. An error of f
// aborts the transaction, and is what came of it: what f looks at cannot change
// before the transaction is done. F must not wait for anything.
func (t *transaction) check(request js.Value, f func(result js.Value) error) {
	t.commit = false // one that was told to commit is not to be aborted any more
	call := js.FuncOf(func(js.Value, []js.Value) any {
		if err := f(request.Get("result")); err != nil && t.refusal == nil {
			t.refusal = err
			var late error // it is being aborted already
			defer catch(&late)
			t.value.Call("abort")
		}
		return nil
	})
	t.checks = append(t.checks, check{request, call})
	request.Set("onsuccess", call)
}

// abort gives a transaction up, if it is not over.
func (t *transaction) abort() {
	t.forget()
	var err error // of one that is over; nobody wants to know
	defer catch(&err)
	t.value.Call("abort")
}

func (t *transaction) store(name string) js.Value { return t.value.Call("objectStore", name) }

// put stores a copy of the bytes that has their exact size: a view of the
// program's memory would be stored with all of that memory.
func (t *transaction) put(store js.Value, key any, data []byte) {
	array := uint8Array.New(len(data))
	js.CopyBytesToJS(array, data)
	store.Call("put", array, key)
}

// add is put of what must not be there yet, or else the transaction fails.
func (t *transaction) add(store js.Value, key any, data []byte) {
	array := uint8Array.New(len(data))
	js.CopyBytesToJS(array, data)
	store.Call("add", array, key)
}

// get asks for a value; its request is the next in the result of transact.
func (t *transaction) get(store js.Value, key any) {
	t.requests = append(t.requests, store.Call("get", key))
}

// getAll asks for at most limit keys and values from a key on: two requests.
func (t *transaction) getAll(store js.Value, after float64, limit int) {
	bound := keyRange.Call("lowerBound", after, true)
	t.requests = append(t.requests, store.Call("getAllKeys", bound, limit), store.Call("getAll", bound, limit))
}

// result returns the bytes that a request found, nil for none.
func result(request js.Value) ([]byte, error) {
	v := request.Get("result")
	if v.IsUndefined() {
		return nil, nil
	}
	return bytesOf(v)
}

var errNotBytes = errors.New("a record is not a Uint8Array")

func bytesOf(v js.Value) ([]byte, error) {
	if !v.InstanceOf(uint8Array) {
		return nil, errNotBytes
	}
	b := make([]byte, v.Get("byteLength").Int())
	js.CopyBytesToGo(b, v)
	return b, nil
}
