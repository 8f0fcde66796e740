//go:build unix

package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

//go:embed page.html
var page []byte

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: browsertest test.wasm [flags of the test]")
		os.Exit(2)
	}
	code, err := run(os.Args[1], os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "browsertest:", err)
		code = 2
	}
	os.Exit(code)
}

// run runs the test in a browser and returns its exit code.
func run(wasm string, args []string) (int, error) {
	browser, err := find(os.Getenv("BROWSER"))
	if err != nil {
		return 0, err
	}
	script, err := wasmExec()
	if err != nil {
		return 0, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	exit := make(chan int, 1)
	go func() { _ = http.Serve(listener, handler(wasm, script, args, environment(browser.name), exit)) }()

	profile, err := os.MkdirTemp("", "browsertest")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(profile)
	// go test ends an overdue test with SIGQUIT: the browser must end too.
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT)
	defer cancel()
	running, err := browser.start(profile, "http://"+listener.Addr().String()+"/")
	if err != nil {
		return 0, err
	}
	defer running.stop()
	select {
	case code := <-exit:
		return code, nil
	case <-ctx.Done():
		return 0, errStopped
	case err := <-running.ended:
		return 0, fmt.Errorf("%s ended before the test did: %w", browser.name, errors.Join(err, errEnded))
	}
}

var (
	errEnded   = errors.New("browser is gone")
	errStopped = errors.New("stopped by a signal")
)

// wasmExec returns the script of the Go tree in use, which go test puts first in the
// path.
func wasmExec() ([]byte, error) {
	root := os.Getenv("GOROOT")
	if root == "" {
		out, err := exec.Command("go", "env", "GOROOT").Output()
		if err != nil {
			return nil, fmt.Errorf("find the Go tree: %w", err)
		}
		root = strings.TrimSpace(string(out))
	}
	return os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js"))
}

func handler(wasm string, script []byte, args []string, env map[string]string, exit chan<- int) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", content("text/html; charset=utf-8", page))
	mux.HandleFunc("GET /wasm_exec.js", content("text/javascript", script))
	mux.HandleFunc("GET /test.wasm", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/wasm")
		http.ServeFile(w, r, wasm)
	})
	mux.HandleFunc("GET /options", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"args": args, "env": env})
	})
	mux.HandleFunc("POST /output", func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(os.Stdout, r.Body)
	})
	mux.HandleFunc("POST /exit", func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		code, err := strconv.Atoi(string(text))
		if err != nil {
			code = 2
		}
		select {
		case exit <- code:
		default: // the first one counts
		}
	})
	return mux
}

func content(mime string, text []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", mime)
		_, _ = w.Write(text)
	}
}

// environment returns the variables to pass to the test: a browser has none, and the
// limit for a wasm program's environment is small.
func environment(browser string) map[string]string {
	env := map[string]string{"BROWSER": browser, "HOST": runtime.GOOS}
	for _, pair := range os.Environ() {
		if name, value, ok := strings.Cut(pair, "="); ok && strings.HasPrefix(name, "SANDTABLE_") {
			env[name] = value
		}
	}
	return env
}
