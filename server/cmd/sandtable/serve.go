//go:build !js

package main

import (
	"context"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"runtime"
	"strings"
	"time"

	"sandtable/engine"
	"sandtable/server"
	"sandtable/server/metrics"
	"sandtable/server/nethttp"
)

// ballastSize is how far the heap may grow beyond twice its live size before a
// collection. Without it a server with a small store collects tens of times per
// second, which takes a quarter of a batch's time. The ballast is never written, so
// it takes address space but no memory; a larger GOGC would grow with the store.
const ballastSize = 24 << 20

func runServe(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	f := serveFlags{FlagSet: flag.NewFlagSet("sandtable serve", flag.ContinueOnError)}
	f.SetOutput(stderr)
	f.register()
	if err := f.parse(args); err != nil {
		return err
	}
	f.azurite.explain(stderr)
	// Listen first: if the address is in use, no store must be created or changed,
	// and the ready file may be that of the server that uses it.
	listener, err := listen(f.network.addr)
	if err != nil {
		return err
	}
	defer listener.Close() // usually already closed
	f.ready.remove()
	defer f.ready.remove()
	ballast := make([]byte, ballastSize)
	defer runtime.KeepAlive(ballast)
	store, err := f.openBackend(ctx, stderr)
	if err != nil {
		return err
	}
	return errors.Join(f.serve(ctx, store, listener, stdout, stderr), store.close())
}

// serve answers requests for a store until ctx is done.
func (f *serveFlags) serve(ctx context.Context, store backend, listener net.Listener, stdout, stderr io.Writer) error {
	accounts, err := store.prepare(ctx, stderr)
	if err != nil {
		return err
	}
	config, err := f.secure.config(f.data.authorityFolder(), tlsHosts(accounts))
	if err != nil {
		return err
	}
	warnExpired(stderr, config)
	options := server.Options{PermissiveCORS: f.cors == "permissive", TableDeletion: f.deletion}
	var errorLog *log.Logger // net/http's default
	notes := stderr
	if f.quiet {
		notes = io.Discard
		errorLog = log.New(io.Discard, "", 0)
	} else {
		options.Observers = []server.Observer{f.log.observer(stderr)}
		if !f.open {
			fmt.Fprintln(stderr, "Requests without a signature get 404, as from the service; -open accepts them.")
		}
	}
	var recorder *metrics.Recorder
	if f.monitor.metrics {
		recorder = metrics.New(store.gauges()...)
		options.Observers = append(options.Observers, recorder)
	}
	service, stop := store.handler(options)
	ending, end := afterDrain(ctx, f.drain)
	defer end()
	defer context.AfterFunc(ending, stop)() // event responses would delay the shutdown
	limited := nethttp.LimitListener(listener, f.network.connections(notes))
	exposed := f.openToAll(accounts)
	if exposed != "" && !isLoopback(listener.Addr().String()) {
		fmt.Fprintln(stderr, "WARNING:", exposed)
	}
	handler := f.network.protect(monitor(nethttp.Handler(service), store.ready, ctx, recorder), listener.Addr(), exposed != "")
	var announced error
	err = serve(ending, limited, config, handler, errorLog, func(at net.Addr) {
		if announced = f.announce(stdout, store.where(), accounts, at); announced != nil {
			end()
		}
	})
	return errors.Join(announced, err)
}

// announce writes the ready file and prints the server's address. The output may be a
// log that others read, so a key that is a secret is printed on a terminal only.
func (f *serveFlags) announce(stdout io.Writer, where string, accounts []engine.Account, at net.Addr) error {
	scheme := f.secure.scheme()
	ready := []string{scheme + "://" + reachable(at)}
	lines := []string{fmt.Sprintf("Sandtable answers the Table service REST API on %s://%s (%s)", scheme, at, where)}
	hidden := false
	for _, account := range accounts {
		key := base64.StdEncoding.EncodeToString(account.Keys[0])
		endpoint := ready[0] + "/" + account.Name
		connection := fmt.Sprintf("DefaultEndpointsProtocol=%s;AccountName=%s;AccountKey=%s;TableEndpoint=%s;", scheme, account.Name, key, endpoint)
		ready = append(ready, connection)
		if key == server.WellKnownKey || isTerminal(stdout) {
			lines = append(lines, connection)
		} else {
			lines = append(lines, "Account "+account.Name+": "+endpoint)
			hidden = true
		}
	}
	if hidden && f.ready.path == "" {
		lines = append(lines, "Keys are printed on a terminal only; -ready-file FILE writes the connection strings to a file of your own.")
	}
	if err := f.ready.write(ready); err != nil {
		return err
	}
	fmt.Fprintln(stdout, strings.Join(lines, "\n"))
	f.secure.explain(stdout, f.network.addr, f.data.authorityFolder())
	f.control.announce(stdout, scheme, at)
	return nil
}

// logCorruption logs corruption found by a request, because the response does not
// report it.
func logCorruption(w io.Writer, now time.Time, c engine.Corruption) {
	fmt.Fprintf(w, "%s corruption: %s\n", logTime(now), oneLine(c.String()))
}
