//go:build !js

package main

import (
	"context"
	"encoding/base64"
	"flag"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sandtable/engine"
	"sandtable/engine/filestorage"
	"sandtable/server"
	"sandtable/server/scenario"
)

// parsed parses a command line of serve.
func parsed(t *testing.T, args ...string) *serveFlags {
	t.Helper()
	f := &serveFlags{FlagSet: flag.NewFlagSet("sandtable serve", flag.ContinueOnError)}
	f.SetOutput(io.Discard)
	f.register()
	if err := f.parse(args); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestDefaultsOfDevelopmentStorage: without flags the server listens at the address
// of UseDevelopmentStorage=true, with the well-known account.
func TestDefaultsOfDevelopmentStorage(t *testing.T) {
	endpoint, err := scenario.Connect("UseDevelopmentStorage=true")
	if err != nil {
		t.Fatal(err)
	}
	f := parsed(t)
	if want := "http://" + f.network.addr + "/" + server.WellKnownAccount; endpoint.URL != want {
		t.Errorf("UseDevelopmentStorage=true is %s, serve listens for %s", endpoint.URL, want)
	}
	if len(f.accounts) != 0 || f.access() != engine.StrictAccess {
		t.Errorf("accounts %v, access %v", f.accounts, f.access())
	}
}

// TestDocumentedConnectionStrings uses each address in the emulator's documentation,
// with a free port.
func TestDocumentedConnectionStrings(t *testing.T) {
	lines, _, _ := start(t, "serve", "-data", "", "-addr", "127.0.0.1:0", "-quiet")
	<-lines
	_, endpoint, _ := strings.Cut(strings.TrimSuffix(<-lines, ";"), "TableEndpoint=http://")
	at, _, _ := strings.Cut(endpoint, "/")
	_, port, _ := strings.Cut(at, ":")
	key, err := base64.StdEncoding.DecodeString(server.WellKnownKey)
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{
		"http://127.0.0.1:%/devstoreaccount1",
		"http://localhost:%/devstoreaccount1",
		"http://localhost:%/devstoreaccount1-secondary",
		"http://host.docker.internal:%/devstoreaccount1",
		"http://devstoreaccount1.table.localhost:%",
		"http://devstoreaccount1.localhost:%",
	} {
		t.Run(address, func(t *testing.T) {
			client := http.Client{Transport: &http.Transport{Proxy: nil, DialContext: dialAlways(at)}}
			if got := listTablesWith(t, &client, strings.Replace(address, "%", port, 1), server.WellKnownAccount, key); got != 200 {
				t.Errorf("status %d", got)
			}
		})
	}
}

func TestAzuriteFlags(t *testing.T) {
	folder := t.TempDir()
	for _, c := range []struct {
		name  string
		args  []string
		check func(f *serveFlags) bool
	}{
		{"location", []string{"--location", folder}, func(f *serveFlags) bool { return f.data.folder == folder && given(f.FlagSet, "data") }},
		{"l", []string{"-l", folder}, func(f *serveFlags) bool { return f.data.folder == folder }},
		{"silent", []string{"--silent"}, func(f *serveFlags) bool { return f.quiet }},
		{"s", []string{"-s"}, func(f *serveFlags) bool { return f.quiet }},
		{"not silent", []string{"--silent=false"}, func(f *serveFlags) bool { return !f.quiet }},
		{"tableHost", []string{"--tableHost", "0.0.0.0"}, func(f *serveFlags) bool { return f.network.addr == "0.0.0.0:10002" }},
		{"tablePort", []string{"--tablePort", "1234"}, func(f *serveFlags) bool { return f.network.addr == "127.0.0.1:1234" }},
		{"host and port", []string{"--tablePort", "0", "--tableHost", "::1"}, func(f *serveFlags) bool { return f.network.addr == "[::1]:0" }},
		{"cert and key", []string{"--cert", "c.pem", "--key", "k.pem"}, func(f *serveFlags) bool { return f.secure.cert == "c.pem" && f.secure.key == "k.pem" }},
		{"inMemoryPersistence", []string{"--inMemoryPersistence"}, func(f *serveFlags) bool { return f.data.folder == "" && given(f.FlagSet, "data") }},
		{"flags without an effect", []string{"--loose", "-L", "--skipApiVersionCheck", "--disableTelemetry", "--disableProductStyleUrl"}, func(f *serveFlags) bool {
			var text strings.Builder
			f.azurite.explain(&text)
			return strings.Count(text.String(), "\n") == 5 && strings.Contains(text.String(), "-disableTelemetry has no effect: nothing is ever sent")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if f := parsed(t, c.args...); !c.check(f) {
				t.Errorf("data %q, addr %q, quiet %v, %+v, notes %q", f.data.folder, f.network.addr, f.quiet, f.secure, f.azurite.notes)
			}
		})
	}
	for _, c := range []struct{ flag, contains string }{
		{"--blobPort=10000", "keep Azurite for blobs"}, {"--queueHost=x", "keep Azurite for blobs"}, {"--oauth=basic", "use -tls -open"},
		{"--pwd=x", "-tls-cert"}, {"--debug=x.log", "standard error"}, {"-d=x.log", "standard error"}, {"--extentMemoryLimit=1", "leave it out"},
		{"--tableKeepAliveTimeout=1", "two minutes"},
	} {
		t.Run(c.flag, func(t *testing.T) {
			var stdout, stderr strings.Builder
			if code := run(t.Context(), []string{"serve", c.flag}, &stdout, &stderr); code != exitFailure || !strings.Contains(stderr.String(), c.contains) {
				t.Errorf("exit code %d, printed %q, want %q", code, &stderr, c.contains)
			}
		})
	}
}

func TestAzuriteAccounts(t *testing.T) {
	key := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	t.Setenv(accountsVariable, "first1:"+key("a")+":"+key("b")+"; second2:"+key("c")+":;")
	lines, stop, _ := start(t, "serve", "-data", "", "-addr", "127.0.0.1:0", "-quiet", "-account", "second2:"+key("d"))
	<-lines
	var all []string
	for range 2 {
		all = append(all, <-lines)
	}
	if !strings.HasPrefix(all[0], "Account first1: ") || !strings.HasPrefix(all[1], "Account second2: ") {
		t.Errorf("accounts %q", all)
	}
	endpoint := endpointIn(all[0])
	for secret, want := range map[string]int{"a": 200, "b": 200, "c": 403} {
		if got := listTables(t, endpoint, "first1", []byte(secret)); got != want {
			t.Errorf("key %s: status %d, want %d", secret, got, want)
		}
	}
	if got := listTables(t, strings.Replace(endpoint, "first1", server.WellKnownAccount, 1), server.WellKnownAccount, []byte("a")); got == 200 {
		t.Error("the well-known account exists next to chosen ones")
	}
	stop()
	for _, bad := range []string{"name", "name:*", "name:" + key("a") + ":*", "name::" + key("a"), "name:" + key("a") + "::", "N:" + key("a")} {
		t.Setenv(accountsVariable, bad)
		var stdout, stderr strings.Builder
		if code := run(t.Context(), []string{"serve"}, &stdout, &stderr); code != exitFailure || !strings.Contains(stderr.String(), "AZURITE_ACCOUNTS: ") || strings.Contains(stderr.String(), key("a")) {
			t.Errorf("%s: exit code %d, printed %q", bad, code, &stderr)
		}
	}
}

// seedArchive writes an archive of one account with the table Kept.
func seedArchive(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "seed.jsonl")
	dump, _ := runTo(t, 0, "dump", "-data", storeWithKept(t))
	if err := os.WriteFile(path, []byte(dump), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// storeWithKept returns the folder of a store with devstoreaccount1/Kept.
func storeWithKept(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	withStore(t, folder, func(_ *filestorage.Storage, db *engine.DB) {
		_, err := putAccounts(db, nil, engine.OpenAccess)
		if err == nil {
			err = db.Update(func(tx *engine.Tx) error { return tx.CreateTable(server.WellKnownAccount, "Kept") })
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	return folder
}

func TestServeSeed(t *testing.T) {
	path, folder, ready := seedArchive(t), t.TempDir(), filepath.Join(t.TempDir(), "ready")
	args := []string{"serve", "-addr", "127.0.0.1:0", "-quiet", "-seed", path, "-ready-file", ready, "-data", folder}
	tables := func() (text string, stderr string) {
		lines, stop, errs := start(t, append(args, "-open")...)
		<-lines
		connection := <-lines
		_, endpoint, _ := strings.Cut(strings.TrimSuffix(connection, ";"), "TableEndpoint=")
		response, err := http.Get(endpoint + "/Tables?$format=application/json;odata=nometadata")
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		base, _, _ := strings.Cut(endpoint, "/"+server.WellKnownAccount)
		if written, err := os.ReadFile(ready); err != nil || string(written) != base+"\n"+connection+"\n" {
			t.Errorf("the ready file has %q, %v", written, err)
		}
		busy := append(slices.Clone(args), "-addr", strings.TrimPrefix(base, "http://"))
		if code := run(t.Context(), busy, io.Discard, io.Discard); code != exitFailure {
			t.Errorf("a second server at the same address: exit code %d", code)
		}
		if _, err := os.Stat(ready); err != nil {
			t.Errorf("the ready file after a second server failed: %v", err)
		}
		if code := stop(); code != 0 {
			t.Errorf("exit code %d: %s", code, errs)
		}
		if _, err := os.Stat(ready); !os.IsNotExist(err) {
			t.Errorf("the ready file is left: %v", err)
		}
		return string(body), errs.String()
	}
	if body, printed := tables(); body != `{"value":[{"TableName":"Kept"}]}` || !strings.Contains(printed, "loaded accounts: 1, tables: 1") {
		t.Errorf("seeded: %s; %s", body, printed)
	}
	if body, printed := tables(); body != `{"value":[{"TableName":"Kept"}]}` || !strings.Contains(printed, "-seed is ignored") {
		t.Errorf("seeded again: %s; %s", body, printed)
	}
	if _, err := os.Stat(filepath.Join(folder, seedMarker)); !os.IsNotExist(err) {
		t.Errorf("the marker is left: %v", err)
	}
	// The marker of a process that was killed during loading.
	if err := os.WriteFile(filepath.Join(folder, seedMarker), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, printed := tables(); !strings.Contains(printed, "loaded accounts: 1") {
		t.Errorf("seeded after a kill: %s", printed)
	}
}

// TestSeedAndPowerFailure: the marker is durable before the first entity of the seed, and its
// removal before clients may write: a marker that comes back would load the seed over them.
func TestSeedAndPowerFailure(t *testing.T) {
	path, folder := seedArchive(t), t.TempDir()
	var marked []bool // at each sync of the folder
	syncFolder = func(folder string) error {
		_, err := os.Stat(filepath.Join(folder, seedMarker))
		marked = append(marked, err == nil)
		return nil
	}
	t.Cleanup(func() { syncFolder = filestorage.SyncFolder })
	db, err := engine.Open(new(engine.MemoryStorage), engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	seed := seedFlag{path}
	for range 2 { // the second time there are tables, and no marker
		if err := seed.load(t.Context(), db, folder, io.Discard); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(marked, []bool{true, false}) {
		t.Errorf("at the syncs of the folder the marker was there: %v", marked)
	}
}

// TestServeWithoutTheSeed: what clients write to a server without -seed is not replaced
// by one that was interrupted before.
func TestServeWithoutTheSeed(t *testing.T) {
	path, folder := seedArchive(t), storeWithTwo(t)
	if err := os.WriteFile(filepath.Join(folder, seedMarker), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	serve := func(more ...string) (printed string) {
		lines, stop, errs := start(t, append([]string{"serve", "-addr", "127.0.0.1:0", "-quiet", "-data", folder}, more...)...)
		<-lines
		if code := stop(); code != 0 {
			t.Errorf("exit code %d", code)
		}
		return errs.String()
	}
	serve()
	if printed := serve("-seed", path); !strings.Contains(printed, "-seed is ignored") {
		t.Errorf("with a seed after a server without one: %s", printed)
	}
}

func TestServeSeedFails(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad")
	if err := os.WriteFile(bad, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{bad, bad + "-missing"} {
		var stdout, stderr strings.Builder
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if code := run(ctx, []string{"serve", "-data", "", "-addr", "127.0.0.1:0", "-seed", path}, &stdout, &stderr); code != exitFailure || !strings.Contains(stderr.String(), "-seed") {
			t.Errorf("%s: exit code %d, printed %q", path, code, &stderr)
		}
	}
	var stdout strings.Builder
	if code := run(t.Context(), []string{"serve", "-data", "", "-addr", "127.0.0.1:0", "-quiet", "-ready-file", filepath.Join(bad, "ready")}, &stdout, io.Discard); code != exitFailure || stdout.Len() > 0 {
		t.Errorf("a ready file that cannot be written: exit code %d, printed %q", code, &stdout)
	}
}

// TestControlRemote: with -control-remote other machines reach the control API under
// any name with the token, unless everybody knows the key of the tables.
func TestControlRemote(t *testing.T) {
	const chosen = "chosen-by-the-test"
	lines, _, _ := start(t, "serve", "-data", "", "-addr", "0.0.0.0:0", "-quiet", "-control", "-control-remote", "-control-token", chosen, "-account", "shop:c2VjcmV0")
	var address string
	for line := range lines {
		if at, ok := strings.CutPrefix(line, "Control API: "); ok {
			address = at
			break
		}
	}
	base, _, _ := strings.Cut(address, "?")
	for _, c := range []struct {
		token  string
		status int
	}{{chosen, 200}, {"another-token-of-some-length", 401}, {"", 401}} {
		r, err := http.NewRequest("GET", base, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = "sandtable.example:10002"
		r.Header.Set("Authorization", "Bearer "+c.token)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != c.status {
			t.Errorf("token %q: status %d, want %d", c.token, response.StatusCode, c.status)
		}
	}
	if encrypted := parsed(t, "-control", "-control-remote", "-tls", "-addr", ":0"); len(encrypted.control.token) < minToken {
		t.Errorf("with TLS the token is %q", encrypted.control.token)
	}
}

// dialAlways connects to one address whatever the name.
func dialAlways(address string) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, address)
	}
}
