package powertest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Disk is a folder and its contents, both as the operating system shows them and
// as they are on the disk. [Disk.Apply] follows the calls of a process.
type Disk struct {
	root *folder
	open map[string]node // descriptor of the process -> its file or folder
}

// node is a *file or a *folder.
type node interface {
	// sync brings all changes to the disk. It reports whether there were any.
	sync() bool
	// unsynced reports whether there are changes that are not synced.
	unsynced() bool
	// onDisk and current return what the disk has for sure, and what the operating
	// system shows.
	onDisk() shown
	current() shown
}

// shown is one view of a node: the contents of a file, or the names in a folder.
// It is never changed.
type shown struct {
	bytes []byte
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
	bytes   []byte
}

// folder has files and folders by their names.
type folder struct {
	disk, system map[string]node
	changes      []rename // since the last sync
}

// rename is a name that a folder gained or lost, or both at once.
type rename struct {
	lost, got string
	target    node // of the new name
}

// NewDisk reads a folder. Everything in it counts as synced.
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
	b, err := os.ReadFile(path)
	return &file{disk: b, system: b}, err
}

func newFolder() *folder {
	return &folder{disk: make(map[string]node), system: make(map[string]node)}
}

// Start begins a new process: the calls that follow are its calls. What the one
// before has not synced stays unsynced.
func (d *Disk) Start() { d.open = make(map[string]node) }

// Current returns what the operating system shows, which a process that starts now
// would find.
func (d *Disk) Current() State { return d.state(node.current) }

func (f *file) onDisk() shown  { return shown{bytes: f.disk} }
func (f *file) current() shown { return shown{bytes: f.system} }
func (f *file) unsynced() bool { return len(f.changes) > 0 }

func (f *file) sync() bool {
	changed := f.unsynced()
	f.disk, f.changes = f.system, nil
	return changed
}

func (f *file) change(c change) {
	f.changes = append(f.changes, c)
	f.system = c.apply(slices.Clone(f.system))
}

// apply applies the change to b, which it may modify, and returns the result.
func (c change) apply(b []byte) []byte {
	if c.resizes {
		return resized(b, c.offset)
	}
	b = c.resize(b)
	copy(b[c.offset:], c.bytes)
	return b
}

// resize gives b the size that the write gives to a file.
func (c change) resize(b []byte) []byte {
	return resized(b, max(int64(len(b)), c.offset+int64(len(c.bytes))))
}

func resized(b []byte, size int64) []byte {
	if n := size - int64(len(b)); n > 0 {
		return append(b, make([]byte, n)...)
	}
	return b[:size]
}

func (f *folder) onDisk() shown  { return shown{names: f.disk} }
func (f *folder) current() shown { return shown{names: f.system} }
func (f *folder) unsynced() bool { return len(f.changes) > 0 }

func (f *folder) sync() bool {
	changed := f.unsynced()
	f.disk, f.changes = f.system, nil
	return changed
}

func (f *folder) change(r rename) {
	f.changes = append(f.changes, r)
	f.system = r.apply(maps.Clone(f.system))
}

// apply applies the change to names, which it may modify, and returns them.
func (r rename) apply(names map[string]node) map[string]node {
	if r.lost != "" {
		delete(names, r.lost)
	}
	if r.got != "" {
		names[r.got] = r.target
	}
	return names
}
