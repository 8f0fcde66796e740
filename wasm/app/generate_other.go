//go:build !js

package main

import (
	"fmt"
	"os"
	"path"
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/lesson"
)

// generate makes the web app. It changes the handler.
func generate(in sources, handler *app.Handler) (site, error) {
	s := site{}
	if err := s.addFolder("web", in.assets); err != nil {
		return nil, err
	}
	n := names{loader: "app." + version + ".js"}
	for _, f := range []struct {
		name      *string
		as, among string
	}{{&n.page, "web/app.wasm", in.app}, {&n.engine, "web/engine.wasm", in.engine}, {&n.exec, "web/wasm_exec.js", in.exec}} {
		var err error
		if *f.name, err = s.addHashed(f.as, f.among); err != nil {
			return nil, err
		}
	}
	worker, err := appWorker.bundle(in, n.engine)
	if err != nil {
		return nil, err
	}
	if err := s.addSandbox(in, sandboxFolder); err != nil {
		return nil, err
	}
	if err := s.addVendored(in, "web/js", "codemirror.js"); err != nil {
		return nil, err
	}
	if s["web/js/port.js"], err = portScript.bundle(in, ""); err != nil {
		return nil, err
	}
	handler.Scripts = append(handler.Scripts, "/web/js/port.js")
	if err := s.join(handler); err != nil {
		return nil, err
	}
	s.inlineStyles(handler)
	if s["web/lessons.json"], err = lesson.Pack(os.DirFS(in.lessons)); err != nil {
		return nil, fmt.Errorf("lessons: %w", err)
	}
	handler.WasmContentLength = strconv.Itoa(len(s[n.page]))
	handler.ServiceWorkerTemplate = string(worker)
	if err := s.addPages(handler); err != nil {
		return nil, err
	}
	delete(s, "wasm_exec.js") // go-app's is from another compiler
	s[".nojekyll"] = nil      // GitHub Pages would omit some names
	if err := s.check(handler); err != nil {
		return nil, err
	}
	for name := range s {
		if path.Ext(name) == ".html" {
			n.pages = append(n.pages, name)
		}
	}
	inlined, err := s.inlined(n.pages)
	if err != nil {
		return nil, err
	}
	if err := s.relocate(n, inlined...); err != nil {
		return nil, err
	}
	return s, s.finish(n)
}
