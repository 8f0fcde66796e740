package engine

import (
	"sandtable/engine/internal/encoding"
	"sandtable/odata"
)

// EncodeEntity encodes an entity for a store of another kind, as the WAL does:
// with a format version and a checksum, but without the keys.
func EncodeEntity(e *odata.Entity) []byte {
	keyless := odata.Entity{Timestamp: e.Timestamp, Properties: e.Properties}
	return encoding.Seal(encoding.AppendEntity(encoding.Begin(nil), &keyless), encoding.Entity)
}

// DecodeEntity is the inverse of [EncodeEntity]: the error wraps [ErrCorrupt] or
// [ErrFormat]. The entity shares the memory of b.
func DecodeEntity(b []byte, key odata.Key) (*odata.Entity, error) {
	payload, err := encoding.Open(b, encoding.Entity)
	if err != nil {
		return nil, err
	}
	r := encoding.NewReader(payload)
	e := r.Entity()
	if err := r.End(); err != nil {
		return nil, err
	}
	e.PartitionKey, e.RowKey = key.PartitionKey, key.RowKey
	return e, nil
}
