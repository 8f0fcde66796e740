//go:build js && wasm

package idbstorage

import (
	"encoding/binary"
	"syscall/js"

	"sandtable/engine"
)

// IndexedDB costs per value: reading a WAL of 2,000 records took a third of the time
// from a worker's start to its first answer. So an append after many small records in a
// row replaces them with one value, their pack, in its own transaction. The last record
// of the WAL is never in a pack.
//
// The pack of records up to number N has the key N - 0.5, so a truncation up to N or
// more removes it. One up to a smaller number leaves it, and the engine skips the
// records that are in a checkpoint.
const (
	packRecords = 64      // unless Options say otherwise
	maxPacked   = 8 << 10 // bytes; a larger record is not worth writing twice
)

// pack collects consecutive records that are stored one by one.
type pack struct {
	last    uint64 // number of the last record
	records uint64
	data    []byte
}

// first returns the number of the first record.
func (p *pack) first() uint64 { return p.last + 1 - p.records }

// packHeader is the size of a record's sequence number and length.
const packHeader = 8 + 4

// add adds the record that was stored last. One that does not follow the one before
// begins another pack; one that is too large begins none.
func (p *pack) add(seq uint64, record []byte) {
	if len(record) > maxPacked || seq != p.last+1 {
		p.reset()
	}
	if len(record) > maxPacked {
		return
	}
	p.last, p.records = seq, p.records+1
	p.data = binary.LittleEndian.AppendUint64(p.data, seq)
	p.data = binary.LittleEndian.AppendUint32(p.data, uint32(len(record)))
	p.data = append(p.data, record...)
}

// isFull reports whether a pack has so many records, or another one might make it larger
// than what Chromium keeps in its log.
func (p *pack) isFull(records uint64) bool {
	return p.records >= records || len(p.data) > largestInline-maxPacked-packHeader
}

func (p *pack) reset() { *p = pack{data: p.data[:0]} }

// replaceWithPack replaces the records of a pack with it and keeps reservations.
func (s *Storage) replaceWithPack(t *transaction, wal js.Value, p *pack) {
	s.removeRecords(wal, p.first(), p.last)
	t.put(wal, packKey(p.last), p.data)
}

func packKey(last uint64) float64 { return float64(last) - 0.5 }

// isPack reports whether a key belongs to a pack, and returns the number of the pack's
// last record.
func isPack(key float64) (last uint64, is bool) {
	last = uint64(key + 0.5)
	return last, packKey(last) == key
}

// unpack returns the records of a pack up to number last. What cannot be read is
// returned as the last record, which the engine finds corrupt.
func unpack(last uint64, data []byte) (records []engine.WALRecord) {
	before := uint64(0)
	for len(data) > 0 {
		seq, record, rest := splitRecord(data)
		if seq <= before || seq > last || (seq == last) != (len(rest) == 0) {
			return append(records, engine.WALRecord{Seq: last, Data: data})
		}
		records = append(records, engine.WALRecord{Seq: seq, Data: record})
		before, data = seq, rest
	}
	return records
}

// splitRecord splits the first record from the rest. Its number is 0 if no record is left.
func splitRecord(data []byte) (seq uint64, record, rest []byte) {
	if len(data) < packHeader {
		return 0, nil, nil
	}
	seq, size := binary.LittleEndian.Uint64(data), binary.LittleEndian.Uint32(data[8:])
	data = data[packHeader:]
	if uint64(size) > uint64(len(data)) {
		return 0, nil, nil
	}
	return seq, data[:size:size], data[size:]
}
