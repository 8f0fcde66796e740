package engine

import (
	"encoding/binary"
	"fmt"
	"math"

	"sandtable/engine/internal/encoding"
	"sandtable/odata"
)

// sealWALRecord fills in what newWALRecord left room for.
func sealWALRecord(b []byte, seq uint64, stamp odata.DateTime, entries int) []byte {
	header := b[encoding.FrameSize:]
	binary.LittleEndian.PutUint64(header, seq)
	binary.LittleEndian.PutUint64(header[8:], uint64(stamp))
	binary.LittleEndian.PutUint32(header[16:], uint32(entries))
	return encoding.Seal(b, encoding.WALRecord)
}

// entry is one change of a record of the log.
type entry struct {
	kind   byte
	table  TableID
	entity *odata.Entity // of a put or an insert
	key    odata.Key     // of a delete
}

// commitRecord is a record of the log, read.
type commitRecord struct {
	seq     uint64
	stamp   odata.DateTime
	entries []entry
}

// decodeWALRecord reads the record with this number. It is whole or an error:
// nothing of a record is used before all of it was read.
func decodeWALRecord(text []byte, seq uint64) (commitRecord, error) {
	payload, err := encoding.Open(text, encoding.WALRecord)
	if err != nil {
		return commitRecord{}, err
	}
	r := encoding.NewReader(payload)
	c := commitRecord{seq: r.Uint64(), stamp: odata.DateTime(r.Uint64())}
	n := r.Uint32()
	if c.seq != seq && !r.Failed() {
		return commitRecord{}, fmt.Errorf("%w: this is record %d", ErrCorrupt, c.seq)
	}
	// An entry has two bytes at least.
	if uint64(n) > uint64(r.Len())/2 {
		r.Fail()
		n = 0
	}
	c.entries = make([]entry, n)
	for i := range c.entries {
		c.entries[i] = readEntry(&r)
	}
	return c, r.End()
}

func readEntry(r *encoding.Reader) entry {
	e := entry{kind: r.Byte(), table: readTableID(r)}
	switch e.kind {
	case entryPut, entryInsert:
		e.entity = r.Entity()
	case entryDelete:
		e.key = r.Key()
	case entryDrop:
	default:
		r.Fail()
	}
	return e
}

func readTableID(r *encoding.Reader) TableID { return TableID(r.UvarintUpTo(math.MaxUint32)) }
