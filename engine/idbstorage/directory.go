//go:build js && wasm

package idbstorage

import (
	"cmp"
	"slices"

	"sandtable/engine"
)

// comparePosition is the order of the stored directory: by table and key, as the
// engine needs it. Sorting thousands of entries on every open would be most of
// its cost.
func comparePosition(a, b engine.BlockInfo) int {
	if c := cmp.Compare(a.Table, b.Table); c != 0 {
		return c
	}
	if c := a.First.Compare(b.First); c != 0 {
		return c
	}
	return cmp.Compare(a.ID, b.ID)
}

// applyCheckpoint returns a new directory with the changes of a checkpoint. They
// are few, so the runs between them are copied as they are.
func applyCheckpoint(directory []engine.BlockInfo, c engine.Checkpoint) []engine.BlockInfo {
	gone := make(map[engine.BlockID]bool, len(c.Deletes))
	for _, id := range c.Deletes {
		gone[id] = true
	}
	puts := make([]engine.BlockInfo, len(c.Puts))
	for i, b := range c.Puts {
		puts[i] = b.BlockInfo
		gone[b.ID] = true // an older version of it
	}
	slices.SortFunc(puts, comparePosition)
	all := make([]engine.BlockInfo, 0, len(directory)+len(puts))
	keep := func(infos []engine.BlockInfo) {
		for _, info := range infos {
			if !gone[info.ID] {
				all = append(all, info)
			}
		}
	}
	for _, put := range puts {
		n, _ := slices.BinarySearchFunc(directory, put, comparePosition)
		keep(directory[:n])
		all = append(all, put)
		directory = directory[n:]
	}
	keep(directory)
	return all
}

// remaining counts the blocks of a directory without those that were deleted.
func remaining(directory []engine.BlockInfo, deleted []engine.BlockID) (n int) {
	gone := make(map[engine.BlockID]bool, len(deleted))
	for _, id := range deleted {
		gone[id] = true
	}
	for _, info := range directory {
		if !gone[info.ID] {
			n++
		}
	}
	return n
}

// encodeCount encodes how many blocks there are, as a directory of one entry: a rebuilt
// directory shows by it whether blocks are missing.
func encodeCount(n int) []byte { return engine.EncodeDirectory([]engine.BlockInfo{{Count: n}}) }

// decodeCount returns 0 for a count that is missing or corrupt.
func decodeCount(data []byte) int {
	infos, err := engine.DecodeDirectory(data)
	if err != nil || len(infos) != 1 {
		return 0
	}
	return infos[0].Count
}

// maxDeleted is how many blocks are deleted before the directory is written again.
const maxDeleted = 1024

// encodeDeleted encodes the blocks that were deleted since the directory was written,
// as a directory of their ids: so a deletion writes a few bytes instead of all that.
func encodeDeleted(ids []engine.BlockID) []byte {
	infos := make([]engine.BlockInfo, len(ids))
	for i, id := range ids {
		infos[i].ID = id
	}
	return engine.EncodeDirectory(infos)
}

func decodeDeleted(data []byte) (ids []engine.BlockID, err error) {
	if data == nil {
		return nil, nil // written by a version that wrote the directory each time
	}
	infos, err := engine.DecodeDirectory(data)
	for _, info := range infos {
		ids = append(ids, info.ID)
	}
	return ids, err
}
