//go:build !js

package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sandtable/server/auth"
)

// start runs a command until the test ends and returns its output lines and a
// function that stops it and returns its exit code.
func start(t *testing.T, args ...string) (lines <-chan string, stop func() int, stderr *strings.Builder) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	read, write := io.Pipe()
	stderr = &strings.Builder{}
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, args, write, stderr)
		write.Close()
	}()
	printed := make(chan string, 100)
	go func() {
		defer close(printed)
		for scanner := bufio.NewScanner(read); scanner.Scan(); {
			printed <- scanner.Text()
		}
	}()
	t.Cleanup(cancel)
	return printed, func() int { cancel(); return <-code }, stderr
}

// endpointIn returns the endpoint at the end of what serve prints about an account.
func endpointIn(line string) string {
	return strings.TrimSuffix(line[strings.LastIndex(line, "http"):], ";")
}

func TestServe(t *testing.T) {
	key := base64.StdEncoding.EncodeToString([]byte("a key"))
	lines, stop, stderr := start(t, "serve", "-data", "", "-addr", "127.0.0.1:0", "-account", "first1:"+key, "-account", "second2:"+key)
	if line := <-lines; !strings.HasPrefix(line, "Sandtable answers the Table service REST API on http://127.0.0.1:") {
		t.Fatalf("printed %q", line)
	}
	for _, name := range []string{"first1", "second2"} {
		line := <-lines
		if !strings.HasPrefix(line, "Account "+name+": http://127.0.0.1:") {
			t.Fatalf("printed %q", line)
		}
		endpoint := endpointIn(line)
		if got := listTables(t, endpoint, name, []byte("a key")); got != 200 {
			t.Errorf("%s: status %d", name, got)
		}
		if got := listTables(t, endpoint, name, []byte("another key")); got != 403 {
			t.Errorf("%s with another key: status %d", name, got)
		}
	}
	if code := stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	log := stderr.String()
	if strings.Count(log, "\n") != 5 || !strings.HasPrefix(log, "Requests without a signature get 404") || !strings.Contains(log, " 200 GET /first1/Tables Query Tables ") ||
		!strings.Contains(log, " 403 GET /second2/Tables Forbidden ") || strings.Contains(log, key) {
		t.Errorf("log:\n%s", log)
	}
}

func listTables(t *testing.T, endpoint, account string, key []byte) int {
	t.Helper()
	return listTablesWith(t, http.DefaultClient, endpoint, account, key)
}

func listTablesWith(t *testing.T, client *http.Client, endpoint, account string, key []byte) int {
	t.Helper()
	r, err := http.NewRequest("GET", endpoint+"/Tables", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "application/json")
	r.Header.Set("x-ms-version", "2019-02-02")
	r.Header.Set("x-ms-date", time.Now().UTC().Format(http.TimeFormat))
	r.Header.Set("Authorization", auth.SharedKeyLite(auth.Request{
		Method: "GET", Path: r.URL.EscapedPath(), Query: r.URL.Query(), Header: r.Header,
	}, account, key))
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	return response.StatusCode
}

func TestServeOpen(t *testing.T) {
	lines, stop, _ := start(t, "serve", "-data", "", "-addr", "127.0.0.1:0", "-open", "-quiet")
	<-lines
	_, endpoint, _ := strings.Cut(strings.TrimSuffix(<-lines, ";"), "TableEndpoint=")
	response, err := http.Get(endpoint + "/Tables?$format=application/json")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != 200 {
		t.Errorf("status %d", response.StatusCode)
	}
	if code := stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestCommandLine(t *testing.T) {
	for _, c := range []struct {
		name     string
		args     []string
		code     int
		contains string
	}{
		{"nothing", nil, 2, "usage: sandtable COMMAND"},
		{"help", []string{"help"}, 0, "usage: sandtable COMMAND"},
		{"help of a command", []string{"help", "serve"}, 0, "-addr"},
		{"an unknown command", []string{"dance"}, 2, "unknown command \"dance\""},
		{"a database as the folder", []string{"serve", "-data", "postgres://me:secret@host/name"}, 2, "sandtable serve: -data is a folder: a database is served with -store, and read and written by \"sandtable copy\"\n"},
		{"an unknown flag", []string{"serve", "-dance"}, 2, "sandtable serve: flag provided but not defined: -dance\n\"sandtable help serve\" lists the flags\n"},
		{"no connections", []string{"serve", "-max-connections", "0"}, 2, "-max-connections must be at least 1"},
		{"a negative time", []string{"serve", "-table-deletion", "-5s"}, 2, "-table-deletion must be from 0 to 1h0m0s"},
		{"a time over the limit", []string{"serve", "-table-deletion", "2h"}, 2, "-table-deletion must be from 0 to 1h0m0s"},
		{"a negative drain", []string{"serve", "-drain", "-5s"}, 2, "-drain must not be negative"},
		{"a negative time of retries", []string{"copy", "-retry-for", "-5s", "a.zip", "b.zip"}, 2, "-retry-for must not be negative"},
		{"a host with a wildcard", []string{"serve", "-host", "*.example.com"}, 2, "no wildcard"},
		{"a host with a port that is not a number", []string{"serve", "-host", "example.com:http"}, 2, "want a host name"},
		{"a host with an empty label", []string{"serve", "-host", "a..example"}, 2, "want a host name"},
		{"a host with a scheme", []string{"serve", "-host", "https://example.com"}, 2, "want a host name"},
		{"an account with two first keys", []string{"serve", "-account", "name:a2V5", "-account", "name:b3RoZXI="}, 2, "name is given twice with different keys"},
		{"a proxy that is not a network", []string{"serve", "-trusted-proxy", "dance"}, 2, "-trusted-proxy"},
		{"a proxy that no address is in", []string{"serve", "-trusted-proxy", "::ffff:10.0.0.0/104"}, 2, "write an IPv4 network as 10.0.0.0/8"},
		{"an extra argument", []string{"serve", "dance"}, 2, "unexpected argument \"dance\""},
		{"an account without a key", []string{"serve", "-account", "name"}, 2, "want name:base64key"},
		{"an account with a bad name", []string{"serve", "-account", "Bad:a2V5"}, 2, "lower-case letters and digits"},
		{"unknown rules", []string{"serve", "-cors", "dance"}, 2, "-cors must be rules or permissive"},
		{"an unknown durability", []string{"serve", "-durability", "dance"}, 2, `durability "dance" is neither strict nor relaxed`},
		{"a control API for everyone", []string{"serve", "-control", "-addr", ":10002"}, 2, "only this machine can reach"},
		{"a control API for the network", []string{"serve", "-control", "-addr", "192.168.1.2:10002"}, 2, "only this machine can reach"},
		{"a control API at a name", []string{"serve", "-control", "-addr", "example.com:10002"}, 2, "only this machine can reach"},
		{"a control API for everyone in the clear", []string{"serve", "-control", "-control-remote", "-addr", ":10002"}, 2, "-control-remote needs -tls"},
		{"-control-remote without -control", []string{"serve", "-control-remote"}, 2, "-control-remote needs -control"},
		{"a short token", []string{"serve", "-control", "-control-token", "short"}, 2, "16 characters"},
		{"a token without -control", []string{"serve", "-control-token", "0123456789abcdef"}, 2, "-control-token needs -control"},
		{"an account with a bad key", []string{"serve", "-account", "name:*"}, 2, "not Base64"},
		{"an invalid address", []string{"serve", "-data", "", "-addr", "nowhere:nothing"}, 2, "sandtable serve: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stdout, stderr strings.Builder
			if code := run(t.Context(), c.args, &stdout, &stderr); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			if !strings.Contains(stderr.String(), c.contains) {
				t.Errorf("printed %q, want %q", stderr.String(), c.contains)
			}
			if lines := strings.Count(stderr.String(), "\n"); c.code != 0 && c.args != nil && lines > 2 {
				t.Errorf("%d lines: %s", lines, &stderr)
			}
		})
	}
}

// TestServePrintsNoSecrets: the output, which may be a log, has neither keys nor a
// chosen token; the ready file has the keys.
func TestServePrintsNoSecrets(t *testing.T) {
	const token = "chosen-by-the-test"
	key, ready := base64.StdEncoding.EncodeToString([]byte("a key")), filepath.Join(t.TempDir(), "ready")
	lines, stop, stderr := start(t, "serve", "-data", "", "-addr", "127.0.0.1:0", "-account", "first1:"+key, "-ready-file", ready, "-control", "-control-token", token)
	printed := ""
	for line := range lines {
		printed += line + "\n"
		if strings.HasPrefix(line, "Control API: ") {
			break
		}
	}
	if !strings.Contains(printed, "Account first1: http://127.0.0.1:") {
		t.Errorf("it does not print the account: %s", printed)
	}
	connection := readyLine(t, ready, 1)
	if !strings.Contains(connection, ";AccountKey="+key+";") {
		t.Errorf("the ready file has %q", connection)
	}
	if info, err := os.Stat(ready); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the ready file's mode is %v, %v", info.Mode(), err)
	}
	stop()
	for _, secret := range []string{key, token} {
		if strings.Contains(printed+stderr.String(), secret) {
			t.Errorf("it prints %q:\n%s%s", secret, printed, stderr)
		}
	}
}

// TestWrongAccountPrintsNoSecrets: nor does an error about a mistyped key.
func TestWrongAccountPrintsNoSecrets(t *testing.T) {
	const key = "c2VjcmV0"
	for _, wrong := range []string{key, "Name:" + key, "name:" + key + "*", "name:" + key + ":*"} {
		var out strings.Builder
		if code := run(t.Context(), []string{"serve", "-account", wrong}, &out, &out); code != exitFailure || !strings.Contains(out.String(), "-account: ") || strings.Contains(out.String(), key) {
			t.Errorf("%s: exit code %d, printed %q", wrong, code, &out)
		}
	}
}

// readyLine waits for a ready file and returns one of its lines.
func readyLine(t *testing.T, path string, n int) string {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) { // there is no event for it
		if text, err := os.ReadFile(path); err == nil {
			return strings.Split(string(text), "\n")[n]
		}
		if time.Now().After(end) {
			t.Fatal("there is no ready file")
		}
	}
}
