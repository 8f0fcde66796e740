package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// kind is how the constant server distinguishes requests.
func kind(method, target string) string {
	switch {
	case strings.HasPrefix(target, "/$batch"):
		return "batch"
	case method == http.MethodGet && strings.Contains(target, "$filter="):
		return "query"
	}
	return method
}

// constant is a net/http server that stores nothing: it reads a request and gives
// the response that Sandtable gave to one of its kind, so its rate is what HTTP
// alone costs. This program is also that server, started with -constant.
func constant() *peer {
	return &peer{
		name: "net/http",
		command: func(folder string) ([]string, error) {
			program, err := os.Executable()
			return []string{program, "-constant", recording(folder)}, err
		},
		ready: regexp.MustCompile(`constants on (127\.0\.0\.1:\d+)`),
	}
}

// durableConstant is that server with a WAL: it answers a write when its body is
// synced to the disk, which is the least that a durable server on net/http does.
func durableConstant() *peer {
	p := *constant()
	p.name = "with a WAL"
	p.command = func(folder string) ([]string, error) {
		args, err := constant().command(folder)
		return append(args, "-wal", filepath.Join(folder, "wal")), err
	}
	return &p
}

func recording(folder string) string { return filepath.Join(folder, "answers.json") }

// recorded is a response in the recording.
type recorded struct {
	Status int
	Header http.Header
	Body   []byte
}

// record keeps the server's response to one request of each kind of the loads.
// It uses the rows of warmUp, and the row after them.
func record(ctx context.Context, from *client, file string) error {
	answers := map[string]recorded{}
	c := *from
	c.observe = func(method, target string, a answer) {
		a.header.Del("Date") // net/http sets its own
		answers[kind(method, target)] = recorded{a.status, a.header, a.body}
	}
	next := 10 * rowsPerPartition
	for _, err := range []error{
		c.insert(ctx, "WarmUp", entityAt(next)),
		c.batch(ctx, "WarmUp", entities(next+100, 100)),
		c.merge(ctx, "WarmUp", entityAt(next)),
		exactly(rowsPerPartition)(c.query(ctx, "WarmUp", "PartitionKey eq '"+entityAt(rowsPerPartition).partition+"'")),
		found(c.get(ctx, "WarmUp", entityAt(next))),
	} {
		if err != nil {
			return fmt.Errorf("record: %w", err)
		}
	}
	text, err := json.Marshal(answers)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

// serveConstants serves a recording until it is killed. If walFile is not "", it makes
// the bodies of writes durable.
func serveConstants(file, walFile string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	answers := map[string]recorded{}
	if err := json.Unmarshal(text, &answers); err != nil {
		return err
	}
	persist := func([]byte) error { return nil }
	if walFile != "" {
		w, err := createWAL(walFile)
		if err != nil {
			return err
		}
		persist = w.append
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("constants on", listener.Addr())
	return http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if r.Method != http.MethodGet {
			err = persist(body)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		a, is := answers[kind(r.Method, strings.TrimPrefix(r.URL.RequestURI(), "/"+account))]
		if !is {
			http.Error(w, "not recorded", http.StatusNotImplemented)
			return
		}
		for name, values := range a.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(a.Status)
		w.Write(a.Body) // an error means that the client has gone
	}))
}

// writesOverConstants are the writes that are compared with the constant server, on a
// table and rows of their own. The promises are design.md's.
func writesOverConstants() []*load {
	return []*load{
		{name: "inserts", promise: 0.7, clients: 32, rounds: 5, requests: 8000,
			do: func(ctx context.Context, c *client, i int) error { return c.insert(ctx, "Constants", entityAt(i)) }},
		{name: "batches of 100", promise: 0.65, clients: 32, rounds: 5, requests: 200,
			do: func(ctx context.Context, c *client, i int) error {
				return c.batch(ctx, "Constants", entities(bigTable+i*100, 100))
			}},
		{name: "merges", promise: 0.5, clients: 8, rounds: 5, requests: 4000,
			do: func(ctx context.Context, c *client, i int) error { return c.merge(ctx, big, inBig(i)) }},
	}
}

// readsOverConstants are the reads.
func readsOverConstants() []*load {
	return []*load{
		{name: "point reads", promise: 0.85, clients: 32, rounds: 5, requests: 16000,
			do: func(ctx context.Context, c *client, i int) error { // not get: the constant is another row
				_, err := c.want(ctx, http.StatusOK, "GET", inBig(i).path(big), "", nil)
				return err
			}},
		{name: "500-row queries", promise: 0.65, clients: 32, rounds: 5, requests: 1000,
			do: func(ctx context.Context, c *client, i int) error {
				return exactly(500)(c.query(ctx, big, "PartitionKey eq '"+inBig(i).partition+"'"))
			}},
	}
}
