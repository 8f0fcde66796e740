//go:build !js

package main

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"sandtable/engine"
	"sandtable/engine/filestorage"
	"sandtable/server"
)

// serveOn runs serve on a folder. It returns the given number of connection strings
// and a function that stops the server and returns its standard error.
func serveOn(t *testing.T, folder string, accounts int, flags ...string) (connections []string, stop func() string) {
	t.Helper()
	args := append([]string{"serve", "-data", folder, "-addr", "127.0.0.1:0", "-quiet"}, flags...)
	lines, end, stderr := start(t, args...)
	if line, ok := <-lines; !ok || !strings.Contains(line, "(data in "+folder) {
		t.Fatalf("printed %q; %s", line, stderr)
	}
	for range accounts {
		connections = append(connections, <-lines)
	}
	return connections, func() string {
		t.Helper()
		if code := end(); code != 0 {
			t.Errorf("exit code %d", code)
		}
		for line := range lines {
			if !strings.HasPrefix(line, "Keys are printed on a terminal only") {
				t.Errorf("also printed %q", line)
			}
		}
		return stderr.String()
	}
}

// status lists an account's tables with a key and returns the status.
func status(t *testing.T, connection, account, key string) int {
	t.Helper()
	endpoint := endpointIn(connection)
	if !strings.HasSuffix(endpoint, "/"+account) {
		t.Fatalf("%q is not about %s", connection, account)
	}
	return listTables(t, endpoint, account, []byte(key))
}

// TestServeAccounts: accounts stay in the store, and a given key replaces the stored
// one.
func TestServeAccounts(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "made", "by serve")
	flag := func(name, key string) string { return name + ":" + base64.StdEncoding.EncodeToString([]byte(key)) }
	wellKnown, _ := base64.StdEncoding.DecodeString(server.WellKnownKey)
	steps := []struct {
		name  string
		flags []string
		want  map[string]string // keys by name
	}{
		{"a new store", nil, map[string]string{server.WellKnownAccount: string(wellKnown)}},
		{"another account", []string{"-account", flag("second", "a key")},
			map[string]string{server.WellKnownAccount: string(wellKnown), "second": "a key"}},
		{"no flag", nil, map[string]string{server.WellKnownAccount: string(wellKnown), "second": "a key"}},
		{"another key", []string{"-account", flag("second", "its new key")},
			map[string]string{server.WellKnownAccount: string(wellKnown), "second": "its new key"}},
		{"relaxed", []string{"-durability", "relaxed"}, map[string]string{server.WellKnownAccount: string(wellKnown), "second": "its new key"}},
	}
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			connections, stop := serveOn(t, folder, len(step.want), step.flags...)
			for i, name := range []string{server.WellKnownAccount, "second"}[:len(step.want)] {
				if got := status(t, connections[i], name, step.want[name]); got != 200 {
					t.Errorf("%s: status %d", name, got)
				}
				if got := status(t, connections[i], name, "a wrong key"); got != 403 {
					t.Errorf("%s with a wrong key: status %d", name, got)
				}
			}
			stop()
		})
	}
	// Accounts are open only as long as -open is given.
	for _, flags := range [][]string{{"-open"}, nil} {
		_, stop := serveOn(t, folder, 2, flags...)
		stop()
		withStore(t, folder, func(s *filestorage.Storage, db *engine.DB) {
			err := db.View(func(tx *engine.Tx) error {
				for a := range tx.Accounts() {
					if open := a.Access == engine.OpenAccess; open != (flags != nil) {
						t.Errorf("%s after %q: %s", a.Name, flags, a.Access)
					}
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// TestServeKeepsProperties: a new key keeps an account's other properties.
func TestServeKeepsProperties(t *testing.T) {
	folder := t.TempDir()
	want := engine.Account{Name: "second", Keys: [2][]byte{{1}, {2}}, Properties: "<xml/>"}
	withStore(t, folder, func(_ *filestorage.Storage, db *engine.DB) {
		if err := db.Update(func(tx *engine.Tx) error { return tx.PutAccount(want) }); err != nil {
			t.Fatal(err)
		}
		all, err := putAccounts(db, []engine.Account{{Name: "second", Keys: [2][]byte{{9}}}}, engine.StrictAccess)
		want.Keys[0] = []byte{9}
		if err != nil || len(all) != 1 || fmt.Sprint(all[0]) != fmt.Sprint(want) {
			t.Errorf("got %v, %v", all, err)
		}
	})
}

// withStore opens a folder's store without serving it.
func withStore(t *testing.T, folder string, f func(*filestorage.Storage, *engine.DB)) {
	t.Helper()
	s, err := filestorage.Open(folder, filestorage.Options{})
	if err != nil {
		t.Fatal(err)
	}
	db, err := engine.Open(s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f(s, db)
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

func TestServeRefused(t *testing.T) {
	used := t.TempDir()
	s, err := filestorage.Open(used, filestorage.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	file := filepath.Join(t.TempDir(), "file")
	broken := t.TempDir()
	for _, name := range []string{file, filepath.Join(broken, "wal-1-1")} {
		if err := os.WriteFile(name, make([]byte, 100_000), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, folder string
		code         int
		contains     string
	}{
		{"in use", used, 2, "open store " + used + ": in use by another process"},
		{"cannot be created", filepath.Join(file, "below"), 2, file},
		{"corrupt", broken, 1, "open store " + broken + ": wal-1-1: corrupt: "},
		{"salvage is offered", broken, 1, "\"sandtable salvage -data " + broken + "\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stdout, stderr strings.Builder
			if code := run(t.Context(), []string{"serve", "-data", c.folder, "-addr", "127.0.0.1:0"}, &stdout, &stderr); code != c.code {
				t.Errorf("exit code %d", code)
			}
			if !strings.Contains(stderr.String(), c.contains) {
				t.Errorf("printed %q, want %q", stderr.String(), c.contains)
			}
		})
	}
}

// TestServeWithoutAddress: a server that cannot listen neither creates nor changes a
// store.
func TestServeWithoutAddress(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	folder := filepath.Join(t.TempDir(), "new")
	_, printed := runTo(t, 2, "serve", "-data", folder, "-addr", taken.Addr().String())
	if !strings.Contains(printed, "set -addr to another address") {
		t.Errorf("printed %q", printed)
	}
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("the folder exists: %v", err)
	}
}

// TestServeCorrupt: readable data is served, and corruption reported.
func TestServeCorrupt(t *testing.T) {
	folder := t.TempDir()
	withStore(t, folder, func(s *filestorage.Storage, db *engine.DB) {
		if _, err := putAccounts(db, nil, engine.StrictAccess); err != nil {
			t.Fatal(err)
		}
		d, err := s.Load()
		if err := errors.Join(err, s.Append(d.WAL[len(d.WAL)-1].Seq+1, []byte("torn"))); err != nil {
			t.Fatal(err)
		}
	})
	connections, stop := serveOn(t, folder, 1)
	key, _ := base64.StdEncoding.DecodeString(server.WellKnownKey)
	if got := status(t, connections[0], server.WellKnownAccount, string(key)); got != 200 {
		t.Errorf("status %d", got)
	}
	if printed := stop(); !strings.Contains(printed, "corruption: WAL record 2") || !strings.Contains(printed, "Corrupt data is quarantined") {
		t.Errorf("printed %q", printed)
	}
}

// TestServeFindsCorruption: corruption found by a request is logged at once, and only
// once.
func TestServeFindsCorruption(t *testing.T) {
	folder := largeStore(t)
	changeStore(t, folder, flipBlock(5))
	lines, stop, printed := start(t, "serve", "-data", folder, "-addr", "127.0.0.1:0", "-quiet", "-open")
	<-lines
	<-lines
	endpoint := endpointIn(<-lines)
	if printed.Len() > 0 {
		t.Fatalf("Open printed %q", printed)
	}
	for range 2 {
		request, err := http.NewRequest("GET", endpoint+"/Kept()", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("x-ms-version", "2019-02-02")
		request.Header.Set("Accept", "application/json")
		r, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.StatusCode != 200 {
			t.Errorf("status %d", r.StatusCode)
		}
		if log := printed.String(); strings.Count(log, "\n") != 1 || !strings.Contains(log, `Z corruption: block 5 with `) ||
			!strings.Contains(log, `of table "Kept" of account "second2"`) {
			t.Errorf("log:\n%s", log)
		}
	}
	if code := stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestDataFolder(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("this system uses other environment variables")
	}
	for _, c := range []struct{ name, home, data, want string }{
		{"XDG_DATA_HOME", "/home/u", "/data", "/data/sandtable"},
		{"home", "/home/u", "", "/home/u/.local/share/sandtable"},
		{"a relative XDG_DATA_HOME is ignored", "/home/u", "data", "/home/u/.local/share/sandtable"},
		{"neither", "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("HOME", c.home)
			t.Setenv("XDG_DATA_HOME", c.data)
			t.Setenv("XDG_CONFIG_HOME", "")
			got, err := dataFolder()
			if got != c.want || (err == nil) != (c.want != "") {
				t.Errorf("got %q, %v", got, err)
			}
			if c.want != "" {
				return
			}
			var stdout, stderr strings.Builder
			if code := run(t.Context(), []string{"serve", "-addr", "127.0.0.1:0"}, &stdout, &stderr); code != 2 || !strings.Contains(stderr.String(), "no data folder: set -data") {
				t.Errorf("exit code %d: %s", code, stderr.String())
			}
		})
	}
}

// TestServeDefaultFolder: without -data the server uses and prints the default folder.
func TestServeDefaultFolder(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("this system uses other environment variables")
	}
	home := t.TempDir()
	t.Setenv("XDG_DATA_HOME", home)
	lines, stop, _ := start(t, "serve", "-addr", "127.0.0.1:0", "-quiet")
	if line := <-lines; !strings.Contains(line, "(data in "+filepath.Join(home, "sandtable")+`, the default; -data "" keeps it in memory)`) {
		t.Errorf("printed %q", line)
	}
	if code := stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if exists, err := filestorage.Exists(filepath.Join(home, "sandtable")); err != nil || !exists {
		t.Errorf("the store exists: %t, %v", exists, err)
	}
}
