//go:build js && wasm

package idbstorage

import (
	"bytes"
	"errors"
	"syscall/js"

	"sandtable/engine"
)

// The names of the object stores.
const (
	walStore    = "wal"
	blocksStore = "blocks"
	stateStore  = "state"
)

// JavaScript values that every transaction needs, converted once: each
// conversion costs a microsecond or more.
var (
	uint8Array   = js.Global().Get("Uint8Array")
	float64Array = js.Global().Get("Float64Array")
	keyRange     = js.Global().Get("IDBKeyRange")
	canCommit    = hasCommit()

	modes = [...]js.Value{readOnly: js.ValueOf("readonly"), readWrite: js.ValueOf("readwrite"), readWriteStrict: js.ValueOf("readwrite")}

	// writeOptions are the options of readwrite transactions, by durability.
	writeOptions = [...]js.Value{
		engine.Relaxed: js.ValueOf(map[string]any{"durability": engine.Relaxed.String()}),
		engine.Strict:  js.ValueOf(map[string]any{"durability": engine.Strict.String()}),
	}

	inWAL         = js.ValueOf([]any{walStore})
	inWALAndState = js.ValueOf([]any{walStore, stateStore})
	inBlocks      = js.ValueOf([]any{blocksStore})
	inState       = js.ValueOf([]any{stateStore})
	inAll         = js.ValueOf([]any{walStore, blocksStore, stateStore})
)

// mode is what a transaction does.
type mode uint8

const (
	readOnly mode = iota
	readWrite
	readWriteStrict // strict whatever the durability is
)

// hasCommit reports whether to call IDBTransaction.commit, which saves a turn of
// the event loop. Only Chromium handles it well: if a request fails after the
// call, as the requests of a fenced owner do (epoch.go), Firefox 153 commits the other
// requests, and WebKit 2.50 aborts without an error. Only Chromium has
// navigator.userAgentData.
func hasCommit() bool {
	navigator, class := js.Global().Get("navigator"), js.Global().Get("IDBTransaction")
	return navigator.Truthy() && navigator.Get("userAgentData").Truthy() &&
		class.Truthy() && class.Get("prototype").Get("commit").Truthy()
}

// transaction is an IDBTransaction.
type transaction struct {
	value    js.Value
	reads    bool
	commit   bool
	requests []js.Value
	checks   []check
	checkErr error      // of the first check that failed
	end      js.Func    // called when everything is read or written, or the transaction aborts
	outcome  chan error // receives the error with which it ended
}

// check is called when its request succeeds.
type check struct {
	request js.Value
	call    js.Func
}

// issue makes the requests. Without commit a transaction ends one turn of the
// event loop later. A read does not wait for that: requests succeed in their order,
// so it ends with the last one.
func (t *transaction) issue(f func(*transaction)) (err error) {
	defer catch(&err)
	f(t)
	if n := len(t.requests); t.reads && n > 0 {
		t.requests[n-1].Set("onsuccess", t.end)
		return nil
	}
	t.value.Set("oncomplete", t.end)
	if t.commit {
		t.value.Call("commit")
	}
	return nil
}

// detach removes our callbacks.
func (t *transaction) detach() {
	t.value.Set("oncomplete", js.Null())
	t.value.Set("onabort", js.Null())
	if n := len(t.requests); t.reads && n > 0 {
		t.requests[n-1].Set("onsuccess", js.Null())
	}
	for _, c := range t.checks {
		c.request.Set("onsuccess", js.Null())
	}
}

// release frees the callbacks of a transaction that has ended or was detached.
func (t *transaction) release() {
	t.end.Release()
	for _, c := range t.checks {
		c.call.Release()
	}
}

// check calls f with the result of a request. An error of f aborts the
// transaction and becomes its error. What f sees cannot change before the
// transaction ends. F must not block.
func (t *transaction) check(request js.Value, f func(result js.Value) error) {
	t.commit = false // a committing transaction cannot be aborted
	call := js.FuncOf(func(js.Value, []js.Value) any {
		if err := f(request.Get("result")); err != nil && t.checkErr == nil {
			t.checkErr = err
			var ignored error // if it is aborting already
			defer catch(&ignored)
			t.value.Call("abort")
		}
		return nil
	})
	t.checks = append(t.checks, check{request, call})
	request.Set("onsuccess", call)
}

// abort aborts the transaction unless it has ended.
func (t *transaction) abort() {
	t.detach()
	var ignored error // if it has ended
	defer catch(&ignored)
	t.value.Call("abort")
}

func (t *transaction) store(name string) js.Value { return t.value.Call("objectStore", name) }

// put stores a copy of the data: a view of the program's memory would be stored
// with all of that memory.
func (t *transaction) put(store js.Value, key any, data []byte) (request js.Value) {
	array := uint8Array.New(len(data))
	js.CopyBytesToJS(array, data)
	return store.Call("put", array, key)
}

// putsAtOnce is how many blocks are put in one turn. A put takes some 40 µs in code
// that the browser has not optimized, and a slice of deltas has a thousand.
const putsAtOnce = 32

// putBlocks puts blocks, in several turns of the event loop if they are many, and then
// calls last, which makes the last requests of the transaction and must not block.
func (t *transaction) putBlocks(store js.Value, blocks []engine.Block, last func()) {
	n := min(len(blocks), putsAtOnce)
	var request js.Value
	for _, b := range blocks[:n] {
		request = t.put(store, float64(b.ID), b.Data)
	}
	if n == len(blocks) {
		last()
		return
	}
	t.check(request, func(js.Value) (err error) {
		defer catch(&err)
		t.putBlocks(store, blocks[n:], last)
		return nil
	})
}

// add is put for a key that must not exist; otherwise the transaction fails.
func (t *transaction) add(store js.Value, key any, data []byte) {
	array := uint8Array.New(len(data))
	js.CopyBytesToJS(array, data)
	store.Call("add", array, key)
}

// get requests a value; the request is the next one in the result of transact.
func (t *transaction) get(store js.Value, key any) {
	t.requests = append(t.requests, store.Call("get", key))
}

// getAll requests up to limit keys and values after a key: two requests.
func (t *transaction) getAll(store js.Value, after float64, limit int) {
	bound := keyRange.Call("lowerBound", after, true)
	t.requests = append(t.requests, store.Call("getAllKeys", bound, limit), store.Call("getAll", bound, limit))
}

// result returns the bytes that a request found, or nil.
func result(request js.Value) ([]byte, error) {
	v := request.Get("result")
	if v.IsUndefined() {
		return nil, nil
	}
	return bytesOf(v)
}

var errNotBytes = errors.New("value is not a Uint8Array")

func bytesOf(v js.Value) ([]byte, error) {
	if !v.InstanceOf(uint8Array) {
		return nil, errNotBytes
	}
	b := make([]byte, v.Get("byteLength").Int())
	js.CopyBytesToGo(b, v)
	return b, nil
}

// copyBytes is bytesOf with a call into JavaScript fewer, if the buffer, which it
// overwrites, is longer than the value. It returns nil for a marker.
func copyBytes(v js.Value, buffer []byte) (b []byte, err error) {
	if v.Type() == js.TypeNumber {
		return nil, nil
	}
	if v.Type() != js.TypeObject || !v.InstanceOf(uint8Array) {
		return nil, errNotBytes
	}
	if n := js.CopyBytesToGo(buffer, v); n < len(buffer) {
		return bytes.Clone(buffer[:n]), nil
	}
	return bytesOf(v)
}
