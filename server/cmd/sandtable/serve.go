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
	"strings"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/server"
)

// The account that every emulator has, with a key that everyone knows.
//
// Source: "Use the Azurite emulator for local Azure Storage development".
const (
	wellKnownAccount = "devstoreaccount1"
	wellKnownKey     = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)

func defaultAccount() engine.Account {
	key, _ := base64.StdEncoding.DecodeString(wellKnownKey) // a test signs with it
	return engine.Account{Name: wellKnownAccount, Keys: [2][]byte{key}}
}

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

func runServe(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("sandtable serve", flag.ContinueOnError)
	flags.SetOutput(stderr)
	addr := flags.String("addr", "127.0.0.1:10002", "address to listen on; port 0 picks a free one")
	open := flags.Bool("open", false, "accept requests without a signature too")
	cors := flags.String("cors", "rules", "what pages of other origins may do: `rules` (of the account's service properties) or permissive")
	quiet := flags.Bool("quiet", false, "do not log a line a request")
	var data storeFlags
	data.register(flags)
	var accounts accountFlag
	flags.Var(&accounts, "account", "an account to add, or to give another key, as `name:base64key`, repeatable\n(a store without accounts gets "+wellKnownAccount+" with its well-known key)")
	if err := parse(flags, args); err != nil {
		return err
	}
	if *cors != "rules" && *cors != "permissive" {
		fmt.Fprintf(stderr, "-cors is rules or permissive, not %q\n", *cors)
		return errUsage
	}
	db, err := data.open(flags)
	if err != nil {
		return err
	}
	reportDamage(stderr, db)
	options := server.Options{PermissiveCORS: *cors == "permissive"}
	options.Store, options.Durability = data.kind()
	if !*quiet {
		options.Log = func(r server.Record) { logRequest(stderr, r) }
	}
	access := engine.Strict
	if *open {
		access = engine.OpenAccess
	}
	all, err := putAccounts(db, accounts, access)
	if err != nil {
		return errors.Join(err, db.Close())
	}
	err = listenAndServe(ctx, *addr, nil, server.New(db, options), func(at net.Addr) {
		fmt.Fprintf(stdout, "Sandtable answers the Table service REST API on http://%s (%s)\n", at, data.where())
		for _, account := range all {
			fmt.Fprintln(stdout, connectionString(account, at.String()))
		}
	})
	return errors.Join(err, db.Close())
}

func connectionString(account engine.Account, at string) string {
	return fmt.Sprintf("DefaultEndpointsProtocol=http;AccountName=%s;AccountKey=%s;TableEndpoint=http://%s/%s;",
		account.Name, base64.StdEncoding.EncodeToString(account.Keys[0]), at, account.Name)
}

// logRequest writes one line, with the reason of a refusal behind it.
func logRequest(w io.Writer, r server.Record) {
	what := r.Operation
	if what == "" {
		what = http.StatusText(r.Status)
	}
	line := fmt.Sprintf("%s %d %s %s %s %v %s", r.Time.UTC().Format("2006-01-02T15:04:05.000Z"),
		r.Status, r.Method, r.Path, what, r.Duration.Round(1000), r.RequestID)
	if r.Reason != "" {
		line += " " + r.Code + ": " + strings.ReplaceAll(r.Reason, "\n", " | ")
	}
	fmt.Fprintln(w, line)
}
