//go:build unix

package main

import (
	"bytes"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sandtable/engine"
	"sandtable/server"
	"sandtable/server/transfer"
)

var (
	copied    = flag.Int("copied", 3000, "number of entities that TestCopyKilled copies; \"make test-long\" copies a million")
	copyKills = flag.Int("copykills", 4, "how often TestCopyKilled kills each copy")
)

// TestCopyKilled copies a table from a folder to a CSV file, to an endpoint, to a
// JSON Lines file, and to another folder. Each copy is killed (SIGKILL) at random
// moments and resumed. Both folders are equal in the end.
func TestCopyKilled(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	loadMany(t, in("first"), *copied)
	target := startChild(t, in("server"))
	key := base64.StdEncoding.EncodeToString(server.WellKnown(engine.StrictAccess).Keys[0])
	endpoint := fmt.Sprintf("DefaultEndpointsProtocol=http;AccountName=%s;AccountKey=%s;TableEndpoint=%s", server.WellKnownAccount, key, target.endpoint)
	places := []string{in("first"), in("Many.csv"), endpoint, in("Many.ndjson"), in("last")}
	for i := range places[1:] {
		copyKilled(t, in("state"), places[i], places[i+1])
	}
	compareFolders(t, places[0], places[len(places)-1])
}

// loadMany fills a folder. Partitions have a few hundred entities of several types.
func loadMany(t *testing.T, folder string, entities int) {
	t.Helper()
	begin := time.Now()
	read, write := io.Pipe()
	go func() {
		fmt.Fprint(write, strings.Replace(archiveHead, "People", "Many", 1))
		for i := range entities {
			fmt.Fprintf(write, `{"PartitionKey":"p%d","RowKey":"%09d","Timestamp":"2026-01-01T00:00:00Z","N@odata.type":"Edm.Int64","N":"%d","Text":"line %d\r\n, \"quoted\"","Price":%d.5,"Even":%t}`+"\n",
				i/300, i, i, i, i%1000, i%2 == 0)
		}
		fmt.Fprintf(write, `{"@sandtable":"end","accounts":1,"tables":2,"entities":%d}`+"\n", entities)
		write.Close()
	}()
	defer func(before io.Reader) { stdin = before }(stdin)
	stdin = read
	var out bytes.Buffer
	if code := run(t.Context(), []string{"load", "-data", folder}, &out, &out); code != exitSuccess {
		t.Fatalf("load: exit code %d\n%s", code, &out)
	}
	t.Logf("loaded %d entities in %v", entities, time.Since(begin).Round(time.Millisecond))
}

// copyKilled copies in processes that are killed, until one of them ends by itself.
func copyKilled(t *testing.T, state, from, to string) {
	t.Helper()
	begin := time.Now()
	var killed []time.Duration
	var last string
	for done := false; !done; {
		var out bytes.Buffer
		command := exec.Command(os.Args[0], "copy", "-resume", state, "-table", "Many", from, to)
		command.Env = append(os.Environ(), runVariable+"=1")
		command.Stdout, command.Stderr = &out, &out
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		started := time.Now()
		mayKill := len(killed) < *copyKills
		killer := time.AfterFunc(rand.N(50*time.Millisecond+time.Duration(*copied)*10*time.Microsecond), func() {
			if mayKill {
				command.Process.Kill() // it may have ended
			}
		})
		err := command.Wait()
		killer.Stop()
		var exit *exec.ExitError
		switch {
		case err == nil:
			done, last = true, out.String()
		case errors.As(err, &exit) && !exit.Exited():
			killed = append(killed, time.Since(started).Round(time.Millisecond))
		default:
			t.Fatalf("copy from %s to %s, killed after %v: %v\n%s", from, to, killed, err, &out)
		}
	}
	if _, err := os.Stat(state); err == nil {
		t.Errorf("%s is left", state)
	}
	t.Logf("%s to %s in %v, killed after %v; the last process printed %s", filepath.Base(from), filepath.Base(to), time.Since(begin).Round(time.Millisecond), killed, lastLine(last))
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

func compareFolders(t *testing.T, first, last string) {
	t.Helper()
	var clients [2]*transfer.Client
	for i, folder := range []string{first, last} {
		p, err := openStore(t.Context(), folder, "", toRead)
		if err != nil {
			t.Fatal(err)
		}
		defer p.close()
		clients[i] = p.client
	}
	many := func(name string) bool { return name == "Many" }
	did, err := transfer.Compare(t.Context(), clients[0], clients[1], transfer.Options{Tables: many}, func(d transfer.Difference) bool {
		t.Error(d)
		return !t.Failed()
	})
	if err != nil || did.Entities != *copied {
		t.Errorf("compared %d entities, want %d: %v", did.Entities, *copied, err)
	}
}
