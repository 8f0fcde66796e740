//go:build !js

package main

import (
	"os"
	"path/filepath"
)

// generateEmbed builds the files that embedding sites copy: the module for their
// pages with its types, the worker, the engine that it loads, the elements, the
// sandbox and the explorer.
func generateEmbed(in sources) (site, error) {
	scripts := map[string]script{"sandtable-worker.js": embedWorker, "sandtable.js": pageModule, "elements.js": elementsModule}
	s, err := in.client(scripts, "sandtable.d.ts", "error.d.ts", "events.d.ts", "sandbox.d.ts", "snapshot.d.ts", "testing.d.ts", "elements.d.ts", "README.md")
	if err != nil {
		return nil, err
	}
	if err := s.addSandbox(in, embeddedSandbox); err != nil {
		return nil, err
	}
	s.addPolicy(embeddedSandbox)
	if err := s.addEditor(in); err != nil {
		return nil, err
	}
	if err := s.addExplorer(in); err != nil {
		return nil, err
	}
	s.stamp()
	return s, nil
}

// generateNode builds the files that Node.js programs import.
func generateNode(in sources) (site, error) {
	in.engine = in.nodeEngine
	s, err := in.client(map[string]script{"node.js": nodeModule}, "node.d.ts")
	if err == nil {
		s.stamp()
	}
	return s, err
}

// client returns the engine, bundled scripts by name, and files of the client as
// they are.
func (in sources) client(scripts map[string]script, names ...string) (site, error) {
	s := site{}
	engine, err := s.addHashed(filepath.Base(in.engine), in.engine)
	if err != nil {
		return nil, err
	}
	for name, script := range scripts {
		if s[name], err = script.bundle(in, engine); err != nil {
			return nil, err
		}
	}
	for _, name := range names {
		if s[name], err = os.ReadFile(filepath.Join(in.worker, "client", name)); err != nil {
			return nil, err
		}
	}
	return s, nil
}
