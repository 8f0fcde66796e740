package server

import (
	"bytes"
	"io"

	"sandtable/odata"
	"sandtable/server/message"
)

// readBody reads the whole body of a request of the service. Its bytes count
// until releaseMemory.
func (x *exchange) readBody() ([]byte, error) {
	in := *x.http
	if whole, ok := in.Body.(*bytes.Buffer); ok {
		if !x.reserve(int64(whole.Len())) {
			return nil, errBusy
		}
	} else if in.Body != nil {
		in.Body = reservingReader{x, in.Body}
	}
	return ReadBody(&in, odata.MaxBodySize)
}

func (x *exchange) reserve(n int64) bool {
	return x.bodyShare.resize(x.bodyShare.size + n)
}

// releaseMemory returns what the request has taken for its body and its reply.
func (x *exchange) releaseMemory() {
	x.bodyShare.release()
	x.replyShare.release()
}

// reservingReader reserves what it reads. A length that is only declared
// reserves nothing, so that slow senders cannot take the budget of the others.
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
	var body []byte
	var err error
	if in.ContentLength > 0 {
		body, err = readDeclared(in.Body, in.ContentLength)
	} else {
		body, err = io.ReadAll(io.LimitReader(in.Body, limit+1))
	}
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

// firstRead is how much memory, in bytes, a body gets before any of it came.
const firstRead = 64 << 10

// readDeclared reads n bytes. Memory is allocated as they come.
func readDeclared(from io.Reader, n int64) ([]byte, error) {
	body := make([]byte, min(n, firstRead))
	for filled := 0; ; {
		k, err := io.ReadFull(from, body[filled:])
		filled += k
		if err != nil || int64(filled) == n {
			return body, err
		}
		body = append(body, make([]byte, min(n-int64(filled), int64(filled)))...)
	}
}
