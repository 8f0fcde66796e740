package jshttp

import "sandtable/server/message"

// Handler answers requests, as [sandtable/server.Handler] does.
type Handler interface {
	Serve(w message.ResponseWriter, r *message.Request)
}

// Answer serves one fetch: head and body of the request in, the whole
// response out. It always returns a response: a request that cannot be read
// is answered with 400, a panic of the handler with 500, both in the service's
// form. What panicked is given to log and not to the client.
func Answer(h Handler, head string, body []byte, log func(panicked any)) (response Response) {
	r, err := NewRequest(head, body)
	if err != nil {
		return failure(message.StatusBadRequest, "InvalidUri", "The request URI is invalid.")
	}
	defer func() {
		if panicked := recover(); panicked != nil {
			log(panicked)
			response = broken()
		}
	}()
	w := &writer{header: make(message.Header, 12)}
	h.Serve(w, r)
	return w.response(r.Method)
}

// broken is the answer of a handler that did not come to one.
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
