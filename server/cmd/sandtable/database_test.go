//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"sandtable/server/pgstore/pgtest"
)

// startShared starts a server for a database in a separate process.
func startShared(t *testing.T, url string, flags ...string) *child {
	t.Helper()
	return startServer(t, append([]string{"-store", url}, flags...)...)
}

// TestServersShareADatabase: two servers see each other's writes and lose no update.
func TestServersShareADatabase(t *testing.T) {
	url := pgtest.Schema(t)
	servers := []*child{startShared(t, url), startShared(t, url)}
	a, b := servers[0], servers[1]
	if status, _, body := a.ask(t, "POST", "/Tables", `{"TableName":"Counters"}`, ""); status != 201 {
		t.Fatal(status, body)
	}
	if status, _, body := b.ask(t, "POST", "/Counters", `{"PartitionKey":"p","RowKey":"r","N":0}`, ""); status != 201 {
		t.Fatal(status, body)
	}
	const workers, each = 4, 15
	var all sync.WaitGroup
	var conflicts atomic.Int64
	for i := range workers {
		all.Go(func() {
			for range each {
				conflicts.Add(addOne(t, servers[i%2]))
			}
		})
	}
	all.Wait()
	if got := counter(t, a); got != workers*each {
		t.Errorf("the counter is at %d, want %d", got, workers*each)
	}
	t.Logf("%d conflicts", conflicts.Load())
	if status, _, _ := b.ask(t, "DELETE", "/Tables('Counters')", "", ""); status != 204 {
		t.Fatal(status)
	}
	if status, _, body := a.ask(t, "GET", "/Counters()", "", ""); status != 404 || !strings.Contains(body, "TableNotFound") {
		t.Errorf("a table that the other server deleted: %d %s", status, body)
	}
}

const counterPath = "/Counters(PartitionKey='p',RowKey='r')"

func counter(t *testing.T, c *child) int {
	n, _ := readCounter(t, c)
	return n
}

func readCounter(t *testing.T, c *child) (n int, tag string) {
	status, header, body := c.ask(t, "GET", counterPath, "", "")
	var e struct{ N int }
	if err := json.Unmarshal([]byte(body), &e); status != 200 || err != nil {
		t.Error(status, body, err)
	}
	return e.N, header.Get("ETag")
}

// addOne adds one to the counter and returns how often another was faster.
func addOne(t *testing.T, c *child) (conflicts int64) {
	for {
		n, tag := readCounter(t, c)
		switch status, _, body := c.ask(t, "PUT", counterPath, fmt.Sprintf(`{"N":%d}`, n+1), tag); status {
		case 204:
			return conflicts
		case 412:
			conflicts++
		default:
			t.Error(status, body)
			return conflicts
		}
	}
}

// ask sends a request to the server's account.
func (c *child) ask(t *testing.T, method, path, body, ifMatch string) (int, http.Header, string) {
	r, err := http.NewRequest(method, c.endpoint+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "application/json;odata=nometadata")
	r.Header.Set("x-ms-version", "2019-02-02")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if ifMatch != "" {
		r.Header.Set("If-Match", ifMatch)
	}
	response, err := c.client.Do(r)
	if err != nil {
		t.Error(err)
		return 0, nil, ""
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	return response.StatusCode, response.Header, string(text)
}

// TestServersAreKilled: servers killed during writes lose no acknowledged write.
func TestServersAreKilled(t *testing.T) {
	url := pgtest.Schema(t)
	survivor := startShared(t, url)
	if status, _, body := survivor.ask(t, "POST", "/Tables", `{"TableName":"Rows"}`, ""); status != 201 {
		t.Fatal(status, body)
	}
	for round := range 3 {
		victim := startShared(t, url)
		var acknowledged []string
		for i := range 40 {
			row := fmt.Sprintf("%d-%d", round, i)
			if i == 30 {
				go victim.command.Process.Kill()
			}
			status, text, err := victim.do("PUT", "/Rows(PartitionKey='p',RowKey='"+row+"')", "application/json", "{}")
			if err != nil {
				break
			}
			if status != 204 {
				t.Error(status, text)
			} else {
				acknowledged = append(acknowledged, row)
			}
		}
		victim.command.Wait()
		victim.ended = true
		if len(acknowledged) < 30 {
			t.Fatalf("%d writes were acknowledged", len(acknowledged))
		}
		for _, row := range acknowledged {
			if status, _, _ := survivor.ask(t, "GET", "/Rows(PartitionKey='p',RowKey='"+row+"')", "", ""); status != 200 {
				t.Errorf("row %s was acknowledged by a server that was killed: %d", row, status)
			}
		}
	}
}

// TestDatabaseFlags: conflicting flags are refused, and the error for a missing database
// does not contain the password.
func TestDatabaseFlags(t *testing.T) {
	for _, c := range []struct {
		name, want string
		args       []string
	}{
		{"data", "-data cannot be combined with -store", []string{"-store", "postgres:///x", "-data", "folder"}},
		{"seed", "-seed cannot be combined with -store", []string{"-store", "postgres:///x", "-seed", "file"}},
		{"control", "-control cannot be combined with -store", []string{"-store", "postgres:///x", "-control"}},
		{"durability", "-durability cannot be combined with -store", []string{"-store", "postgres:///x", "-durability", "relaxed"}},
		{"another database", "-store must begin with postgres://", []string{"-store", "mysql://host/x"}},
		{"no database", "failed to connect", []string{"-store", "postgres://user:secret@127.0.0.1:1/x"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stderr bytes.Buffer
			code := run(t.Context(), append([]string{"serve", "-addr", "127.0.0.1:0"}, c.args...), io.Discard, &stderr)
			if code != exitFailure || !strings.Contains(stderr.String(), c.want) || strings.Contains(stderr.String(), "secret") {
				t.Errorf("exit code %d, %s", code, stderr.String())
			}
		})
	}
}

// TestHealth: the health of a server follows its database.
func TestHealth(t *testing.T) {
	cluster := pgtest.Start(t)
	c := startShared(t, cluster.Schema(t), "-metrics")
	base := strings.TrimSuffix(c.endpoint, "/devstoreaccount1")
	status := func(path string) (int, string) {
		response, err := c.client.Get(base + path)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, _ := io.ReadAll(response.Body)
		return response.StatusCode, string(text)
	}
	want := func(path string, code int) {
		t.Helper()
		if got, text := status(path); got != code {
			t.Errorf("%s: %d %s, want %d", path, got, text, code)
		}
	}
	want("/_sandtable/health", 200)
	want("/_sandtable/health/live", 200)
	want("/_sandtable/health/ready", 200)
	health := func(code int, text string) {
		t.Helper()
		var out bytes.Buffer
		if got := run(t.Context(), []string{"health", "-url", base}, &out, &out); got != code || !strings.Contains(out.String(), text) {
			t.Errorf("sandtable health: exit code %d, %s", got, out.String())
		}
	}
	health(exitSuccess, "ready")
	cluster.Stop(os.Interrupt)
	health(exitFailure, "the store is not available")
	want("/_sandtable/health/live", 200)
	want("/_sandtable/health/ready", 503)
	if got, _, body := c.ask(t, "POST", "/Tables", `{"TableName":"Lost"}`, ""); got != 503 || !strings.Contains(body, "ServerBusy") {
		t.Errorf("a request without a database: %d %s", got, body)
	}
	if err := cluster.Restart(); err != nil {
		t.Fatal(err)
	}
	want("/_sandtable/health/ready", 200)
	if _, text := status("/_sandtable/metrics"); !strings.Contains(text, `status="503",code="ServerBusy"} 1`) ||
		!strings.Contains(text, "sandtable_database_connections_limit 16") {
		t.Errorf("metrics:\n%s", text)
	}
}

// TestStalledDatabase: a database that keeps its connections but does not answer delays
// neither the health nor the end of a server for long.
func TestStalledDatabase(t *testing.T) {
	url, stalled := stallable(t, pgtest.Schema(t))
	c := startShared(t, url)
	c.want(200, "GET", "/Tables", "")
	stalled.Lock()
	defer stalled.Unlock()
	var out bytes.Buffer
	if code := run(t.Context(), []string{"health", "-url", strings.TrimPrefix(strings.TrimSuffix(c.endpoint, "/devstoreaccount1"), "http://")}, &out, &out); code != exitFailure || !strings.Contains(out.String(), "503 Service Unavailable: the store is not available") {
		t.Errorf("sandtable health: exit code %d, %s", code, out.String())
	}
	began := time.Now()
	if err := c.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	err := c.command.Wait()
	c.ended = true
	if took := time.Since(began); err != nil || took > 10*time.Second {
		t.Errorf("it ended with %v after %v", err, took)
	}
}

// stallable returns the address of a schema through a proxy that carries nothing to the
// database while the mutex is locked.
func stallable(t *testing.T, address string) (string, *sync.RWMutex) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	socket := filepath.Join(query.Get("host"), ".s.PGSQL.5432")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	g := new(sync.RWMutex)
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			database, err := net.Dial("unix", socket)
			if err != nil {
				client.Close()
				continue
			}
			go io.Copy(client, database)
			go func() {
				io.Copy(gated{g, database}, client)
				database.Close()
			}()
		}
	}()
	query.Del("host")
	query.Set("sslmode", "disable")
	u.Host, u.RawQuery = listener.Addr().String(), query.Encode()
	return u.String(), g
}

// gated is a writer that waits while a mutex is locked.
type gated struct {
	gate *sync.RWMutex
	io.Writer
}

func (g gated) Write(b []byte) (int, error) {
	g.gate.RLock()
	defer g.gate.RUnlock()
	return g.Writer.Write(b)
}

// TestHealthOfAFolder: without -metrics there is no metrics path.
func TestHealthOfAFolder(t *testing.T) {
	c := startChild(t, t.TempDir())
	base := strings.TrimSuffix(c.endpoint, "/devstoreaccount1")
	for path, want := range map[string]int{"/_sandtable/health/live": 200, "/_sandtable/health/ready": 200, "/_sandtable/metrics": 404} {
		response, err := c.client.Get(base + path)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, response.StatusCode, want)
		}
	}
}

// TestStoreVariable: the database can be named in the environment, which process lists
// do not show.
func TestStoreVariable(t *testing.T) {
	url := pgtest.Schema(t)
	command := exec.Command(os.Args[0], "serve", "-addr", "127.0.0.1:0", "-quiet", "-log", "yaml")
	command.Env = append(os.Environ(), runVariable+"=1", storeVariable+"="+url)
	if out, err := command.CombinedOutput(); err == nil || !strings.Contains(string(out), "want text or json") {
		t.Errorf("-log yaml: %v, %s", err, out)
	}
	t.Setenv(storeVariable, url)
	lines, stop, _ := start(t, "serve", "-addr", "127.0.0.1:0", "-quiet")
	if line := <-lines; !strings.Contains(line, "(data in the PostgreSQL database postgres at ") {
		t.Errorf("printed %q", line)
	}
	stop()
}
