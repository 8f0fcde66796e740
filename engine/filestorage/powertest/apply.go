package powertest

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Errors of [Disk.Apply].
var (
	// errUnknown means that a call changes a file in a way that powertest cannot
	// follow.
	errUnknown = errors.New("powertest does not know what this does")
	// errLarge means that the states of a file would take too much memory.
	errLarge = errors.New("powertest is for small files")
)

// largest is how large a file may be, in bytes.
const largest = 64 << 20

// known is a system call that a Disk can follow, and its least number of
// arguments.
type known struct {
	args   int
	follow func(d *Disk, at place, c Call) (changed bool, err error)
}

// calls has the calls that can change a disk, or open or close a descriptor.
var calls = map[string]known{
	"openat":          {3, opened},
	"openat2":         {3, opened}, // the third argument holds the flags
	"close":           {1, closed},
	"pwrite64":        {4, written},
	"ftruncate":       {2, truncated},
	"fsync":           {1, synced},
	"fdatasync":       {1, synced},
	"sync_file_range": {1, ignored}, // it promises nothing
	"mkdirat":         {2, made},
	"unlinkat":        {2, removed},
	"linkat":          {4, linked},
	"renameat2":       {5, renamed},
	"fcntl":           {2, controlled},
	"mmap":            {5, mapped},
	"truncate":        {2, refusePaths},
	"symlinkat":       {3, refusePaths},
	"dup":             {1, refuse(0)},
	"dup2":            {2, refuse(0, 1)},
	"dup3":            {2, refuse(0, 1)},
	"write":           {1, refuse(0)}, // where it writes depends on what was read
	"writev":          {1, refuse(0)},
	"pwritev":         {1, refuse(0)},
	"pwritev2":        {1, refuse(0)},
	"fallocate":       {1, refuse(0)},
	"sendfile":        {1, refuse(0)},
	"splice":          {3, refuse(2)},
	"copy_file_range": {3, refuse(2)},
}

// olderCall is a call that a newer one with more arguments replaces.
type olderCall struct {
	args    int
	newer   string
	convert func(args []string) []string
}

const here = "AT_FDCWD" // relative to the working directory

var olderCalls = map[string]olderCall{
	"open":     {2, "openat", func(a []string) []string { return []string{here, a[0], a[1]} }},
	"creat":    {1, "openat", func(a []string) []string { return []string{here, a[0], "O_WRONLY|O_CREAT|O_TRUNC"} }},
	"mkdir":    {1, "mkdirat", func(a []string) []string { return []string{here, a[0]} }},
	"rmdir":    {1, "unlinkat", func(a []string) []string { return []string{here, a[0]} }},
	"unlink":   {1, "unlinkat", func(a []string) []string { return []string{here, a[0]} }},
	"link":     {2, "linkat", func(a []string) []string { return []string{here, a[0], here, a[1]} }},
	"symlink":  {2, "symlinkat", func(a []string) []string { return []string{a[0], here, a[1]} }},
	"rename":   {2, "renameat2", func(a []string) []string { return []string{here, a[0], here, a[1], "0"} }},
	"renameat": {4, "renameat2", func(a []string) []string { return []string{a[0], a[1], a[2], a[3], "0"} }},
}

// traced is the list of calls for strace: "?" skips calls that the machine lacks.
func traced() string {
	var names []string
	for name := range calls {
		names = append(names, "?"+name)
	}
	for name := range olderCalls {
		names = append(names, "?"+name)
	}
	slices.Sort(names)
	return strings.Join(names, ",")
}

// Apply follows a call of a process that has the disk at an absolute path. It
// reports whether the call changed something, or synced a change. Failed calls and
// calls that do not concern the disk change nothing. A call that may change the
// disk in an unknown way is an error.
func (d *Disk) Apply(path string, c Call) (changed bool, err error) {
	if c.Result < 0 {
		return false, nil
	}
	changed, err = d.apply(place{d.root, filepath.Clean(path)}, c)
	if err != nil {
		return false, fmt.Errorf("%s(%.200q): %w", c.Name, c.Args, err)
	}
	return changed, nil
}

func (d *Disk) apply(at place, c Call) (bool, error) {
	if older, is := olderCalls[c.Name]; is {
		if len(c.Args) < older.args {
			return false, errTrace
		}
		c.Name, c.Args = older.newer, older.convert(c.Args)
	}
	known, is := calls[c.Name]
	switch {
	case !is:
		return false, errUnknown
	case len(c.Args) < known.args:
		return false, errTrace
	}
	return known.follow(d, at, c)
}

func opened(d *Disk, at place, c Call) (changed bool, err error) {
	relativeTo, path, flags := c.Args[0], c.Args[1], c.Args[2]
	descriptor := strconv.FormatInt(c.Result, 10)
	delete(d.open, descriptor)
	if filepath.Clean(path) == at.path {
		d.open[descriptor] = at.root
		return false, nil
	}
	in, name, err := at.find(relativeTo, path)
	if in == nil || err != nil {
		return false, err
	}
	n := in.system[name]
	if n == nil {
		if !strings.Contains(flags, "O_CREAT") {
			return false, fs.ErrNotExist
		}
		n, changed = &file{}, true
		in.change(rename{got: name, target: n})
	}
	if f, ok := n.(*file); ok && strings.Contains(flags, "O_TRUNC") && len(f.system) > 0 {
		f.change(change{resizes: true})
		changed = true
	}
	d.open[descriptor] = n
	return changed, nil
}

func closed(d *Disk, _ place, c Call) (bool, error) {
	delete(d.open, c.Args[0])
	return false, nil
}

func written(d *Disk, _ place, c Call) (bool, error) {
	n := d.open[c.Args[0]]
	if n == nil {
		return false, nil
	}
	f, isFile := n.(*file)
	offset, err := strconv.ParseInt(c.Args[3], 10, 64)
	switch {
	case err != nil || !isFile || offset < 0 || c.Result > int64(len(c.Args[1])):
		return false, errTrace
	case offset > largest-c.Result:
		return false, errLarge
	}
	f.change(change{offset: offset, bytes: []byte(c.Args[1][:c.Result])})
	return true, nil
}

func truncated(d *Disk, _ place, c Call) (bool, error) {
	n := d.open[c.Args[0]]
	if n == nil {
		return false, nil
	}
	f, isFile := n.(*file)
	size, err := strconv.ParseInt(c.Args[1], 10, 64)
	switch {
	case err != nil || !isFile || size < 0:
		return false, errTrace
	case size > largest:
		return false, errLarge
	}
	f.change(change{resizes: true, offset: size})
	return true, nil
}

func synced(d *Disk, _ place, c Call) (bool, error) {
	n := d.open[c.Args[0]]
	return n != nil && n.sync(), nil
}

func controlled(d *Disk, _ place, c Call) (bool, error) {
	if d.open[c.Args[0]] != nil && strings.HasPrefix(c.Args[1], "F_DUPFD") {
		return false, errUnknown
	}
	return false, nil
}

func mapped(d *Disk, _ place, c Call) (bool, error) {
	if d.open[c.Args[4]] != nil && strings.Contains(c.Args[2], "PROT_WRITE") && !strings.Contains(c.Args[3], "MAP_PRIVATE") {
		return false, errUnknown
	}
	return false, nil
}

func ignored(*Disk, place, Call) (bool, error) { return false, nil }

// refuse rejects a call if one of these arguments is a descriptor of a file or
// folder on the disk.
func refuse(args ...int) func(*Disk, place, Call) (bool, error) {
	return func(d *Disk, _ place, c Call) (bool, error) {
		for _, i := range args {
			if d.open[c.Args[i]] != nil {
				return false, errUnknown
			}
		}
		return false, nil
	}
}

// refusePaths rejects a call if one of its paths is on the disk.
func refusePaths(_ *Disk, at place, c Call) (bool, error) {
	for _, arg := range c.Args {
		if strings.HasPrefix(filepath.Clean(arg), at.path+"/") {
			return false, errUnknown
		}
	}
	return false, nil
}

// place is a folder and its path.
type place struct {
	root *folder
	path string
}

// find returns the folder of a path and its name there. The folder is nil if the
// path is not below the place; paths relative to the working directory never are.
func (p place) find(relativeTo, path string) (in *folder, name string, err error) {
	if !filepath.IsAbs(path) {
		if relativeTo != here {
			return nil, "", errUnknown
		}
		return nil, "", nil
	}
	rest, below := strings.CutPrefix(filepath.Clean(path), p.path+"/")
	if !below {
		return nil, "", nil
	}
	names := strings.Split(rest, "/")
	in, name = p.root, names[len(names)-1]
	for _, name := range names[:len(names)-1] {
		next, isFolder := in.system[name].(*folder)
		if !isFolder {
			return nil, "", fs.ErrNotExist
		}
		in = next
	}
	return in, name, nil
}

func made(_ *Disk, at place, c Call) (bool, error) {
	in, name, err := at.find(c.Args[0], c.Args[1])
	if in == nil || err != nil {
		return false, err
	}
	in.change(rename{got: name, target: newFolder()})
	return true, nil
}

func removed(_ *Disk, at place, c Call) (bool, error) {
	in, name, err := at.find(c.Args[0], c.Args[1])
	if in == nil || err != nil {
		return false, err
	}
	in.change(rename{lost: name})
	return true, nil
}

func linked(_ *Disk, at place, c Call) (bool, error) { return at.named(c, false) }

func renamed(_ *Disk, at place, c Call) (bool, error) {
	if strings.Contains(c.Args[4], "RENAME_EXCHANGE") || strings.Contains(c.Args[4], "RENAME_WHITEOUT") {
		return false, errUnknown
	}
	return at.named(c, true)
}

// named gives a file or folder another name in the same folder.
func (p place) named(c Call, loses bool) (bool, error) {
	in, old, err := p.find(c.Args[0], c.Args[1])
	if err != nil {
		return false, err
	}
	toIn, name, err := p.find(c.Args[2], c.Args[3])
	switch {
	case err != nil:
		return false, err
	case in != toIn:
		return false, errUnknown // a move between folders is two changes
	case in == nil:
		return false, nil
	case in.system[old] == nil:
		return false, fs.ErrNotExist
	}
	r := rename{got: name, target: in.system[old]}
	if loses {
		r.lost = old
	}
	in.change(r)
	return true, nil
}
