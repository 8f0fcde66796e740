package jshttp

import "sandtable/server/message"

// Stream receives an answer while it is written. It must not retain its arguments.
type Stream interface {
	// Begin gets the status, the header and the first chunk of the body, which
	// may be empty. The client requests the next one.
	Begin(r Response, c *Client)
	// Chunk gets the next chunk of the body.
	Chunk(b []byte)
	// End is called once. If whole is false, the answer was aborted.
	End(whole bool)
}

// chunkSize is the number of bytes of a streamed body that are buffered before they
// are sent, unless they are flushed.
const chunkSize = 1 << 16

// Flush sends the bytes written so far. The first call makes the answer a streamed one.
func (w *writer) Flush() {
	w.WriteHeader(message.StatusOK)
	switch {
	case w.discard:
	case w.begun:
		_ = w.send() // the next Write has the error
	default:
		w.begun = true
		w.client.wants = make(chan struct{}, 1)
		w.stream.Begin(Response{Status: w.status, Head: w.head, Body: w.body}, &w.client)
		w.body = w.body[:0]
	}
}

// send passes the buffered bytes to the stream once the reader wants them.
func (w *writer) send() error {
	if len(w.body) == 0 {
		return nil
	}
	chunk := w.body
	w.body = w.body[:0]
	if err := w.client.wait(); err != nil {
		return err
	}
	w.stream.Chunk(chunk)
	return nil
}

// end finishes a streamed answer.
func (w *writer) end(whole bool) {
	if whole {
		_ = w.send() // a failure means that the reader is gone
	}
	w.stream.End(whole)
}

// Write appends to the body. For a streamed answer it waits until the reader wants
// more; an error means that the reader is gone.
func (w *writer) Write(b []byte) (int, error) {
	w.WriteHeader(message.StatusOK)
	switch {
	case w.discard:
		return len(b), nil
	case !w.begun:
		w.body = append(w.body, b...)
		return len(b), nil
	}
	for written := 0; ; {
		n := min(len(b)-written, chunkSize-len(w.body))
		w.body = append(w.body, b[written:written+n]...)
		written += n
		if len(w.body) < chunkSize {
			return written, w.client.Err()
		}
		if err := w.send(); err != nil {
			return written, err
		}
	}
}
