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

// openLog opens the log of a store. A new store gets one, and that of a store
// of the format before is moved into a file.
func openLog(folder string, db *bbolt.DB) (*recordLog, error) {
	format, err := formatOf(db)
	switch {
	case err != nil:
		return nil, err
	case format == 0:
		return newLog(folder, db)
	case format == formatLogInBucket:
		return moveLog(folder, db)
	}
	state, err := readLogState(db)
	if err != nil {
		return nil, err
	}
	return readLog(folder, state)
}

// newLog makes what a new store lacks. The disk has the log's file, and all
// folders that both are in, before the store says that there is one.
func newLog(folder string, db *bbolt.DB) (*recordLog, error) {
	for slot := byte(1); slot <= 2; slot++ {
		_, records, err := lookAt(folder, slot)
		if err != nil {
			return nil, err
		}
		if records > 0 {
			return nil, fmt.Errorf("%w: %s has records, but %s is new: is that of the store missing?", engine.ErrCorrupt, logName(slot), FileName)
		}
	}
	if err := syncFolders(upwards(folder)); err != nil {
		return nil, err
	}
	return startLog(folder, db, nil, func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{blocksBucket, directoryBucket, stateBucket} {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		return nil
	})
}

// moveLog moves the log out of its bucket. Before the transaction the store is
// as it was, and behind it the bucket is gone.
func moveLog(folder string, db *bbolt.DB) (*recordLog, error) {
	var records []engine.WALRecord
	err := transact(db.View, func(tx *bbolt.Tx) (err error) {
		if tx.Bucket(logBucket) == nil {
			return fmt.Errorf("%w: bucket %q is missing", engine.ErrCorrupt, logBucket)
		}
		records, err = loadLog(tx.Bucket(logBucket))
		return err
	})
	if err != nil {
		return nil, err
	}
	return startLog(folder, db, records, func(tx *bbolt.Tx) error { return tx.DeleteBucket(logBucket) })
}

// startLog makes a log of records, and has the store say so in the transaction
// that does the rest, too.
func startLog(folder string, db *bbolt.DB, records []engine.WALRecord, rest func(*bbolt.Tx) error) (l *recordLog, err error) {
	f, err := beginFile(folder, 1, 0, engine.Strict)
	if err != nil {
		return nil, full(err)
	}
	l = &recordLog{folder: folder, files: []*logFile{f}}
	defer func() {
		if err != nil {
			err = errors.Join(full(err), l.close())
		}
	}()
	for _, r := range records {
		if err := l.append(r.Seq, r.Data, engine.Relaxed); err != nil {
			return l, err
		}
	}
	if err := l.sync(); err != nil {
		return l, err
	}
	return l, transact(db.Update, func(tx *bbolt.Tx) error {
		if err := rest(tx); err != nil {
			return err
		}
		return errors.Join(putLogState(tx, l.state()), tx.Bucket(stateBucket).Put(formatKey, number(formatVersion)))
	})
}

func loadLog(log *bbolt.Bucket) ([]engine.WALRecord, error) {
	var records []engine.WALRecord
	err := log.ForEach(func(key, record []byte) error {
		seq, err := parseNumber(key)
		records = append(records, engine.WALRecord{Seq: seq, Data: bytes.Clone(record)})
		return err
	})
	return records, err
}

func putLogState(tx *bbolt.Tx, s logState) error {
	return tx.Bucket(stateBucket).Put(logKey, s.encode())
}

func readLogState(db *bbolt.DB) (s logState, err error) {
	err = transact(db.View, func(tx *bbolt.Tx) (err error) {
		s, err = decodeLogState(tx.Bucket(stateBucket).Get(logKey))
		return err
	})
	return s, err
}

// lookAt reads a file of the log by its own opening. One that is not there has
// none, nor has one that was torn when it was made: it has no more than a page.
// The error wraps [engine.ErrCorrupt], [engine.ErrFormat], or is the file's.
func lookAt(folder string, slot byte) (o opening, records int, err error) {
	text, err := readFile(filepath.Join(folder, logName(slot)))
	if errors.Is(err, fs.ErrNotExist) {
		return opening{}, 0, nil
	}
	if err != nil {
		return opening{}, 0, err
	}
	o, err = parseOpening(text)
	switch {
	case errors.Is(err, engine.ErrCorrupt) && len(text) <= firstFrame:
		return opening{}, 0, nil
	case err != nil:
		return opening{}, 0, fmt.Errorf("%s: %w", logName(slot), err)
	}
	frames, _ := cutTorn(o.scan(text))
	return o, len(frames), nil
}

// readFile reads as much of a file as a log can have.
func readFile(path string) (text []byte, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil {
		text = make([]byte, min(info.Size(), mostSize))
		_, err = io.ReadFull(file, text)
	}
	return text, errors.Join(err, file.Close())
}
