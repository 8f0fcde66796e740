package httpfile

import (
	"fmt"
	"strings"
)

// The limits of a file. Requests beyond them are not read.
const (
	MaxRequests = 200
	MaxHeaders  = 50
	MaxURL      = 16 << 10 // bytes as written, with the lines that continue it
)

// Header is one header field.
type Header struct{ Name, Value string }

// Request is one request of a file. Lines count from 1; First to Last are those
// of the request with its title and comments.
type Request struct {
	Title       string
	Method      string
	URL         string // with its query, escaped
	Headers     []Header
	Body        string
	First, Last int
	Line        int // of the method
}

// Error is what is wrong with a file.
type Error struct {
	Line    int
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

var methods = map[string]bool{
	"GET": true, "HEAD": true, "POST": true, "PUT": true, "PATCH": true, "MERGE": true, "DELETE": true, "OPTIONS": true,
}

// Parse reads all requests of a file. The error is an *Error; the requests before
// it are returned, too.
func Parse(file string) ([]Request, error) {
	lines := strings.Split(strings.ReplaceAll(file, "\r\n", "\n"), "\n")
	var all []Request
	for first := 0; first < len(lines); {
		last := first + 1
		for last < len(lines) && !strings.HasPrefix(lines[last], "###") {
			last++
		}
		r, found, err := parseRequest(lines[first:last], first+1)
		if err != nil {
			return all, err
		}
		if found {
			if len(all) == MaxRequests {
				return all, &Error{r.Line, fmt.Sprintf("a file can have %d requests", MaxRequests)}
			}
			all = append(all, r)
		}
		first = last
	}
	return all, nil
}

// At returns the index of the request that a line belongs to; -1 if it belongs to none.
func At(all []Request, line int) int {
	for i, r := range all {
		if r.First <= line && line <= r.Last {
			return i
		}
	}
	return -1
}

// parseRequest reads the lines up to the next separator; found reports whether
// there is more than a title and comments.
func parseRequest(lines []string, first int) (r Request, found bool, err error) {
	r = Request{First: first, Last: first + len(lines) - 1}
	at := 0
	if title, ok := strings.CutPrefix(lines[0], "###"); ok {
		r.Title = strings.TrimSpace(title)
		at = 1
	}
	for at < len(lines) && (strings.TrimSpace(lines[at]) == "" || isComment(lines[at])) {
		at++
	}
	if at == len(lines) {
		return r, false, nil
	}
	r.Line = first + at
	method, address, ok := strings.Cut(strings.TrimSpace(lines[at]), " ")
	if !ok || !methods[method] {
		return r, false, &Error{r.Line, "a request begins with a method in capitals and a URL, such as GET https://playground.table.core.windows.net/Tables"}
	}
	var whole strings.Builder
	whole.WriteString(strings.TrimSpace(address))
	for at++; at < len(lines) && (continues(lines[at]) || isComment(lines[at])); at++ {
		if continues(lines[at]) {
			whole.WriteString(strings.TrimSpace(lines[at]))
		}
	}
	if whole.Len() > MaxURL {
		return r, false, &Error{r.Line, fmt.Sprintf("a URL can have %d KiB", MaxURL>>10)}
	}
	r.Method, r.URL = method, escape(withoutVersion(whole.String()))
	if at, err = r.parseHeaders(lines, at); err != nil {
		return r, false, err
	}
	r.Body = strings.TrimRight(strings.Join(lines[min(at, len(lines)):], "\n"), "\n\t ")
	return r, true, nil
}

// parseHeaders reads the headers from a line on; it returns where the body begins.
func (r *Request) parseHeaders(lines []string, at int) (int, error) {
	for ; at < len(lines) && strings.TrimSpace(lines[at]) != ""; at++ {
		if isComment(lines[at]) {
			continue
		}
		line := r.First + at
		name, value, ok := strings.Cut(lines[at], ":")
		name = strings.TrimSpace(name)
		if !ok || !isToken(name) {
			return at, &Error{line, "a header is a name, a colon and a value; an empty line separates the headers from the body"}
		}
		if len(r.Headers) == MaxHeaders {
			return at, &Error{line, fmt.Sprintf("a request can have %d headers", MaxHeaders)}
		}
		r.Headers = append(r.Headers, Header{name, strings.TrimSpace(value)})
	}
	return at + 1, nil
}

func isComment(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "#") || strings.HasPrefix(line, "//")
}

// continues reports whether a line continues the URL's query.
func continues(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "?") || strings.HasPrefix(line, "&")
}

// withoutVersion returns a URL without the version of HTTP that other tools write after
// it: " HTTP/1.1".
func withoutVersion(address string) string {
	if i := strings.LastIndex(address, " HTTP/"); i >= 0 && strings.Trim(address[i+len(" HTTP/"):], "0123456789.") == "" {
		return strings.TrimSpace(address[:i])
	}
	return address
}

// isToken reports whether text can be the name of a header.
func isToken(text string) bool {
	for _, c := range []byte(text) {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9'
		if !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return text != ""
}

// escape escapes what cannot stand in a URL as it is. A percent sign with two hex
// digits is an escape already.
func escape(address string) string {
	var b strings.Builder
	for i := 0; i < len(address); i++ {
		c := address[i]
		isEscape := c == '%' && i+2 < len(address) && isHex(address[i+1]) && isHex(address[i+2])
		if c > ' ' && c < 0x7F && !strings.ContainsRune("\"<>\\^`{|}#%", rune(c)) || isEscape {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }
