package engine

import (
	"time"

	"github.com/tidwall/btree"

	"sandtable/engine/internal/block"
	"sandtable/odata"
	"sandtable/odata/filter"
)

// walk is a query under way: it goes through the blocks of the range and,
// beside them, through the changes, in the order of the keys.
type walk struct {
	*Query
	tx       *Tx
	contents *contents
	page     *Page
	keys     odata.KeyRange

	changes btree.IterG[*odata.Entity]
	change  *odata.Entity // the next one; nil at the end
	matcher block.Matcher
	block   *block.Block  // the entity that the query has come to is in it,
	index   int           // at this index,
	entity  *odata.Entity // unless it is this one of the changes
	row     block.Row
	scratch odata.Entity // what Each is shown
	full    bool         // Each wants no more
	next    []*blockRef  // what was read ahead of

	// Since the deadline was asked:
	passed int // entities, and deletions among the changes
	bytes  int // of blocks

	stretches int       // how often the deadline was due to be asked
	turn      time.Time // when this one began
}

func (w *walk) run() error {
	w.turn = time.Now()
	w.matcher = block.NewMatcher(w.Filter)
	w.changes = w.contents.changes.Iter()
	w.take(w.changes.Seek(pivot(w.keys.From)))
	if w.contents.blocks != nil {
		if more, err := w.blocks(); !more || err != nil {
			return err
		}
	}
	for w.change != nil {
		if !w.visitChange() {
			return nil
		}
	}
	return nil
}

// take makes the iterator's change the next one, if it has one in the range.
func (w *walk) take(ok bool) {
	w.change = nil
	if !ok {
		return
	}
	if e := w.changes.Item(); !w.keys.Bounded || e.Key().Less(w.keys.To) {
		w.change = e
	}
}

// visitChange examines the next change and reports whether to go on.
func (w *walk) visitChange() bool {
	e := w.change
	w.take(w.changes.Next())
	w.entity = e
	if w.isOver() {
		return w.endHere()
	}
	if e.Timestamp == deleted {
		w.passed++
		return true
	}
	w.pass(1)
	return !filter.Match(w.Filter, e) || w.found()
}

// blocks walks the blocks of the range and reports whether to go on.
func (w *walk) blocks() (bool, error) {
	it := w.contents.blocks.Iter()
	start := blockRef{}
	if found := w.contents.holding(w.keys.From); found != nil {
		start.First = found.First
	}
	for ok := it.Seek(&start); ok; ok = it.Next() {
		ref := it.Item()
		if w.keys.Bounded && !ref.First.Less(w.keys.To) {
			break
		}
		b, waiting := ref.resident(), 0
		if b == nil {
			var err error
			if b, err = w.load(ref); err != nil {
				return false, err
			}
			waiting = deadlineBytes // as long as that: who knows how long it took
		}
		w.page.Explain.Blocks++
		if !w.visitBlock(b) {
			return false, nil
		}
		w.bytes += b.Size() + waiting
	}
	return true, nil
}

// load reads a block that is not in memory, together with those that come after
// it.
func (w *walk) load(ref *blockRef) (*block.Block, error) {
	w.next = w.next[:0]
	left := min(aheadBytes, w.tx.cache.budget/4) - ref.Size
	w.contents.blocks.Ascend(ref, func(r *blockRef) bool {
		if r == ref {
			return true
		}
		left -= r.Size
		if left < 0 || len(w.next) == w.ahead() || w.keys.Bounded && !r.First.Less(w.keys.To) {
			return false
		}
		w.next = append(w.next, r)
		return true
	})
	return w.tx.load(ref, w.next)
}

// ahead returns how many blocks are worth reading ahead: a page that its limit
// may end in this block is likely to end there.
func (w *walk) ahead() int {
	if w.Limit > 0 && w.Filter == nil {
		return min(aheadBlocks, w.Limit/64)
	}
	return aheadBlocks
}

// visitBlock examines what the range has of a block, and the changes between.
func (w *walk) visitBlock(b *block.Block) bool {
	i, end := 0, b.Len()
	if w.page.Explain.Blocks == 1 {
		i, _ = b.Search(w.keys.From)
	}
	if w.keys.Bounded {
		end, _ = b.Search(w.keys.To)
	}
	for {
		stop, replaced := end, false
		if w.change != nil {
			stop, replaced = b.Search(w.change.Key())
		}
		if !w.visitRows(b, i, stop) {
			return false
		}
		if stop == end {
			return true
		}
		i = stop
		if replaced {
			i++
		}
		if !w.visitChange() {
			return false
		}
	}
}

// visitRows examines entities of a block and reports whether to go on.
func (w *walk) visitRows(b *block.Block, i, stop int) bool {
	for i < stop {
		if w.isOver() {
			w.at(b, i)
			return w.endHere()
		}
		pause := min(stop, i+deadlineEvery-w.passed) // to ask the deadline
		found := w.matcher.Next(b, i, pause)
		w.pass(found - i)
		i = found
		if i == pause {
			continue
		}
		w.pass(1)
		w.at(b, i)
		if !w.found() {
			return false
		}
		i++
	}
	return true
}

func (w *walk) at(b *block.Block, i int) {
	w.block, w.index, w.entity = b, i, nil
	w.row.Move(b, i)
}

func (w *walk) pass(entities int) {
	w.passed += entities
	w.page.Explain.Examined += entities
}

// isOver reports whether it is time to end the page, which is asked before an
// entity is examined, and only when the page got further since it was asked.
func (w *walk) isOver() bool {
	if w.passed < deadlineEvery && (w.bytes < deadlineBytes || w.passed == 0) {
		return false
	}
	w.passed, w.bytes = 0, 0
	w.breathe()
	return w.Deadline != nil && w.Deadline()
}

// breathe lets others have their turn when this one was long: who asks for one
// entity does not wait for a scan, where there is one thread.
func (w *walk) breathe() {
	w.stretches++
	if w.tx.yield == nil || w.stretches%turnStretches != 0 || time.Since(w.turn) < queryTurn {
		return
	}
	w.tx.yield()
	w.turn = time.Now()
}

// found takes the row as a match and reports whether to go on.
func (w *walk) found() bool {
	if w.full || w.Limit > 0 && w.page.Explain.Returned == w.Limit {
		return w.endHere()
	}
	w.page.Explain.Returned++
	if w.Each != nil {
		e := w.entity
		if e == nil {
			e = &w.scratch
			w.row.Decode(e, w.Select)
		}
		w.full = !w.Each(e)
	} else {
		e := w.entity
		if e == nil {
			e = w.block.Entity(w.index)
		}
		w.page.Entities = append(w.page.Entities, e)
	}
	return true
}

func (w *walk) endHere() bool {
	var next odata.Key
	if w.entity != nil {
		next = w.entity.Key()
	} else {
		next = w.row.Key()
	}
	w.page.Next = &next
	return false
}
