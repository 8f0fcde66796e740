package client

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// The methods of HTTP, and how [time.Time.Format] writes a date in UTC into a header.
// They are those of net/http, which would make the page's download a tenth larger.
const (
	MethodGet    = "GET"
	MethodPost   = "POST"
	MethodPut    = "PUT"
	MethodPatch  = "PATCH"
	MethodDelete = "DELETE"

	TimeFormat = "Mon, 02 Jan 2006 15:04:05 GMT"
)

// Field is one header of a request or a response.
type Field struct{ Name, Value string }

// Header is a list of headers in the order in which they are written.
type Header []Field

// Get returns the value of the first header with this name, in any case, or "".
func (h Header) Get(name string) string {
	for _, f := range h {
		if strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

// Request is what a transport sends. Method is in upper case: fetch turns only
// some methods to it by itself.
type Request struct {
	Method string
	URL    string
	Header Header
	Body   []byte
	// Received, if set, gets the parts of the answer's body as they come, which the
	// response has as well.
	Received func(part []byte)
	// Limit, if not 0, is the largest body that the answer may have, in bytes.
	Limit int
}

// ErrTooLong means an answer beyond the request's limit.
var ErrTooLong = errors.New("the answer is too long")

func errTooLong(limit int) error { return fmt.Errorf("%w: more than %d bytes", ErrTooLong, limit) }

// Response is a whole answer, its body read to the end.
type Response struct {
	Status int
	Header Header
	Body   []byte
}

// Transport sends one request and reads the whole answer. It returns an error
// when there was no answer, whatever its status would have been.
type Transport interface {
	Do(ctx context.Context, r Request) (Response, error)
}
