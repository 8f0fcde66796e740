package engine

import (
	"encoding/binary"
	"fmt"

	"sandtable/engine/internal/encoding"
	"sandtable/odata"
)

// walHeader is the size of a WAL record's header: its number, the store's last
// Timestamp, and the number of entries that follow.
const walHeader = 8 + 8 + 4

// The kinds of entries in a WAL record. Each is followed by a table's identity
// and by an entity (put, insert), a key (delete), the identity of another table
// (clone) or nothing (drop). A clone gives a table the contents of the other. A put
// replaces an entity, an insert adds one: so the number of entities is known
// after replay without reading them.
const (
	entryPut    = 1
	entryDelete = 2
	entryDrop   = 3
	entryInsert = 4
	entryClone  = 5
)

// newWALRecord returns b, emptied, with the space that sealWALRecord fills in.
func newWALRecord(b []byte) []byte {
	return append(encoding.Begin(b), make([]byte, walHeader)...)
}

func appendOps(b []byte, ops []op) []byte {
	for i := range ops {
		o := &ops[i]
		if o.after != nil {
			b = append(b, putKind(o))
			b = binary.AppendUvarint(b, uint64(o.table))
			b = encoding.AppendEntity(b, o.after)
		} else {
			b = append(b, entryDelete)
			b = binary.AppendUvarint(b, uint64(o.table))
			b = encoding.AppendKey(b, o.before.Key())
		}
		if o.dropped != 0 {
			b = append(b, entryDrop)
			b = binary.AppendUvarint(b, uint64(o.dropped))
		}
		if o.cloned != 0 {
			b = append(b, entryClone)
			b = binary.AppendUvarint(b, uint64(tableIDOf(o.after)))
			b = binary.AppendUvarint(b, uint64(o.cloned))
		}
	}
	return b
}

func putKind(o *op) byte {
	if o.before == nil {
		return entryInsert
	}
	return entryPut
}

// countEntries returns how many entries appendOps makes of the ops.
func countEntries(ops []op) int {
	n := len(ops)
	for i := range ops {
		if ops[i].dropped != 0 {
			n++
		}
		if ops[i].cloned != 0 {
			n++
		}
	}
	return n
}

// sealWALRecord fills in the header and the frame.
func sealWALRecord(b []byte, seq uint64, stamp odata.DateTime, entries int) []byte {
	header := b[encoding.FrameSize:]
	binary.LittleEndian.PutUint64(header, seq)
	binary.LittleEndian.PutUint64(header[8:], uint64(stamp))
	binary.LittleEndian.PutUint32(header[16:], uint32(entries))
	return encoding.Seal(b, encoding.WALRecord)
}

// walRecord is a decoded WAL record.
type walRecord struct {
	seq     uint64
	stamp   odata.DateTime
	entries []walEntry
}

type walEntry struct {
	kind   byte
	table  TableID
	entity *odata.Entity // of a put or an insert
	key    odata.Key     // of a delete
	from   TableID       // of a clone
}

// decodeWALRecord decodes the record with this number, completely or not at
// all.
func decodeWALRecord(data []byte, seq uint64) (walRecord, error) {
	payload, err := encoding.Open(data, encoding.WALRecord)
	if err != nil {
		return walRecord{}, err
	}
	r := encoding.NewReader(payload)
	record := walRecord{seq: r.Uint64(), stamp: odata.DateTime(r.Uint64())}
	n := r.Uint32()
	if record.seq != seq && !r.Failed() {
		return walRecord{}, fmt.Errorf("%w: this is record %d", ErrCorrupt, record.seq)
	}
	if uint64(n) > uint64(r.Len())/2 { // an entry has at least two bytes
		r.Fail()
		n = 0
	}
	record.entries = make([]walEntry, n)
	for i := range record.entries {
		record.entries[i] = readEntry(&r)
	}
	return record, r.End()
}

func readEntry(r *encoding.Reader) walEntry {
	e := walEntry{kind: r.Byte(), table: readTableID(r)}
	switch e.kind {
	case entryPut, entryInsert:
		e.entity = r.Entity()
	case entryDelete:
		e.key = r.Key()
	case entryClone:
		e.from = readTableID(r)
	case entryDrop:
	default:
		r.Fail()
	}
	return e
}
