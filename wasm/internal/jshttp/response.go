package jshttp

import (
	"strings"
	"unicode/utf8"

	"sandtable/server/message"
)

// Response is an answer as the script turns it into a fetch Response.
type Response struct {
	// Status is between 200 and 599: a Response can have no other. It is 0 for a fetch
	// that fails.
	Status int
	// Head has a line "name:value" for each header, in no order.
	Head string
	// Body is nil where the status or the method allows none.
	Body []byte
}

// writer is the message.ResponseWriter that buffers an answer until it is
// complete or flushed.
type writer struct {
	header  message.Header
	status  int
	head    string // as of WriteHeader: later headers are not sent
	body    []byte // not yet passed to the stream
	method  string
	discard bool // the answer has no body, whatever is written
	stream  Stream
	begun   bool // the stream has begun
	client  Client
}

// Header returns the headers that WriteHeader will send.
func (w *writer) Header() message.Header { return w.header }

// WriteHeader fixes status and headers; only its first call counts.
// Informational statuses are dropped: fetch never shows them.
func (w *writer) WriteHeader(status int) {
	if w.status != 0 || status < message.StatusOK {
		return
	}
	w.status = status
	w.head = head(w.header)
	w.discard = w.method == message.MethodHead || bodiless(status) || status > maxStatus
}

// maxStatus is the highest status of a fetch Response.
const maxStatus = 599

// bodiless reports the statuses with which a Response refuses a body.
func bodiless(status int) bool {
	return status == message.StatusNoContent || status == message.StatusResetContent || status == message.StatusNotModified
}

// head writes headers as the script reads them. Invalid names are dropped and
// line breaks become blanks, as in net/http's own server.
func head(header message.Header) string {
	var b strings.Builder
	b.Grow(512)
	for name, values := range header {
		if !message.IsToken(name) {
			continue
		}
		for _, value := range values {
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(name)
			b.WriteByte(':')
			writeValue(&b, value)
		}
	}
	return b.String()
}

// writeValue writes a character for each byte of a header value.
func writeValue(b *strings.Builder, value string) {
	if isPlain(value) {
		b.WriteString(value)
		return
	}
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case c == '\n' || c == '\r' || c == 0:
			b.WriteByte(' ')
		case c < utf8.RuneSelf:
			b.WriteByte(c)
		default:
			b.WriteRune(rune(c))
		}
	}
}

// isPlain reports whether a string is printable ASCII.
func isPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
