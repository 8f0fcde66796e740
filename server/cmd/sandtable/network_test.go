//go:build !js

package main

import (
	"debug/elf"
	"encoding/base64"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"sandtable/server"
)

// get sends a request under another host name and returns the status.
func get(t *testing.T, address, host string, headers ...string) int {
	t.Helper()
	r, err := http.NewRequest("GET", address, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = host
	r.Header.Set("Accept", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	return response.StatusCode
}

// startOpen runs "serve -open" and returns the account's endpoint.
func startOpen(t *testing.T, args ...string) string {
	t.Helper()
	lines, stop, _ := start(t, append([]string{"serve", "-data", "", "-open", "-quiet"}, args...)...)
	t.Cleanup(func() { stop() })
	<-lines
	_, endpoint, ok := strings.Cut(strings.TrimSuffix(<-lines, ";"), "TableEndpoint=")
	if !ok {
		t.Fatal("it prints no connection string")
	}
	return endpoint
}

// TestServeRefusesForeignHosts: DNS rebinding gives a page no access (issue 16 §1.6).
func TestServeRefusesForeignHosts(t *testing.T) {
	endpoint := startOpen(t, "-addr", "127.0.0.1:0", "-host", "tables.test", "-host", "[FD00::1]:10002", "-host", "two.test.", "-host", "FD00::2")
	for host, status := range map[string]int{
		"": 200, "localhost": 200, "a.localhost:80": 200, "TABLES.test": 200, "[fd00::1]": 200, "[fd00::2]:80": 200, "two.test:1": 200, "evil.example": 403, "devstoreaccount1.evil.example": 403,
	} {
		if got := get(t, endpoint+"/Tables", host); got != status {
			t.Errorf("host %q: status %d, want %d", host, got, status)
		}
	}
	base := strings.TrimSuffix(endpoint, "/devstoreaccount1")
	for _, host := range []string{"devstoreaccount1.table.core.windows.net", "devstoreaccount1.table.cosmos.azure.com:443"} {
		if got := get(t, base+"/Tables", host); got != 200 {
			t.Errorf("host %q: status %d", host, got)
		}
	}
}

// TestServeOnAllAddresses: the printed connection string works, and so do the names
// that a machine may have in its network. Others could be those of a web page that were
// made to point here, which can sign with the well-known key.
func TestServeOnAllAddresses(t *testing.T) {
	key := base64.StdEncoding.EncodeToString([]byte("a secret key"))
	const none = "no warning"
	for _, test := range []struct {
		name    string
		args    []string
		foreign int // status for the name of a web page
		local   int
		warning string
	}{
		{"open", []string{"-open"}, 403, 200, "WARNING: because of -open"},
		{"well-known key", nil, 403, 404, "WARNING: everybody knows the key of devstoreaccount1"},
		{"well-known second key", []string{"-account", "shop:" + key + ":" + server.WellKnownKey}, 403, 404, "-account shop:BASE64KEY or in $AZURITE_ACCOUNTS"},
		{"secret key", []string{"-account", "shop:" + key}, 404, 404, none},
		{"named host", []string{"-open", "-host", "evil.example"}, 200, 403, "WARNING: because of -open"},
	} {
		t.Run(test.name, func(t *testing.T) {
			lines, stop, stderr := start(t, append([]string{"serve", "-data", "", "-quiet", "-addr", "0.0.0.0:0"}, test.args...)...)
			<-lines
			endpoint := endpointIn(<-lines)
			if !strings.HasPrefix(endpoint, "http://127.0.0.1:") {
				t.Errorf("the endpoint is %s", endpoint)
			}
			for host, want := range map[string]int{"evil.example:10002": test.foreign, "my-machine:10002": test.local, "nas.local": test.local, "a.b.internal": test.local, "192.0.2.1:10002": test.local, "[2001:db8::1]:10002": test.local} {
				if got := get(t, endpoint+"/Tables", host); got != want {
					t.Errorf("host %s: status %d, want %d", host, got, want)
				}
			}
			stop()
			if got := stderr.String(); test.warning == none && strings.Contains(got, "WARNING") || test.warning != none && !strings.Contains(got, test.warning) {
				t.Errorf("it prints %q", got)
			}
		})
	}
}

// TestOnlyTrustedProxiesForward: only a trusted proxy can claim that a request came
// over TLS, which a SAS with spr=https requires (issue 16 §1.7).
func TestOnlyTrustedProxiesForward(t *testing.T) {
	const claim = "X-Forwarded-Proto"
	location := func(endpoint string) string {
		r, err := http.NewRequest("POST", endpoint+"/Tables", strings.NewReader(`{"TableName":"Some"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json")
		r.Header.Set("Prefer", "return-no-content")
		r.Header.Set(claim, "https")
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.Header.Get("Location")
	}
	if got := location(startOpen(t, "-addr", "127.0.0.1:0")); !strings.HasPrefix(got, "http://") {
		t.Errorf("an untrusted client gets %s", got)
	}
	if got := location(startOpen(t, "-addr", "127.0.0.1:0", "-trusted-proxy", "127.0.0.0/8")); !strings.HasPrefix(got, "https://") {
		t.Errorf("a trusted proxy gets %s", got)
	}
}

func TestVersion(t *testing.T) {
	for _, word := range []string{"version", "-version", "--version"} {
		var stdout, stderr strings.Builder
		if code := run(t.Context(), []string{word}, &stdout, &stderr); code != 0 || !strings.HasPrefix(stdout.String(), "sandtable ") ||
			!strings.Contains(stdout.String(), runtime.Version()) {
			t.Errorf("%s: exit code %d, %s%s", word, code, &stdout, &stderr)
		}
	}
}

// TestBinaryIsStatic builds the program like the Makefile and, if run by root, runs it
// in a chroot without libraries.
func TestBinaryIsStatic(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("this system has no static programs")
	}
	root := t.TempDir()
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", filepath.Join(root, "sandtable"), ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if os.Geteuid() == 0 {
		out, err := exec.Command("chroot", root, "/sandtable", "version").CombinedOutput()
		if err != nil || !strings.HasPrefix(string(out), "sandtable ") {
			t.Errorf("in an empty root it printed %q, %v", out, err)
		}
		return
	}
	program, err := elf.Open(filepath.Join(root, "sandtable"))
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	for _, p := range program.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("it needs an interpreter")
		}
	}
}

// TestServeLimitsHeaders: headers are refused before they take memory.
func TestServeLimitsHeaders(t *testing.T) {
	endpoint := startOpen(t, "-addr", "127.0.0.1:0")
	for size, status := range map[int]int{32 << 10: 200, 128 << 10: 431} {
		if got := get(t, endpoint+"/Tables", "", "X-Long", strings.Repeat("x", size)); got != status {
			t.Errorf("%d bytes: status %d, want %d", size, got, status)
		}
	}
}
