// Package block implements the encoded block: a sorted run of entities of one
// table in one piece of bytes that is searched, filtered and read without
// decoding the rest. The engine sees no byte of it. [Builder] encodes a block,
// [Open] checks one completely, and a [Block], [Row] and [Matcher] read it.
//
// # Layout
//
// A block is the payload of a frame (see package encoding):
//
//	identity     8 bytes
//	table        4 bytes
//	entities     4 bytes   how many
//	partitions   4 bytes   how many
//	shapes       4 bytes   how many
//	entities               in key order, see below
//	partition keys         one per partition
//	shapes                 see below
//	offsets      4 bytes for each entity, where it begins
//	partitions   8 bytes for each, the index of its first entity and where its key begins
//	offsets      4 bytes for each shape, where it begins
//
// Offsets count from the identity. A partition key is stored once, and a search
// compares it once: it searches the partitions first, then the row keys of one.
//
// An entity is
//
//	row key
//	Timestamp    8 bytes
//	shape        varint   its number
//	values       of fixed width first, then strings and binaries
//
// # Shapes
//
// A shape is the names and types of an entity's properties, in their order, like
// the hidden class of an object in a JavaScript engine:
//
//	fixed        varint   how many bytes the values of fixed width take
//	properties   varint   how many
//	each: type (1 byte) and name
//
// Most entities of a block share a shape, so names and types are stored once,
// and values of fixed width are at the same offset in every entity of a shape. A
// query looks up a property, or prepares a filter, once per shape.
//
// A column is where the entities of one shape have a property. A [Row] is the
// entity that a query is looking at, still encoded.
package block
