package filestorage

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"sandtable/engine"
)

// minGarbage is how many bytes of garbage the segments may have, however small the
// store is. Tests change it.
var minGarbage int64 = 4 << 20

// minCopy and maxCopy bound how many bytes a checkpoint copies forward: twice as
// many as it writes, so that copying keeps up. Tests change minCopy.
var minCopy = 256 << 10

const (
	maxCopy = 2 << 20
	// fewSegments is how many segments may be small.
	fewSegments = 16
)

// victim is a segment that is being copied forward: it is mostly garbage, and is
// dropped when its live blocks have been copied.
type victim struct {
	*segment
	left []engine.BlockID // in file order
}

// copies returns blocks that a checkpoint copies forward.
func (s *Storage) copies(c engine.Checkpoint) []engine.Block {
	size := 0
	for _, b := range c.Puts {
		size += len(b.Data)
	}
	if s.victim == nil || s.segments[s.victim.id] != s.victim.segment {
		s.victim = s.choose()
	}
	if s.victim == nil {
		return nil
	}
	deleted := make(map[engine.BlockID]bool, len(c.Deletes))
	for _, id := range c.Deletes {
		deleted[id] = true
	}
	for _, b := range c.Puts {
		deleted[b.ID] = true
	}
	return s.take(s.victim, max(minCopy, min(2*size, maxCopy)), deleted)
}

// choose returns the segment with the fewest live bytes as the next victim, or nil
// if there is too little garbage and there are not too many segments.
func (s *Storage) choose() *victim {
	size, live := s.segments.totals()
	few := fewSegments + 2*int(live/max(minSegment, min(live/8, maxSegment)))
	if size-live <= max(minGarbage, live/2) && len(s.segments) <= few {
		return nil
	}
	var best *segment
	for _, seg := range s.segments {
		if !seg.stuck && (best == nil || seg.live < best.live) && (seg != s.active || seg.garbage() > minGarbage) {
			best = seg
		}
	}
	return s.victimOf(best)
}

func (s *Storage) victimOf(seg *segment) *victim {
	if seg == nil {
		return nil
	}
	if seg == s.active {
		s.active = nil
	}
	v := &victim{segment: seg}
	for id, b := range s.blocks {
		if b.place.file == seg.id {
			v.left = append(v.left, id)
		}
	}
	slices.SortFunc(v.left, func(a, b engine.BlockID) int {
		return cmp.Compare(s.blocks[a].place.offset, s.blocks[b].place.offset)
	})
	return v
}

// take reads the next blocks of a victim. Blocks that a failed checkpoint did not
// copy are found when the segment is chosen again.
func (s *Storage) take(v *victim, most int, except map[engine.BlockID]bool) (copies []engine.Block) {
	for size := 0; len(v.left) > 0 && size < most; v.left = v.left[1:] {
		id := v.left[0]
		b, ok := s.blocks[id]
		if !ok || b.place.file != v.id || except[id] {
			continue
		}
		data, err := s.readBlock(id)
		if err != nil {
			v.stuck = true // the segment stays for this block
			continue
		}
		size += len(data)
		// The engine detects corruption within a block: copy it unchanged.
		copies = append(copies, engine.Block{BlockInfo: b.info, Data: data})
	}
	if len(v.left) == 0 {
		s.victim = nil
	}
	return copies
}

// Compact copies the live blocks of all segments with garbage, and rotates the WAL.
// It returns the sizes of the store's files before and after, in bytes. It calls
// progress, unless it is nil, with the number of bytes copied so far, and stops
// at an error that progress returns. The store is complete at any time. Compact
// needs space for a copy of one segment at a time.
func Compact(folder string, options Options, progress func(copied int64) error) (before, after int64, err error) {
	exists, err := Exists(folder)
	if err == nil && !exists {
		err = os.ErrNotExist
	}
	if err != nil {
		return 0, 0, fmt.Errorf("compact store %s: %w", folder, err)
	}
	if before, err = sizeOf(folder); err != nil {
		return 0, 0, err
	}
	s, err := Open(folder, options)
	if err != nil {
		return 0, 0, err
	}
	if err := errors.Join(s.compact(progress), s.Close()); err != nil {
		return 0, 0, fmt.Errorf("compact store %s: %w", folder, err)
	}
	after, err = sizeOf(folder)
	return before, after, err
}

func (s *Storage) compact(progress func(copied int64) error) error {
	copied := int64(0)
	for _, seg := range s.withGarbage() {
		for v := s.victimOf(seg); len(v.left) > 0; {
			copies := s.take(v, maxCopy, nil)
			if len(copies) == 0 {
				continue
			}
			// Only the places of these blocks change.
			err := s.write(func() error { return s.commit(engine.Checkpoint{Seq: s.dropped, Meta: s.meta}, copies) })
			for _, b := range copies {
				copied += int64(len(b.Data))
			}
			if err == nil && progress != nil {
				err = progress(copied)
			}
			if err != nil {
				return err
			}
		}
	}
	return s.write(s.rotate)
}

// withGarbage returns the segments that a compaction copies: segments with garbage,
// and small ones if there are several segments.
func (s *Storage) withGarbage() (all []*segment) {
	for _, seg := range s.segments {
		if !seg.stuck && seg.live > 0 && (seg.garbage() > seg.live/16 || seg.size < minSegment && len(s.segments) > 1) {
			all = append(all, seg)
		}
	}
	slices.SortFunc(all, func(a, b *segment) int { return cmp.Compare(a.id, b.id) })
	return all
}

// sizeOf returns the size of the files of a store.
func sizeOf(folder string) (size int64, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		if isOurs(e.Name()) {
			info, err := os.Stat(filepath.Join(folder, e.Name()))
			if err != nil {
				return 0, err
			}
			size += info.Size()
		}
	}
	return size, nil
}
