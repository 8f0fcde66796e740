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

// TestFetchInParts: the parts of a stream arrive one by one, and together, up to a limit.
func TestFetchInParts(t *testing.T) {
	withFetch(t, func(string, js.Value) js.Value {
		stream := js.Global().Get("Function").New(`return new ReadableStream({ start(c) {
			for (const text of ["one ", "two"]) c.enqueue(new TextEncoder().encode(text));
			c.close();
		} })`).Invoke()
		return resolved(js.Global().Get("Response").New(stream))
	})
	for limit, want := range map[int]string{6: "", 7: "one two"} {
		response, err := DefaultTransport().Do(context.Background(), Request{Method: "GET", URL: "x", Limit: limit})
		if string(response.Body) != want || (err == nil) != (want != "") {
			t.Errorf("limited to %d bytes: %q, %v", limit, response.Body, err)
		}
	}
	var parts []string
	response, err := DefaultTransport().Do(context.Background(), Request{Method: "POST", URL: "x", Received: func(part []byte) { parts = append(parts, string(part)) }})
	if err != nil || string(response.Body) != "one two" || !slices.Equal(parts, []string{"one ", "two"}) {
		t.Errorf("%+v, %v, %q", response, err, parts)
	}
}

// TestSend: transactions are sent as messages where the page can, and fetched where
// it says that it cannot.
func TestSend(t *testing.T) {
	answer := func(status int, head string, body js.Value) js.Value {
		a := js.ValueOf(map[string]any{"status": status, "head": head})
		a.Set("body", body)
		return a
	}
	text := js.Global().Get("TextEncoder").New().Call("encode", "grün")
	lost := answer(503, "x-ms-retry-after-ms:500", text)
	lost.Set("lost", true)
	stream := js.Global().Get("Response").New(text).Get("body")
	for _, c := range []struct {
		name, method, url string
		answer            js.Value
		want              string // the answer's body
		err               error
	}{
		{"whole", "POST", "a/$batch", answer(202, "Content-Type:multipart/mixed; boundary=a:b\nX-Other:", text), "grün", nil},
		{"in parts", "POST", "a/$batch", answer(202, "Content-Type:multipart/mixed; boundary=a:b", stream), "grün", nil},
		{"without a body", "POST", "a/$batch", answer(202, "Content-Type:multipart/mixed; boundary=a:b", js.Null()), "", nil},
		{"cut", "POST", "a/$batch", answer(0, "", js.Null()), "", ErrNoAnswer},
		{"lost with its worker", "POST", "a/$batch", lost, "", ErrNoAnswer},
		{"to be fetched", "POST", "a/$batch", js.Null(), "fetched", nil},
		{"not a transaction", "POST", "a/T", text, "fetched", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			withFetch(t, func(string, js.Value) js.Value {
				return resolved(js.Global().Get("Response").New("fetched", js.ValueOf(map[string]any{"status": 202})))
			})
			send := js.FuncOf(func(_ js.Value, args []js.Value) any {
				if got := args[2].String(); got != "\nA:b\nC:d:e" {
					t.Errorf("fields %q", got)
				}
				if got := string(bytesOf(args[3])); got != "sent" {
					t.Errorf("body %q", got)
				}
				return resolved(c.answer)
			})
			js.Global().Set("sandtableSend", send)
			t.Cleanup(func() {
				js.Global().Delete("sandtableSend")
				send.Release()
			})
			response, err := DefaultTransport().Do(context.Background(), Request{
				Method: c.method, URL: c.url, Header: Header{{"A", "b"}, {"C", "d:e"}}, Body: []byte("sent")})
			if !errors.Is(err, c.err) || string(response.Body) != c.want {
				t.Fatalf("%+v, %v", response, err)
			}
			if got := response.Header.Get("content-type"); c.answer.Truthy() && c.url == "a/$batch" && c.err == nil && got != "multipart/mixed; boundary=a:b" {
				t.Errorf("content type %q", got)
			}
		})
	}
}
