package jshttp

import "sandtable/server/message"

// Answer serves one fetch: head and body of the request in, the whole
// response out. If the handler flushed, it was streamed instead.
//
// A request that cannot be read is answered with 400, a panic of the handler
// with 500, both in the service's form; after the first flush a panic aborts the
// stream. log gets the panic, the client does not. Nor does it log
// [message.ErrAbort], which makes the fetch fail.
func Answer(h message.Handler, head string, body []byte, s Stream, log func(panicked any)) (response Response, streamed bool) {
	r, err := newRequest(head, body)
	if err != nil {
		return failure(message.StatusBadRequest, "InvalidUri", "The request URI is invalid."), false
	}
	w := &writer{header: make(message.Header, 12), method: r.Method, stream: s}
	r.Context = &w.client
	defer w.client.Cancel()
	defer func() {
		panicked := recover()
		if panicked != nil && panicked != message.ErrAbort {
			log(panicked)
		}
		switch {
		case w.begun:
			w.end(panicked == nil)
			streamed = true
		case panicked == message.ErrAbort:
			response = Response{} // status 0: the fetch fails, as when a connection is cut
		case panicked != nil:
			response = broken()
		default:
			response = w.response()
		}
	}()
	h.Serve(w, r)
	return response, false
}

// broken is the answer for a handler that panicked.
func broken() Response {
	return failure(message.StatusInternalServerError, "InternalError",
		"Server encountered an internal error. Please try again after some time.")
}

// failure is an error in the form of the Table service, which SDKs read. Code
// and message need no escapes in JSON.
func failure(status int, code, message string) Response {
	return Response{
		Status: status,
		Head:   "content-type:application/json;odata=minimalmetadata;charset=utf-8\nx-ms-error-code:" + code,
		Body:   []byte(`{"odata.error":{"code":"` + code + `","message":{"lang":"en-US","value":"` + message + `"}}}`),
	}
}

// response returns what was written; nothing at all is 200 without a body.
func (w *writer) response() Response {
	w.WriteHeader(message.StatusOK)
	if w.status > maxStatus {
		return broken()
	}
	return Response{Status: w.status, Head: w.head, Body: w.body}
}
