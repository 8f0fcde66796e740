package filestorage

import (
	"maps"
	"os"
	"slices"

	"sandtable/engine"
)

// contents lists the blocks and records of a store, and their places.
type contents struct {
	blocks  map[engine.BlockID]block
	records map[uint64]place // of the WAL, by sequence number
	meta    []byte
	commits uint64 // how many the store has seen
	dropped uint64 // the last record that the last commit dropped
}

func newContents() contents {
	return contents{blocks: make(map[engine.BlockID]block), records: make(map[uint64]place)}
}

// apply applies a commit.
func (c *contents) apply(done commit, seq uint64) {
	for _, id := range done.deletes {
		delete(c.blocks, id)
	}
	for _, p := range done.puts {
		c.blocks[p.info.ID] = p
	}
	for _, m := range done.moves {
		if b, ok := c.blocks[m.id]; ok {
			c.blocks[m.id] = block{b.info, m.to}
		}
	}
	maps.DeleteFunc(c.records, func(n uint64, _ place) bool { return n <= seq })
	c.meta, c.dropped = slices.Clone(done.meta), seq
	c.commits++
}

// all returns a commit that puts everything.
func (c *contents) all() commit {
	done := commit{puts: make([]block, 0, len(c.blocks)), meta: c.meta}
	for _, id := range slices.Sorted(maps.Keys(c.blocks)) {
		done.puts = append(done.puts, c.blocks[id])
	}
	return done
}

// recordBytes returns how many bytes of the WAL are live records.
func (c *contents) recordBytes() (n int64) {
	for _, p := range c.records {
		n += frameSize(int(p.length))
	}
	return n
}

// segment is a file of blocks.
type segment struct {
	id    fileID
	file  *os.File
	size  int64 // up to the end of the last frame
	live  int64 // bytes of frames whose blocks are in use
	stuck bool  // something in it cannot be read, so it cannot be copied
}

func (s *segment) garbage() int64 { return s.size - headerSize - s.live }

// segments are all block segments. It counts their live bytes.
type segments map[fileID]*segment

func (s segments) add(p place, sign int64) {
	if seg := s[p.file]; seg != nil {
		seg.live += sign * frameSize(int(p.length))
	}
}

// follow counts the changes of a commit; before is the state without it.
func (s segments) follow(before *contents, done commit) {
	gone := make(map[engine.BlockID]bool)
	drop := func(id engine.BlockID) {
		if b, ok := before.blocks[id]; ok && !gone[id] {
			s.add(b.place, -1)
			gone[id] = true
		}
	}
	for _, id := range done.deletes {
		drop(id)
	}
	for _, p := range done.puts {
		drop(p.info.ID)
		s.add(p.place, 1)
	}
	for _, m := range done.moves {
		drop(m.id)
		s.add(m.to, 1)
	}
}

// totals returns the bytes of all segments, and the live ones among them.
func (s segments) totals() (size, live int64) {
	for _, seg := range s {
		size += seg.size
		live += seg.live
	}
	return size, live
}
