package engine

import (
	"encoding/binary"
	"fmt"

	"sandtable/odata"
)

// sealWALRecord fills in what newWALRecord left room for.
func sealWALRecord(b []byte, seq uint64, stamp odata.DateTime, entries int) []byte {
	header := b[frameSize:]
	binary.LittleEndian.PutUint64(header, seq)
	binary.LittleEndian.PutUint64(header[8:], uint64(stamp))
	binary.LittleEndian.PutUint32(header[16:], uint32(entries))
	return sealFrame(b, recordLog)
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
	// version is that of the format: in the first one a put does not tell
	// whether the entity was new.
	version byte
}

// decodeWALRecord reads the record with this number. It is whole or an error:
// nothing of a record is used before all of it was read.
func decodeWALRecord(text []byte, seq uint64) (commitRecord, error) {
	body, version, err := openFrame(text, recordLog)
	if err != nil {
		return commitRecord{}, err
	}
	r := reader{s: body}
	c := commitRecord{seq: r.uint64(), stamp: odata.DateTime(r.uint64()), version: version}
	n := r.uint32()
	if c.seq != seq && !r.bad {
		return commitRecord{}, fmt.Errorf("%w: this is record %d", ErrCorrupt, c.seq)
	}
	// An entry has two bytes at least.
	if uint64(n) > uint64(len(r.s))/2 {
		r.fail()
		n = 0
	}
	c.entries = make([]entry, n)
	for i := range c.entries {
		c.entries[i] = r.entry()
	}
	return c, r.end()
}

func (r *reader) entry() entry {
	e := entry{kind: r.byte(), table: r.tableID()}
	switch e.kind {
	case entryPut, entryInsert:
		e.entity = r.entity()
	case entryDelete:
		e.key = r.key()
	case entryDrop:
	default:
		r.fail()
	}
	return e
}
