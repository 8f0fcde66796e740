//go:build !js

// Fuzz tests need files, and a browser has none.

package engine

import (
	"reflect"
	"testing"

	"sandtable/engine/internal/encoding"
	"sandtable/engine/samples"
	"sandtable/odata"
)

// The decoders must reject any input without a panic and without allocating more
// than the encoding can contain. A fuzzer cannot guess checksums, so they are
// recomputed after each change.

func seal(body []byte, kind encoding.Kind) []byte {
	return encoding.Seal(append(encoding.Begin(nil), body...), kind)
}

// sampleTexts returns the sample's payloads of a kind.
func sampleTexts(f *testing.F, kind encoding.Kind) (bodies [][]byte) {
	f.Helper()
	m := &MemoryStorage{}
	db, err := Open(m, Options{CheckpointAfter: -1})
	if err != nil {
		f.Fatal(err)
	}
	err = db.Update(func(tx *Tx) error {
		_ = tx.PutAccount(Account{Name: "sample"})
		_ = tx.CreateTable("sample", "Table")
		table, err := tx.Table("sample", "Table")
		for _, e := range samples.Entities() {
			if err == nil {
				_, err = table.Insert(e.Key(), e.Properties)
			}
		}
		return err
	})
	if err == nil {
		err = db.Update(func(tx *Tx) error { return tx.DeleteAccount("sample") })
	}
	if err != nil {
		f.Fatal(err)
	}
	db.checkpointForTest(f)
	if kind == encoding.Meta {
		return [][]byte{m.meta[encoding.FrameSize:]}
	}
	if kind == encoding.Directory {
		infos := []BlockInfo{{ID: 1, Table: 2, First: odata.Key{PartitionKey: "p", RowKey: "r"}, Count: 3, Size: 4}, {}}
		return [][]byte{EncodeDirectory(infos)[encoding.FrameSize:], EncodeDirectory(nil)[encoding.FrameSize:]}
	}
	d, err := m.Load()
	if err != nil {
		f.Fatal(err)
	}
	for _, r := range d.WAL {
		bodies = append(bodies, r.Data[encoding.FrameSize:])
	}
	return bodies
}

// checkpointForTest writes checkpoint metadata without truncating the WAL.
func (db *DB) checkpointForTest(f *testing.F) {
	f.Helper()
	m := meta{seq: 0, stamp: 5, nextTable: 6, nextBlock: 7}.encode()
	if err := db.storage.Checkpoint(Checkpoint{Meta: m}); err != nil {
		f.Fatal(err)
	}
}

func FuzzDecodeLogRecord(f *testing.F) {
	for _, body := range sampleTexts(f, encoding.WALRecord) {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		_, _ = decodeWALRecord(body, 1)
		data := seal(body, encoding.WALRecord)
		var seq uint64
		for i := range min(8, len(body)) {
			seq |= uint64(body[i]) << (8 * i)
		}
		c, err := decodeWALRecord(data, seq)
		if err != nil {
			return
		}
		// A decodable record must not keep the store from opening.
		m := &MemoryStorage{}
		_ = m.Append(seq, data)
		db, err := Open(m, Options{})
		if err != nil {
			t.Fatalf("open %+v: %v", c, err)
		}
		defer db.Close()
		err = db.View(func(tx *Tx) error {
			for a := range tx.Accounts() {
				for info := range tx.Tables(a.Name, "") {
					if _, err := tx.Table(a.Name, info.Name); err != nil {
						continue // a name in the catalog that does not fit its key
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzDecodeDirectory(f *testing.F) {
	for _, body := range sampleTexts(f, encoding.Directory) {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		_, _ = DecodeDirectory(body)
		infos, err := DecodeDirectory(seal(body, encoding.Directory))
		if err != nil {
			return
		}
		again, err := DecodeDirectory(EncodeDirectory(infos))
		if err != nil || !reflect.DeepEqual(again, infos) {
			t.Fatalf("%v became %v, %v", infos, again, err)
		}
	})
}

func FuzzDecodeMeta(f *testing.F) {
	for _, body := range sampleTexts(f, encoding.Meta) {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		_, _ = decodeMeta(body)
		m, err := decodeMeta(seal(body, encoding.Meta))
		if err != nil {
			return
		}
		if again, err := decodeMeta(m.encode()); err != nil || !reflect.DeepEqual(again, m) {
			t.Fatalf("%v became %v, %v", m, again, err)
		}
	})
}
