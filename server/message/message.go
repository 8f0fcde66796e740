package message

import (
	"context"
	"errors"
	"io"
	"net/url"
)

// Handler answers requests.
type Handler interface {
	Serve(w ResponseWriter, r *Request)
}

// Request is an HTTP request as a handler sees it.
type Request struct {
	Method string // in upper case, "GET" for instance
	// URL has the path and the query as they were sent; scheme and host only
	// where the client wrote an absolute address, as a fetch always does.
	URL    *url.URL
	Host   string
	Header Header
	// RawHeader has lines of "name:value" with the names as they were sent; "" where
	// the platform does not report them.
	RawHeader string
	// Body is nil for a request without one. A *bytes.Buffer that has all of it is
	// taken as it is: nobody may change its bytes any more.
	Body io.Reader
	// ContentLength is the length of Body in bytes, -1 if unknown.
	ContentLength int64
	// RemoteAddr is "address:port" of the client, "" where there is no network.
	RemoteAddr string
	// TLS reports that the request came encrypted.
	TLS bool
	// Context is done when the client has gone. It is never nil.
	Context context.Context
}

// ResponseWriter takes the answer of a handler: its header until WriteHeader
// is called, then its body. An error of Write means that the client has gone.
type ResponseWriter interface {
	Header() Header
	WriteHeader(status int)
	Write([]byte) (int, error)
}

// WholeWriter is a [ResponseWriter] that takes a whole body over, uncopied:
// nobody changes it any more.
type WholeWriter interface{ WriteWhole(body []byte) }

// Flusher is a [ResponseWriter] that can send what was written so far, before
// the answer is whole. Flush waits while the client has no room.
type Flusher interface{ Flush() }

// ErrAbort is for a handler to panic with when it cannot finish an answer that
// it has flushed: the client sees that it broke off. It is not logged.
var ErrAbort = errors.New("answer broken off")
