//go:build !js

package main

import (
	"context"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"time"
	"unicode"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/server"
)

// accountFlag collects -account name:base64key.
type accountFlag []engine.Account

// String is asked for by [flag.Value]; keys are not shown.
func (f *accountFlag) String() string { return "" }

// Set adds one account.
func (f *accountFlag) Set(text string) error {
	name, encoded, ok := strings.Cut(text, ":")
	if !ok {
		return errors.New("want name:base64key")
	}
	if !odata.CheckAccountName(name) {
		return errors.New("an account has a name of 3 to 24 lower-case letters and digits")
	}
	key, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(key) == 0 {
		return errors.New("the key is not Base64")
	}
	*f = append(*f, engine.Account{Name: name, Keys: [2][]byte{key}})
	return nil
}

// ballastSize is how much more than twice of what is in use the heap may grow
// to before it is collected, in bytes. A server of a small store would collect
// tens of times a second: a quarter of the time of a batch, measured. The
// ballast is never written, so it takes addresses and no memory; a larger
// percentage (GOGC) would grow with the store.
const ballastSize = 32 << 20

func runServe(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("sandtable serve", flag.ContinueOnError)
	flags.SetOutput(stderr)
	addr := flags.String("addr", "127.0.0.1:10002", "address to listen on; port 0 picks a free one")
	open := flags.Bool("open", false, "accept requests without a signature too")
	cors := flags.String("cors", "rules", "what pages of other origins may do: `rules` (of the account's service properties) or permissive")
	quiet := flags.Bool("quiet", false, "do not log a line a request")
	deletion := flags.Duration("table-deletion", 0, "for how long the name of a deleted table is blocked; the service takes 40s or more")
	var control controlFlags
	control.register(flags)
	var data storeFlags
	data.register(flags, "the `folder` of the data, made if it is not there; \"\" keeps them in memory")
	var secure tlsFlags
	secure.register(flags)
	var accounts accountFlag
	flags.Var(&accounts, "account", "an account to add, or to give another key, as `name:base64key`, repeatable\n(a store without accounts gets "+server.WellKnownAccount+" with its well-known key)")
	if err := parse(flags, args); err != nil {
		return err
	}
	if *cors != "rules" && *cors != "permissive" {
		fmt.Fprintf(stderr, "-cors is rules or permissive, not %q\n", *cors)
		return errUsage
	}
	if err := control.check(*addr); err != nil {
		fmt.Fprintln(stderr, err)
		return errUsage
	}
	// The address first: where it is taken, no store should be made or changed.
	listener, err := listen(*addr)
	if err != nil {
		return err
	}
	defer listener.Close() // a second time, in the end
	ballast := make([]byte, ballastSize)
	defer runtime.KeepAlive(ballast)
	data.options.OnCorruption = func(d engine.Corruption) { logDamage(stderr, time.Now(), d) }
	db, err := data.open(flags)
	if err != nil {
		return err
	}
	reportDamage(stderr, db)
	options := server.Options{PermissiveCORS: *cors == "permissive", TableDeletion: *deletion}
	if !*quiet {
		options.Observers = []server.Observer{requestLog{stderr}}
	}
	access := engine.StrictAccess
	if *open {
		access = engine.OpenAccess
	}
	all, err := putAccounts(db, accounts, access)
	if err != nil {
		return errors.Join(err, db.Close())
	}
	config, err := secure.config(data.authorityFolder(), tlsHosts(*addr, all), stdout)
	if err != nil {
		return errors.Join(err, db.Close())
	}
	handler, stop := control.handler(db, options, flags, &data, accounts, access)
	defer context.AfterFunc(ctx, stop)() // a response of events would hold up the end
	err = serve(ctx, listener, config, handler, func(at net.Addr) {
		fmt.Fprintf(stdout, "Sandtable answers the Table service REST API on %s://%s (%s)\n", secure.scheme(), at, data.where())
		for _, account := range all {
			fmt.Fprintln(stdout, connectionString(account, secure.scheme(), at.String()))
		}
		control.announce(stdout, secure.scheme(), at)
	})
	return errors.Join(err, db.Close())
}

func connectionString(account engine.Account, scheme, at string) string {
	return fmt.Sprintf("DefaultEndpointsProtocol=%[1]s;AccountName=%[2]s;AccountKey=%[3]s;TableEndpoint=%[1]s://%[4]s/%[2]s;",
		scheme, account.Name, base64.StdEncoding.EncodeToString(account.Keys[0]), at)
}

// logDamage writes one line of what was found damaged while it was asked for:
// the answer does not say that something is missing from it.
func logDamage(w io.Writer, now time.Time, d engine.Corruption) {
	fmt.Fprintf(w, "%s damaged: %s\n", logTime(now), oneLine(d.String()))
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

// maxLogged limits each part of a request in the log, in bytes: whoever sends
// requests must not be able to fill the disk.
const maxLogged = 512

func shortened(text string) string {
	if len(text) <= maxLogged {
		return text
	}
	return text[:maxLogged] + "…"
}

// oneLine makes one line of a text that may have parts of a request in it, and
// takes out what a terminal would obey.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ReplaceAll(text, "\n", " | "))
}
