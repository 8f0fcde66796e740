//go:build !js

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
)

// azuriteFlags let serve replace Azurite: they accept Azurite's flags, or refuse
// them and name a replacement.
//
// Sources: "Use the Azurite emulator for local Azure Storage development" and the
// README of Azure/Azurite, which list the flags and AZURITE_ACCOUNTS.
type azuriteFlags struct {
	notes []string // remarks on accepted flags
}

// azuriteAlias is another name for one of our flags, with a fixed value if value is
// set.
type azuriteAlias struct{ names, flag, value string }

var azuriteAliases = []azuriteAlias{
	{"location l", "data", ""},
	{"cert", "tls-cert", ""},
	{"key", "tls-key", ""},
	{"silent s", "quiet", "true"},
}

// azuriteNeedless lists flags without an effect, with the reason.
var azuriteNeedless = map[string]string{
	"loose":                  "headers and parameters that Table storage ignores are always ignored",
	"L":                      "headers and parameters that Table storage ignores are always ignored",
	"skipApiVersionCheck":    "every x-ms-version that is a date is accepted",
	"disableTelemetry":       "nothing is ever sent anywhere",
	"disableProductStyleUrl": "a host only names an account that exists",
}

// azuriteInstead lists refused flags, with what to use instead.
var azuriteInstead = map[string]string{
	"blobHost":              "there are only tables: leave it out, and keep Azurite for blobs and queues (azurite-blob, azurite-queue)",
	"tableKeepAliveTimeout": "idle connections stay open for two minutes: leave it out",
	"extentMemoryLimit":     "tables have no extents: leave it out",
	"oauth":                 "bearer tokens are accepted over TLS by accounts that are open: use -tls -open",
	"pwd":                   "use PEM files with -tls-cert and -tls-key: openssl pkcs12 -in FILE.pfx -nodes -out FILE.pem",
	"debug":                 "the log has every request, with the reason if it was refused: leave out -quiet and redirect standard error to a file",
}

func init() {
	for _, name := range []string{"blobPort", "blobKeepAliveTimeout", "queueHost", "queuePort", "queueKeepAliveTimeout"} {
		azuriteInstead[name] = azuriteInstead["blobHost"]
	}
	azuriteInstead["d"] = azuriteInstead["debug"]
}

const azuriteUsage = "as in Azurite: "

func (f *azuriteFlags) register(flags *flag.FlagSet) {
	for _, alias := range azuriteAliases {
		for _, name := range strings.Fields(alias.names) {
			if alias.value != "" {
				flags.BoolFunc(name, azuriteUsage+"-"+alias.flag, func(value string) error { return flags.Set(alias.flag, value) })
				continue
			}
			flags.Func(name, azuriteUsage+"the same as -"+alias.flag, func(value string) error { return flags.Set(alias.flag, value) })
		}
	}
	flags.BoolFunc("inMemoryPersistence", azuriteUsage+"-data \"\"", func(value string) error {
		if value != "true" {
			return nil
		}
		return flags.Set("data", "")
	})
	flags.Func("tableHost", azuriteUsage+"the `host` of -addr", func(host string) error {
		_, port, err := net.SplitHostPort(flags.Lookup("addr").Value.String())
		return errors.Join(err, flags.Set("addr", net.JoinHostPort(host, port)))
	})
	flags.Func("tablePort", azuriteUsage+"the `port` of -addr", func(port string) error {
		host, _, err := net.SplitHostPort(flags.Lookup("addr").Value.String())
		return errors.Join(err, flags.Set("addr", net.JoinHostPort(host, port)))
	})
	for name, why := range azuriteNeedless {
		flags.BoolFunc(name, azuriteUsage+"accepted, without effect", func(string) error {
			f.notes = append(f.notes, fmt.Sprintf("-%s has no effect: %s.", name, why))
			return nil
		})
	}
	for name, instead := range azuriteInstead {
		flags.Func(name, azuriteUsage+"refused, with what to use instead", func(string) error { return errors.New(instead) })
	}
}

func (f *azuriteFlags) explain(w io.Writer) {
	slices.Sort(f.notes)
	for _, note := range slices.Compact(f.notes) {
		fmt.Fprintln(w, note)
	}
}

// accountsVariable is Azurite's environment variable of accounts:
// "name:key1:key2;name:key1", the second key being optional.
const accountsVariable = "AZURITE_ACCOUNTS"

// addFromEnvironment adds the accounts of AZURITE_ACCOUNTS before those of the
// command line, whose keys take precedence.
func (f *accountFlag) addFromEnvironment() error {
	var all accountFlag
	for field := range strings.SplitSeq(os.Getenv(accountsVariable), ";") {
		if field = strings.TrimSpace(field); field == "" {
			continue
		}
		if err := all.add(field); err != nil {
			return fmt.Errorf("%s: %w", accountsVariable, err)
		}
	}
	*f = append(all, *f...)
	return nil
}
