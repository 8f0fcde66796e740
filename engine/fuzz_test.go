//go:build !js

// A browser has no files, and the testing package wants some for this.

package engine

import (
	"encoding/binary"
	"encoding/json"
	"reflect"
	"testing"

	"sandtable/engine/samples"
	"sandtable/odata"
)

// The decoders must refuse whatever they are given without a panic, and
// without making more than the text can hold. A checksum keeps a fuzzer out, so
// the texts are sealed after they were changed.

func seal(body []byte, kind byte) []byte {
	return sealFrame(append(beginFrame(nil), body...), kind)
}

// sampleTexts returns the bodies of all that the sample has of a kind.
func sampleTexts(f *testing.F, kind byte) (bodies [][]byte) {
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
		for _, e := range sampleEntities() {
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
	if kind == recordMeta {
		return [][]byte{m.meta[frameSize:]}
	}
	if kind == recordBlock {
		var w blockBuilder
		for _, e := range sampleEntities() {
			w.add(&e)
		}
		return [][]byte{w.finish(1, 1).Data[frameSize:]}
	}
	if kind == recordDirectory {
		infos := []BlockInfo{{ID: 1, Table: 2, First: odata.Key{PartitionKey: "p", RowKey: "r"}, Count: 3, Size: 4}, {}}
		return [][]byte{EncodeDirectory(infos)[frameSize:], EncodeDirectory(nil)[frameSize:]}
	}
	d, err := m.Load()
	if err != nil {
		f.Fatal(err)
	}
	for _, r := range d.WAL {
		bodies = append(bodies, r.Data[frameSize:])
	}
	return bodies
}

// checkpointForTest makes sure that there is a text beside the blocks, and
// keeps the log.
func (db *DB) checkpointForTest(f *testing.F) {
	f.Helper()
	m := meta{seq: 0, stamp: 5, nextTable: 6, nextBlock: 7}.encode()
	if err := db.storage.Checkpoint(Checkpoint{Meta: m}); err != nil {
		f.Fatal(err)
	}
}

func FuzzDecodeLogRecord(f *testing.F) {
	for _, body := range sampleTexts(f, recordLog) {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		_, _ = decodeWALRecord(body, 1)
		text := seal(body, recordLog)
		var seq uint64
		for i := range min(8, len(body)) {
			seq |= uint64(body[i]) << (8 * i)
		}
		c, err := decodeWALRecord(text, seq)
		if err != nil {
			return
		}
		// What can be read can be opened.
		m := &MemoryStorage{}
		_ = m.Append(seq, text)
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

// entitiesOf takes a block apart in every way that a query does.
func entitiesOf(t *testing.T, b *block) (entities []*odata.Entity) {
	t.Helper()
	var r row
	for i := range b.count {
		e := b.entity(i)
		r.at(b, i)
		if found, ok := b.search(e.Key()); !ok || found != i || r.key() != e.Key() || b.key(i) != e.Key() {
			t.Fatalf("%v is entity %d and was found at %d", e.Key(), i, found)
		}
		for _, p := range e.Properties {
			want, _ := e.Property(p.Name)
			if got, ok := r.Property(p.Name); !ok || got != want {
				t.Fatalf("property %q is %v, want %v", p.Name, got, want)
			}
		}
		if _, ok := r.Property("no such property \x00"); ok {
			t.Fatal("a property that is not there was found")
		}
		entities = append(entities, e)
	}
	return entities
}

func FuzzDecodeBlock(f *testing.F) {
	for _, body := range sampleTexts(f, recordBlock) {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		text := seal(body, recordBlock)
		_, _ = openBlock(body, BlockInfo{})
		info, err := DescribeBlock(text)
		if err != nil {
			return
		}
		b, err := openBlock(text, info)
		if err != nil {
			t.Fatalf("described, not opened: %v", err)
		}
		checkAgain(t, entitiesOf(t, b), info)
	})
}

// checkAgain writes what was read again, and reads it.
func checkAgain(t *testing.T, entities []*odata.Entity, info BlockInfo) {
	t.Helper()
	var w blockBuilder
	for _, e := range entities {
		w.add(e)
	}
	written := w.finish(info.ID, info.Table)
	b, err := openBlock(written.Data, written.BlockInfo)
	if err != nil {
		t.Fatal(err)
	}
	if again := entitiesOf(t, b); !reflect.DeepEqual(again, entities) {
		t.Fatalf("%v became %v", entities, again)
	}
}

// FuzzDecodeBlock1 is for blocks of version 1.
func FuzzDecodeBlock1(f *testing.F) {
	body := make([]byte, 8+4+4)
	for i, e := range sampleEntities() {
		body = appendEntity(body, &e)
		body[12] = byte(i + 1)
	}
	f.Add(body)
	fuzzOldBlock(f, 1)
}

// FuzzDecodeBlock2 is for blocks of version 2.
func FuzzDecodeBlock2(f *testing.F) {
	text, err := samples.Files.ReadFile("format-2.json")
	if err != nil {
		f.Fatal(err)
	}
	var s storedSample
	if err := json.Unmarshal(text, &s); err != nil {
		f.Fatal(err)
	}
	for _, b := range s.Blocks {
		f.Add(b.Data[frameSize:])
	}
	fuzzOldBlock(f, 2)
}

func fuzzOldBlock(f *testing.F, version byte) {
	f.Fuzz(func(t *testing.T, body []byte) {
		text := seal(body, recordBlock)
		text[1] = version
		binary.LittleEndian.PutUint32(text[2:], checksum(text))
		info, err := DescribeBlock(text)
		if err != nil {
			return
		}
		b, err := openBlock(text, info)
		if err != nil {
			return
		}
		checkAgain(t, entitiesOf(t, b), info)
	})
}

func FuzzDecodeDirectory(f *testing.F) {
	for _, body := range sampleTexts(f, recordDirectory) {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		_, _ = DecodeDirectory(body)
		infos, err := DecodeDirectory(seal(body, recordDirectory))
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
	for _, body := range sampleTexts(f, recordMeta) {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		_, _ = decodeMeta(body)
		m, err := decodeMeta(seal(body, recordMeta))
		if err != nil {
			return
		}
		if again, err := decodeMeta(m.encode()); err != nil || !reflect.DeepEqual(again, m) {
			t.Fatalf("%v became %v, %v", m, again, err)
		}
	})
}
