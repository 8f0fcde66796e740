package keydesign

import (
	"slices"

	"sandtable/odata"
)

// KeepsRows reports whether entities keep their RowKey under another partition
// key: they do if that contains the whole PartitionKey. Otherwise the RowKey gets
// the old PartitionKey in front, so that nothing is lost. Keys that contain the
// separator may become equal: escaping it would spoil most of the others.
func KeepsRows(parts []Part) bool {
	return slices.Contains(parts, Part{Property: odata.PartitionKeyName})
}

// Moved returns an entity as it is in a table with another partition key.
func Moved(parts []Part, e *odata.Entity) *odata.Entity {
	moved := *e
	moved.PartitionKey = Key(parts, e)
	if !KeepsRows(parts) {
		moved.RowKey = e.PartitionKey + "_" + e.RowKey
	}
	return &moved
}
