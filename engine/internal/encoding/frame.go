package encoding

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"unsafe"
)

// Errors of stored bytes.
var (
	// ErrCorrupt means that the checksum or the form of stored bytes is wrong.
	ErrCorrupt = errors.New("corrupt")
	// ErrFormat means that a newer version of this program wrote an intact frame.
	ErrFormat = errors.New("store has a newer format")
)

// Version is the format of what [Seal] writes.
const Version = 1

// FrameSize is how many bytes a frame has before its payload.
const FrameSize = 6

// Kind says what a frame contains.
type Kind byte

// The kinds of frames.
const (
	WALRecord Kind = 'L'
	Block     Kind = 'B'
	Delta     Kind = 'C'
	Meta      Kind = 'M'
	Directory Kind = 'D'
	Entity    Kind = 'E'
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Begin returns b, emptied, with space for the frame's first bytes.
func Begin(b []byte) []byte { return append(b[:0], make([]byte, FrameSize)...) }

// Seal completes the frame that [Begin] started, once the payload follows it.
func Seal(b []byte, kind Kind) []byte {
	b[0], b[1] = byte(kind), Version
	binary.LittleEndian.PutUint32(b[2:], checksum(b))
	return b
}

func checksum(b []byte) uint32 {
	return crc32.Update(crc32.Checksum(b[:2], castagnoli), castagnoli, b[FrameSize:])
}

// Open returns the payload of a frame. The error wraps [ErrCorrupt] or
// [ErrFormat]. The payload shares b's memory: the caller must not change b any
// more.
func Open(b []byte, kind Kind) (payload string, err error) {
	switch {
	case len(b) < FrameSize:
		return "", fmt.Errorf("%w: only %d bytes", ErrCorrupt, len(b))
	case binary.LittleEndian.Uint32(b[2:]) != checksum(b):
		return "", fmt.Errorf("%w: checksum mismatch", ErrCorrupt)
	case b[0] != byte(kind):
		return "", fmt.Errorf("%w: kind is %q, want %q", ErrCorrupt, b[0], kind)
	case b[1] != Version:
		return "", fmt.Errorf("%w: version %d", ErrFormat, b[1])
	}
	return View(b[FrameSize:]), nil
}

// View returns the bytes as a string without copying them. Storages never
// change what they returned, and a copy would keep every block of an in-memory
// storage in memory twice.
func View(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
