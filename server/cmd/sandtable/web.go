//go:build !js

package main

import (
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net"
)

//go:embed all:webapp
var embedded embed.FS

// errNoApp means that the program was built without the web app's files.
var errNoApp = errors.New("built without the web app: run make build")

func runWeb(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("sandtable web", flag.ContinueOnError)
	flags.SetOutput(stderr)
	addr := flags.String("addr", "localhost:8080", "`address` to listen on; port 0 picks a free one")
	if err := parse(flags, args); err != nil {
		return err
	}
	files, err := fs.Sub(embedded, "webapp")
	if err != nil {
		return err
	}
	app, err := newWebApp(files)
	if err != nil {
		return err
	}
	listener, err := listen(*addr)
	if err != nil {
		return err
	}
	return serve(ctx, listener, nil, app, nil, func(at net.Addr) {
		fmt.Fprintln(stdout, "Sandtable is at "+webAddress(*addr, at))
	})
}

// webAddress returns the URL to open. Browsers allow service workers only on https
// and localhost, so a loopback address becomes localhost.
func webAddress(addr string, at net.Addr) string {
	host, port, err := net.SplitHostPort(at.String())
	if err != nil {
		return "http://" + at.String()
	}
	if name, _, err := net.SplitHostPort(addr); err == nil && name == "localhost" || net.ParseIP(host).IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}
