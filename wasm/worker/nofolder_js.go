//go:build !node

package main

import (
	"errors"
	"syscall/js"

	"sandtable/engine"
)

var errInUse = errors.New("the folder is in use")

// openFolder keeps tables in memory: only the engine for Node.js stores them in
// files (folder_js.go), so that visitors do not download what does.
func openFolder(script js.Value, _ engine.Durability) (store, error) {
	if script.Get("folder").String() != "" {
		return store{}, errors.ErrUnsupported
	}
	return inMemory(), nil
}
