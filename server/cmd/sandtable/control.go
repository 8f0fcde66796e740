//go:build !js

package main

import (
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime/debug"

	"sandtable/engine"
	"sandtable/server"
	"sandtable/server/control"
)

// controlFlags are the flags of the control API.
type controlFlags struct {
	on    bool
	token string
}

func (f *controlFlags) register(flags *flag.FlagSet) {
	flags.BoolVar(&f.on, "control", false, "answer the control API under /_sandtable/ too, for this machine alone and with a token\n(see docs/control.md)")
	flags.StringVar(&f.token, "control-token", "", "the `token` of the control API, 16 characters or more (default that of $"+tokenVariable+", which\nothers do not see in a list of processes, or a random one, which is printed)")
}

// shortestToken is how many characters a token has at least: whoever guesses
// it has all keys.
const shortestToken = 16

// tokenVariable is where the environment has the token: a command line can be
// read by all users of the machine.
const tokenVariable = "SANDTABLE_CONTROL_TOKEN"

// check refuses a control API that others could reach, and makes the token.
func (f *controlFlags) check(addr string) error {
	given := "-control-token"
	if f.on && f.token == "" {
		f.token, given = os.Getenv(tokenVariable), tokenVariable
	}
	switch {
	case !f.on && f.token == "":
		return nil
	case !f.on:
		return errors.New("-control-token is for -control")
	case !isLoopback(addr):
		return fmt.Errorf("-control is for a server that this machine alone can reach: -addr is %q, and would have to be 127.0.0.1, [::1] or localhost", addr)
	case f.token == "":
		f.token = rand.Text()
	case len(f.token) < shortestToken:
		return fmt.Errorf("%s has to be %d characters long or more", given, shortestToken)
	}
	return nil
}

// isLoopback reports whether an address to listen on can be reached from this
// machine alone.
func isLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// handler returns the handler of the service, with the control API if that is on,
// and what ends its responses of events.
func (f *controlFlags) handler(db *engine.DB, service server.Options, flags *flag.FlagSet, data *storeFlags, accounts []engine.Account, access engine.Access) (handler http.Handler, stop func()) {
	if !f.on {
		return server.New(db, service), func() {}
	}
	options := control.Options{Token: f.token, Build: build(), StrictAccounts: access == engine.StrictAccess}
	options.Store, options.Durability = data.kind()
	if len(accounts) == 0 {
		accounts = []engine.Account{server.WellKnown(engine.StrictAccess)}
	}
	for _, account := range accounts {
		account.Access = access
		options.Accounts = append(options.Accounts, account)
	}
	for name, setting := range map[string]string{"durability": "durability", "cors": "permissiveCORS"} {
		if given(flags, name) {
			options.Overrides = append(options.Overrides, setting)
		}
	}
	if data.storage != nil {
		options.SetDurability = data.changeDurability
	}
	h := control.New(db, service, options)
	return h, h.Close
}

// build returns the version of this program, as Go's build noted it.
func build() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return info.Main.Version
}

// announce says where the control API is, once that is known.
func (f *controlFlags) announce(w io.Writer, scheme string, at net.Addr) {
	if f.on {
		fmt.Fprintf(w, "Control API: %s://%s/_sandtable/status?token=%s\n", scheme, at, f.token)
	}
}
