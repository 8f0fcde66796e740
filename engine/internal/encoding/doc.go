// Package encoding holds the byte formats that everything stored by the engine
// is made of: the [Frame] with its checksum, and inside it numbers, strings,
// keys and entities.
//
// A frame is
//
//	kind     1 byte    what the payload is, see [Kind]
//	version  1 byte    of the format, [Version]
//	checksum 4 bytes   CRC-32C of kind, version and payload
//	payload
//
// Numbers of fixed width are little-endian. Strings and byte sequences have
// their length before them, as a varint.
//
// An entity, as WAL records contain it, is
//
//	partition key, row key
//	Timestamp    8 bytes
//	properties   varint   how many
//	each: name, type (1 byte, see [Type]), value
//
// Blocks store entities in a denser form, see package block.
package encoding
