//go:build !js

package boltstorage

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"

	"sandtable/engine"
)

// logMagic names the format of the log's files and its version, the last byte.
const logMagic = "SNDTBLL\x01"

const (
	saltSize    = 8
	openingSize = 32
	// firstFrame is where the frames of a file begin. The opening has a page of
	// its own, which no append touches.
	firstFrame = 4096
	headerSize = 32
	// alignment is that of frames, so that a search looks at one place in eight.
	alignment = 8
)

// salt makes the frames of a file its own: those that it had before it was
// begun anew are none of its, nor is anything that clients store.
type salt [saltSize]byte

func newSalt() (s salt) {
	_, _ = rand.Read(s[:]) // never fails
	return s
}

// opening is what a file of the log begins with.
type opening struct {
	// start is the position in the log at which the file begins. A frame has the
	// position start plus its offset in the file. Positions ascend for the life
	// of a store, whichever files they are in.
	start uint64
	salt  salt
}

func (o opening) encode() []byte {
	b := binary.LittleEndian.AppendUint64([]byte(logMagic), o.start)
	b = append(b, o.salt[:]...)
	return append(binary.LittleEndian.AppendUint32(b, checksum(b)), 0, 0, 0, 0)
}

// parseOpening reads an opening. The error wraps [engine.ErrCorrupt] or
// [engine.ErrFormat].
func parseOpening(b []byte) (o opening, err error) {
	const name = len(logMagic) - 1
	switch {
	case len(b) < openingSize || string(b[:name]) != logMagic[:name]:
		return o, fmt.Errorf("%w: it is no log", engine.ErrCorrupt)
	case binary.LittleEndian.Uint32(b[24:]) != checksum(b[:24]): // every version has it there
		return o, fmt.Errorf("%w: its opening has a wrong checksum", engine.ErrCorrupt)
	case b[name] > logMagic[name]:
		return o, fmt.Errorf("%w: a log of version %d", engine.ErrFormat, b[name])
	}
	return opening{binary.LittleEndian.Uint64(b[8:]), salt(b[16:24])}, nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// header is what stands before a record.
type header struct {
	number uint64
	length uint32
	check  uint32
}

// sum is the checksum of a header without its last four bytes.
func (o opening) sum(header []byte) uint32 {
	return crc32.Update(checksum(o.salt[:]), castagnoli, header)
}

// appendFrame adds the frame of a record that is to be at an offset of the file.
func (o opening) appendFrame(b []byte, offset int64, number uint64, record []byte) []byte {
	start := len(b)
	b = binary.LittleEndian.AppendUint64(b, o.start+uint64(offset))
	b = binary.LittleEndian.AppendUint64(b, number)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(record)))
	b = binary.LittleEndian.AppendUint32(b, checksum(record))
	b = append(b, 0, 0, 0, 0)
	b = binary.LittleEndian.AppendUint32(b, o.sum(b[start:]))
	b = append(b, record...)
	return append(b, make([]byte, aligned(int64(len(b)-start))-int64(len(b)-start))...)
}

// parseHeader reads the header at an offset of a file; ok is false for what is
// none. Its position comes first, which tells most that are none.
func (o opening) parseHeader(text []byte, offset int64) (h header, ok bool) {
	if offset+headerSize > int64(len(text)) {
		return header{}, false
	}
	b := text[offset : offset+headerSize]
	if binary.LittleEndian.Uint64(b) != o.start+uint64(offset) || binary.LittleEndian.Uint32(b[28:]) != o.sum(b[:28]) {
		return header{}, false
	}
	return header{binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint32(b[16:]), binary.LittleEndian.Uint32(b[20:])}, true
}

// frame is a record and where it stands in its file.
type frame struct {
	offset int64
	number uint64
	record []byte // of the text that was scanned
	whole  bool   // the record is what was written
}

func (f frame) end() int64 { return aligned(f.offset + headerSize + int64(len(f.record))) }

// scan finds the frames of a file. What is damaged between others is passed
// over: the engine misses its record by the number. Behind the last frame is
// what was never acknowledged, and what the file had before.
func (o opening) scan(text []byte) (frames []frame) {
	for offset := int64(firstFrame); ; {
		h, at := o.next(text, offset)
		if at < 0 || int64(h.length) > int64(len(text))-at-headerSize {
			return frames
		}
		record := text[at+headerSize:][:h.length:h.length]
		f := frame{at, h.number, record, checksum(record) == h.check}
		frames = append(frames, f)
		offset = f.end()
	}
}

// next finds the first header at an offset or behind it; at is -1 if there is
// none.
func (o opening) next(text []byte, offset int64) (h header, at int64) {
	for at := offset; at+headerSize <= int64(len(text)); at += alignment {
		if h, ok := o.parseHeader(text, at); ok {
			return h, at
		}
	}
	return header{}, -1
}

// cutTorn takes off the last frame if it is not whole: it is that of an append
// which did not come to its end. It returns where the next one goes.
func cutTorn(frames []frame) (_ []frame, end int64) {
	if n := len(frames); n > 0 && !frames[n-1].whole {
		return frames[:n-1], frames[n-1].offset
	}
	if n := len(frames); n > 0 {
		return frames, frames[n-1].end()
	}
	return frames, firstFrame
}

func aligned(n int64) int64 { return (n + alignment - 1) &^ (alignment - 1) }

// logState is what the state bucket says about the log: which files have it, in
// the order of what they have, and what of it is dropped. The last file is the
// one that grows.
type logState struct {
	files []logRef
	drops []drop
}

// logRef names a file, and what it begins with as long as it is the one meant.
type logRef struct {
	slot byte // 1 or 2
	opening
}

// drop says that of the records before a position those are no longer there
// whose numbers are at most upTo. A record that is written behind it is there,
// whatever its number: a store that has lost the text of its checkpoint may
// count from the beginning again.
type drop struct{ before, upTo uint64 }

// dropped reports whether a record is no longer there.
func (s logState) dropped(position, number uint64) bool {
	for _, d := range s.drops {
		if position < d.before && number <= d.upTo {
			return true
		}
	}
	return false
}

// droppedUpTo returns the highest number that is no longer there at a position.
func (s logState) droppedUpTo(position uint64) (number uint64) {
	for _, d := range s.drops {
		if position < d.before {
			number = max(number, d.upTo)
		}
	}
	return number
}

// uses reports whether a file is one of the log's.
func (s logState) uses(slot byte) bool {
	return slices.ContainsFunc(s.files, func(f logRef) bool { return f.slot == slot })
}

// drop adds one, and takes out those that say nothing any more.
func (s *logState) drop(d drop) {
	var drops []drop
	for _, old := range s.drops {
		if old.upTo > d.upTo && old.before > s.files[0].start {
			drops = append(drops, old)
		}
	}
	if d.before > s.files[0].start {
		drops = append(drops, d)
	}
	s.drops = drops
}

const (
	refSize  = 1 + 8 + saltSize
	dropSize = 16
)

func (s logState) encode() []byte {
	b := []byte{byte(len(s.files))}
	for _, f := range s.files {
		b = append(b, f.slot)
		b = binary.LittleEndian.AppendUint64(b, f.start)
		b = append(b, f.salt[:]...)
	}
	for _, d := range s.drops {
		b = binary.LittleEndian.AppendUint64(b, d.before)
		b = binary.LittleEndian.AppendUint64(b, d.upTo)
	}
	return binary.LittleEndian.AppendUint32(b, checksum(b))
}

var errLogState = fmt.Errorf("%w: what is said about the log's files", engine.ErrCorrupt)

// decodeLogState reads what encode wrote; there is one file at least. The error
// wraps [engine.ErrCorrupt].
func decodeLogState(b []byte) (s logState, err error) {
	if len(b) < 5 || binary.LittleEndian.Uint32(b[len(b)-4:]) != checksum(b[:len(b)-4]) {
		return logState{}, errLogState
	}
	n := int(b[0])
	b = b[1 : len(b)-4]
	if n < 1 || n > 2 || len(b) < n*refSize || (len(b)-n*refSize)%dropSize != 0 {
		return logState{}, errLogState
	}
	for ; n > 0; n, b = n-1, b[refSize:] {
		s.files = append(s.files, logRef{b[0], opening{binary.LittleEndian.Uint64(b[1:]), salt(b[9:refSize])}})
	}
	for ; len(b) > 0; b = b[dropSize:] {
		s.drops = append(s.drops, drop{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])})
	}
	return s, s.check()
}

// mostPosition is more than any store will write.
const mostPosition = 1 << 62

// check refuses what no store of ours says.
func (s logState) check() error {
	last := logRef{}
	for i, f := range s.files {
		// A file that has another behind it is as long as the positions say.
		if f.slot < 1 || f.slot > 2 || f.start%alignment != 0 || f.start > mostPosition ||
			i > 0 && (f.slot == last.slot || f.start < last.start+firstFrame) {
			return errLogState
		}
		last = f
	}
	return nil
}

// sameOpening compares a file's beginning with the one that it should have.
func sameOpening(text []byte, want opening) error {
	got, err := parseOpening(text)
	switch {
	case err != nil:
		return err
	case !bytes.Equal(got.salt[:], want.salt[:]) || got.start != want.start:
		return fmt.Errorf("%w: it is that of another store, or of another time", engine.ErrCorrupt)
	}
	return nil
}
