package filestorage

import (
	"errors"
	"os"
	"slices"

	"sandtable/engine"
)

// scanner reads a file from its first frame to the last whole one.
type scanner struct {
	contents
	file    *os.File
	size    int64
	window  []byte // of the file, from at on
	at      int64
	pending map[engine.BlockID]pendingBlock
	// lost tells that a commit is damaged: which blocks it deleted, and which
	// records it dropped, nobody knows.
	lost bool
}

// pendingBlock is a block that waits for its commit.
type pendingBlock struct {
	place place
	check uint32
}

// windowSize is how much of the file is read for a header, and what is near it.
const windowSize = 4 << 10

// errTorn is a last write that did not come to its end.
var errTorn = errors.New("torn")

// lostMeta stands for the text of a checkpoint that is not to be trusted: the
// engine then finds out from the blocks what it needs, and reports it.
var lostMeta = []byte("lost")

// scan finds out what counts in a file behind its opening.
func scan(file *os.File, o opening) (contents, error) {
	info, err := file.Stat()
	if err != nil {
		return contents{}, err
	}
	sc := &scanner{contents: newContents(o), file: file, size: info.Size(), pending: make(map[engine.BlockID]pendingBlock)}
	if err := sc.frames(); err != nil && !errors.Is(err, errTorn) {
		return contents{}, err
	}
	if sc.lost {
		sc.setMeta(lostMeta)
	}
	return sc.contents, nil
}

// frames visits every frame. The end is behind the last one that counts:
// blocks that wait for their commit do not.
func (s *scanner) frames() error {
	for offset := s.end; ; {
		h, at, err := s.next(offset)
		if err != nil || at < 0 {
			return errors.Join(err, s.endBase(max(s.size, s.base)))
		}
		if err := s.endBase(at); err != nil {
			return err
		}
		offset = at + headerSize
		if h.commits < s.commits {
			continue // it is of no time that this could be
		}
		if h.commits > s.commits {
			if err := s.loseCommit(h.commits); err != nil {
				return err
			}
		}
		p := place{offset, h.length}
		offset += int64(h.length)
		if err := s.visit(h, p, offset == s.size && offset > s.base); err != nil {
			return err
		}
		if h.kind != blockFrame {
			s.end = offset
		}
	}
}

func (s *scanner) visit(h header, p place, last bool) error {
	switch h.kind {
	case blockFrame:
		s.pending[engine.BlockID(h.number)] = pendingBlock{p, h.check}
		return nil
	case recordFrame:
		if last {
			if whole, err := s.whole(p, h.check); err != nil || !whole {
				return errors.Join(err, errTorn)
			}
		}
		s.addRecord(h.number, p)
		return nil
	}
	return s.visitCommit(h, p, last)
}

// visitCommit does what a checkpoint did, if it is whole. The last write of a
// file may be torn; any other commit that is damaged is lost.
func (s *scanner) visitCommit(h header, p place, mayBeTorn bool) error {
	payload, err := readPayload(s.file, p)
	if err != nil {
		return err
	}
	c, err := decodeCommit(payload)
	switch whole := checksum(payload) == h.check; {
	case whole && errors.Is(err, engine.ErrFormat):
		return err
	case (!whole || err != nil) && mayBeTorn:
		return errTorn
	case !whole || err != nil:
		return s.loseCommit(h.commits + 1)
	}
	if mayBeTorn {
		if whole, err := s.blocksWhole(c); err != nil || !whole {
			return errors.Join(err, errTorn)
		}
	}
	for _, id := range c.deletes {
		s.dropBlock(id)
	}
	for _, info := range c.puts {
		s.addBlock(info, s.pending[info.ID].place) // nowhere, if the frame is damaged
	}
	clear(s.pending)
	s.dropLog(h.number)
	s.setMeta(c.meta)
	s.commits++
	return nil
}

// endBase is called when all is read before an offset. If that is all of what
// was written anew, and its commit was not among it, the commit is lost.
func (s *scanner) endBase(offset int64) error {
	if offset < s.base || s.end >= s.base {
		return nil
	}
	s.end = min(s.base, s.size)
	if s.commits > 0 {
		return nil
	}
	return s.loseCommit(1)
}

// loseCommit goes on behind a commit that is damaged. The blocks before it
// count: something follows, so the checkpoint had come to its end.
func (s *scanner) loseCommit(commits uint64) error {
	for id, b := range s.pending {
		text, err := readPayload(s.file, b.place)
		if err != nil {
			return err
		}
		info, err := engine.DescribeBlock(text)
		if err != nil {
			info = engine.BlockInfo{Size: len(text)} // not to be read, but to be reported
		}
		info.ID = id
		s.addBlock(info, b.place)
	}
	clear(s.pending)
	s.commits, s.lost = commits, true
	return nil
}

// whole reports whether a payload is what was written.
func (s *scanner) whole(p place, check uint32) (bool, error) {
	payload, err := readPayload(s.file, p)
	return checksum(payload) == check, err
}

// blocksWhole reports whether the blocks of a commit are what was written: one
// that the disk had not yet got may be there without them.
func (s *scanner) blocksWhole(c commit) (bool, error) {
	for _, info := range c.puts {
		b, ok := s.pending[info.ID]
		if !ok {
			return false, nil
		}
		if whole, err := s.whole(b.place, b.check); err != nil || !whole {
			return false, err
		}
	}
	return true, nil
}

// next finds the first whole header at an offset or behind it; at is -1 if
// there is none. A frame that the file ends amid is the last, and torn.
func (s *scanner) next(offset int64) (h header, at int64, err error) {
	for at := offset; at+headerSize <= s.size; at++ {
		text, err := s.look(at)
		if err != nil {
			return header{}, 0, err
		}
		if h, ok := s.salt.parseHeader(text); ok {
			if at+headerSize+int64(h.length) > s.size {
				return header{}, -1, nil
			}
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
