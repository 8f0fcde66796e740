package filestorage

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"sandtable/engine"
)

// scanner reads a file from its start to the last whole frame.
type scanner struct {
	contents
	file    *os.File
	size    int64
	window  []byte // of the file, from windowAt on
	at      int64  // where window begins
	pending map[engine.BlockID]place
	torn    bool // whether a block that waits for its commit is not what was written
}

// windowSize is how much of the file is read for a header, and what is near it.
const windowSize = 4 << 10

// scan finds out what counts in a file.
func scan(file *os.File) (contents, engine.Directory, error) {
	info, err := file.Stat()
	if err != nil {
		return contents{}, engine.Directory{}, err
	}
	s := &scanner{contents: newContents(), file: file, size: info.Size(), pending: make(map[engine.BlockID]place)}
	if err := s.frames(); err != nil {
		return contents{}, engine.Directory{}, err
	}
	d, err := s.directory()
	return s.contents, d, err
}

// frames visits every frame. The end is behind the last one that counts:
// blocks that wait for their commit do not.
func (s *scanner) frames() error {
	for offset := s.end; ; {
		h, at, err := s.next(offset)
		if err != nil || at < 0 {
			return err
		}
		if h.commits != s.commits {
			return fmt.Errorf("%w: %s has lost a commit before byte %d", engine.ErrDamaged, FileName, at)
		}
		p := place{at + headerSize, h.length}
		offset = at + headerSize + int64(h.length)
		if err := s.visit(h, p, offset == s.size); err != nil {
			if errors.Is(err, errTorn) {
				return nil
			}
			return err
		}
		if h.kind != blockFrame {
			s.end = offset
		}
	}
}

// errTorn is a last write that did not come to its end.
var errTorn = errors.New("torn")

func (s *scanner) visit(h header, p place, last bool) error {
	switch h.kind {
	case blockFrame:
		s.pending[engine.BlockID(h.number)] = p
		return nil
	case recordFrame:
		if last && !s.whole(h, p) {
			return errTorn
		}
		s.addRecord(h.number, p)
		return nil
	}
	payload, err := s.read(p)
	switch {
	case err != nil:
		return err
	case checksum(payload) != h.check && last:
		return errTorn
	}
	c, err := decodeCommit(payload)
	if err != nil {
		return err
	}
	if last && !s.blocksWhole(c) {
		return errTorn
	}
	s.apply(h.number, c)
	return nil
}

// apply does what a checkpoint did.
func (s *scanner) apply(seq uint64, c commit) {
	for _, id := range c.deletes {
		s.dropBlock(id)
	}
	for _, info := range c.puts {
		s.addBlock(info, s.pending[info.ID]) // nowhere, if the frame is damaged
	}
	clear(s.pending)
	s.dropLog(seq)
	s.setMeta(c.meta)
	s.commits++
}

// whole reports whether a payload is what was written.
func (s *scanner) whole(h header, p place) bool {
	payload, err := s.read(p)
	return err == nil && checksum(payload) == h.check
}

// blocksWhole reports whether the blocks of a commit are what was written: one
// that the disk had not yet got may be there without them.
func (s *scanner) blocksWhole(c commit) bool {
	for _, info := range c.puts {
		p, ok := s.pending[info.ID]
		if !ok {
			return false
		}
		text := make([]byte, headerSize)
		if _, err := s.file.ReadAt(text, p.offset-headerSize); err != nil {
			return false
		}
		if h, ok := parseHeader(text); !ok || !s.whole(h, p) {
			return false
		}
	}
	return true
}

// next finds the first whole frame at an offset or behind it; at is -1 if there
// is none.
func (s *scanner) next(offset int64) (h header, at int64, err error) {
	for at := offset; at+headerSize <= s.size; at++ {
		text, err := s.look(at)
		if err != nil {
			return header{}, 0, err
		}
		if h, ok := parseHeader(text); ok && at+headerSize+int64(h.length) <= s.size {
			return h, at, nil
		}
	}
	return header{}, -1, nil
}

// look returns a header's length of the file.
func (s *scanner) look(at int64) ([]byte, error) {
	if at < s.at || at+headerSize > s.at+int64(len(s.window)) {
		s.window = slices.Grow(s.window[:0], windowSize)[:min(windowSize, s.size-at)]
		s.at = at
		if _, err := s.file.ReadAt(s.window, at); err != nil {
			return nil, err
		}
	}
	return s.window[at-s.at:][:headerSize], nil
}

func (s *scanner) read(p place) ([]byte, error) {
	payload := make([]byte, p.length)
	_, err := s.file.ReadAt(payload, p.offset)
	if errors.Is(err, io.EOF) && p.length == 0 {
		err = nil
	}
	return payload, err
}

// directory is what Load returns.
func (s *scanner) directory() (engine.Directory, error) {
	d := engine.Directory{Meta: s.meta}
	for _, b := range s.blocks {
		d.Blocks = append(d.Blocks, b.info)
	}
	for _, seq := range slices.Sorted(maps.Keys(s.log)) {
		record, err := s.read(s.log[seq])
		if err != nil {
			return engine.Directory{}, err
		}
		d.Log = append(d.Log, engine.LogRecord{Seq: seq, Data: record})
	}
	return d, nil
}
