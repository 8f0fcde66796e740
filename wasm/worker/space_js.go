package main

import (
	"context"
	"sync"
	"syscall/js"
	"time"

	"sandtable/server/control"
)

// spaceTime is how long a browser may take to say how much space there is.
const spaceTime = 2 * time.Second

// space asks the browser how much space the origin has, and whether it promised
// to keep the data. What it does not say in time, or at all as in Node.js, is
// unknown.
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

// ask calls a method that returns a promise, and returns where its value will
// be; nothing comes of one that is rejected, or that the browser does not have.
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
