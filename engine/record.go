package engine

import (
	"encoding/binary"
	"errors"

	"sandtable/engine/internal/encoding"
)

// CheckFormat returns an error that wraps [ErrFormat] for a stored text that a
// newer version of this program has written: a record of the log, or what a
// checkpoint left beside the blocks. It has nothing to say about one that is
// damaged, or absent. A storage asks it before it takes a store from whoever
// has it, which may be that version.
func CheckFormat(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	if _, err := encoding.Open(text, encoding.Kind(text[0])); errors.Is(err, ErrFormat) {
		return err
	}
	return nil
}

// logHeader opens the body of a record of the log: its number, the last
// Timestamp that was given, and how many entries follow.
const logHeader = 8 + 8 + 4

// The entries of a record of the log, each followed by a table's identity and
// by an entity (put, insert), a key (delete) or nothing (drop). A put is over an
// entity that was there, an insert is of a new one; so a store knows how many
// entities it has without reading them.
const (
	entryPut    = 1
	entryDelete = 2
	entryDrop   = 3
	entryInsert = 4
)

// newWALRecord returns b, emptied, with room for what sealWALRecord fills in.
func newWALRecord(b []byte) []byte {
	return append(encoding.Begin(b), make([]byte, logHeader)...)
}

func appendOps(b []byte, ops []op) []byte {
	for i := range ops {
		o := &ops[i]
		if o.after != nil {
			b = append(b, putKind(o))
			b = binary.AppendUvarint(b, uint64(o.table))
			b = encoding.AppendEntity(b, o.after)
			continue
		}
		b = append(b, entryDelete)
		b = binary.AppendUvarint(b, uint64(o.table))
		b = encoding.AppendKey(b, o.before.Key())
		if o.kind == TableDeleted {
			b = append(b, entryDrop)
			b = binary.AppendUvarint(b, uint64(o.dropped))
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
		if ops[i].kind == TableDeleted {
			n++
		}
	}
	return n
}

// meta is what a checkpoint leaves beside the blocks. It says which of the
// blocks that the storage has belong to the store: all from nextBlock on are
// of a checkpoint that was not finished, those of garbage were replaced, and
// those of corrupt cannot be read. So a checkpoint can be written in parts and
// counts with its last one, and a replaced block can stay for its readers.
type meta struct {
	seq       uint64
	stamp     int64
	nextTable TableID
	nextBlock BlockID
	garbage   []BlockID
	corrupt   []BlockID
}

func (m meta) encode() []byte {
	b := encoding.Begin(nil)
	b = binary.LittleEndian.AppendUint64(b, m.seq)
	b = binary.LittleEndian.AppendUint64(b, uint64(m.stamp))
	b = binary.LittleEndian.AppendUint32(b, uint32(m.nextTable))
	b = binary.LittleEndian.AppendUint64(b, uint64(m.nextBlock))
	b = appendBlockIDs(b, m.garbage)
	b = appendBlockIDs(b, m.corrupt)
	return encoding.Seal(b, encoding.Meta)
}

func decodeMeta(text []byte) (meta, error) {
	payload, err := encoding.Open(text, encoding.Meta)
	if err != nil {
		return meta{}, err
	}
	r := encoding.NewReader(payload)
	m := meta{
		seq: r.Uint64(), stamp: int64(r.Uint64()),
		nextTable: TableID(r.Uint32()), nextBlock: BlockID(r.Uint64()),
	}
	m.garbage, m.corrupt = readBlockIDs(&r), readBlockIDs(&r)
	return m, r.End()
}

func appendBlockIDs(b []byte, ids []BlockID) []byte {
	b = binary.AppendUvarint(b, uint64(len(ids)))
	for _, id := range ids {
		b = binary.AppendUvarint(b, uint64(id))
	}
	return b
}

func readBlockIDs(r *encoding.Reader) []BlockID {
	n := r.UvarintUpTo(uint64(r.Len())) // each has at least one byte
	var ids []BlockID
	for range n {
		ids = append(ids, BlockID(r.Uvarint()))
	}
	return ids
}
