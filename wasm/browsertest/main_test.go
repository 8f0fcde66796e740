//go:build unix

package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestHandler(t *testing.T) {
	wasm := filepath.Join(t.TempDir(), "x.wasm")
	if err := os.WriteFile(wasm, []byte("\x00asm"), 0o600); err != nil {
		t.Fatal(err)
	}
	exit := make(chan int, 1)
	server := httptest.NewServer(handler(wasm, []byte("script"), []string{"x.wasm", "-test.v"}, environment("firefox"), exit))
	t.Cleanup(server.Close)
	for path, want := range map[string]string{
		"/":             "wasm_exec.js",
		"/wasm_exec.js": "script",
		"/test.wasm":    "\x00asm",
		"/options":      `{"args":["x.wasm","-test.v"],"env":{"BROWSER":"firefox",`,
	} {
		if got := get(t, server.URL+path); !strings.Contains(got, want) {
			t.Errorf("%s: %q has no %q", path, got, want)
		}
	}
	for _, code := range []string{"3", "0"} {
		response, err := http.Post(server.URL+"/exit", "", strings.NewReader(code))
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
	}
	if code := <-exit; code != 3 {
		t.Errorf("exit code %d, want the first one, 3", code)
	}
}

func get(t *testing.T, address string) string {
	t.Helper()
	response, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
