//go:build !js

package boltstorage

import (
	"bytes"
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
	// Lost says why parts could not be read, one error a page. There is none
	// if nothing is wrong; the store is then as it was.
	Lost []error
	// Kept is the path of the file as it was, "" if nothing is wrong.
	Kept string
	// Values is how many records, blocks and entries of the directory were
	// read.
	Values int
}

// Salvage makes another file of what can be read of one that Open refuses, in
// its place; the file as it was stays beside it. What is missing then is the
// engine's to find: it reports blocks and records that are not there, except
// the last of the log.
//
// A file neither of whose roots is whole, or of which nothing can be read, is
// left alone, as is one that is in use or of a newer format.
func Salvage(folder string, options Options) (done Salvaged, err error) {
	if options.Timeout == 0 {
		options.Timeout = DefaultTimeout
	}
	path := filepath.Join(folder, FileName)
	err = withFile(path, options.Timeout, func(file io.ReaderAt, size int64, pageSize int) (err error) {
		done, err = salvage(path+".salvaged", file, size, pageSize)
		return err
	})
	if err == nil && len(done.Lost) > 0 {
		done.Kept, err = swap(path, path+".salvaged")
	}
	if err != nil {
		return Salvaged{}, fmt.Errorf("salvage store %s: %w", folder, err)
	}
	return done, nil
}

// salvage copies what can be read into another file, if something is wrong.
func salvage(to string, file io.ReaderAt, size int64, pageSize int) (done Salvaged, err error) {
	if err := checkPages(file, size, pageSize); !errors.Is(err, engine.ErrDamaged) {
		return Salvaged{}, err // nil, if nothing is wrong
	}
	if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Salvaged{}, err // one that a crash left
	}
	c, err := newCopier(to)
	if err != nil {
		return Salvaged{}, err
	}
	done.Lost, err = readPages(file, size, pageSize, c.add)
	done.Values = c.values
	if err == nil && done.Values == 0 {
		err = fmt.Errorf("%w: nothing can be read", engine.ErrDamaged)
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
	if err := prepare(db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &copier{db: db}, nil
}

// add takes a value. One that cannot be ours is damage.
func (c *copier) add(bucket string, key, value []byte) error {
	if bucket == string(stateBucket) {
		if bytes.Equal(key, formatKey) {
			return checkFormat(value)
		}
	} else if len(key) != 8 {
		return fmt.Errorf("%w: bucket %q has a key of %d bytes", engine.ErrDamaged, bucket, len(key))
	} else {
		c.values++
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
	if err := c.db.Update(completeDirectory); err != nil {
		return err
	}
	return c.db.Sync()
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
