package jshttp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"sandtable/server/message"
)

// ErrHead is returned for a malformed head.
var ErrHead = errors.New("malformed request head")

// preflightPrefix is in front of the headers of a preflight, such as Origin, where
// a page shows learners one: browsers let no script set them.
const preflightPrefix = "x-sandtable-preflight-"

// newRequest builds the request that a native server would have read: method in upper
// case, host, escaped path and query as sent, headers, and the body. Unlike there, the
// URL is absolute, because there is no connection to take the scheme from.
//
// The error is ErrHead, or that of [url.Parse] for an invalid URL, such as one with a
// broken percent-encoding.
func newRequest(head string, body []byte) (*message.Request, error) {
	line, fields, _ := strings.Cut(head, "\n")
	method, address, ok := strings.Cut(line, " ")
	if !ok || method == "" {
		return nil, fmt.Errorf("%w: request line %q", ErrHead, line)
	}
	address, _, _ = strings.Cut(address, "#")
	location, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	if strings.EqualFold(method, message.MethodOptions) {
		fields = strings.TrimPrefix(strings.ReplaceAll("\n"+fields, "\n"+preflightPrefix, "\n"), "\n")
	}
	header, err := readHeader(fields)
	if err != nil {
		return nil, err
	}
	r := &message.Request{
		Method:        strings.ToUpper(method), // fetch leaves "patch" and "merge" as they were written
		URL:           location,
		Header:        header,
		RawHeader:     fields,
		ContentLength: int64(len(body)),
		Host:          location.Host,
		TLS:           location.Scheme == "https",
		Context:       context.Background(),
	}
	if len(body) > 0 {
		r.Body = bytes.NewBuffer(body)
	}
	return r, nil
}

// readHeader reads the lines "name:value". Values are kept whole: fetch has
// joined repeated headers with ", ", and a date has a comma of its own.
func readHeader(fields string) (message.Header, error) {
	n := strings.Count(fields, "\n") + 1
	header := make(message.Header, n)
	values := make([]string, n) // one allocation for all the one-element lists
	for i := 0; fields != ""; i++ {
		line, rest, _ := strings.Cut(fields, "\n")
		name, value, ok := strings.Cut(line, ":")
		if !ok || name == "" {
			return nil, fmt.Errorf("%w: header line %q", ErrHead, line)
		}
		values[i] = toBytes(value)
		header[message.CanonicalName(name)] = values[i : i+1 : i+1]
		fields = rest
	}
	return header, nil
}

// toBytes turns the characters of a header value as JavaScript has it into
// the bytes they stand for.
func toBytes(value string) string {
	if isASCII(value) {
		return value
	}
	b := make([]byte, 0, len(value))
	for _, r := range value {
		b = append(b, byte(r))
	}
	return string(b)
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
