package encoding

import (
	"encoding/binary"
	"fmt"

	"sandtable/odata"
)

// Reader decodes a payload from left to right. After the first thing that does
// not fit it has failed: everything it returns from then on is zero.
//
// Strings that it returns share the payload's memory.
type Reader struct {
	rest   string
	failed bool
}

// NewReader returns a reader of a payload.
func NewReader(payload string) Reader { return Reader{rest: payload} }

// Len returns how many bytes are left, 0 after a failure.
func (r *Reader) Len() int { return len(r.rest) }

// Failed reports whether something did not fit.
func (r *Reader) Failed() bool { return r.failed }

// Fail makes the reader fail: the caller has read something impossible.
func (r *Reader) Fail() { r.rest, r.failed = "", true }

// End returns an error that wraps [ErrCorrupt] unless everything was read and
// fitted.
func (r *Reader) End() error {
	switch {
	case r.failed:
		return fmt.Errorf("%w: malformed", ErrCorrupt)
	case r.rest != "":
		return fmt.Errorf("%w: %d bytes too many", ErrCorrupt, len(r.rest))
	}
	return nil
}

// Take returns the next n bytes.
func (r *Reader) Take(n uint64) string {
	if n > uint64(len(r.rest)) {
		r.Fail()
		return ""
	}
	s := r.rest[:n]
	r.rest = r.rest[n:]
	return s
}

// Byte reads one byte.
func (r *Reader) Byte() byte {
	if r.rest == "" {
		r.Fail()
		return 0
	}
	c := r.rest[0]
	r.rest = r.rest[1:]
	return c
}

// Uint32 reads a number of four bytes.
func (r *Reader) Uint32() uint32 {
	var b [4]byte
	copy(b[:], r.Take(4))
	return binary.LittleEndian.Uint32(b[:])
}

// Uint64 reads a number of eight bytes.
func (r *Reader) Uint64() uint64 {
	var b [8]byte
	copy(b[:], r.Take(8))
	return binary.LittleEndian.Uint64(b[:])
}

// Uvarint reads a number as [binary.AppendUvarint] writes it.
func (r *Reader) Uvarint() uint64 {
	var n uint64
	for shift := 0; shift < 64; shift += 7 {
		c := r.Byte()
		if shift == 63 && c > 1 {
			break
		}
		n |= uint64(c&0x7F) << shift
		if c < 0x80 {
			return n
		}
	}
	r.Fail()
	return 0
}

// Varint reads a number as [binary.AppendVarint] writes it.
func (r *Reader) Varint() int64 {
	n := r.Uvarint()
	return int64(n>>1) ^ -int64(n&1)
}

// UvarintUpTo reads a number that must not exceed a limit.
func (r *Reader) UvarintUpTo(limit uint64) uint64 {
	n := r.Uvarint()
	if n > limit {
		r.Fail()
		return 0
	}
	return n
}

// Text reads a string that [AppendText] wrote.
func (r *Reader) Text() string { return r.Take(r.Uvarint()) }

// Key reads a key that [AppendKey] wrote.
func (r *Reader) Key() odata.Key {
	return odata.Key{PartitionKey: r.Text(), RowKey: r.Text()}
}
