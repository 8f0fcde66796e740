//go:build js && wasm

package idbstorage

import (
	"bytes"
	"fmt"
)

// Keys of the state store.
const (
	identityKey  = "identity"
	directoryKey = "directory"
	deletedKey   = "deleted"
	countKey     = "blocks"
	metaKey      = "meta"
	reservedKey  = "reserved"
	truncatedKey = "truncated"
	epochKey     = "epoch"
)

// Indexes of stateKeys.
const (
	atIdentity = iota
	atDirectory
	atDeleted
	atCount
	atMeta
	atReserved
	atTruncated
	atEpoch
)

var stateKeys = [...]string{identityKey, directoryKey, deletedKey, countKey, metaKey, reservedKey, truncatedKey, epochKey}

// state holds the values of stateKeys at one moment, nil for absent ones.
type state [len(stateKeys)][]byte

func (s *state) equal(other state) bool {
	for i := range s {
		if !bytes.Equal(s[i], other[i]) {
			return false
		}
	}
	return true
}

// readState reads the state. A directory that cannot be read, of all values the only large
// one, is absent: it is rebuilt.
func (s *Storage) readState() (state, error) {
	found, err := s.readStateBut("")
	if isUnreadable(err) {
		return s.readStateBut(directoryKey)
	}
	return found, err
}

// readStateBut reads the state without one of its keys.
func (s *Storage) readStateBut(except string) (found state, err error) {
	var at []int
	requests, err := s.transact(readOnly, inState, func(t *transaction) {
		at = at[:0] // in a retry
		store := t.store(stateStore)
		for i, key := range stateKeys {
			if key != except {
				t.get(store, key)
				at = append(at, i)
			}
		}
	})
	if err != nil {
		return state{}, fmt.Errorf("read state: %w", err)
	}
	for n, i := range at {
		if found[i], err = result(requests[n]); err != nil {
			return state{}, fmt.Errorf("read state %q: %w", stateKeys[i], err)
		}
	}
	return found, nil
}
