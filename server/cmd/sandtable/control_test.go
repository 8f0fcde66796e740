//go:build !js

package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"sandtable/engine"
	"sandtable/engine/filestorage"
)

// startControl runs "serve -control" and returns the status URL with the token.
func startControl(t *testing.T, args ...string) (status string, stop func() int, stderr *strings.Builder) {
	t.Helper()
	lines, stop, stderr := start(t, append([]string{"serve", "-control", "-addr", "127.0.0.1:0"}, args...)...)
	for line := range lines {
		if at, ok := strings.CutPrefix(line, "Control API: "); ok {
			return at, stop, stderr
		}
	}
	t.Fatalf("the control API's address was not printed; %s", stderr)
	return "", nil, nil
}

func call(t *testing.T, method, address, body string) (status int, text string) {
	t.Helper()
	r, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(read)
}

func TestServeControl(t *testing.T) {
	folder := t.TempDir()
	address, stop, stderr := startControl(t, "-data", folder)
	base, token, _ := strings.Cut(address, "?token=")
	if len(token) < minToken {
		t.Errorf("the token is %q", token)
	}
	if status, text := call(t, "GET", base, ""); status != 401 || strings.Contains(text, token) {
		t.Errorf("without token: %d %s", status, text)
	}
	status, text := call(t, "GET", address, "")
	if status != 200 || !strings.Contains(text, `"store":"file","durability":"strict"`) {
		t.Errorf("status %d %s", status, text)
	}
	base = strings.TrimSuffix(base, "status")
	if _, text := call(t, "PATCH", base+"settings?token="+token, `{"durability":"relaxed"}`); !strings.Contains(text, `"durability":"relaxed"`) {
		t.Errorf("settings %s", text)
	}
	if _, text := call(t, "POST", base+"accounts?token="+token, `{"name":"second2"}`); !strings.Contains(text, `"access":"strict"`) {
		t.Errorf("a new account: %s", text)
	}
	if code := stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if strings.Contains(stderr.String(), token) {
		t.Errorf("the log contains the token: %s", stderr)
	}

	// Settings are kept unless the command line overrides them.
	address, stop, _ = startControl(t, "-data", folder)
	if _, text := call(t, "GET", address, ""); !strings.Contains(text, `"durability":"relaxed"`) || !strings.Contains(text, `"accounts":2`) {
		t.Errorf("after a restart: %s", text)
	}
	stop()
	const chosen = "chosen-by-the-test"
	address, stop, _ = startControl(t, "-data", folder, "-durability", "strict", "-control-token", chosen)
	address += "?token=" + chosen
	if _, text := call(t, "GET", address, ""); !strings.Contains(text, `"durability":"strict"`) {
		t.Errorf("overridden, at %s: %s", address, text)
	}
	if _, text := call(t, "POST", strings.Replace(address, "status", "reset", 1), `{"what":"all"}`); text != `{"accounts":2,"tables":0,"entities":0}` {
		t.Errorf("reset: %s", text)
	}
	if _, text := call(t, "GET", strings.Replace(address, "status", "accounts", 1), ""); text != `{"accounts":[{"name":"devstoreaccount1","access":"strict","tables":0,"entities":0},{"name":"second2","access":"strict","tables":0,"entities":0}]}` {
		t.Errorf("after it: %s", text)
	}
	stop()
}

// TestResetLeavesNoOpenDoor: a reset does not create the account whose key everybody
// knows where there was none.
func TestResetLeavesNoOpenDoor(t *testing.T) {
	folder := t.TempDir()
	const account = "team:a2V5"
	address, stop, _ := startControl(t, "-data", folder, "-account", account)
	at := func(path string) string { return strings.Replace(address, "status", path, 1) }
	check := func(name string) {
		t.Helper()
		if status, text := call(t, "POST", at("reset"), `{"what":"all"}`); status != 200 {
			t.Fatalf("%s: %d %s", name, status, text)
		}
		if _, text := call(t, "GET", at("accounts"), ""); text != `{"accounts":[{"name":"team","access":"strict","tables":0,"entities":0}]}` {
			t.Errorf("%s: %s", name, text)
		}
	}
	check("with the flag")
	stop()
	address, stop, _ = startControl(t, "-data", folder)
	check("without")
	if _, text := call(t, "GET", at("accounts/team/keys"), ""); !strings.HasPrefix(text, `{"primary":"a2V5"`) {
		t.Errorf("the keys are %s", text)
	}
	_, regenerated := call(t, "POST", at("accounts/team/keys"), `{"regenerate":"primary"}`)
	check("after a new key")
	if _, text := call(t, "GET", at("accounts/team/keys"), ""); text != regenerated || strings.Contains(text, "a2V5\"") {
		t.Errorf("the keys were %s and are %s", regenerated, text)
	}
	stop()
}

// TestControlTokenOfEnvironment: the token can come from the environment; the command
// line takes precedence.
func TestControlTokenOfEnvironment(t *testing.T) {
	const chosen = "chosen-by-the-environment"
	t.Setenv("SANDTABLE_CONTROL_TOKEN", chosen)
	address, stop, _ := startControl(t, "-data", "")
	if _, text := call(t, "GET", address+"?token="+chosen, ""); !strings.Contains(text, `"store":"memory"`) {
		t.Errorf("status %s", text)
	}
	stop()
	const preferred = "chosen-by-the-command-line"
	address, stop, _ = startControl(t, "-data", "", "-control-token", preferred)
	if status, text := call(t, "GET", address+"?token="+preferred, ""); status != 200 {
		t.Errorf("with both: %d %s", status, text)
	}
	stop()
	t.Setenv("SANDTABLE_CONTROL_TOKEN", "short")
	var stdout, stderr strings.Builder
	ended, end := context.WithCancel(t.Context())
	end() // a server that starts nevertheless ends at once
	if code := run(ended, []string{"serve", "-control", "-data", "", "-addr", "127.0.0.1:0"}, &stdout, &stderr); code != 2 || !strings.Contains(stderr.String(), "SANDTABLE_CONTROL_TOKEN must have at least 16 characters") {
		t.Errorf("a short token: exit code %d, %s", code, &stderr)
	}
}

// TestServeEvents: an event reader does not delay the shutdown.
func TestServeEvents(t *testing.T) {
	address, stop, _ := startControl(t, "-data", "")
	response, err := http.Get(strings.Replace(address, "status", "events", 1))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	if !lines.Scan() || !strings.HasPrefix(lines.Text(), "retry: ") {
		t.Errorf("events start with %q", lines.Text())
	}
	began := time.Now()
	if code := stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if took := time.Since(began); took >= shutdownTime {
		t.Errorf("the shutdown took %v", took)
	}
}

// TestStartLineOfKeptSettings: the start line shows the effective durability, whether
// it comes from the command line or the store's settings.
func TestStartLineOfKeptSettings(t *testing.T) {
	const unsafe = ", not safe from power failures"
	for _, c := range []struct {
		name, kept string
		flags      []string
		unsafe     bool
	}{
		{"a stored relaxed", "relaxed", []string{"-control"}, true},
		{"strict overrides a stored relaxed", "relaxed", []string{"-control", "-durability", "strict"}, false},
		{"relaxed overrides a stored strict", "strict", []string{"-control", "-durability", "relaxed"}, true},
		{"a stored relaxed without the control API", "relaxed", nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := storeWithTwo(t)
			withStore(t, folder, func(_ *filestorage.Storage, db *engine.DB) {
				err := db.Update(func(tx *engine.Tx) error { return tx.SetSettings(`{"durability":"` + c.kept + `"}`) })
				if err != nil {
					t.Fatal(err)
				}
			})
			lines, stop, _ := start(t, append([]string{"serve", "-data", folder, "-addr", "127.0.0.1:0", "-quiet"}, c.flags...)...)
			if line := <-lines; strings.Contains(line, unsafe) != c.unsafe {
				t.Errorf("printed %q", line)
			}
			if code := stop(); code != 0 {
				t.Errorf("exit code %d", code)
			}
		})
	}
}
