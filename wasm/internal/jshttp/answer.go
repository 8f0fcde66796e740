package jshttp

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// Answer serves one fetch: head and body of the request in, the whole
// response out. It always returns a response: a request that cannot be read
// is answered with 400, a panic of the handler with 500, both in the service's
// form. A panic is also given to log, with the stack not yet unwound.
func Answer(h http.Handler, head string, body []byte, log func(panicked any)) (response Response) {
	r, err := NewRequest(head, body)
	if err != nil {
		return failure(http.StatusBadRequest, "InvalidUri", "The request URI is invalid.")
	}
	defer func() {
		if panicked := recover(); panicked != nil {
			log(panicked)
			response = broken(fmt.Sprintf("The handler panicked: %v", panicked))
		}
	}()
	w := &writer{header: make(http.Header, 12)}
	h.ServeHTTP(w, r)
	return w.response(r.Method)
}

// broken is the answer of a handler that did not come to one.
func broken(why string) Response {
	return failure(http.StatusInternalServerError, "InternalError",
		"Server encountered an internal error. Please try again after some time. "+why)
}

// failure is an error in the form of the Table service, which SDKs read.
func failure(status int, code, message string) Response {
	var body struct {
		Error struct {
			Code    string `json:"code"`
			Message struct {
				Lang  string `json:"lang"`
				Value string `json:"value"`
			} `json:"message"`
		} `json:"odata.error"`
	}
	body.Error.Code = code
	body.Error.Message.Lang, body.Error.Message.Value = "en-US", message
	text, err := json.Marshal(body)
	if err != nil { // two strings always marshal; keep the code if they ever do not
		text = []byte(code)
	}
	return Response{
		Status: status,
		Head:   "content-type:application/json;odata=minimalmetadata;charset=utf-8\nx-ms-error-code:" + code,
		Body:   text,
	}
}
