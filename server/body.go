package server

import (
	"bytes"
	"io"

	"sandtable/odata"
	"sandtable/server/message"
)

// readBody reads the whole body of a request of the service.
func readBody(r *message.Request) ([]byte, error) { return ReadBody(r, odata.MaxBodySize) }

// ReadBody reads the whole body of a request. A body over the limit, in bytes,
// is refused before it is read if its length is declared, otherwise once it
// exceeds the limit. Errors are ErrBodyUnreadable or one that [Describe] knows.
func ReadBody(r *message.Request, limit int64) ([]byte, error) {
	if r.Body == nil || r.ContentLength == 0 {
		return nil, nil
	}
	if r.ContentLength > limit {
		return nil, errBodyTooLarge
	}
	if whole, ok := r.Body.(*bytes.Buffer); ok {
		return whole.Bytes(), nil
	}
	if r.ContentLength > 0 {
		body := make([]byte, r.ContentLength)
		if _, err := io.ReadFull(r.Body, body); err != nil {
			return nil, ErrBodyUnreadable
		}
		return body, nil
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
	switch {
	case err != nil:
		return nil, ErrBodyUnreadable
	case int64(len(body)) > limit:
		return nil, errBodyTooLarge
	}
	return body, nil
}
