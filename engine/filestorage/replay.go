package filestorage

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"sandtable/engine"
)

// lostMeta stands for metadata that cannot be trusted: the engine then derives what
// it needs from the blocks, and reports the corruption.
var lostMeta = []byte("lost")

// replay reads a WAL segment.
type replay struct {
	contents
	file   fileID
	framer framer
	base   int64
	data   []byte
	// find returns the blocks that a range of commits put.
	find func(from, to uint64) ([]found, error)

	last    int64 // where the last valid frame begins
	end     int64 // and ends
	corrupt bool  // something in it could not be read
	lost    bool  // a commit could not be read
	started bool  // the snapshot was there
	gap     gap   // the last one
}

// gap is a part of the WAL in which no frame could be recognised, with a frame
// after it. No commit is missing, so there were records.
type gap struct {
	place place
	after uint64 // the highest number before it
}

// run replays the frames. The last frame may be torn if it is after the base: then
// it was never acknowledged. Anything else that cannot be read is skipped: the engine
// notices a missing record by its number, and for a commit, [replay.lose] adds the
// blocks that it put.
func (r *replay) run() error {
	r.end = headerSize
	for {
		h, at := r.framer.next(r.data, r.end)
		after := at + headerSize + int64(h.length)
		if at < 0 || after > int64(len(r.data)) {
			break
		}
		payload := r.data[at+headerSize : after : after]
		whole := checksum(payload) == h.check
		if !whole && at >= r.base {
			if _, more := r.framer.next(r.data, aligned(after)); more < 0 {
				break // torn
			}
		}
		if at > r.end && h.commits <= r.commits {
			r.gap = gap{place{r.file, r.end, uint32(at - r.end)}, r.highest()}
		}
		r.corrupt = r.corrupt || at > r.end || !whole
		r.last, r.end = at, aligned(after)
		if err := r.visit(h, place{r.file, at + headerSize, h.length}, payload, whole); err != nil {
			return err
		}
	}
	r.finish()
	return nil
}

func (r *replay) visit(h frameHeader, p place, payload []byte, whole bool) error {
	if h.kind == snapshotFrame && whole && !r.started {
		c, err := decodeCommit(payload)
		if err == nil {
			r.apply(c, h.number)
			r.commits, r.started = h.commits, true
		}
		return ifNewer(err)
	}
	if h.commits > r.commits {
		if err := r.lose(h.commits); err != nil {
			return err
		}
	}
	switch h.kind {
	case recordFrame:
		r.records[h.number] = p
	case commitFrame:
		c, err := decodeCommit(payload)
		if err := ifNewer(err); err != nil {
			return err
		}
		if !whole || err != nil {
			return r.lose(h.commits + 1)
		}
		r.apply(c, h.number)
	}
	return nil
}

// ifNewer returns err if it means that the store has a newer format. A commit that
// cannot be read for another reason is lost.
func ifNewer(err error) error {
	if errors.Is(err, engine.ErrFormat) {
		return err
	}
	return nil
}

// lose compensates for unreadable commits up to a number: it adds the blocks that
// they put. Which blocks they deleted is unknown, so those stay.
func (r *replay) lose(to uint64) error {
	found, err := r.find(r.commits+1, to)
	if err != nil {
		return err
	}
	for _, f := range found {
		r.blocks[f.info.ID] = f.block
	}
	r.commits, r.lost, r.corrupt = to, true, true
	return nil
}

// finish handles what is missing at the end of the segment, and lost metadata.
func (r *replay) finish() {
	if r.lost {
		r.meta = lostMeta // also if later commits replaced it: they assume the lost one
	}
	// If no later record's number shows that the last records are missing, a record
	// that the engine cannot read stands for them.
	last := r.highest()
	switch {
	case r.end < r.base:
		r.records[last+1] = place{r.file, r.end, uint32(max(0, min(r.base, int64(len(r.data)))-r.end))}
		r.corrupt = true
	case r.gap.place.length > 0 && r.gap.after == last:
		r.records[last+1] = r.gap.place
	}
}

// highest returns the highest number of a record so far.
func (r *replay) highest() uint64 {
	last := r.dropped
	for seq := range r.records {
		last = max(last, seq)
	}
	return last
}

// withoutSnapshot adds the blocks of all commits. Deleted ones come back, and the
// metadata is lost. If two blocks have the same identity, the earlier one was written
// by a commit that was never completed.
func (r *replay) withoutSnapshot() error {
	all, err := r.find(0, math.MaxUint64)
	if err != nil {
		return err
	}
	for _, f := range slices.Backward(all) {
		if _, ok := r.blocks[f.info.ID]; !ok {
			r.blocks[f.info.ID] = f.block
		}
		r.commits = max(r.commits, f.commits)
	}
	r.meta, r.corrupt = lostMeta, true
	return nil
}

// found is a block with the number of the commit that it is part of.
type found struct {
	block
	commits uint64
}

// findBlocks reads segments and returns their blocks in the order in which they were
// written.
func (s *Storage) findBlocks(files []fileID) (all []found, err error) {
	for _, name := range files {
		data, _, err := s.readFile(name.name(blocksName))
		if err != nil {
			return nil, err
		}
		all = append(all, blocksOf(data, name, s.id)...)
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(a.commits, b.commits) })
	return all, nil
}

// blocksOf returns the blocks of a segment.
func blocksOf(data []byte, name fileID, id storeID) (all []found) {
	f := newFramer(id, name)
	for offset := int64(headerSize); ; {
		h, at := f.next(data, offset)
		start := at + headerSize
		if at < 0 || start+int64(h.length) > int64(len(data)) {
			return all
		}
		offset = aligned(start + int64(h.length))
		payload := data[start : start+int64(h.length)]
		info, err := engine.DescribeBlock(payload)
		if err != nil {
			info = engine.BlockInfo{Size: len(payload)} // unreadable, but must be reported
		}
		info.ID = engine.BlockID(h.number)
		all = append(all, found{block{info, place{name, start, h.length}}, h.commits})
	}
}

// finder returns the find function of a replay. It reads the segments once.
func (s *Storage) finder(files []fileID) func(from, to uint64) ([]found, error) {
	all := sync.OnceValues(func() ([]found, error) { return s.findBlocks(files) })
	return func(from, to uint64) (some []found, err error) {
		found, err := all()
		if err != nil {
			return nil, fmt.Errorf("find the blocks of a lost commit: %w", err)
		}
		for _, f := range found {
			if from <= f.commits && f.commits <= to {
				some = append(some, f)
			}
		}
		return some, nil
	}
}
