package client

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"syscall/js"
)

// DefaultTransport returns the transport of this platform: net/http natively,
// fetch in a browser.
func DefaultTransport() Transport { return fetchTransport{} }

// fetchTransport calls the page's fetch, and for transactions of the app's own tables
// sandtableSend, if the page has it (wasm/js/client/app-port.js). Bodies are sent and
// received as a whole, because the service's are 4 MiB at most. Only a request with
// Received gets the parts as they arrive.
type fetchTransport struct{}

func (fetchTransport) Do(ctx context.Context, r Request) (Response, error) {
	signal := js.Undefined()
	if ctx.Done() != nil {
		abort := js.Global().Get("AbortController").New()
		stop := context.AfterFunc(ctx, func() { abort.Call("abort") })
		defer stop()
		signal = abort.Get("signal")
	}
	if send := js.Global().Get("sandtableSend"); send.Truthy() && r.Method == MethodPost && strings.HasSuffix(r.URL, "/$batch") {
		answer, err := await(send.Invoke(r.Method, r.URL, fieldsOf(r.Header), arrayOf(r.Body), signal))
		if err != nil || answer.Truthy() {
			return sent(ctx, answer, err)
		}
	}
	options := fetchOptions(r)
	options.Set("signal", signal)
	answer, err := await(js.Global().Call("fetch", r.URL, options))
	if err != nil {
		return Response{}, noAnswer(ctx, err)
	}
	read := readWhole
	if r.Received != nil || r.Limit > 0 {
		read = func(answer js.Value) ([]byte, error) { return readParts(answer, r.Received, r.Limit) }
	}
	body, err := read(answer)
	if err != nil {
		return Response{}, noAnswer(ctx, err)
	}
	return Response{Status: answer.Get("status").Int(), Header: headerOf(answer.Get("headers")), Body: body}, nil
}

// sent returns the answer to a request that was sent as a message. The status of a
// connection that was cut is 0. A request that was lost may have taken effect before its
// worker ended: sent again, it would be refused as a conflict with itself.
func sent(ctx context.Context, answer js.Value, err error) (Response, error) {
	if err != nil {
		return Response{}, noAnswer(ctx, err)
	}
	r := Response{Status: answer.Get("status").Int()}
	if r.Status == 0 || answer.Get("lost").Truthy() {
		return Response{}, noAnswer(ctx, errors.New("the connection was cut"))
	}
	for line := range strings.SplitSeq(answer.Get("head").String(), "\n") {
		if name, value, ok := strings.Cut(line, ":"); ok {
			r.Header = append(r.Header, Field{name, value})
		}
	}
	body := answer.Get("body")
	switch {
	case body.IsNull():
	case body.InstanceOf(js.Global().Get("Uint8Array")):
		r.Body = bytesOf(body)
	default:
		if r.Body, err = readParts(answer, nil, 0); err != nil {
			return Response{}, noAnswer(ctx, err)
		}
	}
	return r, nil
}

// fieldsOf returns the headers as lines, each of which begins with its line feed.
func fieldsOf(h Header) string {
	var b strings.Builder
	for _, f := range h {
		b.WriteString("\n" + f.Name + ":" + f.Value)
	}
	return b.String()
}

func arrayOf(b []byte) js.Value {
	array := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(array, b)
	return array
}

func readWhole(answer js.Value) ([]byte, error) {
	buffer, err := await(answer.Call("arrayBuffer"))
	if err != nil {
		return nil, err
	}
	return bytesOf(js.Global().Get("Uint8Array").New(buffer)), nil
}

// readParts reads a body as it comes, up to a limit, 0 for none. Received may be nil.
func readParts(answer js.Value, received func([]byte), limit int) (body []byte, err error) {
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
		if received != nil {
			received(now)
		}
		if body = append(body, now...); limit > 0 && len(body) > limit {
			reader.Call("cancel")
			return nil, errTooLong(limit)
		}
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
		options.Set("body", arrayOf(r.Body))
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
