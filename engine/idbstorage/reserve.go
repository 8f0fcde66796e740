//go:build js && wasm

package idbstorage

import (
	"errors"
	"syscall/js"
	"time"

	"sandtable/engine"
)

// reserveName is a file without data in the origin's private file system, where it
// counts against the same quota as the database. When the quota is full, deleting
// it makes space for operations that free space: deletions, and the checkpoint that
// puts them into effect. All stores of an origin share it, as they share the quota.
// Browsers that have no such files, or cannot write them (WebKitGTK), have no
// reserve. The name is older than the word: stores keep it.
const reserveName = "sandtable-ballast"

// reserveSize is enough for a record of the largest transaction and a checkpoint.
const reserveSize = 1 << 20

var _ engine.Reserver = (*Storage)(nil)

// settling is how long a deletion waits, in all, for a browser that still counts
// deleted data. Chromium cleans up in the background, needs space for that, and does
// not report when it has finished.
const settling = 2 * time.Second

// withReserve calls do. If the quota is full, it deletes the reserve and calls do
// again.
func (s *Storage) withReserve(do func() error) error {
	err := do()
	if !errors.Is(err, ErrQuota) {
		return err
	}
	// Try again even without a reserve: one that was being written until now may
	// have taken the space.
	s.reserveMu.Lock()
	dropped := dropReserve() == nil
	s.reserveMu.Unlock()
	if err = do(); err != nil && dropped {
		s.keepReserve()
	}
	return err
}

// keepReserve creates the reserve in the background if it is missing. If that fails,
// or another call is at it, the next checkpoint tries again.
func (s *Storage) keepReserve() {
	if !s.reserveMu.TryLock() {
		return
	}
	go func() {
		defer s.reserveMu.Unlock()
		_ = makeReserve()
	}()
}

func makeReserve() error {
	folder, err := privateFiles()
	if err != nil {
		return err
	}
	handle, err := callAsync(folder, "getFileHandle", reserveName, map[string]any{"create": true})
	if err != nil {
		return err
	}
	if file, err := callAsync(handle, "getFile"); err != nil || file.Get("size").Int() >= reserveSize {
		return err
	}
	writer, err := callAsync(handle, "createWritable")
	if err != nil {
		return err
	}
	if _, err = callAsync(writer, "write", js.Global().Get("Uint8Array").New(reserveSize)); err == nil {
		_, err = callAsync(writer, "close")
	} else {
		_, _ = callAsync(writer, "abort")
	}
	return err
}

// dropReserve deletes the reserve. It returns an error if the reserve is missing.
func dropReserve() error {
	folder, err := privateFiles()
	if err != nil {
		return err
	}
	handle, err := callAsync(folder, "getFileHandle", reserveName)
	if err != nil {
		return err
	}
	// An attempt that ran out of space left an empty file: deleting it frees nothing.
	if file, err := callAsync(handle, "getFile"); err != nil || file.Get("size").Int() < reserveSize {
		return errors.Join(err, ErrQuota)
	}
	_, err = callAsync(folder, "removeEntry", reserveName)
	return err
}

// privateFiles returns the root of the origin's private file system.
// Source: "File System Standard", https://fs.spec.whatwg.org/.
func privateFiles() (js.Value, error) {
	storage := js.Global().Get("navigator").Get("storage")
	if !storage.Truthy() {
		return js.Value{}, ErrUnavailable // an insecure context
	}
	return callAsync(storage, "getDirectory")
}

// promiseTimeout, a variable for tests, limits each call of the file system: a commit
// may be waiting for it.
var promiseTimeout = 5 * time.Second

// callAsync calls a method that returns a promise, and waits for it. The error is
// [ErrTimeout] if the promise is not settled within promiseTimeout.
func callAsync(object js.Value, method string, args ...any) (result js.Value, err error) {
	defer catch(&err)
	if object.Get(method).Type() != js.TypeFunction {
		return js.Value{}, ErrUnavailable
	}
	promise := object.Call(method, args...)
	type outcome struct {
		value js.Value
		err   error
	}
	settled := make(chan outcome, 1) // sent to once, if ever
	var fulfilled, rejected js.Func
	settle := func(o outcome) any {
		fulfilled.Release() // not before: the promise may settle after the timeout
		rejected.Release()
		settled <- o
		return nil
	}
	fulfilled = js.FuncOf(func(_ js.Value, args []js.Value) any { return settle(outcome{value: args[0]}) })
	rejected = js.FuncOf(func(_ js.Value, args []js.Value) any { return settle(outcome{err: errorOf(args[0])}) })
	promise.Call("then", fulfilled, rejected)
	select {
	case o := <-settled:
		return o.value, o.err
	case <-time.After(promiseTimeout):
		return js.Value{}, ErrTimeout
	}
}
