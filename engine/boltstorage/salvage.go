//go:build !js

package boltstorage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"

	"sandtable/engine"
)

// Salvaged is what [Salvage] did.
type Salvaged struct {
	// Lost says why parts could not be read, one error a page or a file of the
	// log. There is none if nothing is wrong; the store is then as it was.
	Lost []error
	// Kept are the paths of the files as they were that were replaced.
	Kept []string
	// Values is how many blocks and entries of the directory were read of a file
	// that is damaged, and how many records of the log stood in it.
	Values int
}

// Salvage makes another file of what can be read of one that Open refuses, in
// its place; the file as it was stays beside it. What is missing then is the
// engine's to find: it reports blocks and records that are not there, except
// the last of the log.
//
// The files of the log stay as they are, and belong to the new file, too. One
// that is missing, or another store's, is given up, which Open does not do by
// itself.
//
// A file neither of whose roots is whole is left alone, as is one of which
// nothing can be read when the log has nothing either, and one that is in use or
// of a newer format.
func Salvage(folder string, options Options) (done Salvaged, err error) {
	if options.Timeout == 0 {
		options.Timeout = DefaultTimeout
	}
	done, err = salvageFile(folder, options)
	if err == nil {
		err = done.salvageLog(folder, options)
	}
	if err == nil {
		err = syncFolders([]string{folder}) // perhaps one that was killed has changed names
	}
	if err != nil {
		return Salvaged{}, fmt.Errorf("salvage store %s: %w", folder, err)
	}
	return done, nil
}

// salvageFile does it for the file of bbolt's.
func salvageFile(folder string, options Options) (done Salvaged, err error) {
	path := filepath.Join(folder, FileName)
	err = withFile(path, options.Timeout, func(file io.ReaderAt, size int64, pageSize int) (err error) {
		done, err = salvage(folder, file, size, pageSize, options)
		return err
	})
	if err != nil || len(done.Lost) == 0 {
		return done, err
	}
	kept, err := swap(path, path+".salvaged")
	done.Kept = append(done.Kept, kept)
	return done, err
}

// salvage copies what can be read into another file, if something is wrong.
func salvage(folder string, file io.ReaderAt, size int64, pageSize int, options Options) (done Salvaged, err error) {
	if err := checkPages(file, size, pageSize); !errors.Is(err, engine.ErrCorrupt) {
		return Salvaged{}, err // nil, if nothing is wrong
	}
	to := filepath.Join(folder, FileName+".salvaged")
	if err := removeIfThere(to); err != nil {
		return Salvaged{}, err // one that a crash left
	}
	c, err := newCopier(to)
	if err != nil {
		return Salvaged{}, err
	}
	copied := int64(0)
	done.Lost, err = readPages(file, size, pageSize, func(bucket string, key, value []byte) error {
		copied += int64(len(key) + len(value))
		if err := options.tell(copied); err != nil {
			return err
		}
		return c.add(bucket, key, value)
	})
	done.Values = c.values
	for slot := byte(1); slot <= 2 && err == nil; slot++ {
		records := 0
		_, records, err = lookAt(folder, slot)
		if errors.Is(err, engine.ErrCorrupt) {
			err = nil // it comes to light when the log is salvaged
		}
		done.Values += records
	}
	if err == nil && done.Values == 0 {
		err = fmt.Errorf("%w: nothing can be read", engine.ErrCorrupt)
	}
	if err := errors.Join(err, c.finish()); err != nil {
		_ = os.Remove(to) // the error to know is the one before
		return Salvaged{}, err
	}
	return done, nil
}

// swap puts a file into the place of another, which gets the name that it
// returns.
func swap(path, with string) (kept string, err error) {
	for n := 1; ; n++ {
		kept = fmt.Sprint(path, ".damaged-", n)
		if err := os.Link(path, kept); errors.Is(err, fs.ErrExist) {
			continue
		} else if err != nil { // a file system without links
			if err := os.Rename(path, kept); err != nil {
				return "", err
			}
		}
		break
	}
	if err := os.Rename(with, path); err != nil {
		return "", err
	}
	return kept, syncFolders([]string{filepath.Dir(path)})
}

// copyBytes is how much one transaction of a copier has.
const copyBytes = 8 << 20

// copier puts values into a new file.
type copier struct {
	db      *bbolt.DB
	values  int
	pending []pendingValue
	size    int
	format  uint64 // of the file, 0 as long as it was not read
	records int    // in a bucket of the log
}

type pendingValue struct {
	bucket     string
	key, value []byte
}

func newCopier(path string) (*copier, error) {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{
		Timeout: DefaultTimeout, NoSync: true, NoFreelistSync: true, FreelistType: bbolt.FreelistMapType,
	})
	if err != nil {
		return nil, err
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{logBucket, blocksBucket, directoryBucket, stateBucket} {
			if _, err := tx.CreateBucket(name); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &copier{db: db}, nil
}

// add takes a value. One that cannot be ours is damage.
func (c *copier) add(bucket string, key, value []byte) error {
	if bucket == string(stateBucket) {
		if bytes.Equal(key, formatKey) {
			if err := checkFormat(value); err != nil {
				return err
			}
			c.format = binary.BigEndian.Uint64(value)
			return nil
		}
	} else if len(key) != 8 {
		return fmt.Errorf("%w: bucket %q has a key of %d bytes", engine.ErrCorrupt, bucket, len(key))
	} else {
		c.values++
		if bucket == string(logBucket) {
			c.records++
		}
	}
	c.pending = append(c.pending, pendingValue{bucket, key, value})
	if c.size += len(value); c.size < copyBytes {
		return nil
	}
	return c.flush()
}

func (c *copier) flush() error {
	err := c.db.Update(func(tx *bbolt.Tx) error {
		for _, v := range c.pending {
			b := tx.Bucket([]byte(v.bucket))
			if b == nil {
				continue // a name that was damaged
			}
			if err := b.Put(v.key, v.value); err != nil {
				return err
			}
		}
		return nil
	})
	c.pending, c.size = nil, 0
	return err
}

// finish writes the rest, and entries of the directory for blocks that have
// none, and closes the file when the disk has it.
func (c *copier) finish() (err error) {
	defer catch(&err)
	defer func() { err = errors.Join(err, c.db.Close()) }()
	if err := c.flush(); err != nil {
		return err
	}
	if err := c.db.Update(c.complete); err != nil {
		return err
	}
	return c.db.Sync()
}

// complete says which format this is, and makes what is missing. A log in a
// bucket is moved when the store is opened.
func (c *copier) complete(tx *bbolt.Tx) error {
	if c.format == 0 && c.records > 0 {
		c.format = formatLogInBucket
	}
	if c.format != formatLogInBucket {
		c.format = formatVersion
		if err := tx.DeleteBucket(logBucket); err != nil {
			return err
		}
	}
	return errors.Join(tx.Bucket(stateBucket).Put(formatKey, number(c.format)), completeDirectory(tx))
}

func completeDirectory(tx *bbolt.Tx) error {
	directory := tx.Bucket(directoryBucket)
	return tx.Bucket(blocksBucket).ForEach(func(key, block []byte) error {
		if directory.Get(key) != nil {
			return nil
		}
		id, err := parseNumber(key)
		if err != nil {
			return err
		}
		info := describe(engine.BlockID(id), bytes.Clone(block))
		return directory.Put(bytes.Clone(key), engine.EncodeDirectory([]engine.BlockInfo{info}))
	})
}
