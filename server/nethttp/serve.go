package nethttp

import (
	"net/http"

	"sandtable/server/message"
)

// Serve answers one request. Headers are not copied: the handler sees and
// writes those of r and w. Its ResponseWriter is a [message.Flusher] if w is an
// [http.Flusher]. It panics as the handler does, with [http.ErrAbortHandler]
// for [message.ErrAbort].
func Serve(h message.Handler, w http.ResponseWriter, r *http.Request) {
	defer func() {
		switch panicked := recover(); panicked {
		case nil:
		case message.ErrAbort:
			panic(http.ErrAbortHandler)
		default:
			panic(panicked)
		}
	}()
	x := &exchange{request: message.Request{
		Method: r.Method, URL: r.URL, Host: r.Host, Header: message.Header(r.Header),
		Body: r.Body, ContentLength: r.ContentLength,
		RemoteAddr: r.RemoteAddr, TLS: r.TLS != nil, Context: r.Context(),
	}}
	x.writer.ResponseWriter = w
	if flusher, ok := w.(http.Flusher); ok {
		x.writer.Flusher = flusher
		h.Serve(&x.writer, &x.request)
		return
	}
	h.Serve(&x.writer.writer, &x.request)
}

// exchange is one request and where its answer goes, in one piece of memory.
type exchange struct {
	request message.Request
	writer  flushingWriter
}

type writer struct{ http.ResponseWriter }

func (w *writer) Header() message.Header { return message.Header(w.ResponseWriter.Header()) }

type flushingWriter struct {
	writer
	http.Flusher
}
