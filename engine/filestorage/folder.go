package filestorage

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// syncFolders has the disk know of the file's name, of its folder's, and of all
// folders above it, unless the storage is relaxed. Any of them may be one that
// the disk does not know of: made now, by a session that was relaxed, or by a
// process that was killed before it came to sync them.
func (s *Storage) syncFolders() error {
	if s.options.Durability == Relaxed {
		return nil
	}
	path, err := filepath.Abs(s.folder)
	if err != nil {
		path = filepath.Clean(s.folder)
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

// syncFolder has the disk know of the names in a folder. One that cannot be
// opened, as on Windows, or one that others own, cannot be synced; nor can any
// on file systems that do not know of it. Tests look on.
var syncFolder = func(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return nil
	}
	err = folder.Sync()
	if errors.Is(err, syscall.EINVAL) {
		err = nil
	}
	return errors.Join(err, folder.Close())
}
