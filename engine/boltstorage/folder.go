//go:build !js

package boltstorage

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// missing returns the folders that get a new entry when the store in this one
// is made, none if it is there.
func missing(folder string) []string {
	var changed []string
	for path := filepath.Join(folder, FileName); ; {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return changed
		}
		parent := filepath.Dir(path)
		if parent == path {
			return changed
		}
		path, changed = parent, append(changed, parent)
	}
}

// syncFolders has the disk know of new entries: a file that was synced is
// gone after a power failure if its name was not.
func syncFolders(folders []string) error {
	if runtime.GOOS == "windows" {
		return nil // a folder cannot be synced there, and need not be
	}
	for _, folder := range folders {
		f, err := os.Open(folder)
		if errors.Is(err, fs.ErrPermission) {
			continue // we may make entries in it, but not read it
		}
		if err != nil {
			return err
		}
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return err
		}
	}
	return nil
}
