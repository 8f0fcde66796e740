package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"runtime"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5"

	"sandtable/server/pgstore/pgtest"
)

// contestant is something that does the loads of measureShared.
type contestant struct {
	name   string
	insert func(ctx context.Context, i int) error
	batch  func(ctx context.Context, i int) error
	get    func(ctx context.Context, i int) error
	page   func(ctx context.Context, i int) error
}

// sharedLoad is one kind of work. All contestants do it in turns.
type sharedLoad struct {
	load
	of func(*contestant) func(context.Context, int) error
}

// sharedRows is the size of the table that is read.
const sharedRows = 40_000

func sharedLoads() []sharedLoad {
	return []sharedLoad{
		{load{name: "inserts", clients: 32, rounds: 3, requests: 2000}, func(c *contestant) func(context.Context, int) error { return c.insert }},
		{load{name: "batches of 100", clients: 4, rounds: 4, requests: sharedRows / 100 / 4}, func(c *contestant) func(context.Context, int) error { return c.batch }},
		{load{name: "point reads", clients: 32, rounds: 5, lasts: time.Second}, func(c *contestant) func(context.Context, int) error { return c.get }},
		{load{name: "500-row queries", clients: 4, rounds: 5, lasts: time.Second}, func(c *contestant) func(context.Context, int) error { return c.page }},
	}
}

// serverCounts are how many servers answer for one database.
var serverCounts = []int{1, 2, 4}

// measureShared compares 1, 2 and 4 servers on one PostgreSQL with the file store,
// and with a program that has the same rows written and read by pgx alone.
func measureShared(ctx context.Context, w io.Writer, program string) error {
	cluster, err := pgtest.New()
	if err != nil {
		return err
	}
	defer cluster.Close()
	all, stop, err := startShared(ctx, program, cluster)
	defer stop()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, `Servers on one PostgreSQL, %s/%s, %d processors, which the database, the servers and the client share.
Each write waits for the disk. Medians of rounds in turns; ratios are of one run.

`, runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	defer table.Flush()
	fmt.Fprint(table, "\tclients")
	for _, c := range all {
		fmt.Fprintf(table, "\t%s", c.name)
	}
	fmt.Fprintln(table, "\t1 server over file store\t1 server over pgx\t4 servers over 1")
	for _, l := range sharedLoads() {
		rates, err := l.measureAll(ctx, all)
		if err != nil {
			return err
		}
		fmt.Fprintf(table, "%s\t%d", l.name, l.clients)
		for _, rate := range rates {
			fmt.Fprintf(table, "\t%s/s", figures(rate))
		}
		fmt.Fprintf(table, "\t%.2f\t%.2f\t%.2f\n", rates[2]/rates[0], rates[2]/rates[1], rates[4]/rates[2])
	}
	return nil
}

// measureAll returns the median rate of each contestant.
func (l *sharedLoad) measureAll(ctx context.Context, all []*contestant) ([]float64, error) {
	rounds := make([][]float64, len(all))
	idle := newClient("127.0.0.1:0")
	for n := range l.rounds {
		for turn := range all {
			at := (n + turn) % len(all)
			do := l.of(all[at])
			l.do = func(ctx context.Context, _ *client, i int) error { return do(ctx, i) }
			made, err := l.run(ctx, idle, n*l.requests)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", all[at].name, err)
			}
			rounds[at] = append(rounds[at], made.rate)
		}
	}
	rates := make([]float64, len(all))
	for at := range all {
		rates[at] = median(rounds[at])
	}
	return rates, nil
}

// startShared starts the contestants: the file store, pgx alone, and servers on a
// database, each number with a schema of its own.
func startShared(ctx context.Context, program string, cluster *pgtest.Cluster) (all []*contestant, stop func(), err error) {
	var stops []func()
	stop = func() {
		for _, f := range stops {
			f()
		}
	}
	folder, err := os.MkdirTemp("", "sandtable-shared-")
	if err != nil {
		return nil, stop, err
	}
	stops = append(stops, func() { os.RemoveAll(folder) })
	start := func(p *peer) (*client, error) {
		running, err := p.start(ctx, folder)
		if err != nil {
			return nil, err
		}
		stops = append(stops, running.kill)
		return running.client, nil
	}
	file, err := start(sandtable(program, "strict"))
	if err != nil {
		return nil, stop, err
	}
	raw, err := newRawRows(ctx, cluster.URL())
	if err != nil {
		return nil, stop, err
	}
	stops = append(stops, raw.pool.Close)
	if err := createTables(ctx, file); err != nil {
		return nil, stop, err
	}
	all = []*contestant{overHTTP("file store", file), raw.contestant()}
	for _, n := range serverCounts {
		store, err := newSchema(ctx, cluster.URL(), fmt.Sprintf("servers%d", n))
		if err != nil {
			return nil, stop, err
		}
		clients := make([]*client, n)
		for i := range clients {
			if clients[i], err = start(overDatabase(program, store)); err != nil {
				return nil, stop, err
			}
		}
		if err := createTables(ctx, clients[0]); err != nil {
			return nil, stop, err
		}
		all = append(all, overHTTP(fmt.Sprintf("servers: %d", n), clients...))
	}
	return all, stop, nil
}

// overDatabase is our program on a database.
func overDatabase(program, store string) *peer {
	p := sandtable(program, "strict")
	p.name = "Sandtable on PostgreSQL"
	p.command = func(string) ([]string, error) {
		return []string{program, "serve", "-store", store, "-addr", "127.0.0.1:0", "-quiet"}, nil
	}
	return p
}

func newSchema(ctx context.Context, at, name string) (string, error) {
	conn, err := pgx.Connect(ctx, at)
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, "CREATE SCHEMA "+name)
	return at + "&search_path=" + url.QueryEscape(name), err
}

func createTables(ctx context.Context, c *client) error {
	for _, name := range []string{small, big} {
		if err := c.createTable(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// overHTTP sends requests to servers in turns.
func overHTTP(name string, servers ...*client) *contestant {
	at := func(i int) *client { return servers[i%len(servers)] }
	return &contestant{
		name:   name,
		insert: func(ctx context.Context, i int) error { return at(i).insert(ctx, small, entityAt(i)) },
		batch:  func(ctx context.Context, i int) error { return at(i).batch(ctx, big, entities(i*100, 100)) },
		get: func(ctx context.Context, i int) error {
			return found(at(i).get(ctx, big, entityAt(i*7919%sharedRows)))
		},
		page: func(ctx context.Context, i int) error {
			return exactly(500)(at(i).query(ctx, big, "PartitionKey eq '"+entityAt(i*7919%sharedRows).partition+"'"))
		},
	}
}
