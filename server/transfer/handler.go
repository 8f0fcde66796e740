package transfer

import (
	"bytes"
	"io"
	"net/http"
)

// OverHandler returns a client of HTTP whose requests a handler answers in this
// process.
func OverHandler(h http.Handler) *http.Client { return &http.Client{Transport: handlerTransport{h}} }

type handlerTransport struct{ handler http.Handler }

// RoundTrip implements [http.RoundTripper].
func (t handlerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	in := r.Clone(r.Context())
	in.Host, in.RequestURI, in.RemoteAddr = r.URL.Host, r.URL.RequestURI(), "127.0.0.1:0"
	if in.Body == nil {
		in.Body = http.NoBody
	}
	w := &recorded{header: http.Header{}, status: http.StatusOK}
	t.handler.ServeHTTP(w, in)
	// The service writes some names in a case of its own.
	header := http.Header{}
	for name, values := range w.header {
		header[http.CanonicalHeaderKey(name)] = values
	}
	return &http.Response{
		StatusCode: w.status, Header: header, Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
	}, nil
}

// recorded is a response in memory.
type recorded struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorded) Header() http.Header         { return r.header }
func (r *recorded) WriteHeader(status int)      { r.status = status }
func (r *recorded) Write(b []byte) (int, error) { return r.body.Write(b) }
