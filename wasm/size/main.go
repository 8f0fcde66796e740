package main

import (
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/andybalholm/brotli"
)

// shown is the number of listed packages.
const shown = 10

func main() {
	promise := flag.Float64("promise", 0, "the `megabytes` of brotli that are promised, 0 for no promise")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: size [-promise megabytes] file.wasm package [more files]")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() < 2 {
		flag.Usage()
		os.Exit(2)
	}
	err := run(os.Stdout, flag.Arg(0), flag.Arg(1), *promise)
	for _, file := range flag.Args()[2:] {
		err = errors.Join(err, printFile(os.Stdout, file))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "size:", err)
		os.Exit(1)
	}
}

// printFile prints what a file weighs that pages load when they need it.
func printFile(out io.Writer, file string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return printSizes(out, file, content, 0)
}

func run(out io.Writer, file, pkg string, promise float64) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	named, packages, err := build(pkg)
	if err != nil {
		return err
	}
	m, err := readModule(named)
	if err != nil {
		return err
	}
	if err := printSizes(out, file, content, promise); err != nil {
		return err
	}
	printWeights(out, m, packages)
	return nil
}

// build compiles a package with names and lists its functions.
func build(pkg string) (content []byte, packages []string, err error) {
	folder, err := os.MkdirTemp("", "sandtable-size")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "named.wasm")
	if _, err := goTool("build", "-trimpath", "-buildvcs=false", "-o", file, pkg); err != nil {
		return nil, nil, err
	}
	list, err := goTool("list", "-deps", pkg)
	if err != nil {
		return nil, nil, err
	}
	content, err = os.ReadFile(file)
	return content, strings.Fields(list), err
}

// goTool runs the Go tool for js/wasm.
func goTool(args ...string) (string, error) {
	command := exec.Command("go", args...)
	command.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w", args[0], err)
	}
	return string(out), nil
}

// counter is a writer that counts.
type counter int

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// printSizes prints a file's size, raw and compressed.
func printSizes(out io.Writer, file string, content []byte, promise float64) error {
	var inGzip, inBrotli counter
	z, err := gzip.NewWriterLevel(&inGzip, gzip.BestCompression)
	if err != nil {
		return err
	}
	b := brotli.NewWriterOptions(&inBrotli, brotli.WriterOptions{Quality: brotli.BestCompression, LGWin: 24})
	for _, w := range []io.WriteCloser{z, b} {
		if _, err := w.Write(content); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "%s: %s raw, %s gzip, %s brotli", filepath.Base(file), megabytes(len(content)), megabytes(int(inGzip)), megabytes(int(inBrotli)))
	if promise > 0 {
		missed := ""
		if float64(inBrotli) > promise*1e6 {
			missed = ", missed"
		}
		fmt.Fprintf(out, " (promise: %.2f MB%s)", promise, missed)
	}
	fmt.Fprintln(out)
	return nil
}

func printWeights(out io.Writer, m module, packages []string) {
	code := 0
	for _, f := range m.functions {
		code += f.size
	}
	weights := weigh(m.functions, packages)
	fmt.Fprintf(out, "  %s  data: types, tables of functions and lines, texts\n", megabytes(m.data))
	fmt.Fprintf(out, "  %s  functions of %d packages; the largest are\n", megabytes(code), len(weights))
	for _, w := range weights[:min(shown, len(weights))] {
		fmt.Fprintf(out, "    %s  %s\n", megabytes(w.size), w.name)
	}
}

func megabytes(n int) string { return fmt.Sprintf("%.2f MB", float64(n)/1e6) }
