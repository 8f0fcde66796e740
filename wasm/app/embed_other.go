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
	engine, err := s.addHashed("engine.wasm", in.engine)
	if err != nil {
		return nil, err
	}
	exec, err := os.ReadFile(in.exec)
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
	for _, name := range []string{"sandtable.d.ts", "README.md"} {
		if s[name], err = os.ReadFile(filepath.Join(in.worker, "client", name)); err != nil {
			return nil, err
		}
	}
	s.stamp()
	return s, nil
}

// generateNode makes the files that programs of Node.js import.
func generateNode(in sources) (site, error) {
	s := site{}
	engine, err := s.addHashed("engine.wasm", in.engine)
	if err != nil {
		return nil, err
	}
	exec, err := os.ReadFile(in.exec)
	if err != nil {
		return nil, err
	}
	module, err := nodeModule(in.worker, engine, exec)
	if err != nil {
		return nil, err
	}
	s["node.js"] = []byte(module)
	if s["node.d.ts"], err = os.ReadFile(filepath.Join(in.worker, "client", "node.d.ts")); err != nil {
		return nil, err
	}
	s.stamp()
	return s, nil
}
