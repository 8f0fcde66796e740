//go:build js && wasm

package idbstorage

import (
	"cmp"
	"slices"

	"sandtable/engine"
)

// byPlace is the order in which the directory is kept: that in which the
// engine wants each table's blocks. To sort thousands of them whenever the
// store opens would be the most of what that costs.
func byPlace(a, b engine.BlockInfo) int {
	if c := cmp.Compare(a.Table, b.Table); c != 0 {
		return c
	}
	if c := a.First.Compare(b.First); c != 0 {
		return c
	}
	return cmp.Compare(a.ID, b.ID)
}

// replaced returns the directory after a checkpoint, as a new one. What a
// checkpoint puts is little beside what stays, which is copied as it is.
func replaced(directory []engine.BlockInfo, c engine.Checkpoint) []engine.BlockInfo {
	gone := make(map[engine.BlockID]bool, len(c.Deletes))
	for _, id := range c.Deletes {
		gone[id] = true
	}
	puts := make([]engine.BlockInfo, len(c.Puts))
	for i, b := range c.Puts {
		puts[i] = b.BlockInfo
		gone[b.ID] = true // one that is put again
	}
	slices.SortFunc(puts, byPlace)
	all := make([]engine.BlockInfo, 0, len(directory)+len(puts))
	keep := func(infos []engine.BlockInfo) {
		for _, info := range infos {
			if !gone[info.ID] {
				all = append(all, info)
			}
		}
	}
	for _, put := range puts {
		n, _ := slices.BinarySearchFunc(directory, put, byPlace)
		keep(directory[:n])
		all = append(all, put)
		directory = directory[n:]
	}
	keep(directory)
	return all
}
