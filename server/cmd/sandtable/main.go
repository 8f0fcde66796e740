//go:build !js

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"sandtable/engine"
	"sandtable/engine/boltstorage"
)

// command is a subcommand. It runs until it is done or ctx is.
type command struct {
	name  string
	usage string
	run   func(ctx context.Context, args []string, stdout, stderr io.Writer) error
}

var commands = []command{
	{"web", "serve the web app: tables in the browser, with nothing but files behind it", runWeb},
	{"serve", "answer the Table service REST API natively", runServe},
	{"salvage", "make a store anew from what can be read of its files", runSalvage},
	{"dump", "write a store, or an account of it, as JSON Lines", runDump},
	{"load", "put what dump wrote into a store", runLoad},
	{"verify", "say what is not as it should be in a store, and change nothing", runVerify},
	{"compact", "make a store and its files as small as they can be", runCompact},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// Exit codes, of all commands alike. It is a failure not to know whether there
// is damage.
const (
	exitDone    = 0
	exitDamaged = 1
	exitFailed  = 2
)

// exitCodes says them to the user.
const exitCodes = "exit codes: 0 it is done, 1 the store is damaged or something of it is lost, 2 it could not be done"

// run returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) == 2 && args[0] == "help" {
		args = []string{args[1], "-h"}
	}
	for _, c := range commands {
		if len(args) == 0 || args[0] != c.name {
			continue
		}
		err := c.run(ctx, args[1:], stdout, stderr)
		switch {
		case err == nil, errors.Is(err, flag.ErrHelp):
			return exitDone
		case errors.Is(err, errUsage):
			return exitFailed // the flag package has said what is wrong
		}
		fmt.Fprintf(stderr, "sandtable %s: %v\n", c.name, err)
		switch {
		case errors.Is(err, context.Canceled):
			fmt.Fprintln(stderr, "It was stopped before it was done; run it again to finish.")
		case errors.Is(err, boltstorage.ErrInUse):
			fmt.Fprintln(stderr, "Stop that process; or ask it: a \"sandtable serve -control\" can dump, load, verify and compact its store (docs/control.md).")
		case errors.Is(err, engine.ErrCorrupt):
			return exitDamaged
		}
		return exitFailed
	}
	if len(args) > 0 && !asksForHelp(args[0]) {
		fmt.Fprintf(stderr, "sandtable: there is no command %q\n", args[0])
	}
	fmt.Fprintln(stderr, "usage: sandtable COMMAND [flags]")
	for _, c := range commands {
		fmt.Fprintf(stderr, "  %-8s %s\n", c.name, c.usage)
	}
	fmt.Fprintln(stderr, exitCodes)
	if len(args) > 0 && asksForHelp(args[0]) {
		return exitDone
	}
	return exitFailed
}

func asksForHelp(arg string) bool {
	return arg == "help" || arg == "-h" || arg == "-help" || arg == "--help"
}

// errUsage is a command line that the flag package refused.
var errUsage = errors.New("wrong command line")

// parse reads a command's flags; a command takes nothing else.
func parse(flags *flag.FlagSet, args []string) error {
	flags.Usage = func() {
		fmt.Fprintf(flags.Output(), "usage: %s [flags]\n", flags.Name())
		flags.PrintDefaults()
		fmt.Fprintln(flags.Output(), exitCodes)
	}
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return err
	} else if err != nil {
		return errUsage
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(flags.Output(), "unexpected argument %q\n", flags.Arg(0))
		return errUsage
	}
	return nil
}
