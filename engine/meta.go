package engine

import (
	"encoding/binary"
	"errors"
	"math"

	"sandtable/engine/internal/encoding"
)

// CheckFormat returns an error that wraps [ErrFormat] if a WAL record or a
// checkpoint's metadata was written by a newer version of this program, nil if
// it is corrupt or absent. A storage calls it before it takes over a store, possibly
// from that version.
func CheckFormat(data []byte) error {
	if len(data) == 0 {
		return nil
	}
	if _, err := encoding.Open(data, encoding.Kind(data[0])); errors.Is(err, ErrFormat) {
		return err
	}
	return nil
}

// meta is a checkpoint's metadata. It determines which stored blocks are in use:
// blocks from nextBlock on belong to an unfinished checkpoint, blocks in garbage were
// replaced, and blocks in corrupt cannot be read. So a checkpoint can be written in
// slices and takes effect with the last one, and a replaced block can stay for its
// readers.
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

func decodeMeta(data []byte) (meta, error) {
	payload, err := encoding.Open(data, encoding.Meta)
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

func readTableID(r *encoding.Reader) TableID { return TableID(r.UvarintUpTo(math.MaxUint32)) }
