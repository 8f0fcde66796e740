package filestorage

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"

	"sandtable/engine"
)

// minSegment and maxSegment bound how many bytes of blocks a segment gets before
// the next one begins: an eighth of the store. Tests change minSegment.
var minSegment int64 = 2 << 20

const maxSegment = 64 << 20

func newStoreID() (id storeID) {
	_, _ = rand.Read(id[:]) // never fails
	return id
}

// Checkpoint is [engine.Storage.Checkpoint]: it writes and syncs the blocks, and
// then one frame of the WAL puts them into effect.
func (s *Storage) Checkpoint(c engine.Checkpoint) error {
	return s.write(func() error {
		err := s.keepReserve()
		if !isFull(err) {
			if err = s.commit(c, s.copies(c)); isFull(err) {
				err = s.commit(c, nil)
			}
		}
		if isFull(err) && c.Shrinks {
			err = s.withReserve(0, func() error { return s.commit(c, nil) })
		} else if isFull(err) && !s.reserve && isSmall(c) {
			err = s.commit(c, nil)
		}
		if err != nil {
			return err
		}
		if s.rotationDue() {
			// Without space for a new segment, the WAL continues in this one.
			if err := s.rotate(); err != nil && !isFull(err) {
				return err
			}
		}
		_ = s.keepReserve() // the next write tries again
		return nil
	})
}

// commit commits a checkpoint, together with blocks that are copied forward.
func (s *Storage) commit(c engine.Checkpoint, copies []engine.Block) error {
	puts := append(c.Puts[:len(c.Puts):len(c.Puts)], copies...)
	seg, places, err := s.writeBlocks(puts)
	if err != nil {
		return err
	}
	done := commit{deletes: c.Deletes, meta: c.Meta}
	for i, at := range places {
		if i < len(c.Puts) {
			done.puts = append(done.puts, block{c.Puts[i].BlockInfo, at})
		} else {
			done.moves = append(done.moves, move{puts[i].ID, at})
		}
	}
	if _, err := s.append(commitFrame, c.Seq, done.encode()); err != nil {
		return s.undoBlocks(seg, places, err)
	}
	s.mu.Lock()
	if seg != nil {
		s.segments[seg.id], s.active = seg, seg
	}
	s.segments.follow(&s.contents, done)
	s.apply(done, c.Seq)
	dead := s.takeDead()
	s.mu.Unlock()
	return s.removeSegments(dead)
}

// writeBlocks adds blocks to the active segment or, if that has become long, to a
// new one, which the caller adds to the store.
func (s *Storage) writeBlocks(blocks []engine.Block) (seg *segment, places []place, err error) {
	if len(blocks) == 0 {
		return nil, nil, nil
	}
	var b []byte
	seg = s.active
	_, live := s.segments.totals()
	if isNew := seg == nil || seg.size >= max(minSegment, min(live/8, maxSegment)); isNew {
		seg = &segment{id: s.nextFile()}
		b = fileHeader{id: s.id}.encode(blocksMagic)
	}
	f := newFramer(s.id, seg.id)
	for _, block := range blocks {
		places = append(places, place{seg.id, seg.size + int64(len(b)) + headerSize, uint32(len(block.Data))})
		b = f.append(b, blockFrame, uint64(block.ID), s.commits+1, block.Data)
	}
	if seg.file == nil {
		err = s.createSegment(seg, b)
	} else if err = writeAt(seg.file, b, seg.size); err != nil {
		err = seg.truncate(seg.size, err)
	} else {
		err = hideErrno("sync "+seg.id.name(blocksName), s.sync(seg.file))
	}
	if err != nil {
		return nil, nil, err
	}
	seg.size += int64(len(b))
	return seg, places, nil
}

func (s *Storage) createSegment(seg *segment, b []byte) (err error) {
	path := filepath.Join(s.folder, seg.id.name(blocksName))
	if seg.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
		return err
	}
	if err = writeAt(seg.file, b, 0); err == nil && s.strict() {
		err = errors.Join(hideErrno("sync "+seg.id.name(blocksName), seg.file.Sync()), syncFolder(s.folder))
	}
	if err != nil {
		return errors.Join(err, seg.file.Close(), removeIfThere(path))
	}
	return nil
}

// truncate frees the space of a failed write.
func (s *segment) truncate(size int64, cause error) error {
	if err := s.file.Truncate(size); err != nil {
		return hideErrno("truncate "+s.id.name(blocksName), errors.Join(cause, err)) // more than a full disk
	}
	return cause
}

// undoBlocks removes blocks whose commit failed. They stay if the commit may yet
// turn out to be on the disk.
func (s *Storage) undoBlocks(seg *segment, places []place, cause error) error {
	switch {
	case seg == nil:
		return cause
	case seg != s.active:
		cause = errors.Join(cause, seg.file.Close())
		if isFull(cause) {
			cause = errors.Join(cause, removeIfThere(filepath.Join(s.folder, seg.id.name(blocksName))))
		}
		return cause
	case isFull(cause):
		seg.size = places[0].offset - headerSize
		return seg.truncate(seg.size, cause)
	}
	return cause
}

// takeDead takes the segments without live blocks out of the store, and returns
// them.
func (s *Storage) takeDead() (dead []*segment) {
	for id, seg := range s.segments {
		if seg.live == 0 && seg != s.active {
			dead = append(dead, seg)
			delete(s.segments, id)
		}
	}
	return dead
}

// removeSegments removes dead segments after their commit. Some file systems report
// a full disk for a deletion; that must not make the commit look refused.
func (s *Storage) removeSegments(dead []*segment) (err error) {
	for _, seg := range dead {
		err = errors.Join(err, seg.file.Close(), removeIfThere(filepath.Join(s.folder, seg.id.name(blocksName))))
	}
	return hideErrno("remove segments", err)
}
