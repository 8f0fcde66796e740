package engine

import "sandtable/odata"

// row is an entity that a query has come to: one of a block, which is not
// taken apart, or one of the changes beside the blocks. It is a
// [filter.Entity], and looking at it allocates nothing.
type row struct {
	block  *block
	index  int
	run    int
	entity *odata.Entity // nil for one of a block
}

// at makes it the row of an entity of a block.
func (r *row) at(b *block, index int) {
	if r.block != b {
		r.run = b.runOf(index)
	}
	r.block, r.index, r.entity = b, index, nil
}

// partitionKey keeps account of the run, since rows come in order.
func (r *row) partitionKey() string {
	for r.run+1 < r.block.runs && r.block.runFirst(r.run+1) <= r.index {
		r.run++
	}
	return r.block.partition(r.run)
}

func (r *row) key() odata.Key {
	if r.entity != nil {
		return r.entity.Key()
	}
	return odata.Key{PartitionKey: r.partitionKey(), RowKey: r.block.rowKey(r.index)}
}

// Property is that of [odata.Entity].
func (r *row) Property(name string) (odata.Value, bool) {
	if r.entity != nil {
		return r.entity.Property(name)
	}
	switch name {
	case odata.PartitionKeyName:
		return odata.StringValue(r.partitionKey()), true
	case odata.RowKeyName:
		return odata.StringValue(r.block.rowKey(r.index)), true
	case odata.TimestampName:
		stamp, _ := r.block.timestamp(r.index)
		return odata.DateTimeValue(stamp), true
	}
	return r.block.property(r.index, name)
}

// whole returns the entity, one of a block from the shelf.
func (r *row) whole(s *shelf) *odata.Entity {
	if r.entity != nil {
		return r.entity
	}
	return s.entity(r.block, r.index)
}
