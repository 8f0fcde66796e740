//go:build unix

package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestSignals: each signal that asks a program to end stops the server in order.
func TestSignals(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(signal.String(), func(t *testing.T) {
			ready := filepath.Join(t.TempDir(), "ready")
			c := startChild(t, "", "-ready-file", ready)
			c.want(200, "GET", "/Tables", "")
			if err := c.command.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			err := c.command.Wait()
			c.ended = true
			if err != nil || c.stderr.Len() > 0 {
				t.Errorf("it ended with %v and printed %q", err, &c.stderr)
			}
			if _, err := os.Stat(ready); !os.IsNotExist(err) {
				t.Errorf("the ready file: %v", err)
			}
		})
	}
}
