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

	"sandtable/engine"
)

// compactedSuffix is what the name of a file that Compact writes has behind
// that of the store's. A crash can leave one; the next that opens the store removes
// it.
const compactedSuffix = ".compacted"

// Compact writes the file of a store anew, without the pages that are free, and
// puts it into the place of the old one when the disk has it. The files of the
// log give back the room that is in them. It returns the sizes of all files
// before and after, in bytes. The store is locked meanwhile, and the folder has
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
	before, after, err = compact(folder, options)
	if err != nil {
		return 0, 0, fmt.Errorf("compact store %s: %w", folder, err)
	}
	return before, after, nil
}

func compact(folder string, options Options) (before, after int64, err error) {
	path := filepath.Join(folder, FileName)
	if _, err := os.Stat(path); err != nil {
		return 0, 0, err // and no store is made
	}
	options.Durability = engine.Strict
	db, file, err := openFile(path, options)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, closeFile(db)) }()
	if before, err = sizeOfFiles(folder); err != nil {
		return 0, 0, err
	}
	part := path + compactedSuffix
	if err := errors.Join(trimLog(folder, db, file), copyFile(part, db, options)); err != nil {
		return 0, 0, errors.Join(err, removeIfThere(part))
	}
	if runtime.GOOS == "windows" {
		// There a file that is open cannot be replaced. If another process opens
		// it in between, that fails too, and the store is as it was.
		if err := closeFile(db); err != nil {
			return 0, 0, err
		}
	}
	if err := os.Rename(part, path); err != nil {
		return 0, 0, errors.Join(err, removeIfThere(part))
	}
	if after, err = sizeOfFiles(folder); err != nil {
		return 0, 0, err
	}
	return before, after, syncFolders([]string{folder})
}

// trimLog gives back the room in the files of the log, if there are any.
func trimLog(folder string, db *bbolt.DB, file *os.File) error {
	if format, err := formatOf(db); err != nil || format != formatVersion {
		return err
	}
	l, err := openLog(folder, db)
	if err != nil {
		return err
	}
	// A root that the disk has may refer to what is cut off.
	err = errors.Join(l.settle(), settleRoot(db, file))
	if err == nil {
		err = l.trim()
	}
	return errors.Join(err, l.close())
}

// sizeOfFiles returns how much a store's files take.
func sizeOfFiles(folder string) (size int64, err error) {
	for _, name := range []string{FileName, logName(1), logName(2)} {
		info, err := os.Stat(filepath.Join(folder, name))
		if err == nil {
			size += info.Size()
		} else if !errors.Is(err, fs.ErrNotExist) {
			return 0, err
		}
	}
	return size, nil
}

// copyFile makes a file of what another has, and closes it when the disk has it.
func copyFile(path string, from *bbolt.DB, options Options) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer catch(&err)
	to, err := bbolt.Open(path, 0o600, &bbolt.Options{
		Timeout: DefaultTimeout, NoSync: true, NoFreelistSync: true, FreelistType: bbolt.FreelistMapType,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeFile(to)) }()
	err = from.View(func(tx *bbolt.Tx) error {
		copied := int64(0)
		return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
			return copyBucket(to, name, b, func(n int) error {
				copied += int64(n)
				return options.tell(copied)
			})
		})
	})
	if err != nil {
		return err
	}
	return to.Sync()
}

// copyBucket puts what a bucket has into another file, as bbolt.Compact does,
// which cannot be ended on the way. Tell is called after each transaction.
func copyBucket(to *bbolt.DB, name []byte, from *bbolt.Bucket, tell func(copied int) error) error {
	cursor := from.Cursor()
	key, value := cursor.First()
	for begun := false; key != nil || !begun; begun = true {
		size := 0
		err := to.Update(func(tx *bbolt.Tx) error {
			b, err := tx.CreateBucketIfNotExists(name)
			if err != nil {
				return err
			}
			b.FillPercent = 1 // the keys come in order
			for ; key != nil && size < copyBytes; key, value = cursor.Next() {
				size += len(key) + len(value)
				if err := b.Put(key, value); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil {
			err = tell(size)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// closeFile closes a file, also a second time.
func closeFile(db *bbolt.DB) (err error) {
	defer catch(&err)
	return db.Close()
}

func removeIfThere(path string) error { return ignoreMissing(os.Remove(path)) }

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
