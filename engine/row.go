package engine

import (
	"slices"

	"sandtable/odata"
)

// row is an entity that a query has come to: one of a block, which is not
// taken apart, or one of the changes beside the blocks. It is a
// [filter.Entity], and looking at it allocates nothing once it knows where the
// properties are that are asked for.
type row struct {
	block  *block
	index  int
	run    int
	entity *odata.Entity // nil for one of a block

	shape   int      // of the columns; -1 for none
	columns []column // of the first properties that were asked for
}

// at makes it the row of an entity of a block.
func (r *row) at(b *block, index int) {
	if r.block != b {
		r.block, r.run, r.shape = b, b.runOf(index), -1
	}
	r.index, r.entity = index, nil
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
	b := r.block
	n, at := b.uvarint(b.offset(r.index))
	shape, values := b.uvarint(at + n + 8)
	if shape != r.shape {
		r.shape, r.columns = shape, r.columns[:0]
	}
	c := r.column(name)
	if c.kind == columnMissing {
		return odata.Value{}, false
	}
	return r.value(&c, values), true
}

// value returns what an entity of a block, whose values stand somewhere, has in
// the column of a property that is there.
func (r *row) value(c *column, values int) odata.Value {
	switch c.kind {
	case columnPartitionKey:
		return odata.StringValue(r.partitionKey())
	case columnRowKey:
		return odata.StringValue(r.block.rowKey(r.index))
	case columnTimestamp:
		stamp, _ := r.block.timestamp(r.index)
		return odata.DateTimeValue(stamp)
	}
	return r.block.value(c, values)
}

// mostColumns is how many columns a row keeps: looking for one among more costs
// as much as looking in the shape.
const mostColumns = 32

// column finds where the row's shape has a property.
func (r *row) column(name string) column {
	for i := range r.columns {
		if r.columns[i].name == name {
			return r.columns[i]
		}
	}
	c := r.block.column(r.block.shape(r.shape), name)
	if len(r.columns) < mostColumns {
		r.columns = append(r.columns, c)
	}
	return c
}

// whole returns the entity, one of a block from the shelf.
func (r *row) whole(s *shelf) *odata.Entity {
	if r.entity != nil {
		return r.entity
	}
	return s.entity(r.block, r.index)
}

// shown returns the entity, one of a block in scratch: with the properties of
// these names, or with all for nil.
func (r *row) shown(scratch *odata.Entity, names []string) *odata.Entity {
	if r.entity != nil {
		return r.entity
	}
	b, e := r.block, scratch
	row, at := b.string(b.offset(r.index))
	e.PartitionKey, e.RowKey, e.Timestamp = r.partitionKey(), row, odata.DateTime(b.uint64(at))
	if names == nil {
		n, values := b.uvarint(at + 8)
		shape := b.shape(n)
		e.Properties = slices.Grow(e.Properties[:0], shape.count)[:shape.count]
		b.properties(e.Properties, shape, values)
		return e
	}
	e.Properties = e.Properties[:0]
	for _, name := range names {
		if v, ok := r.Property(name); ok {
			e.Properties = append(e.Properties, odata.Property{Name: name, Value: v})
		}
	}
	return e
}
