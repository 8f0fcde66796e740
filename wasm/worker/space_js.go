package main

import (
	"context"
	"sync"
	"syscall/js"
	"time"

	"sandtable/server/control"
)

// spaceTime limits how long a browser may take to report its space.
const spaceTime = 2 * time.Second

// space asks the browser for the origin's quota and usage, and whether it promised to
// keep the data. What it does not report in time, or at all as in Node.js, is unknown.
//
// Source: "Storage Standard", https://storage.spec.whatwg.org/.
func space(ctx context.Context) (s control.Space) {
	navigator := js.Global().Get("navigator")
	if !navigator.Truthy() || !navigator.Get("storage").Truthy() {
		return s
	}
	storage := navigator.Get("storage")
	ctx, cancel := context.WithTimeout(ctx, spaceTime)
	defer cancel()
	estimate, persisted := ask(storage, "estimate"), ask(storage, "persisted")
	if v, ok := answer(ctx, estimate); ok && v.Type() == js.TypeObject {
		s.Quota, s.Usage = number(v.Get("quota")), number(v.Get("usage"))
	}
	if v, ok := answer(ctx, persisted); ok && v.Type() == js.TypeBoolean {
		promised := v.Bool()
		s.Persisted = &promised
	}
	return s
}

// ask calls a method that returns a promise and returns a channel for its value, which
// stays empty if the promise is rejected or the method missing.
func ask(object js.Value, method string) <-chan js.Value {
	value := make(chan js.Value, 1)
	if object.Get(method).Type() != js.TypeFunction {
		close(value)
		return value
	}
	var fulfilled, rejected js.Func
	release := sync.OnceFunc(func() {
		close(value)
		fulfilled.Release()
		rejected.Release()
	})
	fulfilled = js.FuncOf(func(_ js.Value, args []js.Value) any {
		value <- args[0]
		release()
		return nil
	})
	rejected = js.FuncOf(func(js.Value, []js.Value) any {
		release()
		return nil
	})
	object.Call(method).Call("then", fulfilled, rejected)
	return value
}

func answer(ctx context.Context, value <-chan js.Value) (v js.Value, ok bool) {
	select {
	case v, ok = <-value:
		return v, ok
	case <-ctx.Done():
		return v, false
	}
}

func number(v js.Value) int64 {
	if v.Type() != js.TypeNumber {
		return 0
	}
	return int64(v.Float())
}
