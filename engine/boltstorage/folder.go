//go:build !js

package boltstorage

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// upwards returns a folder and all that it is in. When a store is begun any of
// them may be one that the disk does not know of: made now, or by a process that
// was killed before it came to sync them.
func upwards(folder string) []string {
	path, err := filepath.Abs(folder)
	if err != nil {
		path = filepath.Clean(folder)
	}
	for folders := []string{path}; ; {
		parent := filepath.Dir(path)
		if parent == path {
			return folders
		}
		path, folders = parent, append(folders, parent)
	}
}

// syncFolders has the disk know of new entries: a file that was synced is
// gone after a power failure if its name was not.
func syncFolders(folders []string) error {
	if runtime.GOOS == "windows" {
		return nil // a folder cannot be synced there, and need not be
	}
	for _, folder := range folders {
		if err := syncFolder(folder); err != nil {
			return err
		}
	}
	return nil
}

// syncFolder does that for one. Tests look on.
var syncFolder = func(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrPermission) {
		return nil // we may make entries in it, but not read it
	}
	if err != nil {
		return err
	}
	err = f.Sync()
	if isNotForFolders(err) {
		err = nil
	}
	return errors.Join(err, f.Close())
}

// isNotForFolders reports whether a sync was refused because of what was to be
// synced: file systems that do not sync folders say that it is invalid or not
// supported, those that cannot be written to, and Windows, that it is not
// permitted. A disk that fails says something else.
func isNotForFolders(err error) bool {
	for _, refusal := range []error{syscall.EINVAL, syscall.ENOTSUP, syscall.EROFS, syscall.EPERM, syscall.EACCES} {
		if errors.Is(err, refusal) {
			return true
		}
	}
	return false
}
