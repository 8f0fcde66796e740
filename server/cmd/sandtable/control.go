//go:build !js

package main

import (
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"

	"sandtable/engine"
	"sandtable/server"
	"sandtable/server/control"
	"sandtable/server/message"
)

// controlFlags are the flags of the control API.
type controlFlags struct {
	on     bool
	remote bool
	token  string
	random bool // whether check created the token
}

func (f *controlFlags) register(flags *flag.FlagSet) {
	flags.BoolVar(&f.on, "control", false, "also answer the control API under /_sandtable/, for this machine only and with a token\n(see docs/control.md)")
	flags.BoolVar(&f.remote, "control-remote", false, "let other machines use the control API, too: with -tls, or with a token that you chose")
	flags.StringVar(&f.token, "control-token", "", "the `token` of the control API, at least 16 characters (default $"+tokenVariable+",\nwhich does not show in a list of processes, or a random one, which is printed)")
}

// minToken is the minimum length of a token: guessing it reveals all keys.
const minToken = 16

// tokenVariable is the environment variable of the token. All users of a machine
// can read its command lines.
const tokenVariable = "SANDTABLE_CONTROL_TOKEN"

// check creates the token and refuses a control API that other machines could reach,
// unless -control-remote is set. Without TLS the token crosses the network in the
// clear, so it must be one that the user chose.
func (f *controlFlags) check(addr string, encrypted bool) error {
	source := "-control-token"
	if f.on && f.token == "" {
		f.token, source = os.Getenv(tokenVariable), tokenVariable
	}
	switch {
	case !f.on && f.remote:
		return errors.New("-control-remote needs -control")
	case !f.on && f.token == "":
		return nil
	case !f.on:
		return errors.New("-control-token needs -control")
	case !isLoopback(addr) && !f.remote:
		return fmt.Errorf("-control needs a server that only this machine can reach: set -addr to 127.0.0.1, [::1] or localhost, not %q, or add -control-remote", addr)
	case f.remote && !encrypted && f.token == "":
		return errors.New("-control-remote needs -tls, -tls-cert, or a token in -control-token or $" + tokenVariable)
	case f.token == "":
		f.token, f.random = rand.Text(), true
	case len(f.token) < minToken:
		return fmt.Errorf("%s must have at least %d characters", source, minToken)
	}
	return nil
}

// handler returns the service's handler, wrapped in the control API if that is on,
// and a function that ends its event responses.
func (f *controlFlags) handler(db *engine.DB, service server.Options, options control.Options) (handler message.Handler, stop func()) {
	if !f.on {
		return server.New(db, service), func() {}
	}
	options.Token, options.AnyHost, options.Build = f.token, f.remote, version()
	h := control.New(db, service, options)
	return h, h.Close
}

// announce prints the address of the control API, with a token that nobody knows yet.
func (f *controlFlags) announce(w io.Writer, scheme string, at net.Addr) {
	if !f.on {
		return
	}
	query := ""
	if f.random {
		query = "?token=" + f.token
	}
	fmt.Fprintf(w, "Control API: %s://%s/_sandtable/status%s\n", scheme, reachable(at), query)
}
