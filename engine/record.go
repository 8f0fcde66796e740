package engine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// Whatever the engine stores is a frame around a body:
//
//	kind     1 byte    recordLog, recordBlock or recordMeta
//	version  1 byte    of the body's format
//	checksum 4 bytes   CRC-32C of kind, version and body, little-endian
//	body
//
// Numbers of fixed width are little-endian. The format of a version never
// changes; testdata keeps a sample of each, and a test opens it for ever.
const (
	recordLog   = 'L'
	recordBlock = 'B'
	recordMeta  = 'M'

	formatVersion = 3

	frameSize = 6
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// beginFrame returns b, emptied, with room for the frame.
func beginFrame(b []byte) []byte { return append(b[:0], make([]byte, frameSize)...) }

// sealFrame fills in the frame once the body stands behind it.
func sealFrame(b []byte, kind byte) []byte {
	b[0], b[1] = kind, formatVersion
	binary.LittleEndian.PutUint32(b[2:], checksum(b))
	return b
}

func checksum(b []byte) uint32 {
	return crc32.Update(crc32.Checksum(b[:2], castagnoli), castagnoli, b[frameSize:])
}

// openFrame returns the body of a frame: ErrCorrupt where it is not what was
// sealed, ErrFormat where it is whole and newer than this program. The body is
// a part of b, uncopied.
func openFrame(b []byte, kind byte) (body string, version byte, err error) {
	switch {
	case len(b) < frameSize:
		return "", 0, fmt.Errorf("%w: %d bytes are too few", ErrCorrupt, len(b))
	case binary.LittleEndian.Uint32(b[2:]) != checksum(b):
		return "", 0, fmt.Errorf("%w: wrong checksum", ErrCorrupt)
	case b[0] != kind:
		return "", 0, fmt.Errorf("%w: kind %q instead of %q", ErrCorrupt, b[0], kind)
	case b[1] == 0 || b[1] > formatVersion:
		return "", 0, fmt.Errorf("%w: version %d", ErrFormat, b[1])
	}
	return stringOf(b[frameSize:]), b[1], nil
}

// CheckFormat returns an error that wraps [ErrFormat] for a stored text that a
// newer version of this program has written: a record of the log, or what a
// checkpoint left beside the blocks. It has nothing to say about one that is
// damaged, or absent. A storage asks it before it takes a store from whoever
// has it, which may be that version.
func CheckFormat(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	if _, _, err := openFrame(text, text[0]); errors.Is(err, ErrFormat) {
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
// entities it has without reading them. In version 1 a put was both.
const (
	entryPut    = 1
	entryDelete = 2
	entryDrop   = 3
	entryInsert = 4
)

// newWALRecord returns b, emptied, with room for what sealWALRecord fills in.
func newWALRecord(b []byte) []byte {
	return append(beginFrame(b), make([]byte, logHeader)...)
}

func appendOps(b []byte, ops []op) []byte {
	for i := range ops {
		o := &ops[i]
		if o.after != nil {
			b = append(b, putKind(o))
			b = binary.AppendUvarint(b, uint64(o.table))
			b = appendEntity(b, o.after)
			continue
		}
		b = append(b, entryDelete)
		b = binary.AppendUvarint(b, uint64(o.table))
		b = appendKey(b, o.before.Key())
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
// those of damaged cannot be read. So a checkpoint can be written in parts and
// counts with its last one, and a replaced block can stay for its readers.
type meta struct {
	seq       uint64
	stamp     int64
	nextTable TableID
	nextBlock BlockID
	garbage   []BlockID
	damaged   []BlockID
}

func (m meta) encode() []byte {
	b := beginFrame(nil)
	b = binary.LittleEndian.AppendUint64(b, m.seq)
	b = binary.LittleEndian.AppendUint64(b, uint64(m.stamp))
	b = binary.LittleEndian.AppendUint32(b, uint32(m.nextTable))
	b = binary.LittleEndian.AppendUint64(b, uint64(m.nextBlock))
	b = appendBlockIDs(b, m.garbage)
	b = appendBlockIDs(b, m.damaged)
	return sealFrame(b, recordMeta)
}

func decodeMeta(text []byte) (meta, error) {
	body, version, err := openFrame(text, recordMeta)
	if err != nil {
		return meta{}, err
	}
	r := reader{s: body}
	m := meta{
		seq: r.uint64(), stamp: int64(r.uint64()),
		nextTable: TableID(r.uint32()), nextBlock: BlockID(r.uint64()),
	}
	if version > 1 {
		m.garbage, m.damaged = r.blockIDs(), r.blockIDs()
	}
	return m, r.end()
}

func appendBlockIDs(b []byte, ids []BlockID) []byte {
	b = binary.AppendUvarint(b, uint64(len(ids)))
	for _, id := range ids {
		b = binary.AppendUvarint(b, uint64(id))
	}
	return b
}

func (r *reader) blockIDs() []BlockID {
	n := r.uvarint()
	if n > uint64(len(r.s)) {
		r.fail()
		n = 0
	}
	var ids []BlockID
	for range n {
		ids = append(ids, BlockID(r.uvarint()))
	}
	return ids
}
