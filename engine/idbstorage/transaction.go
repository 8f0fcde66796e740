//go:build js && wasm

package idbstorage

import (
	"errors"
	"fmt"
	"sync"
	"syscall/js"
	"time"
)

// The names of the object stores.
const (
	logStore    = "log"
	blocksStore = "blocks"
	stateStore  = "state"
)

var (
	uint8Array = js.Global().Get("Uint8Array")
	keyRange   = js.Global().Get("IDBKeyRange")
)

// transaction is an IDBTransaction in which requests are being made.
type transaction struct {
	value    js.Value
	mode     string
	requests []js.Value
}

// transact makes the requests of issue in one transaction and waits until it
// is done: complete and nil, or an error. Issue must not wait for anything.
// Where the outcome cannot be known the error wraps errDisconnected or
// ErrTimeout.
func (c *connection) transact(mode string, stores []any, issue func(*transaction)) (requests []js.Value, err error) {
	t, outcome, release, err := c.begin(mode, stores)
	if err != nil {
		return nil, err
	}
	defer release()
	if err := t.issue(issue); err != nil {
		t.abort()
		return nil, err
	}
	timeout := time.NewTimer(c.timeout)
	defer timeout.Stop()
	select {
	case err := <-outcome:
		return t.requests, err
	case <-c.lost:
		// The specification has the abort event come first; do not rely on it.
		return nil, errDisconnected
	case <-timeout.C:
		t.abort()
		return nil, fmt.Errorf("%w: transaction", ErrTimeout)
	}
}

// begin opens a transaction whose end is sent to outcome.
func (c *connection) begin(mode string, stores []any) (t *transaction, outcome chan error, release func(), err error) {
	defer catch(&err)
	options := map[string]any{}
	if mode == "readwrite" {
		options["durability"] = c.durability.String()
	}
	value := c.db.Call("transaction", stores, mode, options)
	outcome = make(chan error, 1)
	end := js.FuncOf(func(_ js.Value, events []js.Value) any {
		var err error
		if text(events[0], "type") != "complete" {
			err = errorOf(value.Get("error"))
		}
		select {
		case outcome <- err:
		default:
		}
		return nil
	})
	value.Set("oncomplete", end)
	value.Set("onabort", end)
	release = sync.OnceFunc(func() {
		value.Set("oncomplete", js.Null())
		value.Set("onabort", js.Null())
		end.Release()
	})
	return &transaction{value: value, mode: mode}, outcome, release, nil
}

// issue makes the requests. A transaction that is not told to commit ends one
// turn of the event loop later; older browsers do not have it. One that reads
// must not be told: Chromium, which keeps large values in files, then reports
// it complete before their requests are done.
func (t *transaction) issue(f func(*transaction)) (err error) {
	defer catch(&err)
	f(t)
	if t.mode == "readwrite" && t.value.Get("commit").Type() == js.TypeFunction {
		t.value.Call("commit")
	}
	return nil
}

// abort gives a transaction up, if it is not over.
func (t *transaction) abort() {
	var err error
	defer func() { _ = err }()
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
