//go:build !js

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// Exit codes of all commands.
const (
	exitSuccess = 0
	exitCorrupt = 1
	exitFailure = 2 // even if the store may be corrupt
)

const exitCodes = "exit codes: 0 success, 1 corruption or data loss, 2 any other error"

// errUsage marks a wrong command line.
var errUsage = errors.New("wrong command line")

// usageError means that the command line is wrong.
type usageError struct{ error }

func (usageError) Is(target error) bool { return target == errUsage }

// parse reads a command's flags; a command takes no other arguments.
func parse(flags *flag.FlagSet, args []string) error {
	output := flags.Output()
	flags.SetOutput(io.Discard) // report prints one line instead
	flags.Usage = func() {}
	err := flags.Parse(args)
	flags.SetOutput(output)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintf(output, "usage: %s [flags]\n", flags.Name())
		flags.PrintDefaults()
		fmt.Fprintln(output, exitCodes)
		return err
	case err != nil:
		return usageError{err}
	case flags.NArg() > 0:
		return usageError{fmt.Errorf("unexpected argument %q", flags.Arg(0))}
	}
	return nil
}

// stopSignals are the signals that ask the program to end.
func stopSignals() []os.Signal {
	if signal.Ignored(syscall.SIGHUP) { // as under nohup
		return []os.Signal{os.Interrupt, syscall.SIGTERM}
	}
	return []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
}

func isHelp(arg string) bool {
	return arg == "help" || arg == "-h" || arg == "-help" || arg == "--help"
}
