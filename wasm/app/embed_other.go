//go:build !js

package main

import (
	"os"
	"path/filepath"
)

// generateEmbed makes the files that other people's sites copy: the module for
// their pages with its types, the worker, and the engine that it loads.
func generateEmbed(in sources) (site, error) {
	s := site{}
	engine, exec, err := s.addProgram(in)
	if err != nil {
		return nil, err
	}
	worker, err := embedWorkerScript(in.worker, engine, exec)
	if err != nil {
		return nil, err
	}
	client, err := clientModule(in.worker)
	if err != nil {
		return nil, err
	}
	s["sandtable-worker.js"] = []byte(worker)
	s["sandtable.js"] = []byte(client)
	return s, s.finishClient(in, "sandtable.d.ts", "README.md")
}

// generateNode makes the files that programs of Node.js import.
func generateNode(in sources) (site, error) {
	s := site{}
	engine, exec, err := s.addProgram(in)
	if err != nil {
		return nil, err
	}
	module, err := nodeModule(in.worker, engine, exec)
	if err != nil {
		return nil, err
	}
	s["node.js"] = []byte(module)
	return s, s.finishClient(in, "node.d.ts")
}

// addProgram adds the engine, and returns its name and Go's loader for it.
func (s site) addProgram(in sources) (name string, exec []byte, err error) {
	if name, err = s.addHashed("engine.wasm", in.engine); err != nil {
		return "", nil, err
	}
	exec, err = os.ReadFile(in.exec)
	return name, exec, err
}

// finishClient adds files of the client as they are, and the version to all.
func (s site) finishClient(in sources, names ...string) (err error) {
	for _, name := range names {
		if s[name], err = os.ReadFile(filepath.Join(in.worker, "client", name)); err != nil {
			return err
		}
	}
	s.stamp()
	return nil
}
