//go:build !js

package main

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"

	"sandtable/engine"
	"sandtable/server"
)

// warnKnown prints that everybody who reaches an address can read and write, and
// reports whether that is so: requests need no signature, or one with the well-known
// key. It is about the accounts at the start; later ones are not seen.
func (f *serveFlags) warnKnown(w io.Writer, accounts []engine.Account, addr string) bool {
	known := slices.IndexFunc(accounts, func(a engine.Account) bool { return slices.ContainsFunc(a.Keys[:], isWellKnown) })
	if !f.open && known < 0 {
		return false
	}
	if isLoopback(addr) {
		return true
	}
	if f.open {
		fmt.Fprintf(w, "WARNING: because of -open, everybody who reaches %s can read and change all tables.\n", addr)
	} else {
		name := accounts[known].Name
		fmt.Fprintf(w, "WARNING: everybody knows the key of %[1]s, so everybody who reaches %[2]s can read and change its tables.\nSet another key with -account %[1]s:BASE64KEY or in $%[3]s.\n", name, addr, accountsVariable)
	}
	return true
}

func isWellKnown(key []byte) bool {
	return base64.StdEncoding.EncodeToString(key) == server.WellKnownKey
}

// isLocalName reports whether no foreign web page can come from a host, in lower case
// and without a port: addresses, names without a dot, and names under suffixes that
// cannot be registered. The names of this machine are among them as a rule.
//
// Source: RFC 6761, RFC 6762, and ICANN's reservation of .internal in 2024.
func isLocalName(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil || !strings.Contains(host, ".") || strings.HasSuffix(host, ".internal") || strings.HasSuffix(host, ".local")
}
