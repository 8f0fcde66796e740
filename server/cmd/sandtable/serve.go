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
	"net/http"
	"runtime"
	"strings"
	"time"
	"unicode"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/server"
	"sandtable/server/control"
	"sandtable/server/nethttp"
)

// accountFlag collects -account name:base64key[:base64key].
type accountFlag []engine.Account

// String implements [flag.Value]; it does not show keys.
func (f *accountFlag) String() string { return "" }

// Set adds one account.
func (f *accountFlag) Set(text string) error {
	name, encoded, ok := strings.Cut(text, ":")
	if !ok {
		return errors.New("want name:base64key")
	}
	if !odata.CheckAccountName(name) {
		return errors.New("an account name has 3 to 24 lower-case letters and digits")
	}
	primary, secondary, two := strings.Cut(encoded, ":")
	account := engine.Account{Name: name}
	for i, encoded := range []string{primary, secondary} {
		if i == 1 && !two {
			break
		}
		key, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil || len(key) == 0 {
			return errors.New("the key is not Base64")
		}
		account.Keys[i] = key
	}
	*f = append(*f, account)
	return nil
}

// ballastSize is how many bytes the heap may grow to beyond twice its live size
// before it is collected. Without it a server of a small store collects tens of
// times a second, which takes a quarter of the time of a batch. The ballast is
// never written, so it takes address space but no memory; a larger GOGC would
// grow with the store.
const ballastSize = 32 << 20

// serveFlags are the flags of serve.
type serveFlags struct {
	*flag.FlagSet
	network  networkFlags
	control  controlFlags
	data     storeFlags
	secure   tlsFlags
	accounts accountFlag
	azurite  azuriteFlags
	seed     seedFlag
	ready    readyFlag
	open     bool
	quiet    bool
	cors     string
	deletion time.Duration
}

func (f *serveFlags) register() {
	f.network.register(f.FlagSet)
	f.BoolVar(&f.open, "open", false, "accept requests without a signature, too")
	f.StringVar(&f.cors, "cors", "rules", "what pages of other origins may do: follow the `rules` of the account's service\nproperties, or permissive")
	f.BoolVar(&f.quiet, "quiet", false, "do not log requests")
	f.DurationVar(&f.deletion, "table-deletion", 0, "how long the name of a deleted table stays blocked; the service takes 40s or more")
	f.control.register(f.FlagSet)
	f.data.register(f.FlagSet, "the `folder` of the data, created if missing; \"\" keeps the data in memory")
	f.secure.register(f.FlagSet)
	f.Var(&f.accounts, "account", "an account to add, or to give another key, as `name:base64key` or name:key1:key2,\nrepeatable; the accounts of $"+accountsVariable+" are added, too (a store without accounts gets "+server.WellKnownAccount+"\nwith its well-known key)")
	f.seed.register(f.FlagSet)
	f.ready.register(f.FlagSet)
	f.azurite.register(f.FlagSet)
}

func (f *serveFlags) parse(args []string) error {
	if err := parse(f.FlagSet, args); err != nil {
		return err
	}
	if f.cors != "rules" && f.cors != "permissive" {
		return usageError{fmt.Errorf("-cors must be rules or permissive, not %q", f.cors)}
	}
	if err := errors.Join(f.network.check(), f.control.check(f.network.addr, f.secure.on || f.secure.cert != ""), f.accounts.addFromEnvironment()); err != nil {
		return usageError{err}
	}
	return nil
}

func (f *serveFlags) access() engine.Access {
	if f.open {
		return engine.OpenAccess
	}
	return engine.StrictAccess
}

// controlOptions returns the options of the control API but for its token.
func (f *serveFlags) controlOptions() control.Options {
	options := control.Options{StrictAccounts: !f.open}
	options.Store, options.Durability = f.data.kind()
	accounts := f.accounts
	if len(accounts) == 0 {
		accounts = accountFlag{server.WellKnown(engine.StrictAccess)}
	}
	for _, account := range accounts {
		account.Access = f.access()
		options.Accounts = append(options.Accounts, account)
	}
	for name, setting := range map[string]string{"durability": "durability", "cors": "permissiveCORS"} {
		if given(f.FlagSet, name) {
			options.Overrides = append(options.Overrides, setting)
		}
	}
	if f.data.storage != nil {
		options.SetDurability = f.data.changeDurability
	}
	return options
}

func runServe(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	f := serveFlags{FlagSet: flag.NewFlagSet("sandtable serve", flag.ContinueOnError)}
	f.SetOutput(stderr)
	f.register()
	if err := f.parse(args); err != nil {
		return err
	}
	f.azurite.explain(stderr)
	f.ready.remove()
	defer f.ready.remove()
	// The address first: if it is taken, no store must be created or changed.
	listener, err := listen(f.network.addr)
	if err != nil {
		return err
	}
	defer listener.Close() // usually closed already
	ballast := make([]byte, ballastSize)
	defer runtime.KeepAlive(ballast)
	f.data.options.OnCorruption = func(c engine.Corruption) { logCorruption(stderr, time.Now(), c) }
	db, err := f.data.open(f.FlagSet)
	if err != nil {
		return err
	}
	reportCorruption(stderr, db)
	return errors.Join(f.serve(ctx, db, listener, stdout, stderr), db.Close())
}

// prepare fills the store with the accounts and the seed, and returns all
// accounts. Those of the seed get the access that the command line asks for, too.
func (f *serveFlags) prepare(ctx context.Context, db *engine.DB, stderr io.Writer) ([]engine.Account, error) {
	accounts, err := putAccounts(db, f.accounts, f.access())
	if err != nil || f.seed.path == "" {
		return accounts, err
	}
	if err := f.seed.load(ctx, db, f.data.folder, stderr); err != nil {
		return nil, err
	}
	return putAccounts(db, nil, f.access())
}

// serve answers requests for a database until ctx is done.
func (f *serveFlags) serve(ctx context.Context, db *engine.DB, listener net.Listener, stdout, stderr io.Writer) error {
	accounts, err := f.prepare(ctx, db, stderr)
	if err != nil {
		return err
	}
	config, err := f.secure.config(f.data.authorityFolder(), tlsHosts(accounts))
	if err != nil {
		return err
	}
	options := server.Options{PermissiveCORS: f.cors == "permissive", TableDeletion: f.deletion}
	var errorLog *log.Logger // net/http's default
	if f.quiet {
		errorLog = log.New(io.Discard, "", 0)
	} else {
		options.Observers = []server.Observer{requestLog{stderr}}
		if !f.open {
			fmt.Fprintln(stderr, "Requests without a signature get 404, as from the service; -open accepts them.")
		}
	}
	handler, stop := f.control.handler(db, options, f.controlOptions())
	defer context.AfterFunc(ctx, stop)() // a response of events would delay the end
	limited := nethttp.LimitListener(listener, f.network.maxConnections)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var announced error
	err = serve(ctx, limited, config, f.network.protect(handler, listener.Addr()), errorLog, func(at net.Addr) {
		if announced = f.announce(stdout, accounts, at); announced != nil {
			cancel()
		}
	})
	return errors.Join(announced, err)
}

// announce prints where the server is, and writes the ready file.
func (f *serveFlags) announce(stdout io.Writer, accounts []engine.Account, at net.Addr) error {
	scheme := f.secure.scheme()
	fmt.Fprintf(stdout, "Sandtable answers the Table service REST API on %s://%s (%s)\n", scheme, at, f.data.where(f.FlagSet))
	ready := []string{scheme + "://" + reachable(at)}
	for _, account := range accounts {
		ready = append(ready, connectionString(account, scheme, reachable(at)))
		fmt.Fprintln(stdout, ready[len(ready)-1])
	}
	f.secure.explain(stdout, f.network.addr, f.data.authorityFolder())
	f.control.announce(stdout, scheme, at)
	return f.ready.write(ready)
}

func connectionString(account engine.Account, scheme, at string) string {
	return fmt.Sprintf("DefaultEndpointsProtocol=%[1]s;AccountName=%[2]s;AccountKey=%[3]s;TableEndpoint=%[1]s://%[4]s/%[2]s;",
		scheme, account.Name, base64.StdEncoding.EncodeToString(account.Keys[0]), at)
}

// logCorruption logs what a request found corrupt: its response does not say
// that something is missing.
func logCorruption(w io.Writer, now time.Time, c engine.Corruption) {
	fmt.Fprintf(w, "%s corruption: %s\n", logTime(now), oneLine(c.String()))
}

func logTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// requestLog writes one line per request, with the reason if it was refused.
type requestLog struct{ w io.Writer }

// Finished writes the line of a request.
func (l requestLog) Finished(r *server.Record) {
	what := r.Operation
	if what == "" {
		what = http.StatusText(r.Status)
	}
	// The path without the query, which may contain a signature.
	line := fmt.Sprintf("%s %d %s %s %s %v %s", logTime(r.Time), r.Status, oneLine(shortened(r.Request.Method)), shortened(r.Request.URL.EscapedPath()),
		what, r.Duration.Round(1000), r.RequestID)
	if r.Reason != "" {
		line += " " + r.Code + ": " + oneLine(shortened(r.Reason))
	}
	fmt.Fprintln(l.w, line)
}

// maxLogged limits each part of a request in the log, in bytes: a client that sends
// many requests must not fill the disk with them.
const maxLogged = 512

func shortened(text string) string {
	if len(text) <= maxLogged {
		return text
	}
	return text[:maxLogged] + "…"
}

// oneLine puts a text that may quote a request on one line, without the control
// characters that a terminal would obey.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ReplaceAll(text, "\n", " | "))
}
