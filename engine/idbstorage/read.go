//go:build js && wasm

package idbstorage

import (
	"errors"
	"fmt"

	"sandtable/engine"
)

// ReadBlocks is [engine.Storage.ReadBlocks].
func (s *Storage) ReadBlocks(ids []engine.BlockID) ([][]byte, error) {
	requests, err := s.transact(readOnly, inBlocks, func(t *transaction) {
		blocks := t.store(blocksStore)
		for _, id := range ids {
			t.get(blocks, float64(id))
		}
	})
	if isUnreadable(err) {
		return nil, s.missingBlock(ids[0], err) // if another value can be read
	}
	if err != nil {
		return nil, err
	}
	blocks := make([][]byte, len(ids))
	for i, request := range requests {
		if blocks[i], err = result(request); err != nil || blocks[i] == nil {
			return nil, s.missingBlock(ids[i], err)
		}
	}
	return blocks, nil
}

// missingBlock returns the error for a block that cannot be read: ErrFenced if
// the checkpoint of another worker may have deleted it.
func (s *Storage) missingBlock(id engine.BlockID, cause error) error {
	now, err := s.readState()
	if err != nil {
		return err
	}
	isOurs := decodeEpoch(now[atEpoch]) == s.epoch
	if c := s.claim; c != nil {
		isOurs = c.found.equal(now)
	}
	if !isOurs {
		return s.noteFenced(ErrFenced)
	}
	return errors.Join(fmt.Errorf("read block %d: %w", id, engine.ErrBlockNotFound), cause)
}
