//go:build !js

package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// shutdownTime is how long requests under way may take after a signal to stop.
const shutdownTime = 5 * time.Second

// listen takes an address, which is the user's -addr. Who asks waits until it is
// served.
func listen(addr string) (net.Listener, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("%w\n-addr names another address to listen on; with port 0 a free one is found", err)
	}
	return listener, nil
}

// serve answers requests until ctx is done, and then ends those under way.
// Before the first it calls started with the address that it listens on. It
// speaks HTTPS if it has a configuration, else HTTP.
func serve(ctx context.Context, listener net.Listener, secure *tls.Config, handler http.Handler, started func(net.Addr)) error {
	listener = steadyListener{listener}
	if secure != nil {
		listener = tls.NewListener(listener, secure)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		end, cancel := context.WithTimeout(context.Background(), shutdownTime)
		defer cancel()
		err := server.Shutdown(end)
		if errors.Is(err, context.DeadlineExceeded) {
			err = server.Close() // such as a connection that a browser keeps for later
		}
		stopped <- err
	}()
	started(listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}
