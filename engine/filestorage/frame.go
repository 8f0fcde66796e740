package filestorage

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"sandtable/engine"
)

// magic names the format and its version, the last byte.
const magic = "SNDTBLF\x01"

const (
	saltSize   = 8
	beginning  = 32 // of the first frame: how much the opening takes
	headerSize = 32
)

// opening is what a file begins with.
type opening struct {
	salt salt
	// base is where that part of a file ends that was whole before the file had
	// its name, because it was written anew. Nothing before it can be torn.
	base int64
}

// encode writes the opening, with a checksum and four zeros at its end.
func (o opening) encode() []byte {
	b := append([]byte(magic), o.salt[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(o.base))
	return append(binary.LittleEndian.AppendUint32(b, checksum(b)), 0, 0, 0, 0)
}

// parseOpening reads an opening. The error wraps [engine.ErrCorrupt] or
// [engine.ErrFormat].
func parseOpening(b []byte) (o opening, err error) {
	const name = len(magic) - 1
	switch {
	case len(b) < len(magic) || string(b[:name]) != magic[:name]:
		return o, fmt.Errorf("%w: %s is not a store", engine.ErrCorrupt, FileName)
	case b[name] > magic[name]:
		return o, fmt.Errorf("%w: %d", engine.ErrFormat, b[name])
	case len(b) < beginning || binary.LittleEndian.Uint32(b[24:]) != checksum(b[:24]):
		return o, fmt.Errorf("%w: the opening of %s", engine.ErrCorrupt, FileName)
	}
	return opening{salt(b[8:16]), int64(binary.LittleEndian.Uint64(b[16:]))}, nil
}

type kind uint8

const (
	recordFrame kind = iota + 1
	blockFrame
	commitFrame
)

// header is what stands before a payload.
type header struct {
	kind    kind
	number  uint64
	length  uint32
	check   uint32
	commits uint64
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// salt makes the frames of a file its own: what clients store cannot be taken
// for one, wherever in a damaged file a search for the next frame comes by.
type salt [saltSize]byte

func newSalt() (s salt) {
	_, _ = rand.Read(s[:]) // never fails
	return s
}

// sum is the checksum of a header, without its first four bytes.
func (s salt) sum(header []byte) uint32 {
	return crc32.Update(checksum(s[:]), castagnoli, header)
}

// appendFrame writes a frame.
func (s salt) appendFrame(b []byte, k kind, number, commits uint64, payload []byte) []byte {
	start := len(b)
	b = append(b, 0, 0, 0, 0, byte(k), 0, 0, 0)
	b = binary.LittleEndian.AppendUint64(b, number)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(payload)))
	b = binary.LittleEndian.AppendUint32(b, checksum(payload))
	b = binary.LittleEndian.AppendUint64(b, commits)
	binary.LittleEndian.PutUint32(b[start:], s.sum(b[start+4:]))
	return append(b, payload...)
}

// parseHeader reads a header; ok is false for what is none.
func (s salt) parseHeader(b []byte) (h header, ok bool) {
	if len(b) < headerSize || binary.LittleEndian.Uint32(b) != s.sum(b[4:headerSize]) {
		return header{}, false
	}
	h = header{
		kind: kind(b[4]), number: binary.LittleEndian.Uint64(b[8:]), length: binary.LittleEndian.Uint32(b[16:]),
		check: binary.LittleEndian.Uint32(b[20:]), commits: binary.LittleEndian.Uint64(b[24:]),
	}
	return h, recordFrame <= h.kind && h.kind <= commitFrame
}

// commit is the payload of a commit.
type commit struct {
	puts    []engine.BlockInfo
	deletes []engine.BlockID
	meta    []byte // nil if the checkpoint had none
}

func (c commit) encode() []byte {
	directory := engine.EncodeDirectory(c.puts)
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(directory)))
	b = append(b, directory...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(c.deletes)))
	for _, id := range c.deletes {
		b = binary.LittleEndian.AppendUint64(b, uint64(id))
	}
	if c.meta == nil {
		return append(b, 0)
	}
	return append(append(b, 1), c.meta...)
}

// decodeCommit reads the payload of a commit. The error wraps
// [engine.ErrCorrupt], or [engine.ErrFormat] for a directory of a newer version.
func decodeCommit(b []byte) (c commit, err error) {
	directory, b, ok := cut(b, 1)
	if !ok {
		return commit{}, errCommit
	}
	if c.puts, err = engine.DecodeDirectory(directory); err != nil {
		return commit{}, err
	}
	ids, b, ok := cut(b, 8)
	if !ok || len(b) == 0 || b[0] > 1 || b[0] == 0 && len(b) > 1 {
		return commit{}, errCommit
	}
	for ; len(ids) > 0; ids = ids[8:] {
		c.deletes = append(c.deletes, engine.BlockID(binary.LittleEndian.Uint64(ids)))
	}
	if b[0] == 1 {
		c.meta = b[1:]
	}
	return c, nil
}

var errCommit = fmt.Errorf("%w: a commit that says nothing", engine.ErrCorrupt)

// cut takes a list off the start of a text: how many elements, each of so many
// bytes, and then they.
func cut(b []byte, size uint64) (list, rest []byte, ok bool) {
	if len(b) < 4 {
		return nil, nil, false
	}
	n := uint64(binary.LittleEndian.Uint32(b)) * size
	b = b[4:]
	if n > uint64(len(b)) {
		return nil, nil, false
	}
	return b[:n:n], b[n:], true
}
