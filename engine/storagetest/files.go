package storagetest

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"sandtable/engine"
)

// tornUnit is the number of bytes that are written atomically.
const tornUnit = 16

// InFolder returns a store whose files are in a folder. Torn writes contain the
// files' bytes in order of position, one file after another, except that each file's
// first beginning bytes are written last.
func InFolder(folder string, beginning int, open Opener) Store {
	s := Store{Open: open, Alone: true, NoFill: noFillFolder}
	s.Tear = func(t *testing.T, s engine.Storage, part float64, write func() error) {
		tearFolder(t, folder, beginning, s, part, write)
	}
	if noFillFolder == "" {
		s.Fill = func(t *testing.T) (empty func()) { return fillFolder(t, folder) }
	}
	return s
}

func tearFolder(t *testing.T, folder string, beginning int, s engine.Storage, part float64, write func() error) {
	t.Helper()
	before := readFolder(t, folder)
	must(t, write())
	after := readFolder(t, folder)
	must(t, s.Close())
	var changed, last []tornPlace
	for _, name := range slices.Sorted(maps.Keys(after)) {
		text := after[name]
		for at := 0; at < len(text); at += tornUnit {
			end := min(at+tornUnit, len(text))
			if old := before[name]; end <= len(old) && string(old[at:end]) == string(text[at:end]) {
				continue
			}
			if p := (tornPlace{name, at, end}); at < beginning {
				last = append(last, p)
			} else {
				changed = append(changed, p)
			}
		}
	}
	changed = append(changed, last...)
	for _, p := range changed[:int(part*float64(len(changed)))] {
		text := before[p.file]
		text = append(text, make([]byte, max(0, p.end-len(text)))...)
		copy(text[p.at:p.end], after[p.file][p.at:p.end])
		before[p.file] = text
	}
	closed := readFolder(t, folder)
	for name := range before {
		if _, inside := after[name]; inside && closed[name] == nil {
			delete(before, name) // deleted by Close, like a lock
		}
	}
	for name := range after {
		if closed[name] == nil {
			continue
		}
		path := filepath.Join(folder, name)
		if _, ok := before[name]; !ok {
			must(t, os.Remove(path))
		}
	}
	for name, text := range before {
		must(t, os.WriteFile(filepath.Join(folder, name), text, 0o600))
	}
}

// tornPlace is a range of a file.
type tornPlace struct {
	file    string
	at, end int
}

func readFolder(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(folder)
	must(t, err)
	files := make(map[string][]byte)
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		must(t, err)
		files[entry.Name()] = text
	}
	return files
}
