package engine

import (
	"github.com/tidwall/btree"

	"sandtable/engine/internal/block"
	"sandtable/odata"
)

// scan is where a [Cursor] is in the blocks of its range. In the current block,
// the rows before stop are next; the change that follows them in key order has
// its place at stop. There the scan goes on, until end.
type scan struct {
	refs      btree.IterG[*blockRef]
	hasBlocks bool // refs is at the current block, or at the first if that is nil

	block            *block.Block
	index, stop, end int
	replaced         bool // the change at stop hides the row there
	cost             int  // of the block, in bytes; counts once it was scanned, so that a page gets past it

	matcher block.Matcher
	ahead   []*blockRef // what was read ahead last
}

func (s *scan) start(c *Cursor) {
	if c.contents.blocks == nil {
		return
	}
	s.matcher = block.NewMatcher(c.query.Filter)
	s.refs = c.contents.blocks.Iter()
	first := blockRef{}
	if found := c.contents.holding(c.keys.From); found != nil {
		first.First = found.First
	}
	s.hasBlocks = s.refs.Seek(&first)
}

// nextBlock makes the next block of the range the current one.
func (c *Cursor) nextBlock() {
	s := &c.scan
	c.pace.bytes += s.cost
	s.cost = 0
	if s.block != nil {
		s.hasBlocks = s.refs.Next()
	}
	if s.hasBlocks && c.keys.Bounded {
		s.hasBlocks = s.refs.Item().First.Less(c.keys.To)
	}
	if !s.hasBlocks {
		return
	}
	ref := s.refs.Item()
	b := ref.resident()
	if b == nil {
		var err error
		if b, err = c.load(ref); err != nil {
			c.fail(err)
			return
		}
		s.cost = deadlineBytes // nobody knows how long loading took
	}
	c.explain.Blocks++
	s.cost += b.Size()
	s.block, s.index, s.end = b, 0, b.Len()
	if c.explain.Blocks == 1 {
		s.index, _ = b.Search(c.keys.From)
	}
	if c.keys.Bounded {
		s.end, _ = b.Search(c.keys.To)
	}
	s.findStop(c.change)
}

// findStop sets stop to the place of the next change, nil for none.
func (s *scan) findStop(change *odata.Entity) {
	s.stop, s.replaced = s.end, false
	if change != nil {
		s.stop, s.replaced = s.block.Search(change.Key())
	}
}

// skipReplaced moves on to stop and over the row that the change there hides.
func (s *scan) skipReplaced() {
	s.index = s.stop
	if s.replaced {
		s.index++
	}
}

// nextRow looks for a match among the rows before stop. Without one, it has
// reached stop or ended the page.
func (c *Cursor) nextRow() bool {
	s := &c.scan
	for s.index < s.stop {
		if c.pace.pageIsOver() {
			c.entity = nil
			c.row.Move(s.block, s.index)
			c.endPage()
			return false
		}
		pause := min(s.stop, s.index+deadlineEntities-c.pace.entities)
		i := s.matcher.Next(s.block, s.index, pause)
		matches := i < pause
		examined := i - s.index
		s.index = i
		if matches {
			c.entity = nil
			c.row.Move(s.block, i)
			s.index++
			examined++
		}
		c.pace.entities += examined
		c.explain.Examined += examined
		if matches {
			return true
		}
	}
	return false
}

// load reads a block that is not in memory, together with some that follow it.
func (c *Cursor) load(ref *blockRef) (*block.Block, error) {
	s := &c.scan
	s.ahead = s.ahead[:0]
	left := min(aheadBytes, c.tx.cache.budget/4) - ref.Size
	limit := c.query.blocksAhead()
	c.contents.blocks.Ascend(ref, func(r *blockRef) bool {
		if r == ref {
			return true
		}
		left -= r.Size
		if left < 0 || len(s.ahead) == limit || c.keys.Bounded && !r.First.Less(c.keys.To) {
			return false
		}
		s.ahead = append(s.ahead, r)
		return true
	})
	return c.tx.load(ref, s.ahead)
}

// blocksAhead returns how many blocks are worth reading ahead. Without a filter,
// a page with a low limit probably ends in the current block.
func (q *Query) blocksAhead() int {
	if q.Limit > 0 && q.Filter == nil {
		return min(aheadBlocks, q.Limit/64)
	}
	return aheadBlocks
}
