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

// run returns the exit code: 0, 1 for a failure, 2 for a wrong command line.
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
			return 0
		case errors.Is(err, errUsage):
			return 2 // the flag package has said what is wrong
		}
		fmt.Fprintf(stderr, "sandtable %s: %v\n", c.name, err)
		if other := (*exitError)(nil); errors.As(err, &other) {
			return other.code
		}
		return 1
	}
	fmt.Fprintln(stderr, "usage: sandtable COMMAND [flags]")
	for _, c := range commands {
		fmt.Fprintf(stderr, "  %-8s %s\n", c.name, c.usage)
	}
	if len(args) > 0 && (args[0] == "help" || args[0] == "-h" || args[0] == "--help") {
		return 0
	}
	return 2
}

// errUsage is a command line that the flag package refused.
var errUsage = errors.New("wrong command line")

// exitError is an error with an exit code of its own.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }

func (e *exitError) Unwrap() error { return e.err }

// parse reads a command's flags; a command takes nothing else.
func parse(flags *flag.FlagSet, args []string) error {
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
