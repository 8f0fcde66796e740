//go:build !js

package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// readyFlag is a file that exists while the server answers requests.
type readyFlag struct{ path string }

func (f *readyFlag) register(flags *flag.FlagSet) {
	flags.StringVar(&f.path, "ready-file", "", "a `file` to write once the server answers, with its address and the connection strings,\nand to remove when it stops")
}

// write writes the lines at once, so that a reader never sees half of them. The
// connection strings have keys: only the owner may read the file.
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

// remove removes the file, also one of an earlier process that was killed.
func (f *readyFlag) remove() {
	if f.path != "" {
		os.Remove(f.path)
	}
}
