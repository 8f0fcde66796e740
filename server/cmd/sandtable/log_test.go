//go:build !js

package main

import (
	"strings"
	"testing"

	"sandtable/server"
)

// TestLogIsOneLine: what a request says cannot pass for a line of the log, or
// speak to the terminal that shows it.
func TestLogIsOneLine(t *testing.T) {
	var log strings.Builder
	logRequest(&log, server.Record{Method: "GET", Path: "/Tables", Status: 403, Code: "AuthenticationFailed",
		Reason: "sv is wrong: \r\n200 GET /Tables\x1b[2J\u009b"})
	line, rest, _ := strings.Cut(log.String(), "\n")
	if rest != "" || strings.ContainsAny(line, "\r\x1b\u009b") {
		t.Errorf("got %q", log.String())
	}
	if !strings.Contains(line, "AuthenticationFailed: sv is wrong: ") || !strings.Contains(line, " | 200 GET /Tables") {
		t.Errorf("the reason is lost: %q", line)
	}
}
