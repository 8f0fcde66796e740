//go:build !js

package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode"

	"sandtable/server"
)

// logFlag is the format of the log of requests.
type logFlag struct{ json bool }

func (f *logFlag) register(flags *flag.FlagSet) {
	flags.Func("log", "the `format` of the log of requests: text, or json (an object per line) (default text)", func(format string) error {
		if format != "text" && format != "json" {
			return fmt.Errorf("want text or json")
		}
		f.json = format == "json"
		return nil
	})
}

func (f logFlag) observer(w io.Writer) server.Observer {
	if f.json {
		return jsonLog{w}
	}
	return requestLog{w}
}

func logTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// requestLog writes one line per request, with the reason if it was refused.
type requestLog struct{ w io.Writer }

// Finished writes the line of a request.
func (l requestLog) Finished(r *server.Record) {
	what := r.Operation
	if what == "" {
		what = http.StatusText(r.Status)
	}
	// The path without the query, which may contain a signature.
	line := fmt.Sprintf("%s %d %s %s %s %v %s", logTime(r.Time), r.Status, oneLine(shortened(r.Request.Method)), shortened(r.Request.URL.EscapedPath()),
		what, r.Duration.Round(1000), r.RequestID)
	if r.Code != "" { // not that of a transaction, which is in its response
		line += " " + r.Code + ":"
	}
	if r.Reason != "" {
		line += " " + oneLine(shortened(r.Reason))
	}
	fmt.Fprintln(l.w, line)
}

// jsonLog writes one JSON object per request.
type jsonLog struct{ w io.Writer }

// Finished writes the object of a request, in a single call.
func (l jsonLog) Finished(r *server.Record) {
	line, err := json.Marshal(struct {
		Time      string  `json:"time"`
		Status    int     `json:"status"`
		Method    string  `json:"method"`
		Path      string  `json:"path"` // without the query, which may contain a signature
		Account   string  `json:"account,omitempty"`
		Operation string  `json:"operation,omitempty"`
		Seconds   float64 `json:"seconds"`
		RequestID string  `json:"requestId"`
		Code      string  `json:"code,omitempty"`
		Reason    string  `json:"reason,omitempty"`
	}{
		logTime(r.Time), r.Status, shortened(r.Request.Method), shortened(r.Request.URL.EscapedPath()), shortened(r.Account), r.Operation,
		r.Duration.Seconds(), r.RequestID, r.Code, shortened(r.Reason),
	})
	if err == nil { // it always is: there are only texts and numbers
		l.w.Write(append(line, '\n'))
	}
}

// maxLogged limits each part of a request in the log, in bytes: a client that sends
// many requests must not fill the disk with them.
const maxLogged = 512

func shortened(text string) string {
	if len(text) <= maxLogged {
		return text
	}
	return text[:maxLogged] + "…"
}

// oneLine puts a text that may quote a request on one line, without the control
// characters that a terminal would obey.
func oneLine(text string) string {
	return harmless(strings.ReplaceAll(text, "\n", " | "))
}

// harmless replaces the control characters that a terminal would obey, except for line
// feeds and tabs.
func harmless(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}
