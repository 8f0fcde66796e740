package engine

import (
	"maps"
	"math"
	"slices"
	"strconv"

	"sandtable/odata"
)

// recordCost is what reading one record of the log costs beside its bytes, in
// bytes: the cost of many small ones is in their number.
const recordCost = 256

// saved is what the writer knows about the storage. Only the leader uses it.
type saved struct {
	after     int // Options.CheckpointAfter
	logSize   int // bytes of the log, with recordCost for each record
	wait      int // after a checkpoint that failed: the log's size for the next try
	nextBlock BlockID

	blocks map[TableID][]BlockInfo // what the storage holds of each table
	dirty  map[TableID]bool        // changed since the last checkpoint
	// stale are blocks that may be in the storage and belong to nothing: those
	// of a checkpoint that failed, or seemed to.
	stale []BlockID
	// aside are records of the log that cannot be read.
	aside []LogRecord
}

// asideTable is no table: its blocks are records of the log that could not be
// read, kept as they were found when a checkpoint dropped the log. The row key
// of the directory's First is the record's number.
const asideTable TableID = math.MaxUint32

// asideBlocks returns the damaged records as blocks.
func (s *saved) asideBlocks() []Block {
	blocks := make([]Block, len(s.aside))
	for i, r := range s.aside {
		first := odata.Key{RowKey: strconv.FormatUint(r.Seq, 10)}
		info := BlockInfo{ID: s.nextBlock, Table: asideTable, First: first, Size: len(r.Data)}
		blocks[i] = Block{BlockInfo: info, Data: r.Data}
		s.nextBlock++
	}
	return blocks
}

// own notes a block of a table.
func (s *saved) own(info BlockInfo) {
	if s.blocks == nil {
		s.blocks = make(map[TableID][]BlockInfo)
	}
	s.blocks[info.Table] = append(s.blocks[info.Table], info)
}

func (s *saved) changed(id TableID) {
	if s.dirty == nil {
		s.dirty = make(map[TableID]bool)
	}
	s.dirty[id] = true
}

// note takes account of a commit.
func (s *saved) note(ops []op, size int) {
	s.logSize += size + recordCost
	for i := range ops {
		s.changed(ops[i].table)
		if ops[i].kind == TableDeleted {
			s.changed(ops[i].dropped)
		}
	}
}

// due reports whether a checkpoint is worth it: the log is long, and long
// beside the tables that would be written anew, so that a byte of the log is
// paid for with at most four of blocks.
func (s *saved) due() bool {
	if s.after < 0 || s.logSize < max(s.after, s.wait) {
		return false
	}
	size := 0
	for id := range s.dirty {
		for _, info := range s.blocks[id] {
			size += info.Size
		}
	}
	return s.logSize >= size/4
}

// checkpoint writes the changed tables anew and drops the log. When that
// fails the log stays, with all that is in it, and a later one tries again.
func (db *DB) checkpoint() {
	s, v := &db.saved, db.current.Load()
	c := Checkpoint{Seq: v.seq, Deletes: slices.Clone(s.stale), Puts: s.asideBlocks()}
	for _, id := range slices.Sorted(maps.Keys(s.dirty)) {
		for _, info := range s.blocks[id] {
			c.Deletes = append(c.Deletes, info.ID)
		}
		c.Puts = append(c.Puts, s.tableBlocks(id, v.tree(id))...)
	}
	c.Meta = meta{seq: v.seq, stamp: int64(v.stamp), nextTable: v.nextTable, nextBlock: s.nextBlock}.encode()
	if err := db.saveCheckpoint(c); err != nil {
		for _, b := range c.Puts {
			s.stale = append(s.stale, b.ID)
		}
		s.wait = s.logSize + max(s.after, 1)
		return
	}
	s.adopt(c)
}

// tableBlocks cuts a table into blocks; a table that is gone has none.
func (s *saved) tableBlocks(id TableID, t *tree) []Block {
	if t == nil {
		return nil
	}
	w := blockWriter{table: id, next: s.nextBlock}
	t.Scan(func(e *odata.Entity) bool {
		w.add(e)
		return true
	})
	w.flush()
	s.nextBlock = w.next
	return w.done
}

// saveCheckpoint treats a storage that panics as one that fails.
func (db *DB) saveCheckpoint(c Checkpoint) (err error) {
	err = ErrStorage
	defer func() { _ = recover() }()
	return db.storage.Checkpoint(c)
}

// adopt takes account of a checkpoint that is done.
func (s *saved) adopt(c Checkpoint) {
	for id := range s.dirty {
		delete(s.blocks, id)
	}
	for _, b := range c.Puts {
		if b.Table != asideTable {
			s.own(b.BlockInfo)
		}
	}
	clear(s.dirty)
	s.stale, s.aside, s.logSize, s.wait = nil, nil, 0, 0
}
