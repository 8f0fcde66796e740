//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"sandtable/odata/batch"
	"sandtable/server/pgstore/pgtest"
)

// runVariable makes the test program run as sandtable.
const runVariable = "SANDTABLE_TEST_RUN"

func TestMain(m *testing.M) {
	if os.Getenv(runVariable) != "" {
		main()
		return
	}
	os.Exit(pgtest.Run(m))
}

// child is a server in a separate process.
type child struct {
	t        testing.TB
	command  *exec.Cmd
	stderr   bytes.Buffer // complete once it has ended
	ended    bool
	endpoint string
	client   *http.Client
}

func startChild(t testing.TB, folder string, flags ...string) *child {
	t.Helper()
	return startServer(t, append([]string{"-data", folder}, flags...)...)
}

func startServer(t testing.TB, flags ...string) *child {
	t.Helper()
	return startCommand(t, exec.Command(os.Args[0], serveArgs(flags...)...))
}

func serveArgs(flags ...string) []string {
	return append([]string{"serve", "-addr", "127.0.0.1:0", "-open", "-quiet"}, flags...)
}

func startCommand(t testing.TB, command *exec.Cmd) *child {
	t.Helper()
	c := &child{t: t, command: command}
	c.command.Env = append(os.Environ(), runVariable+"=1")
	c.command.Stderr = &c.stderr
	stdout, err := c.command.StdoutPipe()
	if err == nil {
		err = c.command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.kill)
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if _, endpoint, ok := strings.Cut(lines.Text(), "TableEndpoint="); ok {
			c.endpoint = strings.TrimSuffix(endpoint, ";")
			break
		}
	}
	if c.endpoint == "" {
		c.kill()
		t.Fatal("it did not start")
	}
	c.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	return c
}

// kill sends SIGKILL. Before that, the server must not have exited or logged any
// problem, such as corruption or a race.
func (c *child) kill() {
	if c.ended {
		return
	}
	c.ended = true
	_ = c.command.Process.Kill() // it may already be killed
	_ = c.command.Wait()         // checked below
	status, ok := c.command.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() || status.Signal() != syscall.SIGKILL {
		c.t.Errorf("it ended by itself: %v", c.command.ProcessState)
	}
	if c.stderr.Len() > 0 {
		c.t.Errorf("it printed %s", &c.stderr)
	}
	if c.client != nil {
		c.client.CloseIdleConnections()
	}
}

// do returns the status and the body; an error means that the server is gone.
func (c *child) do(method, path, contentType, body string) (int, string, error) {
	r, err := http.NewRequest(method, c.endpoint+path, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Content-Type", contentType)
	r.Header.Set("Accept", "application/json;odata=nometadata")
	r.Header.Set("x-ms-version", "2019-02-02")
	r.Header.Set("Prefer", "return-no-content")
	response, err := c.client.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, string(text), err
}

// want is do for a server that must be running.
func (c *child) want(status int, method, path, body string) string {
	c.t.Helper()
	got, text, err := c.do(method, path, "application/json", body)
	if err != nil || got != status {
		c.t.Fatalf("%s %s: %d, %v, want %d: %s", method, path, got, err, status, text)
	}
	return text
}

const killBatch = 3

// killedEntity is an inserted entity.
type killedEntity struct {
	PartitionKey, RowKey string
	Rows                 int // of the batch
	Text                 string
}

// killedEntities returns the entities inserted under a name in key order.
func killedEntities(pk string, rows int) []killedEntity {
	entities := make([]killedEntity, rows)
	for i := range entities {
		entities[i] = killedEntity{pk, fmt.Sprint(i), rows, strings.Repeat(fmt.Sprint(pk, "/", i, " "), 10)}
	}
	return entities
}

// load inserts entities and batches under unique names until the server is gone and
// returns the acknowledged names.
func (c *child) load(name string, tick func()) map[string]int {
	acknowledged := make(map[string]int)
	for i := 0; ; i++ {
		pk, rows := fmt.Sprint(name, "-", i), 1+i%2*(killBatch-1)
		status, text, err := c.insert(pk, rows)
		switch {
		case err != nil:
			return acknowledged
		case status != 204 && status != 202 || strings.Contains(text, "odata.error"):
			c.t.Errorf("insert %s: %d %s", pk, status, text)
			return acknowledged
		}
		acknowledged[pk] = rows
		tick()
	}
}

func (c *child) insert(pk string, rows int) (int, string, error) {
	bodies := make([][]byte, rows)
	for i, e := range killedEntities(pk, rows) {
		body, err := json.Marshal(e)
		if err != nil {
			return 0, "", err
		}
		bodies[i] = body
	}
	if rows == 1 {
		return c.do("POST", "/Killed", "application/json", string(bodies[0]))
	}
	operations := make([]batch.Operation, rows)
	for i := range operations {
		operations[i] = batch.Operation{
			Method: "POST", Target: c.endpoint + "/Killed", Body: bodies[i],
			Header: batch.Header{{Name: "Content-Type", Value: "application/json"}, {Name: "Accept", Value: "application/json"}},
		}
	}
	body := batch.AppendRequest(nil, "batch_1", "changeset_1", operations)
	return c.do("POST", "/$batch", "multipart/mixed; boundary=batch_1", string(body))
}

// TestServeKilled repeatedly kills the server under load: every acknowledged entity
// is there as sent, every batch is whole or absent, and the store is sound in the end.
func TestServeKilled(t *testing.T) {
	folder := t.TempDir()
	c := startChild(t, folder)
	c.want(204, "POST", "/Tables", `{"TableName":"Killed"}`)
	acknowledged := make(map[string]int)
	const rounds, writers = 20, 6
	for round := range rounds {
		var mu sync.Mutex
		left := 1 + rand.IntN(300)
		tick := func() {
			mu.Lock()
			defer mu.Unlock()
			if left--; left == 0 {
				_ = c.command.Process.Kill() // reported by Wait
			}
		}
		var wg sync.WaitGroup
		for w := range writers {
			wg.Go(func() {
				done := c.load(fmt.Sprint(round, "-", w), tick)
				mu.Lock()
				defer mu.Unlock()
				maps.Copy(acknowledged, done)
			})
		}
		wg.Wait()
		c.kill()
		c = startChild(t, folder)
		c.checkKilled(acknowledged)
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
	c.kill()
	if out, _ := runTo(t, 0, "verify", "-data", folder); !strings.HasPrefix(out, "no problems found: ") {
		t.Errorf("verify printed %q", out)
	}
	t.Logf("%d inserts and batches acknowledged", len(acknowledged))
}

// checkKilled compares the table with the acknowledged names. An unacknowledged batch
// may be there, but only as a whole.
func (c *child) checkKilled(acknowledged map[string]int) {
	c.t.Helper()
	batches := make(map[string][]killedEntity)
	for _, e := range c.entities() {
		batches[e.PartitionKey] = append(batches[e.PartitionKey], e)
	}
	for pk, want := range acknowledged {
		if len(batches[pk]) != want {
			c.t.Errorf("%s was acknowledged: %d entities, want %d", pk, len(batches[pk]), want)
		}
	}
	for pk, got := range batches {
		if want := killedEntities(pk, got[0].Rows); !slices.Equal(got, want) {
			c.t.Errorf("%s has %+v, want %+v", pk, got, want)
		}
	}
}

// entities reads the table, page by page.
func (c *child) entities() (all []killedEntity) {
	c.t.Helper()
	next := ""
	for {
		r, err := http.NewRequest("GET", c.endpoint+"/Killed()"+next, nil)
		if err != nil {
			c.t.Fatal(err)
		}
		r.Header.Set("Accept", "application/json;odata=nometadata")
		r.Header.Set("x-ms-version", "2019-02-02")
		response, err := c.client.Do(r)
		if err != nil {
			c.t.Fatal(err)
		}
		var page struct{ Value []killedEntity }
		err = json.NewDecoder(response.Body).Decode(&page)
		response.Body.Close()
		if err != nil || response.StatusCode != 200 {
			c.t.Fatalf("query: %d, %v", response.StatusCode, err)
		}
		all = append(all, page.Value...)
		pk := response.Header.Get("x-ms-continuation-NextPartitionKey")
		if pk == "" {
			return all
		}
		next = "?" + url.Values{"NextPartitionKey": {pk}, "NextRowKey": {response.Header.Get("x-ms-continuation-NextRowKey")}}.Encode()
	}
}

// BenchmarkServe inserts over HTTP into a server with a durable store.
func BenchmarkServe(b *testing.B) {
	for _, flags := range [][]string{{"-durability", "strict"}, {"-durability", "relaxed"}} {
		for _, clients := range []int{1, 32} {
			b.Run(fmt.Sprintf("%s/%d clients", flags[1], clients), func(b *testing.B) {
				c := startChild(b, b.TempDir(), flags...)
				c.want(204, "POST", "/Tables", `{"TableName":"Killed"}`)
				var last atomic.Int64
				var wg sync.WaitGroup
				b.ResetTimer()
				for range clients {
					wg.Go(func() {
						for n := last.Add(1); n <= int64(b.N); n = last.Add(1) {
							if status, text, err := c.insert(fmt.Sprint(n), 1); err != nil || status != 204 {
								b.Errorf("insert: %d, %v %s", status, err, text)
								return
							}
						}
					})
				}
				wg.Wait()
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "inserts/s")
			})
		}
	}
}
