//go:build !js

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// listName is the file that lists all others: the next build may delete these.
const listName = "files.json"

// write puts the site into a folder. Unchanged files are not touched, obsolete
// ones of an earlier build are deleted, and all others stay.
func (s site) write(folder string) error {
	old, err := readList(folder)
	if err != nil {
		return err
	}
	for _, name := range old {
		if _, still := s[name]; !still && fs.ValidPath(name) {
			if err := os.Remove(filepath.Join(folder, filepath.FromSlash(name))); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	list, err := json.MarshalIndent(slices.Sorted(maps.Keys(s)), "", "  ")
	if err != nil {
		return err
	}
	for name, content := range s {
		if err := writeFile(folder, name, content); err != nil {
			return err
		}
	}
	return writeFile(folder, listName, append(list, '\n'))
}

func readList(folder string) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(folder, listName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var names []string
	return names, json.Unmarshal(text, &names)
}

func writeFile(folder, name string, content []byte) error {
	file := filepath.Join(folder, filepath.FromSlash(name))
	if old, err := os.ReadFile(file); err == nil && bytes.Equal(old, content) {
		return nil
	}
	if err := os.MkdirAll(filepath.Join(folder, filepath.FromSlash(path.Dir(name))), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, content, 0o644)
}
