package filestorage_test

import (
	"testing"

	"sandtable/engine"
	"sandtable/engine/filestorage"
)

// BenchmarkAppend puts records of one insert each into the log, which is
// dropped after as many as the engine lets it have.
func BenchmarkAppend(b *testing.B) {
	for _, durability := range []engine.Durability{engine.Strict, engine.Relaxed} {
		b.Run(durability.String(), func(b *testing.B) {
			s, err := filestorage.Open(b.TempDir(), filestorage.Options{Durability: durability})
			if err == nil {
				_, err = s.Load()
			}
			record := make([]byte, 150)
			for seq := uint64(1); b.Loop() && err == nil; seq++ {
				if err = s.Append(seq, record); seq%2600 == 0 && err == nil {
					err = s.Checkpoint(engine.Checkpoint{Seq: seq})
				}
			}
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}
