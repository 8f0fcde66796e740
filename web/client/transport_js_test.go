package client

import (
	"context"
	"errors"
	"slices"
	"syscall/js"
	"testing"
)

// withFetch replaces fetch by a function for one test.
func withFetch(t *testing.T, fetch func(url string, options js.Value) js.Value) {
	t.Helper()
	before := js.Global().Get("fetch")
	f := js.FuncOf(func(_ js.Value, args []js.Value) any { return fetch(args[0].String(), args[1]) })
	js.Global().Set("fetch", f)
	t.Cleanup(func() {
		js.Global().Set("fetch", before)
		f.Release()
	})
}

func resolved(v js.Value) js.Value { return js.Global().Get("Promise").Call("resolve", v) }

func TestFetch(t *testing.T) {
	withFetch(t, func(url string, options js.Value) js.Value {
		if url != "table/a/T" || options.Get("method").String() != "MERGE" || options.Get("cache").String() != "no-store" {
			t.Errorf("%s %s", options.Get("method"), url)
		}
		if got := options.Get("headers").Get("If-Match").String(); got != "*" {
			t.Errorf("If-Match is %q", got)
		}
		if got := options.Get("body").Get("length").Int(); got != 3 {
			t.Errorf("a body of %d bytes", got)
		}
		init := js.ValueOf(map[string]any{"status": 201, "headers": map[string]any{"ETag": "x", "X-Other": "y"}})
		return resolved(js.Global().Get("Response").New("grün", init))
	})
	response, err := DefaultTransport().Do(context.Background(), Request{
		Method: "MERGE", URL: "table/a/T", Header: Header{{"If-Match", "*"}}, Body: []byte("abc")})
	if err != nil || response.Status != 201 || string(response.Body) != "grün" {
		t.Fatalf("%+v, %v", response, err)
	}
	if response.Header.Get("ETag") != "x" || !slices.Contains(response.Header, Field{"x-other", "y"}) {
		t.Errorf("headers %+v", response.Header)
	}
}

// TestFetchWithoutBodies: GET must not have a body, and 204 has none.
func TestFetchWithoutBodies(t *testing.T) {
	withFetch(t, func(_ string, options js.Value) js.Value {
		if !options.Get("body").IsUndefined() {
			t.Error("GET has a body")
		}
		return resolved(js.Global().Get("Response").New(js.Null(), js.ValueOf(map[string]any{"status": 204})))
	})
	response, err := DefaultTransport().Do(context.Background(), Request{Method: "GET", URL: "x", Body: []byte{}})
	if err != nil || response.Status != 204 || len(response.Body) != 0 {
		t.Errorf("%+v, %v", response, err)
	}
}

func TestFetchFails(t *testing.T) {
	withFetch(t, func(string, js.Value) js.Value {
		return js.Global().Get("Promise").Call("reject", js.Global().Get("TypeError").New("Failed to fetch"))
	})
	if _, err := DefaultTransport().Do(context.Background(), Request{Method: "GET"}); !errors.Is(err, ErrNoAnswer) {
		t.Errorf("%v", err)
	}
}

func TestFetchIsAborted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	withFetch(t, func(_ string, options js.Value) js.Value {
		executor := js.FuncOf(func(_ js.Value, args []js.Value) any {
			options.Get("signal").Call("addEventListener", "abort", args[1])
			return nil
		})
		defer executor.Release()
		promise := js.Global().Get("Promise").New(executor)
		cancel()
		return promise
	})
	if _, err := DefaultTransport().Do(ctx, Request{Method: "GET"}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestFetchInParts: the parts of a stream arrive one by one, and together.
func TestFetchInParts(t *testing.T) {
	withFetch(t, func(string, js.Value) js.Value {
		stream := js.Global().Get("Function").New(`return new ReadableStream({ start(c) {
			for (const text of ["one ", "two"]) c.enqueue(new TextEncoder().encode(text));
			c.close();
		} })`).Invoke()
		return resolved(js.Global().Get("Response").New(stream))
	})
	var parts []string
	response, err := DefaultTransport().Do(context.Background(), Request{Method: "POST", URL: "x", Received: func(part []byte) { parts = append(parts, string(part)) }})
	if err != nil || string(response.Body) != "one two" || !slices.Equal(parts, []string{"one ", "two"}) {
		t.Errorf("%+v, %v, %q", response, err, parts)
	}
}
