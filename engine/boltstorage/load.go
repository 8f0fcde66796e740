//go:build !js

package boltstorage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"

	"sandtable/engine"
)

// Load is [engine.Storage.Load]. It opens a closed storage again.
func (s *Storage) Load() (engine.Directory, error) {
	if err := s.reopen(); err != nil {
		return engine.Directory{}, err
	}
	var d engine.Directory
	err := s.view(func(tx *bbolt.Tx) (err error) {
		d.Meta = bytes.Clone(tx.Bucket(stateBucket).Get(metaKey))
		if d.Blocks, d.Rebuilt, err = loadDirectory(tx); err != nil {
			return err
		}
		s.writing.Lock()
		defer s.writing.Unlock()
		d.WAL, err = s.log.records()
		return err
	})
	if err != nil {
		return engine.Directory{}, fmt.Errorf("load store %s: %w", s.folder, err)
	}
	return d, nil
}

func (s *Storage) reopen() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db != nil {
		return nil
	}
	return s.open()
}

// loadDirectory reads the directory's entries, and counts those that it had to
// make again.
func loadDirectory(tx *bbolt.Tx) (infos []engine.BlockInfo, rebuilt int, err error) {
	err = tx.Bucket(directoryBucket).ForEach(func(key, text []byte) error {
		id, err := parseNumber(key)
		if err != nil {
			return err
		}
		info, whole, err := loadInfo(tx, engine.BlockID(id), text)
		infos = append(infos, info)
		if !whole {
			rebuilt++
		}
		return err
	})
	return infos, rebuilt, err
}

// loadInfo reads one entry of the directory, and makes another one from the
// block if it is not whole.
func loadInfo(tx *bbolt.Tx, id engine.BlockID, text []byte) (info engine.BlockInfo, whole bool, err error) {
	// The decoder may keep parts of its text, which is the file's.
	found, err := engine.DecodeDirectory(bytes.Clone(text))
	switch {
	case err == nil && len(found) == 1 && found[0].ID == id:
		return found[0], true, nil
	case err != nil && !errors.Is(err, engine.ErrCorrupt):
		return engine.BlockInfo{}, false, err
	}
	return describe(id, bytes.Clone(tx.Bucket(blocksBucket).Get(number(uint64(id))))), false, nil
}

// BlockIDs returns the identities of all blocks whose text is there, whatever
// the directory says, for [engine.DB.Verify].
func (s *Storage) BlockIDs() (ids []engine.BlockID, err error) {
	err = s.view(func(tx *bbolt.Tx) error {
		return tx.Bucket(blocksBucket).ForEach(func(key, _ []byte) error {
			id, err := parseNumber(key)
			ids = append(ids, engine.BlockID(id))
			return err
		})
	})
	return ids, err
}

// describe makes the directory's entry of a block.
func describe(id engine.BlockID, block []byte) engine.BlockInfo {
	info, err := engine.DescribeBlock(block)
	if err != nil {
		// Not to be read, but to be reported.
		info = engine.BlockInfo{Size: len(block)}
	}
	info.ID = id
	return info
}

func parseNumber(key []byte) (uint64, error) {
	if len(key) != 8 {
		return 0, fmt.Errorf("%w: a key of %d bytes", engine.ErrCorrupt, len(key))
	}
	return binary.BigEndian.Uint64(key), nil
}
