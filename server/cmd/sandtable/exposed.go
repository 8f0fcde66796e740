//go:build !js

package main

import (
	"encoding/base64"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"sandtable/engine"
	"sandtable/server"
)

// openToAll returns why everybody who reaches the server can read and write, "" if not:
// requests need no signature, or one with the well-known key. It is about the accounts
// at the start; later ones are not seen.
func (f *serveFlags) openToAll(accounts []engine.Account) string {
	if f.open {
		return "because of -open, everybody who reaches this server can read and change all tables."
	}
	for _, a := range accounts {
		if slices.ContainsFunc(a.Keys[:], isWellKnown) {
			return fmt.Sprintf("everybody knows the key of %[1]s, so everybody who reaches this server can read and change its tables.\n"+
				"Set another key with -account %[1]s:BASE64KEY or in $%[2]s.", a.Name, accountsVariable)
		}
	}
	return ""
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
