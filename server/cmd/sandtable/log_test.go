//go:build !js

package main

import (
	"bytes"
	"net/url"
	"strings"
	"testing"
	"time"

	"sandtable/server"
	"sandtable/server/message"
)

// logged returns a request's log line.
func logged(record server.Record) string {
	var log strings.Builder
	requestLog{&log}.Finished(&record)
	return log.String()
}

// TestLogIsOneLine: no request can forge another log line or control the terminal
// that shows the log.
func TestLogIsOneLine(t *testing.T) {
	text := logged(server.Record{
		Request: &message.Request{Method: "GET\n", URL: &url.URL{Path: "/Tables"}}, Status: 403, Code: "AuthenticationFailed",
		Reason: "sv is wrong: \r\n200 GET /Tables\x1b[2J\u009b",
	})
	line, rest, _ := strings.Cut(text, "\n")
	if rest != "" || strings.ContainsAny(line, "\r\x1b\u009b") {
		t.Errorf("got %q", text)
	}
	if !strings.Contains(line, "AuthenticationFailed: sv is wrong: ") || !strings.Contains(line, " | 200 GET /Tables") {
		t.Errorf("the reason is lost: %q", line)
	}
}

// TestLogIsBounded: a request's log line is limited, so that clients cannot fill the
// disk.
func TestLogIsBounded(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	text := logged(server.Record{Request: &message.Request{Method: long, URL: &url.URL{Path: "/" + long}}, Status: 403, Reason: long})
	if len(text) > 4*maxLogged {
		t.Errorf("a line of %d bytes", len(text))
	}
}

// TestJSONLog is one object per line.
func TestJSONLog(t *testing.T) {
	var b strings.Builder
	record := &server.Record{
		Time: time.Unix(0, 0), Status: 404, Code: "ResourceNotFound", Reason: "two\nlines", Account: "a", Operation: "Get Entity", Duration: time.Millisecond,
		Request: &message.Request{Method: "GET", URL: &url.URL{Path: "/a/T()", RawQuery: "sig=secret"}}, RequestID: "id",
	}
	logFlag{json: true}.observer(&b).Finished(record)
	const want = `{"time":"1970-01-01T00:00:00.000Z","status":404,"method":"GET","path":"/a/T%28%29","account":"a","operation":"Get Entity","seconds":0.001,"requestId":"id","code":"ResourceNotFound","reason":"two\nlines"}` + "\n"
	if b.String() != want {
		t.Errorf("logged %s\nwant   %s", b.String(), want)
	}
}

// TestProgressControlsNoTerminal: an endpoint chooses the names of its tables.
func TestProgressControlsNoTerminal(t *testing.T) {
	var out bytes.Buffer
	(&slowProgress{w: &out}).show("in Or\u009b2Jders\x1b]52;c;AAAA\x07\n\r")
	if got, want := out.String(), "in Or\ufffd2Jders\ufffd]52;c;AAAA\ufffd | \ufffd\n"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}
