//go:build !js

package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
)

// release is set by the linker; see the Makefile.
var release string

// version returns the release or, without one, the commit of this build.
func version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return info.Main.Version
}

// runVersion prints the version.
func runVersion(_ context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("sandtable version", flag.ContinueOnError)
	flags.SetOutput(stderr)
	if err := parse(flags, args); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "sandtable %s (%s, %s/%s)\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}
