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
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"

	"sandtable/engine"
)

// FileName is the name of the store's file in its folder. Those of the log have
// names that begin with it.
const FileName = "sandtable.db"

// formatVersion is that of the layout: which buckets there are, and what their
// keys are, and that the log has files. What is in the values has versions of
// its own.
const (
	formatVersion     = 2
	formatLogInBucket = 1
)

var (
	logBucket       = []byte("log") // of formatLogInBucket
	blocksBucket    = []byte("blocks")
	directoryBucket = []byte("directory")
	stateBucket     = []byte("state")

	formatKey = []byte("format")
	metaKey   = []byte("meta")
	logKey    = []byte("log")
)

// Storage is a store in a folder.
type Storage struct {
	folder  string
	options Options
	failed  atomic.Bool

	mu   sync.RWMutex // held for reading while a call is under way
	db   *bbolt.DB    // nil when it is closed
	file *os.File     // that of db

	writing sync.Mutex // held for the log
	log     *recordLog
	settled bool // the disk has all that was there when the store was opened
}

var _ engine.Storage = (*Storage)(nil)

// Open opens the store in a folder, and makes both if they are not there. The
// error names the folder and wraps [ErrInUse], [engine.ErrFormat],
// [engine.ErrCorrupt] (a file that is not a store, or whose structure is
// broken; it is left as it is, see [Salvage]), or that of the operating system.
func Open(folder string, options Options) (*Storage, error) {
	if options.Timeout == 0 {
		options.Timeout = DefaultTimeout
	}
	s := &Storage{folder: folder, options: options}
	return s, s.open()
}

func (s *Storage) open() error {
	if err := os.MkdirAll(s.folder, 0o700); err != nil {
		return fmt.Errorf("open store: %w", err) // it has the path
	}
	db, file, err := openFile(filepath.Join(s.folder, FileName), s.options)
	if err != nil {
		return fmt.Errorf("open store %s: %w", s.folder, err)
	}
	// The log's files are touched under the lock of bbolt's.
	if err := s.openWith(db, file); err != nil {
		return errors.Join(fmt.Errorf("open store %s: %w", s.folder, err), closeFile(db))
	}
	s.failed.Store(false)
	return nil
}

// openWith opens the log beside a file that is open.
func (s *Storage) openWith(db *bbolt.DB, file *os.File) error {
	log, err := openLog(s.folder, db)
	if err != nil {
		return err
	}
	s.db, s.file, s.log, s.settled = db, file, log, false
	// A disk that is full must not keep the store from being read. The first
	// write tries again.
	if err := s.settleIfStrict(); err != nil && !isFull(err) {
		s.db, s.file, s.log = nil, nil, nil
		return errors.Join(err, log.close())
	}
	return nil
}

// settleIfStrict settles what the store was opened with, once.
func (s *Storage) settleIfStrict() error {
	if s.settled || s.options.Durability == engine.Relaxed {
		return nil
	}
	if err := s.settle(); err != nil {
		return err
	}
	s.settled = true
	return nil
}

// settle has the disk know of all that the store has. Without it an append that
// is synced could be behind a root that is not: of a relaxed session, or of a
// process that was killed between a write and its sync. The log comes first,
// since the root may refer to a file of it that is as new.
func (s *Storage) settle() error {
	if err := s.log.settle(); err != nil {
		return err
	}
	return settleRoot(s.db, s.file)
}

// settleRoot has the disk know of the root, and of all pages. The root is written
// again for that: one whose sync has failed looks afterwards as if it had been
// synced. Its pages need no more than a sync, since it was not written if theirs
// had failed.
func settleRoot(db *bbolt.DB, file *os.File) error {
	m, err := currentMeta(file, db.Info().PageSize)
	if err != nil {
		return err
	}
	text := make([]byte, pageHeaderSize+metaSize)
	if _, err := file.ReadAt(text, m.offset); err != nil {
		return err
	}
	if _, err := file.WriteAt(text, m.offset); err != nil {
		return err
	}
	if err := syncData(file); err != nil {
		return fmt.Errorf("sync the root: %v", err) // and not a full disk alone
	}
	return nil
}

// syncData has the disk know of a file's text. Tests look on.
var syncData = fdatasync

// openFile opens the file, after a look at all of its structure if it is not
// new: bbolt would panic over a broken one, in part in goroutines of its own.
func openFile(path string, o Options) (db *bbolt.DB, file *os.File, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer catch(&err)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = makeFile(path, o)
	case err == nil && info.Size() > 0:
		err = checkFile(path, o)
	}
	if err != nil {
		return nil, nil, err
	}
	for {
		db, err = bbolt.Open(path, 0o600, &bbolt.Options{
			Timeout: o.Timeout, NoSync: o.Durability == engine.Relaxed,
			// The list of free pages can be long after a checkpoint, and would be
			// written with every transaction. Opening makes it from the pages in use.
			NoFreelistSync: true, FreelistType: bbolt.FreelistMapType,
			OpenFile: func(name string, flag int, mode os.FileMode) (_ *os.File, err error) {
				file, err = os.OpenFile(name, flag, mode)
				return file, err
			},
		})
		if err != nil {
			return nil, nil, openError(err)
		}
		if isCurrent(path, file) {
			break
		}
		// While this one waited for the lock, Compact put another file there.
		if err := db.Close(); err != nil {
			return nil, nil, err
		}
	}
	_, err = formatOf(db)
	if err == nil {
		_ = os.Remove(path + madeSuffix)            // a second name, if a crash left it
		err = removeIfThere(path + compactedSuffix) // the lock says that nobody is writing it
	}
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return db, file, nil
}

// madeSuffix is what the name of a file that is being made has behind that of
// the store's.
const madeSuffix = ".new"

// makeFile makes a file that is not there. It has its name only when the disk
// has what bbolt begins it with: a power failure amid would leave one that is no
// store, and is refused as damaged. Where another process was first, or the
// file system has no links, it does nothing.
func makeFile(path string, o Options) error {
	part := path + madeSuffix
	if err := removeIfThere(part); err != nil { // one that a crash left
		return err
	}
	db, err := bbolt.Open(part, 0o600, &bbolt.Options{Timeout: o.Timeout, NoFreelistSync: true})
	if err != nil {
		_ = os.Remove(part) // the error to know is the one before
		return openError(err)
	}
	_ = os.Link(part, path) // never over one that is there
	err = db.Close()
	_ = os.Remove(part) // perhaps by now another's, who does without
	return err
}

// isCurrent reports whether a file that was opened is still the one of this
// name. Nobody replaces it who does not hold its lock.
func isCurrent(path string, file *os.File) bool {
	named, err := os.Stat(path)
	if err != nil {
		return false
	}
	opened, err := file.Stat()
	return err == nil && os.SameFile(named, opened)
}

// checkFile looks at all pages of a file.
func checkFile(path string, o Options) error {
	return withFile(path, o.Timeout, checkPages)
}

// withFile calls f with a file while no other process writes it: bbolt locks
// it, and opened for reading looks at no more than its roots.
func withFile(path string, timeout time.Duration, f func(file io.ReaderAt, size int64, pageSize int) error) error {
	var file *os.File
	db, err := bbolt.Open(path, 0, &bbolt.Options{
		ReadOnly: true, Timeout: timeout,
		OpenFile: func(name string, flag int, mode os.FileMode) (_ *os.File, err error) {
			file, err = os.OpenFile(name, flag, mode)
			return file, err
		},
	})
	if err != nil {
		return openError(err)
	}
	info, err := file.Stat()
	if err == nil {
		err = f(file, info.Size(), db.Info().PageSize)
	}
	return errors.Join(err, db.Close())
}

// formatOf returns the version of a file's layout, 0 if it is new. A newer one
// than ours is refused.
func formatOf(db *bbolt.DB) (format uint64, err error) {
	err = transact(db.View, func(tx *bbolt.Tx) error {
		state := tx.Bucket(stateBucket)
		if state == nil {
			return nil
		}
		text := state.Get(formatKey)
		if err := checkFormat(text); err != nil {
			return err
		}
		format = binary.BigEndian.Uint64(text)
		for _, name := range [][]byte{blocksBucket, directoryBucket} {
			if tx.Bucket(name) == nil {
				return fmt.Errorf("%w: bucket %q is missing", engine.ErrCorrupt, name)
			}
		}
		return nil
	})
	return format, err
}

func checkFormat(text []byte) error {
	switch {
	case len(text) != 8 || binary.BigEndian.Uint64(text) == 0:
		return fmt.Errorf("%w: the file has no format", engine.ErrCorrupt)
	case binary.BigEndian.Uint64(text) > formatVersion:
		return fmt.Errorf("%w: %d", engine.ErrFormat, binary.BigEndian.Uint64(text))
	}
	return nil
}

// Close is [engine.Storage.Close]. It waits for the calls under way.
func (s *Storage) Close() (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db == nil {
		return nil
	}
	db, log := s.db, s.log
	s.db, s.file, s.log = nil, nil, nil
	return errors.Join(log.close(), closeFile(db))
}

// SetDurability says what later writes wait for. What was written before is
// synced first when it becomes [engine.Strict], so that all that was acknowledged is
// safe when this returns. It waits for the calls under way.
func (s *Storage) SetDurability(d engine.Durability) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.db == nil:
		return engine.ErrClosed
	case s.failed.Load():
		return ErrFailed
	}
	defer catch(&err)
	if d == engine.Strict {
		if err := s.settle(); err != nil {
			if !isFull(err) {
				s.failed.Store(true)
			}
			return full(err)
		}
	}
	s.settled = d == engine.Strict
	s.db.NoSync = d == engine.Relaxed
	s.options.Durability = d
	return nil
}

// view calls f with what is stored.
func (s *Storage) view(f func(*bbolt.Tx) error) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.db == nil {
		return engine.ErrClosed
	}
	return transact(s.db.View, f)
}

// write does what writes, unless the disk has failed: what could not be synced
// may be gone, although a later sync succeeds.
func (s *Storage) write(do func() error) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	s.writing.Lock()
	defer s.writing.Unlock()
	switch {
	case s.db == nil:
		return engine.ErrClosed
	case s.failed.Load():
		return ErrFailed
	}
	err := s.settleIfStrict()
	if err == nil {
		err = do()
	}
	if err != nil && !isFull(err) {
		s.failed.Store(true)
	}
	return full(err)
}

// update makes one transaction.
func (s *Storage) update(f func(*bbolt.Tx) error) error {
	id := 0
	err := transact(s.db.Update, func(tx *bbolt.Tx) error {
		id = tx.ID()
		return f(tx)
	})
	if err != nil && isFull(err) && s.isRooted(id) {
		return fmt.Errorf("sync the root: %v", err) // and not a full disk alone
	}
	return err
}

// isRooted reports whether the root of a transaction that failed may be in the
// file. It is there if it was written and then not synced, as some file systems
// do that find only then that they are full.
func (s *Storage) isRooted(id int) bool {
	m, err := currentMeta(s.file, s.db.Info().PageSize)
	return err != nil || m.tx >= uint64(id)
}

// transact makes a transaction whose panics and faults are errors.
func transact(do func(func(*bbolt.Tx) error) error, f func(*bbolt.Tx) error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer catch(&err)
	return do(f)
}

// Append is [engine.Storage.Append]: one write to the log's file, and one sync.
func (s *Storage) Append(seq uint64, record []byte) error {
	return s.write(func() error { return s.log.append(seq, record, s.options.Durability) })
}

// Checkpoint is [engine.Storage.Checkpoint]: one transaction, which also says
// what of the log is dropped, and in which file it goes on.
func (s *Storage) Checkpoint(c engine.Checkpoint) error {
	return s.write(func() error {
		cut := s.log.plan(c.Seq, s.options.Durability)
		err := s.update(func(tx *bbolt.Tx) error {
			if err := deleteBlocks(tx, c.Deletes); err != nil {
				return err
			}
			if err := putBlocks(tx, c.Puts); err != nil {
				return err
			}
			if err := putLogState(tx, cut.state(cut.drops)); err != nil {
				return err
			}
			return tx.Bucket(stateBucket).Put(metaKey, c.Meta)
		})
		if err != nil {
			cut.forget()
			return err
		}
		s.log.adopt(cut)
		return nil
	})
}

func deleteBlocks(tx *bbolt.Tx, ids []engine.BlockID) error {
	blocks, directory := tx.Bucket(blocksBucket), tx.Bucket(directoryBucket)
	for _, id := range ids {
		key := number(uint64(id))
		if err := errors.Join(blocks.Delete(key), directory.Delete(key)); err != nil {
			return err
		}
	}
	return nil
}

func putBlocks(tx *bbolt.Tx, puts []engine.Block) error {
	blocks, directory := tx.Bucket(blocksBucket), tx.Bucket(directoryBucket)
	blocks.FillPercent, directory.FillPercent = 1, 1 // identities ascend
	for _, b := range puts {
		key := number(uint64(b.ID))
		info := engine.EncodeDirectory([]engine.BlockInfo{b.BlockInfo})
		if err := errors.Join(blocks.Put(key, b.Data), directory.Put(key, info)); err != nil {
			return err
		}
	}
	return nil
}

// ReadBlocks is [engine.Storage.ReadBlocks].
func (s *Storage) ReadBlocks(ids []engine.BlockID) ([][]byte, error) {
	texts := make([][]byte, len(ids))
	err := s.view(func(tx *bbolt.Tx) error {
		blocks := tx.Bucket(blocksBucket)
		for i, id := range ids {
			text := blocks.Get(number(uint64(id)))
			if text == nil {
				return fmt.Errorf("read block %d: %w", id, engine.ErrBlockNotFound)
			}
			texts[i] = bytes.Clone(text) // it is the file's, mapped
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return texts, nil
}

// number returns a number as a key: big-endian, so that keys are in its order.
func number(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }
