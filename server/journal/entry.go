package journal

import (
	"net/url"
	"strings"
	"time"
	"unsafe"

	"sandtable/server/message"
)

// Entry is a request and its answer. What it points to is not changed any more.
type Entry struct {
	ID        uint64 // 1, 2, 3…, given by [Ring.Add]
	RequestID string
	Time      time.Time
	Duration  time.Duration
	Method    string
	Scheme    string // of an address without one
	Host      string // of an address without one
	URL       *url.URL
	Operation string // "" where none was found
	Account   string
	Status    int
	Code      string // of the error, or ""
	Reason    string // why it was refused, or ""
	// StringToSign is what the signature of a refused request should have been
	// of, as far as that is known.
	StringToSign string
	Statistics   Statistics

	RequestHeader, ResponseHeader message.Header
	// RequestBody and ResponseBody are the beginnings of bodies, of as many bytes
	// as RequestLength and ResponseLength say.
	RequestBody, ResponseBody     []byte
	RequestLength, ResponseLength int
}

// Statistics says what a query did; the zero value is that there was none.
type Statistics struct {
	Kind                       string
	Blocks, Examined, Returned int
}

// Truncated reports whether the bodies that are kept lack something.
func (e *Entry) Truncated() bool {
	return len(e.RequestBody) < e.RequestLength || len(e.ResponseBody) < e.ResponseLength
}

// Address returns the whole URL. It may have secrets in it.
func (e *Entry) Address() string {
	u := *e.URL
	u.User = nil
	if u.Scheme == "" {
		u.Scheme = e.Scheme
	}
	if u.Host == "" {
		u.Host = e.Host
	}
	return u.String()
}

// size is about how many bytes the entry keeps from being freed.
func (e *Entry) size() int {
	n := int(unsafe.Sizeof(*e)) + len(e.Reason) + len(e.StringToSign) + cap(e.RequestBody) + cap(e.ResponseBody)
	n += int(unsafe.Sizeof(*e.URL)) + len(e.URL.Path) + len(e.URL.RawPath) + len(e.URL.RawQuery)
	// What is long in the header of an answer is there because it was in that of
	// the request.
	return n + 2*headerSize(e.RequestHeader) + 2*fieldSize*len(e.ResponseHeader)
}

// Told returns what is told of a request while it is shown to those who listen,
// and about how many bytes that takes: no bodies, and of the header what it was
// signed with, to be redacted. It keeps no other part of the request in memory,
// whose texts may be pieces of a longer one.
func (e *Entry) Told() (told *Entry, size int) {
	t := *e
	t.RequestBody, t.ResponseBody, t.RequestHeader, t.ResponseHeader, t.StringToSign = nil, nil, nil, nil, ""
	t.Method, t.Scheme, t.Host, t.Account = strings.Clone(e.Method), strings.Clone(e.Scheme), strings.Clone(e.Host), strings.Clone(e.Account)
	u := *e.URL
	u.User = nil
	u.Scheme, u.Opaque, u.Host, u.Fragment, u.RawFragment = strings.Clone(u.Scheme), strings.Clone(u.Opaque), strings.Clone(u.Host), "", ""
	u.Path, u.RawPath, u.RawQuery = strings.Clone(u.Path), strings.Clone(u.RawPath), strings.Clone(u.RawQuery)
	t.URL = &u
	for _, value := range e.RequestHeader["Authorization"] {
		if t.RequestHeader == nil {
			t.RequestHeader = message.Header{}
		}
		t.RequestHeader["Authorization"] = append(t.RequestHeader["Authorization"], strings.Clone(value))
	}
	return &t, t.size()
}

// fieldSize is what a field of a header takes beside its texts.
const fieldSize = 64

func headerSize(h message.Header) int {
	n := 0
	for name, values := range h {
		n += fieldSize + len(name)
		for _, value := range values {
			n += len(value)
		}
	}
	return n
}

// credentials returns what the request was signed with, to be recognised
// wherever else it stands.
func (e *Entry) credentials() (secrets []string) {
	for _, value := range e.RequestHeader["Authorization"] {
		_, rest, ok := strings.Cut(value, " ")
		if !ok {
			rest = value
		}
		// Of a Shared Key the signature; the account may be shown.
		secrets = append(secrets, rest[behindName(rest, 0):])
	}
	query, _ := url.ParseQuery(strings.ReplaceAll(e.URL.RawQuery, ";", "%3B"))
	for name, values := range query {
		if strings.EqualFold(name, "sig") || strings.EqualFold(name, "token") || strings.EqualFold(name, "access_token") {
			secrets = append(secrets, values...)
		}
	}
	return secrets
}
