package engine

import (
	"errors"

	"github.com/tidwall/btree"

	"sandtable/engine/internal/block"
	"sandtable/odata"
)

// smallBlock is the size under which a block that is written anew takes in the
// one after it.
const smallBlock = block.TargetSize / 4

// fold writes the blocks that have changes beside them, and those that are to
// be merged.
func (c *checkpoint) fold() (err error) {
	c.base.roots.Scan(func(r root) bool {
		if r.contents.blocks == nil {
			return true
		}
		if runs := c.runs(r.contents); len(runs) > 0 || r.contents.changes.Len() > 0 {
			err = c.foldTable(r.id, r.contents, runs)
		}
		return err == nil
	})
	return err
}

// runs returns the neighbours of a table that are worth merging: blocks of
// which none is three quarters full, and which together need fewer.
func (c *checkpoint) runs(from *contents) (runs [][]*blockRef) {
	var run []*blockRef
	size := 0
	end := func() {
		if (size+block.TargetSize-1)/block.TargetSize < len(run) {
			runs = append(runs, run)
			c.merge -= size
			c.merged += len(run)
		}
		run, size = nil, 0
	}
	if c.merge > 0 {
		from.blocks.Scan(func(r *blockRef) bool {
			if r.Size >= block.TargetSize/4*3 || r.corrupt.Load() {
				end()
				return c.merge > 0
			}
			run, size = append(run, r), size+r.Size
			if size >= c.merge {
				end()
			}
			return c.merge > 0
		})
		end()
	}
	return runs
}

func (c *checkpoint) foldTable(id TableID, from *contents, runs [][]*blockRef) error {
	t := tableFold{checkpoint: c, table: id, from: from, blocks: from.blocks.Copy()}
	t.changes = from.changes.Iter()
	t.take(t.changes.First())
	for t.change != nil || len(runs) > 0 {
		step := t.group
		if len(runs) > 0 && !t.comesBefore(runs[0][0]) {
			run := runs[0]
			runs = runs[1:]
			step = func() error { return t.run(run) }
		}
		if err := step(); err != nil {
			return err
		}
	}
	folded := newContents(t.blocks)
	t.blocks.Scan(func(r *blockRef) bool {
		folded.count += r.Count
		return true
	})
	c.folded = append(c.folded, root{id, folded})
	return nil
}

// tableFold folds the changes of a table into its blocks.
type tableFold struct {
	*checkpoint
	table   TableID
	from    *contents
	blocks  *blockTree // those of from, with the new ones in the place of the old
	changes btree.IterG[*odata.Entity]
	change  *odata.Entity // the next one; nil at the end

	probe  blockRef
	build  block.Builder
	target int        // how large blocks are to become
	fill   bool       // they are to become full
	last   *odata.Key // where the last block began that was folded
}

// comesBefore reports whether the next change belongs to a block before this
// one. What comes before the first block belongs to that.
func (t *tableFold) comesBefore(r *blockRef) bool {
	first, _ := t.from.blocks.Min()
	return t.change != nil && first != r && t.change.Key().Less(r.First)
}

// run merges blocks, less those that a group has taken in.
func (t *tableFold) run(refs []*blockRef) error {
	t.fill = true
	defer func() { t.fill = false }()
	for _, ref := range refs {
		if t.last != nil && !t.last.Less(ref.First) {
			continue
		}
		if _, err := t.merge(ref, t.from.blockAfter(&t.probe, ref.First)); err != nil {
			return err
		}
	}
	return t.flush()
}

func (t *tableFold) take(ok bool) {
	t.change = nil
	if ok {
		t.change = t.changes.Item()
	}
}

// group writes one block with the changes that belong to it anew, as many
// blocks as it takes. Where little is left of it, it goes on with the next one.
func (t *tableFold) group() error {
	ref := t.from.blockOf(&t.probe, t.change.Key())
	after := t.from.blockAfter(&t.probe, t.change.Key())
	if ref == nil && after != nil {
		// Before the first block: together with that.
		ref = after
		after = t.from.blockAfter(&t.probe, ref.First)
	}
	wrote := 0
	for {
		n, err := t.merge(ref, after)
		if err != nil {
			return err
		}
		wrote += n
		if wrote > 0 || t.build.Size() >= smallBlock || after == nil {
			return t.flush()
		}
		ref = after
		after = t.from.blockAfter(&t.probe, ref.First)
	}
}

// merge adds a block (nil for none) with the changes up to the next one, and
// returns how many blocks became full.
func (t *tableFold) merge(ref, after *blockRef) (wrote int, err error) {
	b := emptyBlock
	if ref != nil {
		b, err = t.db.cache.get(ref)
		switch {
		case errors.Is(err, errReplaced):
			b = emptyBlock // the table was dropped meanwhile: nobody will read what is written here
		case err != nil:
			return 0, err
		case b == emptyBlock:
			t.corrupt = append(t.corrupt, ref)
		}
		t.replaced = append(t.replaced, ref)
		t.blocks.Delete(ref)
		t.last = &ref.First
	}
	changes := t.upTo(after)
	if t.target = block.TargetSize; !t.fill {
		t.target = targetSize(t.build.Size(), b, changes)
	}
	i := 0
	for _, e := range changes {
		t.taken++
		stop, replaced := b.Search(e.Key())
		n, err := t.copy(b, i, stop)
		if err != nil {
			return 0, err
		}
		wrote += n
		if i = stop; replaced {
			i++
		}
		if e.Timestamp == deleted {
			continue
		}
		t.build.Add(e)
		if n, err = t.flushFull(); err != nil {
			return 0, err
		}
		wrote += n
	}
	n, err := t.copy(b, i, b.Len())
	return wrote + n, err
}

// upTo takes the changes up to a block.
func (t *tableFold) upTo(after *blockRef) (changes []*odata.Entity) {
	for t.change != nil && (after == nil || t.change.Key().Less(after.First)) {
		changes = append(changes, t.change)
		t.take(t.changes.Next())
	}
	return changes
}

// targetSize returns how large blocks are to become, so that those of one
// group are about equal. What is added behind the last entity is likely to be
// followed by more: then blocks are filled.
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
func (t *tableFold) copy(b *block.Block, from, to int) (wrote int, err error) {
	var row block.Row
	for i := from; i < to; i++ {
		row.Move(b, i)
		t.build.AddRow(&row)
		n, err := t.flushFull()
		if err != nil {
			return 0, err
		}
		wrote += n
	}
	return wrote, nil
}

func (t *tableFold) flushFull() (wrote int, err error) {
	if t.build.Size() < t.target {
		return 0, nil
	}
	return 1, t.flush()
}

func (t *tableFold) flush() error {
	if t.build.Len() == 0 {
		return nil
	}
	b := finishBlock(&t.build, t.db.writer.id(), t.table)
	t.blocks.Set(&blockRef{BlockInfo: b.BlockInfo})
	return t.put(b)
}
