package engine

import "encoding/binary"

const recordDirectory = 'D'

// EncodeDirectory returns the directory as one text with a checksum, for a
// storage that keeps it so.
func EncodeDirectory(infos []BlockInfo) []byte {
	b := beginFrame(make([]byte, 0, frameSize+48*len(infos)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(infos)))
	for _, info := range infos {
		b = binary.AppendUvarint(b, uint64(info.ID))
		b = binary.AppendUvarint(b, uint64(info.Table))
		b = appendKey(b, info.First)
		b = binary.AppendUvarint(b, uint64(info.Count))
		b = binary.AppendUvarint(b, uint64(info.Size))
	}
	return sealFrame(b, recordDirectory)
}

// DecodeDirectory reads what EncodeDirectory returned. The error wraps
// [ErrCorrupt] or [ErrFormat].
func DecodeDirectory(text []byte) ([]BlockInfo, error) {
	body, _, err := openFrame(text, recordDirectory)
	if err != nil {
		return nil, err
	}
	r := reader{s: body}
	n := uint64(r.uint32())
	// An entry has six bytes at least.
	if n > uint64(len(r.s))/6 {
		r.fail()
		n = 0
	}
	infos := make([]BlockInfo, n)
	for i := range infos {
		infos[i] = BlockInfo{
			ID: BlockID(r.uvarint()), Table: r.tableID(), First: r.key(),
			Count: r.count(), Size: r.count(),
		}
	}
	return infos, r.end()
}

// count reads a number of things that a block can have.
func (r *reader) count() int {
	n := r.uvarint()
	if n > 1<<31-1 {
		r.fail()
		return 0
	}
	return int(n)
}
