package server

import (
	"bytes"
	"io"

	"sandtable/odata"
	"sandtable/server/message"
)

// readBody reads the whole body of a request of the service. Its bytes count
// until releaseBody.
func (x *exchange) readBody() ([]byte, error) {
	in := *x.http
	switch {
	case in.Body == nil || in.ContentLength > odata.MaxBodySize:
	case in.ContentLength < 0:
		in.Body = reservingReader{x, in.Body}
	case !x.reserve(in.ContentLength):
		return nil, errBusy
	}
	return ReadBody(&in, odata.MaxBodySize)
}

func (x *exchange) reserve(n int64) bool {
	if !x.bodies.reserve(n) {
		return false
	}
	x.bodySize += n
	return true
}

func (x *exchange) releaseBody() { x.bodies.used.Add(-x.bodySize) }

// reservingReader reserves what it reads, for bodies whose length is unknown.
type reservingReader struct {
	x    *exchange
	from io.Reader
}

func (r reservingReader) Read(b []byte) (int, error) {
	n, err := r.from.Read(b)
	if !r.x.reserve(int64(n)) {
		return 0, errBusy
	}
	return n, err
}

// ReadBody reads the whole body of a request. A body over the limit, in bytes,
// is refused before it is read if its length is declared, otherwise once it
// exceeds the limit. Errors are ErrBodyUnreadable or one that [Describe] knows.
func ReadBody(in *message.Request, limit int64) ([]byte, error) {
	if in.Body == nil || in.ContentLength == 0 {
		return nil, nil
	}
	if in.ContentLength > limit {
		return nil, errBodyTooLarge
	}
	if whole, ok := in.Body.(*bytes.Buffer); ok {
		return whole.Bytes(), nil
	}
	if in.ContentLength > 0 {
		body := make([]byte, in.ContentLength)
		if _, err := io.ReadFull(in.Body, body); err != nil {
			return nil, ErrBodyUnreadable
		}
		return body, nil
	}
	body, err := io.ReadAll(io.LimitReader(in.Body, limit+1))
	switch {
	case err == errBusy:
		return nil, err
	case err != nil:
		return nil, ErrBodyUnreadable
	case int64(len(body)) > limit:
		return nil, errBodyTooLarge
	}
	return body, nil
}
