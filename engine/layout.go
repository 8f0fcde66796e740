package engine

import (
	"strings"

	"sandtable/odata"
)

// Partition is a partition of a table and about how many entities it holds.
type Partition struct {
	Key      string
	Entities int
}

// Layout returns the partitions of the table in the order of their keys. It
// reads the directory of blocks and the changes since the last checkpoint, no
// block, so it costs nothing on a table of any size. The price is exactness: an
// entity in a block is counted for the partition in which its block begins, one
// that was replaced since counts twice, and a partition inside a single block
// is missing.
func (t *Table) Layout() ([]Partition, error) {
	c, err := t.contents()
	if err != nil {
		return nil, err
	}
	var all []Partition
	if c.blocks != nil {
		c.blocks.Scan(func(ref *blockRef) bool {
			all = countPartition(all, ref.First.PartitionKey, ref.Count)
			return true
		})
	}
	var changed []Partition
	c.changes.Scan(func(e *odata.Entity) bool {
		if e.Timestamp != deleted {
			changed = countPartition(changed, e.PartitionKey, 1)
		}
		return true
	})
	return mergePartitions(all, changed), nil
}

// countPartition adds entities to the last partition, or begins another one.
func countPartition(all []Partition, key string, entities int) []Partition {
	if last := len(all) - 1; last >= 0 && all[last].Key == key {
		all[last].Entities += entities
		return all
	}
	return append(all, Partition{strings.Clone(key), entities})
}

// mergePartitions merges two lists that are in the order of their keys.
func mergePartitions(a, b []Partition) []Partition {
	if len(b) == 0 {
		return a
	}
	merged := make([]Partition, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		next := &a
		if odata.Compare(b[0].Key, a[0].Key) < 0 {
			next = &b
		}
		merged = countPartition(merged, (*next)[0].Key, (*next)[0].Entities)
		*next = (*next)[1:]
	}
	return mergeRest(mergeRest(merged, a), b)
}

// mergeRest appends the rest of a list, whose first partition may be the last
// one of all.
func mergeRest(all, rest []Partition) []Partition {
	for _, p := range rest {
		all = countPartition(all, p.Key, p.Entities)
	}
	return all
}
