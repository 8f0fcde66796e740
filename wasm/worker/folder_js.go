//go:build node

package main

import (
	"syscall/js"

	"sandtable/engine"
	"sandtable/engine/filestorage"
)

var errInUse = filestorage.ErrInUse

// openFolder opens a folder, in Node.js.
func openFolder(script js.Value, durability engine.Durability) (store, error) {
	folder := script.Get("folder").String()
	if folder == "" {
		return inMemory(), nil
	}
	storage, err := filestorage.Open(folder, filestorage.Options{Durability: durability})
	if err != nil {
		return store{}, err
	}
	// A crashed engine releases nothing while its process lives on, so the script
	// removes this file then.
	script.Call("owns", storage.OwnerFile())
	return store{
		storage: storage, kind: "file", durability: durability, identity: func() string { return folder },
		setDurability: storage.SetDurability,
	}, nil
}
