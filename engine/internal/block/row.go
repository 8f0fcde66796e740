package block

import (
	"slices"

	"sandtable/odata"
)

// Row is the entity of a block that a query is looking at, still encoded. It is
// a filter.Entity. It remembers where the properties that were looked at are, so
// looking at the same ones in the next entities of a shape allocates nothing.
type Row struct {
	block     *Block
	index     int
	partition int

	shape   int      // of columns; -1 for none
	columns []column // of the properties that were looked at first
	decoded int      // the shape of the entity that Decode decoded last; -1 for none
}

// Move makes r the row of the entity with index i. Within a block, i must not
// go back.
func (r *Row) Move(b *Block, i int) {
	if r.block != b {
		r.block, r.partition, r.shape, r.decoded = b, b.partitionOf(i), -1, -1
	}
	r.index = i
}

// Key returns the entity's key.
func (r *Row) Key() odata.Key {
	return odata.Key{PartitionKey: r.partitionKey(), RowKey: r.block.rowKey(r.index)}
}

// partitionKey moves on from the partition of the row before.
func (r *Row) partitionKey() string {
	r.partition = r.block.PartitionOf(r.index, r.partition)
	return r.block.PartitionKey(r.partition)
}

// Entity decodes the entity into memory of its own.
func (r *Row) Entity() *odata.Entity { return r.block.Entity(r.index) }

// Property is [odata.Entity.Property].
func (r *Row) Property(name string) (odata.Value, bool) {
	b := r.block
	n, at := b.uvarint(b.offset(r.index))
	shape, values := b.uvarint(at + n + 8)
	if shape != r.shape {
		r.shape, r.columns = shape, r.columns[:0]
	}
	c := r.column(name)
	if c.kind == missingColumn {
		return odata.Value{}, false
	}
	return r.value(&c, values), true
}

// value decodes the property in a column that is not missing.
func (r *Row) value(c *column, values int) odata.Value {
	switch c.kind {
	case partitionKeyColumn:
		return odata.StringValue(r.partitionKey())
	case rowKeyColumn:
		return odata.StringValue(r.block.rowKey(r.index))
	case timestampColumn:
		stamp, _ := r.block.timestamp(r.index)
		return odata.DateTimeValue(stamp)
	}
	return r.block.value(c, values)
}

// maxColumns is how many columns a row remembers: finding one among more takes
// as long as finding it in the shape.
const maxColumns = 32

// column finds a property in the row's shape.
func (r *Row) column(name string) column {
	for i := range r.columns {
		if r.columns[i].name == name {
			return r.columns[i]
		}
	}
	c := r.block.column(r.block.shape(r.shape), name)
	if len(r.columns) < maxColumns {
		r.columns = append(r.columns, c)
	}
	return c
}

// Decode overwrites e with the entity and its properties of these names, nil
// for all of them. It reuses e.Properties: all calls for a row pass the same e, and
// nothing else changes it.
func (r *Row) Decode(e *odata.Entity, names []string) {
	b := r.block
	row, at := b.text(b.offset(r.index))
	e.PartitionKey, e.RowKey, e.Timestamp = r.partitionKey(), row, odata.DateTime(b.uint64(at))
	if names == nil {
		n, values := b.uvarint(at + 8)
		s := b.shape(n)
		if n != r.decoded {
			r.decoded = n
			e.Properties = slices.Grow(e.Properties[:0], s.count)[:s.count]
			b.names(e.Properties, s)
		}
		b.values(e.Properties, s, values)
		return
	}
	r.decoded, e.Properties = -1, e.Properties[:0]
	for _, name := range names {
		if v, ok := r.Property(name); ok {
			e.Properties = append(e.Properties, odata.Property{Name: name, Value: v})
		}
	}
}
