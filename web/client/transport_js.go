package client

import (
	"context"
	"encoding/json"
	"errors"
	"syscall/js"
)

// DefaultTransport returns the transport of this platform: net/http natively,
// fetch in a browser.
func DefaultTransport() Transport { return fetchTransport{} }

// fetchTransport calls the page's fetch. Bodies are whole both ways, those of the
// service are 4 MiB at most; only for a request that wants the parts they are read
// as they come.
type fetchTransport struct{}

func (fetchTransport) Do(ctx context.Context, r Request) (Response, error) {
	options := fetchOptions(r)
	if ctx.Done() != nil {
		abort := js.Global().Get("AbortController").New()
		stop := context.AfterFunc(ctx, func() { abort.Call("abort") })
		defer stop()
		options.Set("signal", abort.Get("signal"))
	}
	answer, err := await(js.Global().Call("fetch", r.URL, options))
	if err != nil {
		return Response{}, noAnswer(ctx, err)
	}
	read := readWhole
	if r.Received != nil {
		read = func(answer js.Value) ([]byte, error) { return readParts(answer, r.Received) }
	}
	body, err := read(answer)
	if err != nil {
		return Response{}, noAnswer(ctx, err)
	}
	return Response{Status: answer.Get("status").Int(), Header: headerOf(answer.Get("headers")), Body: body}, nil
}

func readWhole(answer js.Value) ([]byte, error) {
	buffer, err := await(answer.Call("arrayBuffer"))
	if err != nil {
		return nil, err
	}
	return bytesOf(js.Global().Get("Uint8Array").New(buffer)), nil
}

func readParts(answer js.Value, received func([]byte)) (body []byte, err error) {
	stream := answer.Get("body")
	if stream.IsNull() {
		return nil, nil
	}
	for reader := stream.Call("getReader"); ; {
		part, err := await(reader.Call("read"))
		if err != nil || part.Get("done").Bool() {
			return body, err
		}
		now := bytesOf(part.Get("value"))
		received(now)
		body = append(body, now...)
	}
}

func bytesOf(array js.Value) []byte {
	b := make([]byte, array.Length())
	js.CopyBytesToGo(b, array)
	return b
}

// fetchOptions builds the second argument of fetch. GET and HEAD must not have
// a body there, not even an empty one.
func fetchOptions(r Request) js.Value {
	headers := js.Global().Get("Object").New()
	for _, f := range r.Header {
		headers.Set(f.Name, f.Value)
	}
	options := js.Global().Get("Object").New()
	options.Set("method", r.Method)
	options.Set("headers", headers)
	options.Set("cache", "no-store")
	if len(r.Body) > 0 {
		body := js.Global().Get("Uint8Array").New(len(r.Body))
		js.CopyBytesToJS(body, r.Body)
		options.Set("body", body)
	}
	return options
}

// headerOf reads all fields in one call of JavaScript: each call costs as much as
// decoding a field.
func headerOf(headers js.Value) (all Header) {
	text := js.Global().Get("JSON").Call("stringify", js.Global().Get("Array").Call("from", headers)).String()
	var fields [][2]string
	_ = json.Unmarshal([]byte(text), &fields) // what JSON has written
	for _, f := range fields {
		all = append(all, Field{f[0], f[1]})
	}
	return all
}

// await waits for a promise. It must not be called in a js.Func.
func await(promise js.Value) (js.Value, error) {
	settled := make(chan js.Value, 1)
	failed := make(chan error, 1)
	then := js.FuncOf(func(_ js.Value, args []js.Value) any {
		settled <- args[0]
		return nil
	})
	defer then.Release()
	catch := js.FuncOf(func(_ js.Value, args []js.Value) any {
		failed <- js.Error{Value: args[0]}
		return nil
	})
	defer catch.Release()
	promise.Call("then", then, catch)
	select {
	case v := <-settled:
		return v, nil
	case err := <-failed:
		return js.Value{}, err
	}
}

// noAnswer prefers the reason of the context to that of fetch, which is only
// "AbortError" then.
func noAnswer(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errors.Join(ErrNoAnswer, err)
}
