package odata

// Key is the primary key of an entity. Entities of a table are ordered by
// PartitionKey, then by RowKey, both compared with [Compare]. Empty keys are
// valid.
type Key struct {
	PartitionKey string
	RowKey       string
}

// Compare returns -1, 0 or +1 as k comes before, is, or comes after other.
func (k Key) Compare(other Key) int {
	if c := Compare(k.PartitionKey, other.PartitionKey); c != 0 {
		return c
	}
	return Compare(k.RowKey, other.RowKey)
}

// Less reports whether k comes before other.
func (k Key) Less(other Key) bool { return k.Compare(other) < 0 }

// Next returns the smallest key after k.
func (k Key) Next() Key { return Key{k.PartitionKey, k.RowKey + "\x00"} }

// NextPartition returns the smallest key of all partitions after k's.
func (k Key) NextPartition() Key { return Key{PartitionKey: k.PartitionKey + "\x00"} }

// KeyRange is the half-open range of keys from From up to, but not including, To.
// If Bounded is false there is no upper end and To is ignored. The zero KeyRange
// contains every key.
type KeyRange struct {
	From    Key
	To      Key
	Bounded bool
}

// Contains reports whether k is in the range.
func (r KeyRange) Contains(k Key) bool {
	return !k.Less(r.From) && (!r.Bounded || k.Less(r.To))
}

// IsEmpty reports whether the range contains no key.
func (r KeyRange) IsEmpty() bool { return r.Bounded && !r.From.Less(r.To) }

// Intersect returns the range of the keys in both r and other.
func (r KeyRange) Intersect(other KeyRange) KeyRange {
	if r.From.Less(other.From) {
		r.From = other.From
	}
	if other.Bounded && (!r.Bounded || other.To.Less(r.To)) {
		r.To, r.Bounded = other.To, true
	}
	return r
}

// Span returns the smallest range that contains both r and other.
func (r KeyRange) Span(other KeyRange) KeyRange {
	switch {
	case r.IsEmpty():
		return other
	case other.IsEmpty():
		return r
	}
	if other.From.Less(r.From) {
		r.From = other.From
	}
	switch {
	case !other.Bounded:
		r.To, r.Bounded = Key{}, false
	case r.Bounded && r.To.Less(other.To):
		r.To = other.To
	}
	return r
}
