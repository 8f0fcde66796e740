package filestorage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// The names in a store's folder.
const (
	walName    = "wal"    // wal-EPOCH-N; the highest is the current segment
	blocksName = "blocks" // blocks-EPOCH-N
	ownerName  = "owner"  // owner-EPOCH: the process that owns the store
	tempSuffix = ".tmp"   // of a file that is not part of the store

	quarantinePrefix = "quarantine-"
)

// fileID is the number of a file among the files of its kind: the epoch of the owner
// that created it, and a number that the owner counts up. It is never used twice.
type fileID uint64

func newFileID(epoch, n uint32) fileID { return fileID(epoch)<<32 | fileID(n) }

func (id fileID) epoch() uint32 { return uint32(id >> 32) }
func (id fileID) n() uint32     { return uint32(id) }

func (id fileID) name(kind string) string { return fmt.Sprintf("%s-%d-%d", kind, id.epoch(), id.n()) }

// listing is what a folder contains, each in ascending order.
type listing struct {
	wals, blocks []fileID
	owners       []uint32
	temps        []string
}

// list reads the names in a folder. It ignores files that are not ours.
func list(folder string) (l listing, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return l, err
	}
	for _, e := range entries {
		name := e.Name()
		var epoch, n uint32
		switch {
		case strings.HasSuffix(name, tempSuffix) && isOurs(strings.TrimSuffix(name, tempSuffix)):
			l.temps = append(l.temps, name)
		case scan(name, ownerName+"-%d", &epoch):
			l.owners = append(l.owners, epoch)
		case scan(name, walName+"-%d-%d", &epoch, &n):
			l.wals = append(l.wals, newFileID(epoch, n))
		case scan(name, blocksName+"-%d-%d", &epoch, &n):
			l.blocks = append(l.blocks, newFileID(epoch, n))
		}
	}
	slices.Sort(l.owners)
	slices.Sort(l.wals)
	slices.Sort(l.blocks)
	return l, nil
}

// scan reports whether a name has the format exactly, and sets the numbers in it.
func scan(name, format string, numbers ...*uint32) bool {
	into, again := make([]any, len(numbers)), make([]any, len(numbers))
	for i, n := range numbers {
		into[i] = n
	}
	if _, err := fmt.Sscanf(name, format, into...); err != nil {
		return false
	}
	for i, n := range numbers {
		again[i] = *n
	}
	return name == fmt.Sprintf(format, again...)
}

func isOurs(name string) bool {
	for _, kind := range []string{walName, blocksName, ownerName, reserveName} {
		if name == kind || strings.HasPrefix(name, kind+"-") {
			return true
		}
	}
	return false
}

// Exists reports whether a folder contains a store, or parts of one.
func Exists(folder string) (bool, error) {
	l, err := list(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return len(l.wals)+len(l.blocks) > 0, err
}

// lastEpoch returns the highest epoch of a file in the folder.
func (l listing) lastEpoch() (epoch uint32) {
	if n := len(l.owners); n > 0 {
		epoch = l.owners[n-1]
	}
	if n := len(l.wals); n > 0 {
		epoch = max(epoch, l.wals[n-1].epoch())
	}
	if n := len(l.blocks); n > 0 {
		epoch = max(epoch, l.blocks[n-1].epoch())
	}
	return epoch
}

// syncFolders syncs the folder and all folders above it. The name of any of them may
// not be on the disk yet: created just now, by a relaxed session, or by a process
// that was killed before it synced them.
func syncFolders(folder string) error {
	path, err := filepath.Abs(folder)
	if err != nil {
		path = filepath.Clean(folder)
	}
	for {
		if err := syncFolder(path); err != nil {
			return err
		}
		parent := filepath.Dir(path)
		if parent == path {
			return nil
		}
		path = parent
	}
}

// syncFolder is SyncFolder. Tests replace it.
var syncFolder = SyncFolder

// SyncFolder makes the names in a folder survive a power failure. A folder that we may
// not read, such as one above the user's, cannot be synced, and is left as it is.
func SyncFolder(path string) error {
	folder, err := os.Open(path)
	if err == nil {
		err = errors.Join(folder.Sync(), folder.Close())
	}
	if isNotForFolders(err) {
		return nil
	}
	return hideErrno("sync the folder", err)
}

// isNotForFolders reports whether a sync failed because folders cannot be synced
// here: file systems return EINVAL or ENOTSUP, read-only ones EROFS, Windows denies
// access, and Node.js on Windows cannot open a folder. A failing disk, or a process
// with too many open files, returns another error.
func isNotForFolders(err error) bool {
	for _, refusal := range []error{syscall.EINVAL, syscall.ENOTSUP, syscall.EROFS, syscall.EISDIR, fs.ErrPermission} {
		if errors.Is(err, refusal) {
			return true
		}
	}
	return false
}

// removeIfThere removes a file, if it exists.
func removeIfThere(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
