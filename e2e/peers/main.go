package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"text/tabwriter"
	"time"
)

// bound limits the whole measurement.
const bound = 300 * time.Second

func main() {
	program := flag.String("sandtable", "../bin/sandtable", "the native build")
	folder := flag.String("azurite", "peers/node_modules/azurite", "the folder of the npm package")
	durability := flag.String("durability", "strict", "Sandtable's durability: strict or relaxed")
	seed := flag.Uint64("seed", uint64(time.Now().UnixNano()), "seed for the moments of the kills")
	recording := flag.String("constant", "", "serve the responses of this recording, and measure nothing")
	walFile := flag.String("wal", "", "with -constant: make the bodies of writes durable in this file")
	shared := flag.Bool("postgresql", false, "measure servers over one PostgreSQL instead")
	flag.Parse()
	if *recording != "" {
		fmt.Fprintln(os.Stderr, serveConstants(*recording, *walFile))
		os.Exit(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	if *shared {
		if err := measureShared(ctx, os.Stdout, *program); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	err := measure(ctx, os.Stdout, [2]*peer{sandtable(*program, *durability), azurite(*folder)}, *folder, *seed)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() != nil {
		fmt.Printf("stopped after %v; the rest was not measured (%v)\n", bound, err)
		err = nil
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, w io.Writer, peers [2]*peer, folder string, seed uint64) error {
	data, err := os.MkdirTemp("", "sandtable-peers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(data)
	release, err := npmVersion(folder)
	if err != nil {
		return fmt.Errorf("%w: make bench-peers installs it", err)
	}
	fmt.Fprintf(w, `Sandtable and Azurite %s, %s/%s, %d processors, which the client shares.
Sandtable answers a write when it is synced to the disk (unless -durability relaxed). Azurite answers when
it is in memory, and writes its whole database to a file every five seconds, without a sync.
CPU is the server's processor time for a request; ratio is that of the rates, medians of rounds in turns.

`, release, runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	if err := measureLoads(ctx, w, peers, data); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nKilled (SIGKILL) right after a response, at a hundred inserts per second, then restarted; seed %d:\n", seed)
	all, err := crashAll(ctx, peers, data, rand.New(rand.NewPCG(seed, 0)))
	if err != nil {
		return err
	}
	for p, l := range all {
		fmt.Fprintf(w, "  %-10s lost %d of %d acknowledged inserts (by round: %v)\n", peers[p].name, l.lost, l.acknowledged, l.each)
	}
	return nil
}

func npmVersion(folder string) (string, error) {
	text, err := os.ReadFile(filepath.Join(folder, "package.json"))
	if err != nil {
		return "", err
	}
	var described struct{ Version string }
	err = json.Unmarshal(text, &described)
	return described.Version, err
}

// measureLoads starts the servers and prints a line for each load, the memory
// used afterwards, and the loads over a server that answers constants.
func measureLoads(ctx context.Context, w io.Writer, peers [2]*peer, data string) error {
	var servers [2]*process
	for p, peer := range peers {
		s, err := start(ctx, peer, data)
		if err != nil {
			return err
		}
		defer s.kill()
		if err := warmUp(ctx, s.client); err != nil {
			return fmt.Errorf("%s: %w", peer.name, err)
		}
		servers[p] = s
	}
	if err := printLoads(ctx, w, servers, loads(), printMemory); err != nil {
		return err
	}
	servers[1].kill()
	return measureOverConstants(ctx, w, servers[0], data)
}

func measureOverConstants(ctx context.Context, w io.Writer, ours *process, data string) error {
	folder := filepath.Join(data, constant().name)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	if err := record(ctx, ours.client, recording(folder)); err != nil {
		return err
	}
	if err := ours.client.createTable(ctx, "Constants"); err != nil {
		return err
	}
	theirs, err := start(ctx, constant(), data)
	if err != nil {
		return err
	}
	defer theirs.kill()
	fmt.Fprintf(w, "\nOver a net/http server that gives the same responses as constants and stores nothing:\n\n")
	all := append(writesOverConstants(), readsOverConstants()...)
	if err := printLoads(ctx, w, [2]*process{ours, theirs}, all, nil); err != nil {
		return err
	}
	durable, err := durableConstant().start(ctx, folder)
	if err != nil {
		return err
	}
	defer durable.kill()
	fmt.Fprintf(w, "\nThe same server with a WAL over the one without: what is left of the rate when writes are durable, whatever else a server does:\n\n")
	return printLoads(ctx, w, [2]*process{durable, theirs}, writesOverConstants(), nil)
}

func start(ctx context.Context, p *peer, data string) (*process, error) {
	folder := filepath.Join(data, p.name)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	return p.start(ctx, folder)
}

// printLoads prints a line for each load, and what last adds.
func printLoads(ctx context.Context, w io.Writer, servers [2]*process, loads []*load, last func(io.Writer, [2]*process) error) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	defer table.Flush()
	fmt.Fprintf(table, "\tclients\t%s\tp50\tCPU\t%s\tp50\tCPU\tratio\tby round\tpromise\n", servers[0].peer.name, servers[1].peer.name)
	for _, l := range loads {
		r, err := l.measure(ctx, servers)
		if err != nil {
			return err
		}
		printResult(table, r)
	}
	if last == nil {
		return nil
	}
	return last(table, servers)
}

// warmUp creates the tables and lets Node.js compile its hot code.
func warmUp(ctx context.Context, c *client) error {
	for _, name := range []string{small, big, "WarmUp"} {
		if err := c.createTable(ctx, name); err != nil {
			return err
		}
	}
	for i := range 300 {
		if err := c.insert(ctx, "WarmUp", entityAt(i)); err != nil {
			return err
		}
		if err := found(c.get(ctx, "WarmUp", entityAt(i))); err != nil {
			return err
		}
	}
	for i := range 20 {
		if err := c.batch(ctx, "WarmUp", entities(rowsPerPartition+i%5*100+i/5*rowsPerPartition, 100)); err != nil {
			return err
		}
		if _, err := c.query(ctx, "WarmUp", "Rank eq 5"); err != nil {
			return err
		}
	}
	return nil
}

func printResult(w io.Writer, r result) {
	ratio := r.rate(0) / r.rate(1)
	low, high := r.ratios()
	promise := "-"
	if r.load.promise > 0 {
		promise = fmt.Sprintf("at least %v: %s", r.load.promise, kept(ratio >= r.load.promise))
	}
	fmt.Fprintf(w, "%s\t%d\t%s/s\t%s\t%s\t%s/s\t%s\t%s\t%.2f\t%.2f to %.2f\t%s\n", r.load.name, r.load.clients,
		figures(r.rate(0)), milliseconds(r.p50(0)), milliseconds(r.used(0)),
		figures(r.rate(1)), milliseconds(r.p50(1)), milliseconds(r.used(1)), ratio, low, high, promise)
}

func kept(is bool) string {
	if is {
		return "kept"
	}
	return "MISSED"
}

// memoryPromise is the share of the peer's memory that is promised, of design.md.
const memoryPromise = 0.12

func printMemory(w io.Writer, servers [2]*process) error {
	var now, peak [2]int64
	for s, server := range servers {
		var err error
		if now[s], peak[s], err = server.rss(); err != nil {
			return err
		}
	}
	for _, m := range []struct {
		name    string
		of      [2]int64
		promise bool
	}{{"memory after the load (RSS)", now, true}, {"memory at its highest", peak, false}} {
		ratio := float64(m.of[0]) / float64(m.of[1])
		promise := "-"
		if m.promise {
			promise = fmt.Sprintf("at most %v: %s", memoryPromise, kept(ratio <= memoryPromise))
		}
		fmt.Fprintf(w, "%s\t\t%d MB\t\t\t%d MB\t\t\t%.2f\t\t%s\n", m.name, m.of[0]>>20, m.of[1]>>20, ratio, promise)
	}
	return nil
}

// figures formats a rate, with a decimal if it is small.
func figures(rate float64) string {
	if rate < 100 {
		return fmt.Sprintf("%.1f", rate)
	}
	return fmt.Sprintf("%.0f", rate)
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond))
}
