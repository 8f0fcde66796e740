package engine

import (
	"encoding/binary"
	"math"

	"sandtable/engine/internal/encoding"
)

// EncodeDirectory encodes a directory with a checksum, for a storage that keeps it
// as one value.
func EncodeDirectory(infos []BlockInfo) []byte {
	b := encoding.Begin(make([]byte, 0, encoding.FrameSize+48*len(infos)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(infos)))
	for _, info := range infos {
		b = binary.AppendUvarint(b, uint64(info.ID))
		b = binary.AppendUvarint(b, uint64(info.Table))
		b = encoding.AppendKey(b, info.First)
		b = binary.AppendUvarint(b, uint64(info.Count))
		b = binary.AppendUvarint(b, uint64(info.Size))
	}
	return encoding.Seal(b, encoding.Directory)
}

// DecodeDirectory is the inverse of EncodeDirectory. The error wraps
// [ErrCorrupt] or [ErrFormat].
func DecodeDirectory(data []byte) ([]BlockInfo, error) {
	payload, err := encoding.Open(data, encoding.Directory)
	if err != nil {
		return nil, err
	}
	r := encoding.NewReader(payload)
	n := uint64(r.Uint32())
	// An entry has at least six bytes.
	if n > uint64(r.Len())/6 {
		r.Fail()
		n = 0
	}
	infos := make([]BlockInfo, n)
	for i := range infos {
		infos[i] = BlockInfo{
			ID: BlockID(r.Uvarint()), Table: readTableID(&r), First: r.Key(),
			Count: int(r.UvarintUpTo(math.MaxInt32)), Size: int(r.UvarintUpTo(math.MaxInt32)),
		}
	}
	return infos, r.End()
}
