package engine

import (
	"github.com/tidwall/btree"

	"sandtable/engine/internal/block"
	"sandtable/odata"
)

// scan is the position of a [Cursor] in the blocks of its range. In the current
// block it first returns the rows before stop. Then comes the next change in key
// order, and then the rows from stop to end.
type scan struct {
	blocks    *blockTree
	keys      odata.KeyRange
	refs      btree.IterG[*blockRef]
	hasBlocks bool // refs is at the current block, or at the first if that is nil

	block            *block.Block
	index, stop, end int
	row              int  // the match, see nextRow
	partition        int  // of the row that was examined last
	entered          bool // progress counted that partition last
	replaced         bool // the change at stop hides the row there
	cost             int  // of the block, in bytes; added after the scan, so that a page gets past it

	matcher  block.Matcher
	maxAhead int // how many blocks to read ahead
}

func (s *scan) start(from *contents, keys odata.KeyRange, q *Query) {
	if from.blocks == nil {
		return
	}
	s.blocks, s.keys, s.maxAhead = from.blocks, keys, blocksAhead(q)
	s.matcher = block.NewMatcher(q.Filter)
	s.refs = from.blocks.Iter()
	first := blockRef{}
	if found := from.holding(keys.From); found != nil {
		first.First = found.First
	}
	s.hasBlocks = s.refs.Seek(&first)
}

// blocksAhead returns how many blocks are worth reading ahead. Without a filter,
// a page with a low limit probably ends in the current block.
func blocksAhead(q *Query) int {
	if q.Limit > 0 && q.Filter == nil {
		return min(aheadBlocks, q.Limit/64)
	}
	return aheadBlocks
}

// nextBlock makes the next block of the range the current one, if there is one.
func (s *scan) nextBlock(tx *Tx, change *odata.Entity, p *progress) error {
	p.bytes += s.cost
	s.cost = 0
	if s.block != nil {
		s.hasBlocks = s.refs.Next()
	}
	if s.hasBlocks && s.keys.Bounded {
		s.hasBlocks = s.refs.Item().First.Less(s.keys.To)
	}
	if !s.hasBlocks {
		return nil
	}
	ref := s.refs.Item()
	b := ref.resident()
	if b == nil {
		var err error
		if b, err = s.load(tx, ref); err != nil {
			return err
		}
		s.cost = deadlineBytes // loading may have taken long
	}
	s.cost += b.Size()
	p.explain.Blocks++
	s.index, s.end, s.partition = 0, b.Len(), 0
	if s.block == nil {
		s.index, _ = b.Search(s.keys.From)
	}
	if s.keys.Bounded {
		s.end, _ = b.Search(s.keys.To)
	}
	s.block = b
	s.findStop(change)
	return nil
}

// load reads a block that is not in memory, together with some that follow it.
func (s *scan) load(tx *Tx, ref *blockRef) (*block.Block, error) {
	var ahead []*blockRef
	left := min(aheadBytes, tx.cache.budget/4) - ref.Size
	s.blocks.Ascend(ref, func(r *blockRef) bool {
		if r == ref {
			return true
		}
		left -= r.Size
		if left < 0 || len(ahead) == s.maxAhead || s.keys.Bounded && !r.First.Less(s.keys.To) {
			return false
		}
		ahead = append(ahead, r)
		return true
	})
	return tx.load(ref, ahead)
}

// findStop sets stop to the position of the next change, nil for none.
func (s *scan) findStop(change *odata.Entity) {
	s.stop, s.replaced, s.entered = s.end, false, false
	if change != nil {
		s.stop, s.replaced = s.block.Search(change.Key())
	}
}

// skipReplaced moves to stop, and past the row that the change there hides.
func (s *scan) skipReplaced() {
	s.index = s.stop
	if s.replaced {
		s.index++
	}
}

// nextRow looks for a match among the rows before stop, and sets row to it. If the
// page is over, row is the first row that was not examined.
func (s *scan) nextRow(p *progress) (matches, over bool) {
	for s.index < s.stop && !matches {
		if p.pageIsOver() {
			s.row = s.index
			return false, true
		}
		pause := min(s.stop, s.index+deadlineEntities-p.entities)
		s.row = s.matcher.Next(s.block, s.index, pause)
		next := s.row
		if matches = s.row < pause; matches {
			next++
		}
		s.count(p, next)
		s.index = next
	}
	return matches, false
}

// count counts the rows from index up to next as examined.
func (s *scan) count(p *progress, next int) {
	p.entities += next - s.index
	p.explain.Examined += next - s.index
	first := s.block.PartitionOf(s.index, s.partition)
	if !s.entered || first != s.partition {
		p.enter(s.block.PartitionKey(first))
		s.entered = true
	}
	if s.partition = s.block.PartitionOf(next-1, first); s.partition > first {
		p.explain.Partitions += s.partition - first
		p.partition = s.block.PartitionKey(s.partition)
	}
}
