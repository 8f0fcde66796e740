//go:build !js

package main

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"time"

	"sandtable/server"
	"sandtable/server/nethttp"
)

// shutdownTime limits how long running requests may take after a signal to stop.
const shutdownTime = 5 * time.Second

// networkFlags define who may connect, and how.
type networkFlags struct {
	addr           string
	hosts          []string
	proxies        []netip.Prefix
	maxConnections int
}

// register adds the flags to a command's.
func (f *networkFlags) register(flags *flag.FlagSet) {
	flags.StringVar(&f.addr, "addr", "127.0.0.1:10002", "`address` to listen on; port 0 picks a free one")
	flags.IntVar(&f.maxConnections, "max-connections", 1000, "limit of open `connections`; more wait")
	flags.Func("host", "another host `name` to accept, repeatable. A server that only this machine can reach\naccepts just loopback addresses, localhost, *.localhost, host.docker.internal and the hosts\nof the Table service; one that others reach, with -open or the well-known key, also accepts addresses,\n*.internal, *.local and names without a dot", func(name string) error {
		host, err := hostName(name)
		f.hosts = append(f.hosts, host)
		return err
	})
	flags.Func("trusted-proxy", "the `network` of a proxy, such as 10.0.0.0/8, repeatable: its X-Forwarded-Proto and\nX-Forwarded-For headers are trusted, no others are", func(text string) error {
		prefix, err := netip.ParsePrefix(text)
		if ip, ipErr := netip.ParseAddr(text); ipErr == nil {
			prefix, err = netip.PrefixFrom(ip, ip.BitLen()), nil
		}
		if prefix.Addr().Is4In6() { // contains no address
			err = errors.New("write an IPv4 network as 10.0.0.0/8")
		}
		f.proxies = append(f.proxies, prefix)
		return err
	})
}

func (f *networkFlags) check() error {
	if f.maxConnections < 1 {
		return errors.New("-max-connections must be at least 1")
	}
	return nil
}

// hostName returns the name under which requests for a host are compared: in lower case
// and without a port, brackets or a final dot.
func hostName(text string) (string, error) {
	name := strings.ToLower(text)
	if _, err := netip.ParseAddr(name); err == nil {
		name = "[" + name + "]" // the end of an IPv6 address looks like a port
	}
	name = strings.TrimSuffix((&url.URL{Host: name}).Hostname(), ".")
	_, notIP := netip.ParseAddr(name)
	if notIP != nil && (strings.Contains("."+name+".", "..") || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789.-_") != "") {
		return "", errors.New("want a host name such as tables.example.com: no wildcard, and no scheme or path (xn-- names for other letters)")
	}
	return name, nil
}

// connections returns how many connections may be open at a time. Half of what the
// process may open is for the store: when it cannot open a file that it needs, it
// refuses all writes until a restart.
func (f *networkFlags) connections(stderr io.Writer) int {
	most := max(openFiles()/2, 1)
	if most >= f.maxConnections {
		return f.maxConnections
	}
	fmt.Fprintf(stderr, "At most %d connections at a time, because this process may open %d files (see \"ulimit -n\").\n", most, openFiles())
	return most
}

// dockerHost is the name of this machine inside its containers. Names under .internal
// cannot be registered, so no page can come from one.
//
// Source: "Explore networking features on Docker Desktop".
const dockerHost = "host.docker.internal"

// protect wraps a handler in the checks that the flags request. If the server is exposed
// (see openToAll), a web page whose own name was made to point here must not get in,
// also when other machines reach it. If it is not, they may use any name for it.
func (f *networkFlags) protect(h http.Handler, at net.Addr, exposed bool) http.Handler {
	if len(f.proxies) > 0 {
		h = nethttp.TrustProxies(h, f.proxies)
	}
	reached := !isLoopback(at.String()) && len(f.hosts) == 0
	if reached && !exposed {
		return h
	}
	allowed := map[string]bool{dockerHost: true}
	for _, name := range f.hosts {
		allowed[name] = true
	}
	if host, _, err := net.SplitHostPort(f.addr); err == nil {
		allowed[strings.ToLower(host)] = true
	}
	return nethttp.OnlyHosts(h, func(host string) bool {
		return allowed[host] || server.IsServiceHost(host) || reached && isLocalName(host)
	})
}

// isLoopback reports whether only this machine can reach an address to listen on,
// with its port. A name other than localhost may resolve to any address.
func isLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// reachable returns an address at which this machine reaches a listener: 127.0.0.1
// for one on all addresses.
func reachable(at net.Addr) string {
	host, port, err := net.SplitHostPort(at.String())
	if ip := net.ParseIP(host); err == nil && ip.IsUnspecified() {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return at.String()
}

// listen opens the address of -addr. Connections wait until it is served.
func listen(addr string) (net.Listener, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("%w\nset -addr to another address; port 0 picks a free one", err)
	}
	return listener, nil
}

// maxHeader is how many bytes the target and the headers of a request may have. They
// are read before anything is known about who sends them.
const maxHeader = 64 << 10

// afterDrain returns a context that is done a while after ctx, or when the process gets
// another signal to stop.
func afterDrain(ctx context.Context, drain time.Duration) (ending context.Context, end context.CancelFunc) {
	if drain == 0 {
		return context.WithCancel(ctx)
	}
	ending, end = context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() {
		defer end()
		again := make(chan os.Signal, 1)
		signal.Notify(again, stopSignals()...)
		defer signal.Stop(again)
		select {
		case <-time.After(drain):
		case <-again:
		case <-ending.Done():
		}
	})
	return ending, end
}

// serve calls started with its address and serves requests until ctx is done, then
// lets running ones finish. It uses HTTPS if there is a configuration. Errors of
// single connections go to errorLog, if set.
func serve(ctx context.Context, listener net.Listener, secure *tls.Config, handler http.Handler, errorLog *log.Logger, started func(net.Addr)) error {
	listener = nethttp.WriteTimeoutListener(listener)
	if secure != nil {
		listener = tls.NewListener(listener, secure)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: maxHeader, ErrorLog: errorLog}
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		end, cancel := context.WithTimeout(context.Background(), shutdownTime)
		defer cancel()
		err := server.Shutdown(end)
		if errors.Is(err, context.DeadlineExceeded) {
			err = server.Close() // may be an idle connection of a browser
		}
		stopped <- err
	}()
	started(listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}
