package engine

import (
	"slices"
	"sync/atomic"
	"time"
)

// recordCost is the fixed cost of replaying one WAL record, expressed in bytes: the
// cost of many small records depends on their number.
const recordCost = 256

// slowRecord is the fixed cost of reading one WAL record from IndexedDB, expressed in
// bytes: a WAL of single inserts takes as long as one of transactions that is ten
// times as long. If there are few blocks to write, a checkpoint is due earlier for it.
const slowRecord = 1 << 10

// maxWALSize is how long the WAL may become, in bytes, however much a
// checkpoint has to write: some 10,000 inserts, which a browser replays in a
// tenth of a second.
const maxWALSize = 4 << 20

// maxWALRecords is how many records the WAL may have, however short they are,
// before a checkpoint is due.
const maxWALRecords = 4096

// walState is the leader's state of the WAL, from which it decides when the next
// checkpoint is due.
type walState struct {
	checkpointAfter int           // Options.CheckpointAfter
	idleAfter       time.Duration // Options.IdleAfter

	size    int // in bytes, with recordCost for each record
	records int
	bytes   atomic.Int64 // size without recordCost; not the leader's alone
	retryAt int          // after a failed checkpoint: the size for the next attempt
	lookAt  int          // the size from which due estimates the checkpoint again

	idleTimer bool // a timer is running that checks whether the store is idle
	failed    int  // checkpoints in a row

	catalogChanged bool         // since the last checkpoint
	dropped        []*blockTree // of tables dropped since
	running        runningCheckpoint
}

// runningCheckpoint is the leader's state of the running checkpoint.
type runningCheckpoint struct {
	on      bool
	since   [][]op // the commits since it began
	size    int    // of the WAL when it began
	records int
	changes int // to merge
	written int // of changes, up to the last slice
}

// note accounts for a commit that is about to be published.
func (s *walState) note(before *version, ops []op, size int) {
	s.add(size+recordCost, 1)
	if s.running.on {
		s.running.since = append(s.running.since, slices.Clone(ops))
	}
	for i := range ops {
		o := &ops[i]
		if o.table == catalogID {
			s.catalogChanged = true
		}
		if o.dropped != 0 {
			s.noteDropped(before.contents(o.dropped))
		}
	}
}

// add adds records with recordCost for each, or removes them by negative numbers.
func (s *walState) add(size, records int) {
	s.size += size
	s.records += records
	s.bytes.Store(int64(s.size - s.records*recordCost))
}

func (s *walState) noteDropped(c *contents) {
	if c != nil && c.blocks.Len() > 0 {
		s.dropped = append(s.dropped, c.blocks)
	}
}

// due reports whether a checkpoint is due: the WAL has reached its limit, or it is
// long, also in proportion to the blocks that a checkpoint would rewrite (at most
// four bytes of blocks for each byte of the WAL).
func (s *walState) due(v *version) bool {
	switch {
	case s.checkpointAfter < 0 || s.running.on || s.size < s.retryAt:
		return false
	case s.size >= max(maxWALSize, s.checkpointAfter) || s.records >= maxWALRecords:
		return true
	case s.size < s.lookAt || s.size+s.records*slowRecord < s.checkpointAfter:
		return false
	case s.size >= v.affected()/4:
		return true
	}
	s.lookAt = s.size + s.size/4
	return false
}

// full reports whether updates have to wait for the running checkpoint: the next
// opening never replays more than twice the WAL's limit.
func (s *walState) full() bool {
	r := &s.running
	return r.on && (s.size >= r.allowed(r.size, 2*max(maxWALSize, s.checkpointAfter)) ||
		s.records >= r.allowed(r.records, 2*maxWALRecords))
}

// allowed returns how long the WAL may be now, given its length when the checkpoint
// began and its limit at the end. Half of the difference is granted at once, the
// other half as slices are written: a constant stream of updates waits a little for
// each slice, instead of for the whole checkpoint at the end.
func (r *runningCheckpoint) allowed(begun, end int) int {
	rest := end - begun
	if rest <= 0 || r.changes == 0 {
		return end
	}
	return begun + rest/2 + int(float64(rest/2)*float64(r.written)/float64(r.changes))
}
