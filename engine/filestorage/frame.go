package filestorage

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	"sandtable/engine"
)

// The kinds of files. A magic names the format, and its last byte the version.
const (
	walMagic    = "SNDTBLW\x01"
	blocksMagic = "SNDTBLB\x01"
)

const (
	idSize     = 8
	headerSize = 32 // of a file and of a frame
	alignment  = 8  // of frames
)

// storeID is random. It goes into the checksum of every frame header, so that
// nothing a client stores, and no frame of another store, passes for a frame.
type storeID [idSize]byte

// fileHeader starts a file.
type fileHeader struct {
	id storeID
	// base is how many bytes of a WAL segment were written and synced before the
	// file got its name. Nothing in them can be torn.
	base int64
}

// encode returns the header with its checksum and four zeros.
func (h fileHeader) encode(magic string) []byte {
	b := append([]byte(magic), h.id[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(h.base))
	return append(binary.LittleEndian.AppendUint32(b, checksum(b)), 0, 0, 0, 0)
}

// parseFileHeader returns an error that wraps [engine.ErrCorrupt] or
// [engine.ErrFormat].
func parseFileHeader(b []byte, magic string) (h fileHeader, err error) {
	name := len(magic) - 1
	switch {
	case len(b) < headerSize || string(b[:name]) != magic[:name]:
		return h, fmt.Errorf("%w: not a file of a store", engine.ErrCorrupt)
	case binary.LittleEndian.Uint32(b[24:]) != checksum(b[:24]): // at the same place in every version
		return h, fmt.Errorf("%w: wrong checksum of the file header", engine.ErrCorrupt)
	case b[name] > magic[name]:
		return h, fmt.Errorf("%w: %d", engine.ErrFormat, b[name])
	}
	h = fileHeader{storeID(b[8:16]), int64(binary.LittleEndian.Uint64(b[16:]))}
	return h, nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

type kind uint8

const (
	recordFrame   kind = iota + 1 // a WAL record; number is its sequence number
	blockFrame                    // a block; number is its identity
	commitFrame                   // a checkpoint; number is the last record that it drops
	snapshotFrame                 // the state after all commits before it
)

// frameHeader precedes a payload.
type frameHeader struct {
	kind   kind
	number uint64
	length uint32
	check  uint32 // of the payload
	// commits is how many commits the store has seen before this frame; for a block,
	// it includes the commit that the block is part of.
	commits uint64
}

// framer encodes and recognises the frames of one file.
type framer struct{ seed uint32 }

// newFramer returns the framer of a file of a store.
func newFramer(id storeID, name fileID) framer {
	return framer{checksum(binary.LittleEndian.AppendUint64(id[:], uint64(name)))}
}

// sum is the checksum of a frame header without its first four bytes.
func (f framer) sum(header []byte) uint32 { return crc32.Update(f.seed, castagnoli, header) }

// append adds a frame, and zeros up to the next multiple of the alignment.
func (f framer) append(b []byte, k kind, number, commits uint64, payload []byte) []byte {
	start := len(b)
	b = append(b, 0, 0, 0, 0, byte(k), 0, 0, 0)
	b = binary.LittleEndian.AppendUint64(b, number)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(payload)))
	b = binary.LittleEndian.AppendUint32(b, checksum(payload))
	b = binary.LittleEndian.AppendUint64(b, commits)
	binary.LittleEndian.PutUint32(b[start:], f.sum(b[start+4:]))
	b = append(b, payload...)
	return append(b, make([]byte, frameSize(len(payload))-int64(len(b)-start))...)
}

// parse reads a frame header; ok is false for anything else.
func (f framer) parse(b []byte) (h frameHeader, ok bool) {
	k := kind(b[4])
	if k < recordFrame || k > snapshotFrame || binary.LittleEndian.Uint32(b) != f.sum(b[4:headerSize]) {
		return frameHeader{}, false
	}
	return frameHeader{
		kind: k, number: binary.LittleEndian.Uint64(b[8:]), length: binary.LittleEndian.Uint32(b[16:]),
		check: binary.LittleEndian.Uint32(b[20:]), commits: binary.LittleEndian.Uint64(b[24:]),
	}, true
}

// next finds the first frame at an offset or after it; at is -1 if there is none.
func (f framer) next(data []byte, offset int64) (h frameHeader, at int64) {
	for at := offset; at+headerSize <= int64(len(data)); at += alignment {
		if h, ok := f.parse(data[at:][:headerSize]); ok {
			return h, at
		}
	}
	return frameHeader{}, -1
}

// frameSize is the size of a payload with its header and padding.
func frameSize(payload int) int64 { return aligned(headerSize + int64(payload)) }

func aligned(n int64) int64 { return (n + alignment - 1) &^ (alignment - 1) }

// place is where a payload is. The zero file means that the payload is lost.
type place struct {
	file   fileID
	offset int64
	length uint32
}

// commit is the payload of a commit or a snapshot. A snapshot puts everything.
type commit struct {
	puts    []block
	moves   []move
	deletes []engine.BlockID
	meta    []byte // nil if there is none
}

// block is a block of the directory.
type block struct {
	info  engine.BlockInfo
	place place
}

// move is a block that was copied forward.
type move struct {
	id engine.BlockID
	to place
}

func (c commit) encode() []byte {
	infos := make([]engine.BlockInfo, len(c.puts))
	for i, p := range c.puts {
		infos[i] = p.info
	}
	directory := engine.EncodeDirectory(infos)
	b := binary.AppendUvarint(make([]byte, 0, len(directory)+12*len(c.puts)+len(c.meta)+64), uint64(len(directory)))
	b = append(b, directory...)
	for _, p := range c.puts {
		b = appendPlace(b, p.place)
	}
	b = binary.AppendUvarint(b, uint64(len(c.moves)))
	for _, m := range c.moves {
		b = appendPlace(binary.AppendUvarint(b, uint64(m.id)), m.to)
	}
	b = binary.AppendUvarint(b, uint64(len(c.deletes)))
	for _, id := range c.deletes {
		b = binary.AppendUvarint(b, uint64(id))
	}
	if c.meta == nil {
		return append(b, 0)
	}
	return append(append(b, 1), c.meta...)
}

func appendPlace(b []byte, p place) []byte {
	b = binary.AppendUvarint(b, uint64(p.file.epoch()))
	b = binary.AppendUvarint(b, uint64(p.file.n()))
	b = binary.AppendUvarint(b, uint64(p.offset))
	return binary.AppendUvarint(b, uint64(p.length))
}

var errCommit = fmt.Errorf("%w: a commit has the wrong form", engine.ErrCorrupt)

// decodeCommit returns an error that wraps [engine.ErrCorrupt], or
// [engine.ErrFormat] for a directory of a newer version.
func decodeCommit(b []byte) (c commit, err error) {
	r := reader{b: b}
	infos, err := engine.DecodeDirectory(r.take(r.uvarint(math.MaxInt64)))
	if err != nil {
		return commit{}, err
	}
	c.puts = make([]block, len(infos))
	for i, info := range infos {
		c.puts[i] = block{info, r.place()}
	}
	// A move takes five bytes at least, and a delete one.
	c.moves = make([]move, r.uvarint(uint64(len(r.b)/5)))
	for i := range c.moves {
		c.moves[i] = move{engine.BlockID(r.uvarint(math.MaxUint64)), r.place()}
	}
	c.deletes = make([]engine.BlockID, r.uvarint(uint64(len(r.b))))
	for i := range c.deletes {
		c.deletes[i] = engine.BlockID(r.uvarint(math.MaxUint64))
	}
	has := r.take(1)
	if r.bad || has[0] > 1 || has[0] == 0 && len(r.b) > 0 {
		return commit{}, errCommit
	}
	if has[0] == 1 {
		c.meta = r.b[:len(r.b):len(r.b)]
	}
	return c, nil
}

// reader decodes from the left. After the first error it is bad, and returns zeros.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) uvarint(most uint64) uint64 {
	n, size := binary.Uvarint(r.b)
	if size <= 0 || n > most {
		r.b, r.bad = nil, true
		return 0
	}
	r.b = r.b[size:]
	return n
}

func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.b, r.bad = nil, true
		return nil
	}
	taken := r.b[:n:n]
	r.b = r.b[n:]
	return taken
}

// maxOffset is larger than any file.
const maxOffset = 1 << 50

func (r *reader) place() place {
	epoch, n := r.uvarint(math.MaxUint32), r.uvarint(math.MaxUint32)
	return place{newFileID(uint32(epoch), uint32(n)), int64(r.uvarint(maxOffset)), uint32(r.uvarint(math.MaxUint32))}
}
