//go:build !js

package main

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"sandtable/web"
)

// folders collects -out.
type folders []string

// String implements [flag.Value].
func (f *folders) String() string { return strings.Join(*f, " ") }

// Set adds one folder.
func (f *folders) Set(name string) error {
	*f = append(*f, name)
	return nil
}

func main() {
	var in sources
	var out, packed, embed, node folders
	flag.StringVar(&in.engine, "engine", "", "the worker's WebAssembly `file`")
	flag.StringVar(&in.nodeEngine, "node-engine", "", "the WebAssembly `file` for Node.js: the worker's, built with -tags node")
	flag.StringVar(&in.app, "app", "", "the page's WebAssembly `file`")
	flag.StringVar(&in.exec, "exec", "", "the `file` wasm_exec.js of the compiler that built both")
	flag.StringVar(&in.worker, "worker", "wasm/js", "the `folder` of the worker's script")
	flag.StringVar(&in.assets, "assets", "web/assets", "the `folder` of styles and images, served as /web")
	flag.StringVar(&in.lessons, "lessons", "web/lesson/lessons", "the `folder` of the lessons")
	flag.Var(&out, "out", "a `folder` to write the web app to, repeatable")
	flag.Var(&packed, "packed", "a `folder` to write it to compressed, for bin/sandtable, repeatable")
	flag.Var(&embed, "embed", "a `folder` to write the files for embedding sites to, repeatable")
	flag.Var(&node, "node", "a `folder` to write the files for Node.js to, repeatable")
	best := flag.Bool("best", false, "pack as small as possible, for a release: takes a minute")
	flag.Parse()
	web.Routes()
	if err := run(in, out, packed, embed, node, *best); err != nil {
		fmt.Fprintln(os.Stderr, "app:", err)
		os.Exit(1)
	}
}

func run(in sources, out, packed, embed, node folders, best bool) error {
	app, err := generate(in, web.Handler(version))
	if err != nil {
		return err
	}
	if err := writeAll(app, out); err != nil {
		return err
	}
	for _, folder := range packed {
		previous, quality := fs.FS(os.DirFS(folder)), fastBrotli
		if best {
			previous, quality = noFiles{}, bestBrotli // an earlier build may be packed fast
		}
		files, err := app.pack(previous, quality)
		if err != nil {
			return err
		}
		if err := writeAll(files, folders{folder}); err != nil {
			return err
		}
	}
	files, err := generateEmbed(in)
	if err != nil {
		return err
	}
	if err := writeAll(files, embed); err != nil {
		return err
	}
	if len(node) == 0 {
		return nil
	}
	if files, err = generateNode(in); err != nil {
		return err
	}
	return writeAll(files, node)
}

// noFiles is an empty folder.
type noFiles struct{}

// Open implements [fs.FS].
func (noFiles) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

func writeAll(files site, out folders) error {
	for _, folder := range out {
		if err := files.write(folder); err != nil {
			return fmt.Errorf("write %s: %w", folder, err)
		}
	}
	return nil
}
