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

	"sandtable/engine"
	"sandtable/engine/filestorage"
)

// command is a subcommand. It runs until it is done or ctx is.
type command struct {
	name  string
	usage string
	run   func(ctx context.Context, args []string, stdout, stderr io.Writer) error
}

var commands = []command{
	{"web", "serve the web app, whose tables are in the browser", runWeb},
	{"serve", "serve the Table service REST API", runServe},
	{"salvage", "make a new store from what can be read of a corrupt one", runSalvage},
	{"dump", "write a store, or one account of it, as JSON Lines", runDump},
	{"load", "load what dump wrote", runLoad},
	{"verify", "check the whole store and print one line per problem", runVerify},
	{"compact", "make a store and its files as small as possible", runCompact},
	{"copy", "copy tables from any endpoint or store to any other", runCopy},
	{"compare", "send the same requests to two endpoints and print how the responses differ", runCompare},
	{"health", "ask a running server whether it is ready", runHealth},
	{"lessons", "check lessons, or pack them into the file that pages fetch", runLessons},
	{"version", "print the version of this program", runVersion},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), stopSignals()...)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run runs a command and returns its exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) == 2 && args[0] == "help" {
		args = []string{args[1], "-h"}
	}
	if len(args) == 1 && (args[0] == "-version" || args[0] == "--version") {
		args = []string{"version"}
	}
	for _, c := range commands {
		if len(args) > 0 && args[0] == c.name {
			return report(c.name, c.run(ctx, args[1:], stdout, stderr), stderr)
		}
	}
	help := len(args) > 0 && isHelp(args[0])
	if len(args) > 0 && !help {
		fmt.Fprintf(stderr, "sandtable: unknown command %q; \"sandtable help\" lists the commands\n", args[0])
		return exitFailure
	}
	fmt.Fprintln(stderr, "usage: sandtable COMMAND [flags]")
	for _, c := range commands {
		fmt.Fprintf(stderr, "  %-8s %s\n", c.name, c.usage)
	}
	fmt.Fprintln(stderr, "\"sandtable help COMMAND\" lists the flags of a command")
	fmt.Fprintln(stderr, exitCodes)
	if help {
		return exitSuccess
	}
	return exitFailure
}

// report prints a command's error and returns the exit code.
func report(command string, err error, stderr io.Writer) int {
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return exitSuccess
	}
	fmt.Fprintf(stderr, "sandtable %s: %s\n", command, harmless(err.Error())) // it may quote another endpoint's answer, or a file
	switch {
	case errors.Is(err, errUsage):
		fmt.Fprintf(stderr, "\"sandtable help %s\" lists the flags\n", command)
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "Interrupted. Run it again to finish.")
	case errors.Is(err, filestorage.ErrInUse):
		fmt.Fprintln(stderr, "Stop that process, or use its control API: a \"sandtable serve -control\" can dump, load, verify and compact its store (docs/control.md).")
	case errors.Is(err, engine.ErrCorrupt), errors.Is(err, errDifferent):
		return exitCorrupt
	}
	return exitFailure
}
