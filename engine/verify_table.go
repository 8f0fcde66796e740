package engine

import (
	"errors"
	"fmt"

	"sandtable/engine/internal/block"
	"sandtable/odata"
)

// tableVerifier checks one table.
type tableVerifier struct {
	*verifier
	account, name string
	contents      *contents
	count         int
	bad           bool // blocks cannot be read, so that the count is unknown
	hidden        bool // the table of a snapshot, whose entities are not counted
}

func (t *tableVerifier) find(kind ProblemKind, block BlockID, err error) {
	t.verifier.find(Problem{Kind: kind, Account: t.account, Table: t.name, Block: block, Err: err})
}

// loss describes a block that cannot be read.
func (t *tableVerifier) loss(kind ProblemKind, r *blockRef, err error) Problem {
	return Problem{Kind: kind, Account: t.account, Table: t.name, Block: r.ID, Entities: r.Count, Err: err}
}

func (t *tableVerifier) walk() error {
	t.changes()
	var refs []*blockRef
	size := 0
	var failed error
	t.contents.blocks.Scan(func(r *blockRef) bool {
		if t.isVerified(r) {
			t.count += r.Count
			return true
		}
		refs = append(refs, r)
		if size += r.Size; size >= aheadBytes || len(refs) == aheadBlocks {
			failed = t.blocks(refs)
			refs, size = nil, 0
		}
		return failed == nil
	})
	if failed == nil {
		failed = t.blocks(refs)
	}
	if failed == nil && !t.bad && t.count != t.contents.count {
		t.find(BadCount, 0, fmt.Errorf("%w: there are %d entities, the table says %d", ErrCorrupt, t.count, t.contents.count))
	}
	if failed == nil && t.options.Table != nil && !t.hidden {
		t.options.Table(t.account, t.name, t.count)
	}
	return failed
}

// isVerified reports whether a block was already checked for another table. The
// blocks of a table with changes are read again, to count its entities.
func (t *tableVerifier) isVerified(r *blockRef) bool {
	return t.hidden && t.contents.changes.Len() == 0 && t.verified[r]
}

// countEntity counts an entity that was found.
func (t *tableVerifier) countEntity() {
	t.count++
	if !t.hidden {
		t.report.Entities++
	}
}

// changes checks and counts the entities that are not in blocks.
func (t *tableVerifier) changes() {
	var found error
	t.contents.changes.Scan(func(e *odata.Entity) bool {
		if e.Timestamp != deleted {
			t.countEntity()
			if found == nil {
				found = t.check(e)
			}
		}
		return true
	})
	if found != nil {
		t.find(BadEntity, 0, found)
	}
}

// check returns what is wrong with an entity.
func (t *tableVerifier) check(e *odata.Entity) error {
	if err := errors.Join(odata.CheckKey(odata.PartitionKeyName, e.PartitionKey), odata.CheckKey(odata.RowKeyName, e.RowKey)); err != nil {
		return fmt.Errorf("%v: %w", e.Key(), err)
	}
	if err := odata.CheckEntity(e.Properties, odata.CosmosLimits); err != nil {
		return fmt.Errorf("%v: %w", e.Key(), err)
	}
	if e.Timestamp > t.stamp {
		return t.future(e)
	}
	return nil
}

// blocks checks neighbouring blocks. It bypasses the cache: what is in memory proves
// nothing about what is stored.
func (t *tableVerifier) blocks(refs []*blockRef) error {
	if len(refs) == 0 {
		return nil
	}
	if err := t.ctx.Err(); err != nil {
		return err
	}
	parts, err := t.db.cache.readParts(refs)
	if errors.Is(err, ErrBlockNotFound) && len(refs) > 1 {
		for i := range refs {
			if err := t.blocks(refs[i : i+1]); err != nil {
				return err
			}
		}
		return nil
	}
	if errors.Is(err, ErrBlockNotFound) {
		t.bad = true
		if r := refs[0]; !r.corrupt.Load() { // else reported by load
			t.absent = append(t.absent, t.loss(MissingBlock, r, err))
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: %w: %w", ErrStorage, ErrReading, err)
	}
	for i, r := range refs {
		t.block(r, parts[i])
	}
	if t.options.Progress != nil {
		t.options.Progress(t.report)
	}
	return nil
}

func (t *tableVerifier) block(r *blockRef, parts [][]byte) {
	if r.corrupt.Load() {
		t.bad = true // reported by load
		return
	}
	b, err := openParts(parts, r)
	if err != nil {
		t.bad = true
		t.verifier.find(t.loss(BadBlock, r, err))
		return
	}
	if t.contents.shared {
		if t.verified == nil {
			t.verified = make(map[*blockRef]bool)
		}
		t.verified[r] = true
	}
	t.report.Blocks += len(parts)
	t.report.Bytes += int64(r.Size)
	var probe blockRef
	if after := t.contents.blockAfter(&probe, r.First); after != nil && !b.Key(b.Len()-1).Less(after.First) {
		t.find(BlocksOverlap, r.ID, fmt.Errorf("%w: it has %v, and block %d begins with %v", ErrCorrupt, b.Key(b.Len()-1), after.ID, after.First))
	}
	t.entities(r, b)
}

// entities checks the entities of a block, and reports the first problem.
func (t *tableVerifier) entities(r *blockRef, b *block.Block) {
	var found error
	for i := range b.Len() {
		e := b.Entity(i)
		if c, changed := t.contents.changes.Get(e); changed && c.Timestamp != deleted {
			continue // counted by changes
		} else if !changed {
			t.countEntity()
		}
		if found == nil {
			found = t.check(e)
		}
	}
	if found != nil {
		t.find(BadEntity, r.ID, found)
	}
}
