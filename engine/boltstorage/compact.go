//go:build !js

package boltstorage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"

	"go.etcd.io/bbolt"
)

// compactedSuffix is what the name of a file that Compact writes has behind
// that of the store's. A crash can leave one; the next that opens the store removes
// it.
const compactedSuffix = ".compacted"

// Compact writes the file of a store anew, without the pages that are free, and
// puts it into the place of the old one when the disk has it. It returns the
// sizes of the two, in bytes. The store is locked meanwhile, and the folder has
// room for both. A crash at any moment leaves the one or the other, whole.
//
// bbolt never gives pages back to the file system: those of what was deleted
// are used again by what is written later. So this is for a store that has
// become much smaller for good, after [engine.DB.Compact].
//
// The errors are those of [Open], or the file system's; then the store is as
// it was.
func Compact(folder string, options Options) (before, after int64, err error) {
	if options.Timeout == 0 {
		options.Timeout = DefaultTimeout
	}
	before, after, err = compact(filepath.Join(folder, FileName), options)
	if err != nil {
		return 0, 0, fmt.Errorf("compact store %s: %w", folder, err)
	}
	return before, after, nil
}

func compact(path string, options Options) (before, after int64, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, 0, err // and no store is made
	}
	options.Durability = Strict
	db, err := openFile(path, options)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, closeFile(db)) }()
	part := path + compactedSuffix
	if err := copyFile(part, db); err != nil {
		return 0, 0, errors.Join(err, removeIfThere(part))
	}
	if runtime.GOOS == "windows" {
		// There a file that is open cannot be replaced. If another process opens
		// it in between, that fails too, and the store is as it was.
		if err := closeFile(db); err != nil {
			return 0, 0, err
		}
	}
	made, err := os.Stat(part)
	if err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		return 0, 0, errors.Join(err, removeIfThere(part))
	}
	return info.Size(), made.Size(), syncFolders([]string{filepath.Dir(path)})
}

// copyFile makes a file of what another has, and closes it when the disk has it.
func copyFile(path string, from *bbolt.DB) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer catch(&err)
	to, err := bbolt.Open(path, 0o600, &bbolt.Options{
		Timeout: DefaultTimeout, NoSync: true, NoFreelistSync: true, FreelistType: bbolt.FreelistMapType,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeFile(to)) }()
	if err := bbolt.Compact(to, from, copyBytes); err != nil {
		return err
	}
	return to.Sync()
}

// closeFile closes a file, also a second time.
func closeFile(db *bbolt.DB) (err error) {
	defer catch(&err)
	return db.Close()
}

func removeIfThere(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
