//go:build !js

package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"sandtable/server/metrics"
)

// healthTime limits how long the store may take to answer until a server counts as not
// ready. Requests do not wait longer for a connection to a database.
const healthTime = 2 * time.Second

// monitorFlags say what programs that watch the server can read.
type monitorFlags struct{ metrics bool }

func (f *monitorFlags) register(flags *flag.FlagSet) {
	flags.BoolVar(&f.metrics, "metrics", false, "also answer metrics for Prometheus, under /_sandtable/metrics")
}

// monitor answers the paths for programs that watch the server, and leaves all
// others to a handler. Stopping is done when the server is about to stop, so that
// a load balancer sends no more requests.
func monitor(next http.Handler, ready func(context.Context) error, stopping context.Context, recorder *metrics.Recorder) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead
		switch path := r.URL.Path; {
		case reads && path == "/_sandtable/health/live":
			answerHealth(w, "")
		case reads && (path == "/_sandtable/health" || path == "/_sandtable/health/ready"):
			answerHealth(w, problemOf(r.Context(), ready, stopping))
		case reads && path == "/_sandtable/metrics" && recorder != nil:
			w.Header().Set("Content-Type", metrics.ContentType)
			recorder.Write(w)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// problemOf returns why the server is not ready, or "". It is public, so it does not
// reveal where the data is.
func problemOf(ctx context.Context, ready func(context.Context) error, stopping context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	if stopping.Err() != nil {
		return "stopping"
	}
	result := make(chan error, 1)
	go func() { result <- ready(ctx) }()
	select {
	case err := <-result:
		if err == nil {
			return ""
		}
	case <-ctx.Done(): // a database that does not answer takes longer to give up
	}
	return "the store is not available"
}

// answerHealth answers 200, or 503 with what the problem is.
func answerHealth(w http.ResponseWriter, problem string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if problem == "" {
		io.WriteString(w, "ok\n")
		return
	}
	w.WriteHeader(http.StatusServiceUnavailable)
	io.WriteString(w, problem+"\n")
}

// runHealth asks a running server whether it is ready: for containers without
// another program to do so.
func runHealth(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("sandtable health", flag.ContinueOnError)
	flags.SetOutput(stderr)
	url := flags.String("url", "http://127.0.0.1:10002", "the `address` of the server")
	if err := parse(flags, args); err != nil {
		return err
	}
	if !strings.Contains(*url, "://") {
		*url = "http://" + *url
	}
	ctx, cancel := context.WithTimeout(ctx, healthTime+time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(*url, "/")+"/_sandtable/health/ready", nil)
	if err != nil {
		return usageError{err}
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxLogged))
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", response.Status, oneLine(strings.TrimSpace(string(text))))
	}
	fmt.Fprintln(stdout, "ready")
	return nil
}
