//go:build !js

package engine_test

import (
	"bytes"
	"errors"
	"testing"

	"sandtable/engine"
	"sandtable/engine/internal/encoding"
	"sandtable/odata"
)

// FuzzDecodeEntity: whatever a database has in a row, with a checksum that is right, is an
// entity that is encoded alike, or corruption.
func FuzzDecodeEntity(f *testing.F) {
	for _, e := range []*odata.Entity{encodeSample(), {}} {
		f.Add(engine.EncodeEntity(e)[encoding.FrameSize:])
	}
	key := odata.Key{PartitionKey: "p", RowKey: "r"}
	f.Fuzz(func(t *testing.T, payload []byte) {
		seal := func() []byte { return encoding.Seal(append(encoding.Begin(nil), payload...), encoding.Entity) }
		e, err := engine.DecodeEntity(seal(), key)
		if err != nil {
			if !errors.Is(err, engine.ErrCorrupt) {
				t.Errorf("an error that is not ErrCorrupt: %v", err)
			}
			return
		}
		encoded := engine.EncodeEntity(e)
		again, err := engine.DecodeEntity(encoded, key)
		if err != nil || !bytes.Equal(engine.EncodeEntity(again), encoded) {
			t.Errorf("decoded %v, and again %v, %v", e, again, err)
		}
	})
}
