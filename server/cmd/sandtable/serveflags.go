//go:build !js

package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"sandtable/engine"
	"sandtable/server"
	"sandtable/server/control"
)

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
	texts    []string // values of -account
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

// databaseFlag names a database that several servers share.
type databaseFlag struct{ url string }

func (f *databaseFlag) register(flags *flag.FlagSet) {
	flags.StringVar(&f.url, "store", "", "keep the data in a PostgreSQL database, which any number of servers can share:\na `URL` such as postgres://user@host/name (default $"+storeVariable+"; see docs/native.md)")
}

// check refuses flags that need a store of this process.
func (f *databaseFlag) check(flags *flag.FlagSet) error {
	if f.url == "" && !given(flags, "data") {
		f.url = os.Getenv(storeVariable)
	}
	if f.url == "" {
		return nil
	}
	for _, c := range []struct{ name, why string }{
		{"data", "the data are in the database"},
		{"durability", "the database decides when a write is durable (synchronous_commit)"},
		{"seed", "an archive would be loaded by every server; run \"sandtable copy FILE URL\" once"},
		{"control", "the control API needs a store that only this process uses; tests that reset their tables can start a server with -data \"\""},
	} {
		if given(flags, c.name) {
			return fmt.Errorf("-%s cannot be combined with -store: %s", c.name, c.why)
		}
	}
	if scheme, _, ok := strings.Cut(f.url, "://"); !ok || scheme != "postgres" && scheme != "postgresql" {
		return errors.New("-store must begin with postgres://")
	}
	return nil
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
	f.Func("account", "an account to add, or to give another key, as `name:base64key` or name:key1:key2,\nrepeatable; the accounts of $"+accountsVariable+" are added, too (a store without accounts gets "+server.WellKnownAccount+"\nwith its well-known key)", func(text string) error {
		f.texts = append(f.texts, text) // read later: package flag prints what it refuses, with its key
		return nil
	})
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
	if f.deletion < 0 || f.deletion > control.MaxTableDeletion {
		return usageError{fmt.Errorf("-table-deletion must be from 0 to %v", control.MaxTableDeletion)}
	}
	if f.drain < 0 {
		return usageError{errors.New("-drain must not be negative")}
	}
	if err := errors.Join(f.network.check(), f.control.check(f.network.addr, f.secure.on || f.secure.cert != ""), f.readAccounts(), f.database.check(f.FlagSet)); err != nil {
		return usageError{err}
	}
	return nil
}

// readAccounts reads the accounts of the command line and of the environment.
func (f *serveFlags) readAccounts() error {
	for _, text := range f.texts {
		if err := f.accounts.add(text); err != nil {
			return fmt.Errorf("-account: %w", err)
		}
	}
	return f.accounts.addFromEnvironment()
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
	for _, account := range f.accounts {
		account.Access = f.access()
		options.Accounts = append(options.Accounts, account)
	}
	for name, setting := range map[string]string{"durability": "durability", "cors": "permissiveCORS", "table-deletion": "tableDeletion"} {
		if given(f.FlagSet, name) {
			options.Overrides = append(options.Overrides, setting)
		}
	}
	if f.data.storage != nil {
		options.SetDurability = f.data.changeDurability
	}
	return options
}
