//go:build !js

package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// readyFlag is a file that exists while the server accepts requests.
type readyFlag struct{ path string }

func (f *readyFlag) register(flags *flag.FlagSet) {
	flags.StringVar(&f.path, "ready-file", "", "a `file` to write once the server answers, with its address and the connection strings,\nand to remove when it stops")
}

// write creates the file atomically, so that a reader never sees a part of it. The
// connection strings contain keys, so only the owner may read it.
func (f *readyFlag) write(lines []string) error {
	if f.path == "" {
		return nil
	}
	temporary, err := os.CreateTemp(filepath.Dir(f.path), filepath.Base(f.path)+".part-*")
	if err != nil {
		return fmt.Errorf("-ready-file: %w", err)
	}
	_, err = temporary.WriteString(strings.Join(lines, "\n") + "\n")
	if closed := temporary.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(temporary.Name(), f.path)
	}
	if err != nil {
		os.Remove(temporary.Name())
		return fmt.Errorf("-ready-file: %w", err)
	}
	return nil
}

// remove removes the file, including one left by a killed process.
func (f *readyFlag) remove() {
	if f.path != "" {
		os.Remove(f.path)
	}
}
