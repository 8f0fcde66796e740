package engine

import (
	"errors"

	"github.com/tidwall/btree"

	"sandtable/engine/internal/block"
	"sandtable/odata"
)

// smallBlock is the size under which a rewritten block is merged with the next
// one.
const smallBlock = block.TargetSize / 4

// mergeTables merges the changes of each table into new blocks, and the blocks
// that are worth compacting.
func (c *checkpoint) mergeTables() (err error) {
	c.base.roots.Scan(func(r root) bool {
		if r.contents.blocks == nil {
			return true
		}
		if candidates := c.mergeCandidates(r); len(candidates) > 0 || r.contents.changes.Len() > 0 {
			err = c.mergeTable(r.id, r.contents, candidates)
		}
		return err == nil
	})
	return err
}

// merged returns the contents of a table of the base as the checkpoint stores them.
func (c *checkpoint) merged(t root) *contents {
	if merged := c.tables[t.id]; merged != nil {
		return merged
	}
	return t.contents
}

// mergeCandidates returns runs of neighbours that a compaction merges: blocks with
// deltas, and blocks that are less than three quarters full if their entities fit into
// fewer blocks. It notes where the next checkpoint goes on.
// A block that is shared ends a run: merging it would not make the store smaller.
func (c *checkpoint) mergeCandidates(table root) (candidates [][]*blockRef) {
	pass, from := c.compact, table.contents
	if pass == nil || pass.budget <= 0 || table.id < pass.table {
		return nil
	}
	isShared := c.sharing(from)
	var run []*blockRef
	size, deltas := 0, false
	worthIt := func() bool {
		return deltas || (size+block.TargetSize-1)/block.TargetSize < len(run)
	}
	end := func() {
		if worthIt() {
			candidates = append(candidates, run)
			pass.table, pass.key = table.id, run[len(run)-1].First
			pass.budget -= size
		}
		run, size, deltas = nil, 0, false
	}
	visit := func(r *blockRef) bool {
		if r.corrupt.Load() || r.stored == nil && r.Size >= block.TargetSize/4*3 || isShared(r) {
			end()
			return pass.budget > 0
		}
		run, size, deltas = append(run, r), size+r.Size, deltas || r.stored != nil
		if size >= pass.budget && worthIt() {
			end()
		}
		return pass.budget > 0
	}
	// The last checkpoint may have left an underfull block at the end of its last run.
	if first := from.blockOf(new(blockRef), pass.key); first != nil && table.id == pass.table {
		from.blocks.Ascend(first, visit)
	} else {
		from.blocks.Scan(visit)
	}
	end()
	return candidates
}

func (c *checkpoint) mergeTable(id TableID, from *contents, candidates [][]*blockRef) error {
	t := tableMerge{checkpoint: c, table: id, from: from, blocks: from.blocks.Copy()}
	t.changes = from.changes.Iter()
	t.take(t.changes.First())
	for t.change != nil || len(candidates) > 0 {
		var err error
		if len(candidates) > 0 && !t.comesBefore(candidates[0][0]) {
			err = t.compactRun(candidates[0])
			candidates = candidates[1:]
		} else {
			err = t.rewrite()
		}
		if err != nil {
			return err
		}
	}
	merged := newContents(t.blocks)
	merged.shared = from.shared
	t.blocks.Scan(func(r *blockRef) bool {
		merged.count += r.Count
		return true
	})
	c.tables[id] = merged
	return nil
}

// tableMerge merges the changes of a table into its blocks.
type tableMerge struct {
	*checkpoint
	table   TableID
	from    *contents
	blocks  *blockTree // the blocks of from, with new blocks in place of replaced ones
	changes btree.IterG[*odata.Entity]
	change  *odata.Entity // the next one; nil at the end

	probe  blockRef
	build  block.Builder
	target int        // the size from which a block is full
	fill   bool       // target is block.TargetSize
	last   *odata.Key // the first key of the last block that was added
	full   int        // how many new blocks became full
}

func (t *tableMerge) take(ok bool) {
	t.change = nil
	if ok {
		t.change = t.changes.Item()
	}
}

// comesBefore reports whether the next change belongs to a block before this
// one. Changes before the first block belong to that block.
func (t *tableMerge) comesBefore(r *blockRef) bool {
	first, _ := t.from.blocks.Min()
	return t.change != nil && first != r && t.change.Key().Less(r.First)
}

// compactRun merges a run of blocks, except blocks that rewrite has merged already.
func (t *tableMerge) compactRun(refs []*blockRef) error {
	t.fill = true
	defer func() { t.fill = false }()
	for _, ref := range refs {
		if t.last != nil && !t.last.Less(ref.First) {
			continue
		}
		if err := t.add(ref, t.takeUpTo(t.from.blockAfter(&t.probe, ref.First))); err != nil {
			return err
		}
	}
	return t.flush()
}

// rewrite writes the changes to the block of the next change: a delta or, with the
// rest of the block, as many blocks as it takes. If little is left of the block, the
// next one is added.
func (t *tableMerge) rewrite() error {
	ref := t.from.blockOf(&t.probe, t.change.Key())
	after := t.from.blockAfter(&t.probe, t.change.Key())
	if ref == nil && after != nil { // before the first block
		ref = after
		after = t.from.blockAfter(&t.probe, ref.First)
	}
	changes := t.takeUpTo(after)
	if done, err := t.patch(ref, changes); done || err != nil {
		return err
	}
	full := t.full
	for {
		if err := t.add(ref, changes); err != nil {
			return err
		}
		if t.full > full || t.build.Size() >= smallBlock || after == nil {
			return t.flush()
		}
		ref = after
		after = t.from.blockAfter(&t.probe, ref.First)
		changes = t.takeUpTo(after)
	}
}

// add merges a block, nil for none, with its changes, and flushes blocks that become
// full.
func (t *tableMerge) add(ref *blockRef, changes []*odata.Entity) error {
	b, err := t.read(ref)
	if err != nil {
		return err
	}
	if t.target = block.TargetSize; !t.fill {
		t.target = targetSize(t.build.Size(), b, changes)
	}
	i := 0
	for _, e := range changes {
		t.taken++
		stop, replaced := b.Search(e.Key())
		if err := t.copy(b, i, stop); err != nil {
			return err
		}
		if i = stop; replaced {
			i++
		}
		if e.Timestamp == deleted {
			continue
		}
		t.build.Add(e)
		if err := t.flushFull(); err != nil {
			return err
		}
	}
	return t.copy(b, i, b.Len())
}

// read returns a block that is going to be replaced, an empty one for nil.
func (t *tableMerge) read(ref *blockRef) (*block.Block, error) {
	if ref == nil {
		return emptyBlock, nil
	}
	b, err := t.db.cache.get(ref)
	switch {
	case errors.Is(err, errReplaced):
		b = emptyBlock // the table was dropped meanwhile, so the new blocks have no readers
	case err != nil:
		return nil, err
	case b == emptyBlock:
		t.corrupt = append(t.corrupt, ref)
	}
	t.replaced = append(t.replaced, ref)
	t.blocks.Delete(ref)
	t.last = &ref.First
	return b, nil
}

// takeUpTo takes the changes before a block, all for nil.
func (t *tableMerge) takeUpTo(after *blockRef) (changes []*odata.Entity) {
	for t.change != nil && (after == nil || t.change.Key().Less(after.First)) {
		changes = append(changes, t.change)
		t.take(t.changes.Next())
	}
	return changes
}

// targetSize returns the size from which new blocks are full, so that a block
// that has to be split gives blocks of about equal size. Entities that were
// added at the end are likely to be followed by more: then blocks are filled.
func targetSize(before int, b *block.Block, changes []*odata.Entity) int {
	if b.Len() == 0 || len(changes) > 0 && b.Key(b.Len()-1).Less(changes[0].Key()) {
		return block.TargetSize
	}
	size := before + b.Size()
	for _, e := range changes {
		size += block.EstimateSize(e)
	}
	return size/(size/(block.TargetSize+block.TargetSize/4)+1) + 1
}

// copy adds entities of a block as they are.
func (t *tableMerge) copy(b *block.Block, from, to int) error {
	var row block.Row
	for i := from; i < to; i++ {
		row.Move(b, i)
		t.build.AddRow(&row)
		if err := t.flushFull(); err != nil {
			return err
		}
	}
	return nil
}

func (t *tableMerge) flushFull() error {
	if t.build.Size() < t.target {
		return nil
	}
	t.full++
	return t.flush()
}

func (t *tableMerge) flush() error {
	if t.build.Len() == 0 {
		return nil
	}
	b := finishBlock(&t.build, t.db.writer.newID(), t.table)
	t.blocks.Set(&blockRef{BlockInfo: b.BlockInfo})
	return t.put(b)
}
