//go:build unix

package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
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

// TestDrain: after a signal the server is not ready but still answers, until -drain is
// over or another signal comes.
func TestDrain(t *testing.T) {
	for _, c := range []struct {
		name, drain string
		again       bool
	}{
		{"it is over", "500ms", false},
		{"another signal", "10m", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := startChild(t, "", "-drain", c.drain)
			health := func() (int, string) {
				response, err := server.client.Get(strings.TrimSuffix(server.endpoint, "/devstoreaccount1") + "/_sandtable/health/ready")
				if err != nil {
					t.Fatal(err)
				}
				defer response.Body.Close()
				text, _ := io.ReadAll(response.Body)
				return response.StatusCode, string(text)
			}
			if status, text := health(); status != 200 {
				t.Fatal(status, text)
			}
			signal := func() {
				if err := server.command.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
			}
			signal()
			status, text := health()
			for ; status == 200; status, text = health() { // until the signal arrives
			}
			if status != 503 || text != "stopping\n" {
				t.Errorf("the readiness is %d %q", status, text)
			}
			server.want(200, "GET", "/Tables", "")
			if c.again {
				signal()
			}
			err := server.command.Wait()
			server.ended = true
			if err != nil || server.stderr.Len() > 0 {
				t.Errorf("it ended with %v and printed %q", err, &server.stderr)
			}
		})
	}
}
