//go:build js && wasm

package idbstorage

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"slices"
	"testing"

	"sandtable/engine"
)

// sampleRecord is a record of an object store: its key, a number or a string,
// and its value in base64, "" for a marker.
type sampleRecord struct {
	Key   any
	Value string
}

// sample is a database in format 1, which every version must open. It has a
// checkpoint with one block, then two WAL records, a reserved number and the
// fences of two epochs.
//
//go:embed testdata/format1.json
var sample []byte

func TestSample(t *testing.T) {
	var stores map[string][]sampleRecord
	if err := json.Unmarshal(sample, &stores); err != nil {
		t.Fatal(err)
	}
	name := newDatabase(t)
	s, err := Open(name, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, err = s.transact(readWrite, inAll, func(tx *transaction) {
		for store, records := range stores {
			for _, r := range records {
				value, err := base64.StdEncoding.DecodeString(r.Value)
				if err != nil {
					t.Error(err)
				}
				if r.Value == "" {
					tx.store(store).Call("put", marker, r.Key)
				} else {
					tx.put(tx.store(store), r.Key, value)
				}
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	d, err := s.Load()
	if err != nil {
		t.Fatal(err)
	}
	want := engine.BlockInfo{ID: 1, Table: 1, Count: 1, Size: 4}
	if !slices.Equal(d.Blocks, []engine.BlockInfo{want}) || d.Rebuilt != 0 || string(d.Meta) != "m" {
		t.Errorf("loaded %+v, %q, want %+v, %q", d.Blocks, d.Meta, want, "m")
	}
	if len(d.WAL) != 2 || d.WAL[0].Seq != 2 || d.WAL[1].Seq != 3 || string(d.WAL[1].Data) != "\x03" {
		t.Errorf("loaded WAL %v", d.WAL)
	}
	if blocks, err := s.ReadBlocks([]engine.BlockID{1}); err != nil || string(blocks[0]) != "data" {
		t.Errorf("read %q, %v", blocks, err)
	}
	if s.epoch != 3 || !slices.Equal(s.reserved, []uint64{4}) || s.Identity() != "000102030405060708090a0b0c0d0e0f" {
		t.Errorf("epoch %d, reserved %v, identity %s", s.epoch, s.reserved, s.Identity())
	}
	appendRecord(t, s, 4)
}
