package filestorage

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"sandtable/engine"
)

// syncFolders has the disk know of the file's name, of its folder's, and of all
// folders above it, unless the storage is relaxed. Any of them may be one that
// the disk does not know of: made now, by a session that was relaxed, or by a
// process that was killed before it came to sync them.
func (s *Storage) syncFolders() error {
	if s.options.Durability == engine.Relaxed {
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
// opened, such as one that others own, cannot be synced. Tests look on.
var syncFolder = func(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return nil
	}
	err = folder.Sync()
	if isNotForFolders(err) {
		err = nil
	}
	return errors.Join(err, folder.Close())
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
