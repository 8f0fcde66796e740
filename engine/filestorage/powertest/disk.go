package powertest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Disk is a folder and all that is in it, as the operating system shows it and
// as far as the disk has it. [Disk.Apply] follows the calls of a process.
type Disk struct {
	root *folder
	open map[string]node // descriptor of the process -> what it stands for
}

// node is a *file or a *folder.
type node interface {
	// sync has the disk know of all changes. It reports whether there were any.
	sync() bool
	// waits reports whether something is not synced.
	waits() bool
	// synced and current are what the disk has for sure, and what the operating
	// system shows.
	synced() shown
	current() shown
}

// shown is what is seen of a node: the text of a file, or the names in a folder.
// It is never changed.
type shown struct {
	text  []byte
	names map[string]node
}

// file is a file, whatever names it has.
type file struct {
	disk, system []byte
	changes      []change // since the last sync
}

// change is a write to a file, or a size that it was given.
type change struct {
	resizes bool
	offset  int64 // or the size
	text    []byte
}

// folder has files and folders by their names.
type folder struct {
	disk, system map[string]node
	changes      []rename // since the last sync
}

// rename is a name that a folder has got, or lost, or both at once.
type rename struct {
	lost, got string
	target    node // of the name that it has got
}

// NewDisk reads a folder. The disk has all that is in it.
func NewDisk(path string) (*Disk, error) {
	root, err := readFolder(path)
	if err != nil {
		return nil, fmt.Errorf("read a disk: %w", err)
	}
	return &Disk{root: root}, nil
}

func readFolder(path string) (*folder, error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	f := newFolder()
	for _, e := range entries {
		n, err := readNode(filepath.Join(path, e.Name()), e.IsDir())
		if err != nil {
			return nil, err
		}
		f.system[e.Name()] = n
	}
	f.sync()
	return f, nil
}

func readNode(path string, isFolder bool) (node, error) {
	if isFolder {
		return readFolder(path)
	}
	text, err := os.ReadFile(path)
	return &file{disk: text, system: text}, err
}

func newFolder() *folder {
	return &folder{disk: make(map[string]node), system: make(map[string]node)}
}

// Start says that the calls that follow are those of another process. What the
// one before has not synced is still not synced.
func (d *Disk) Start() { d.open = make(map[string]node) }

// Current is what the operating system shows, and what a process finds that
// starts now.
func (d *Disk) Current() State { return d.state(node.current) }

func (f *file) synced() shown  { return shown{text: f.disk} }
func (f *file) current() shown { return shown{text: f.system} }
func (f *file) waits() bool    { return len(f.changes) > 0 }

func (f *file) sync() bool {
	waited := f.waits()
	f.disk, f.changes = f.system, nil
	return waited
}

func (f *file) change(c change) {
	f.changes = append(f.changes, c)
	f.system = c.on(slices.Clone(f.system))
}

// on makes the change to a text, which it may use.
func (c change) on(text []byte) []byte {
	if c.resizes {
		return resized(text, c.offset)
	}
	text = c.sized(text)
	copy(text[c.offset:], c.text)
	return text
}

// sized gives a text the size that a write gives to a file.
func (c change) sized(text []byte) []byte {
	return resized(text, max(int64(len(text)), c.offset+int64(len(c.text))))
}

func resized(text []byte, size int64) []byte {
	if n := size - int64(len(text)); n > 0 {
		return append(text, make([]byte, n)...)
	}
	return text[:size]
}

func (f *folder) synced() shown  { return shown{names: f.disk} }
func (f *folder) current() shown { return shown{names: f.system} }
func (f *folder) waits() bool    { return len(f.changes) > 0 }

func (f *folder) sync() bool {
	waited := f.waits()
	f.disk, f.changes = f.system, nil
	return waited
}

func (f *folder) change(r rename) {
	f.changes = append(f.changes, r)
	f.system = r.on(maps.Clone(f.system))
}

// on makes the change to names, which it may use.
func (r rename) on(names map[string]node) map[string]node {
	if r.lost != "" {
		delete(names, r.lost)
	}
	if r.got != "" {
		names[r.got] = r.target
	}
	return names
}
