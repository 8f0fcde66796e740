package jshttp

import (
	"strings"
	"unicode/utf8"

	"sandtable/server/message"
)

// Response is an answer as the script turns it into a fetch Response.
type Response struct {
	// Status is between 200 and 599: a Response can have no other.
	Status int
	// Head has a line "name:value" for each header, in no order.
	Head string
	// Body is nil where the status or the method allows none.
	Body []byte
}

// writer is the message.ResponseWriter that keeps an answer until it is whole.
type writer struct {
	header message.Header
	status int
	head   string // as of WriteHeader: what is set later is not sent
	body   []byte
}

// Header returns the headers that WriteHeader will send.
func (w *writer) Header() message.Header { return w.header }

// WriteHeader fixes status and headers; only its first call counts.
// Informational statuses are left out: fetch never shows them.
func (w *writer) WriteHeader(status int) {
	if w.status != 0 || status < message.StatusOK {
		return
	}
	w.status = status
	w.head = head(w.header)
}

// Write appends to the body.
func (w *writer) Write(b []byte) (int, error) {
	w.WriteHeader(message.StatusOK)
	w.body = append(w.body, b...)
	return len(b), nil
}

// response returns what was written; nothing at all is 200 without a body.
func (w *writer) response(method string) Response {
	w.WriteHeader(message.StatusOK)
	if w.status > 599 {
		return broken()
	}
	response := Response{Status: w.status, Head: w.head, Body: w.body}
	if method == message.MethodHead || bodiless(w.status) {
		response.Body = nil
	}
	return response
}

// bodiless reports the statuses with which a Response refuses a body.
func bodiless(status int) bool {
	return status == message.StatusNoContent || status == message.StatusResetContent || status == message.StatusNotModified
}

// head writes headers the way the script reads them. Names that are none are
// left out and line breaks become blanks, as in net/http's own server.
func head(header message.Header) string {
	var b strings.Builder
	b.Grow(512)
	for name, values := range header {
		if !isToken(name) {
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

// isPlain reports whether a text is printable ASCII alone.
func isPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// isToken reports whether a text can be a header's name (RFC 9110, 5.6.2).
func isToken(name string) bool {
	for i := 0; i < len(name); i++ {
		if !tokenCharacter[name[i]] {
			return false
		}
	}
	return name != ""
}

var tokenCharacter = func() (is [256]bool) {
	for _, c := range "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" {
		is[c] = true
	}
	return is
}()
