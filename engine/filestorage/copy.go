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

// leastGarbage is how many bytes that no longer count the segments may have,
// however small the store is. Tests change it.
var leastGarbage int64 = 4 << 20

// leastCopy and mostCopy bound how many bytes a checkpoint copies forward: twice
// as many as it writes, so that the copies keep up. Tests change the first.
var leastCopy = 256 << 10

const (
	mostCopy = 2 << 20
	// fewSegments is how many segments may be small.
	fewSegments = 16
)

// victim is a segment that is being copied forward: mostly dead, and to be
// dropped when the rest of it has been copied.
type victim struct {
	*segment
	left []engine.BlockID // in the order in which they are in the file
}

// copies returns blocks for a checkpoint to copy forward.
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
	return s.take(s.victim, max(leastCopy, min(2*size, mostCopy)), deleted)
}

// choose returns the segment with the least that counts, if so much does not
// count, or the segments are so many, that one should go.
func (s *Storage) choose() *victim {
	size, live := s.segments.totals()
	few := fewSegments + 2*int(live/max(leastSegment, min(live/8, mostSegment)))
	if size-live <= max(leastGarbage, live/2) && len(s.segments) <= few {
		return nil
	}
	var best *segment
	for _, seg := range s.segments {
		if !seg.stuck && (best == nil || seg.live < best.live) && (seg != s.active || seg.garbage() > leastGarbage) {
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

// take reads the next blocks of a victim. It stays the victim until it is gone: a
// checkpoint that failed leaves blocks behind, which the next choice finds.
func (s *Storage) take(v *victim, most int, except map[engine.BlockID]bool) (copies []engine.Block) {
	for size := 0; len(v.left) > 0 && size < most; v.left = v.left[1:] {
		id := v.left[0]
		b, ok := s.blocks[id]
		if !ok || b.place.file != v.id || except[id] {
			continue
		}
		data, err := s.readBlock(id)
		if err != nil {
			v.stuck = true // the block stays where it is, and so does the segment
			continue
		}
		size += len(data)
		// Corruption within a block is the engine's to find: the copy is as it is.
		copies = append(copies, engine.Block{BlockInfo: b.info, Data: data})
	}
	if len(v.left) == 0 {
		s.victim = nil
	}
	return copies
}

// Compact copies what counts of all segments that contain anything else, and
// begins a new WAL segment. It returns the sizes of the store's files before and
// after, in bytes, and calls progress, unless it is nil, with how many it has
// copied; an error of that ends it. Whenever it ends the store is complete. It
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
			copies := s.take(v, mostCopy, nil)
			if len(copies) == 0 {
				continue
			}
			// Everything stays as it is but the places of these blocks.
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
	return s.write(s.turn)
}

// withGarbage returns the segments that a compaction copies: those with garbage,
// and those that are small if there are several.
func (s *Storage) withGarbage() (all []*segment) {
	for _, seg := range s.segments {
		if !seg.stuck && seg.live > 0 && (seg.garbage() > seg.live/16 || seg.size < leastSegment && len(s.segments) > 1) {
			all = append(all, seg)
		}
	}
	slices.SortFunc(all, func(a, b *segment) int { return cmp.Compare(a.id, b.id) })
	return all
}

// sizeOf returns how much the files of a store take.
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
