//go:build !js

package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"runtime"
	"slices"
	"strings"
	"time"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/server"
	"sandtable/server/control"
	"sandtable/server/metrics"
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
	for _, other := range *f {
		if other.Name == name && !slices.EqualFunc(other.Keys[:], account.Keys[:], bytes.Equal) {
			return fmt.Errorf("%s is given twice with different keys; write both as name:key1:key2", name)
		}
	}
	*f = append(*f, account)
	return nil
}

// ballastSize is how far the heap may grow beyond twice its live size before a
// collection. Without it a server with a small store collects tens of times per
// second, which takes a quarter of a batch's time. The ballast is never written, so
// it takes address space but no memory; a larger GOGC would grow with the store.
const ballastSize = 32 << 20

// serveFlags are the flags of serve.
type serveFlags struct {
	*flag.FlagSet
	network  networkFlags
	control  controlFlags
	data     storeFlags
	database databaseFlag
	monitor  monitorFlags
	secure   tlsFlags
	accounts accountFlag
	azurite  azuriteFlags
	seed     seedFlag
	ready    readyFlag
	open     bool
	quiet    bool
	log      logFlag
	cors     string
	deletion time.Duration
	drain    time.Duration
}

func (f *serveFlags) register() {
	f.network.register(f.FlagSet)
	f.BoolVar(&f.open, "open", false, "also accept requests without a signature")
	f.StringVar(&f.cors, "cors", "rules", "what pages of other origins may do: follow the `rules` of the account's service\nproperties, or permissive")
	f.BoolVar(&f.quiet, "quiet", false, "do not log requests")
	f.log.register(f.FlagSet)
	f.DurationVar(&f.deletion, "table-deletion", 0, "how long the name of a deleted table stays blocked; the service takes 40s or more")
	f.DurationVar(&f.drain, "drain", 0, "how long to answer requests after a signal to stop, while the readiness check already\nfails, so that a load balancer finds other servers; another signal ends it")
	f.control.register(f.FlagSet)
	f.data.register(f.FlagSet, "the `folder` of the data, created if missing; \"\" keeps the data in memory")
	f.database.register(f.FlagSet)
	f.monitor.register(f.FlagSet)
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
	if f.deletion < 0 {
		return usageError{errors.New("-table-deletion must not be negative")}
	}
	if f.drain < 0 {
		return usageError{errors.New("-drain must not be negative")}
	}
	if err := errors.Join(f.network.check(), f.control.check(f.network.addr, f.secure.on || f.secure.cert != ""), f.accounts.addFromEnvironment(), f.database.check(f.FlagSet)); err != nil {
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

// controlOptions returns the options of the control API except for its token.
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
