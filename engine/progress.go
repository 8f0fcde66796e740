package engine

import "time"

// A query checks its deadline after this many entities or bytes of blocks,
// because a few entities may have many bytes, and after waiting for the storage.
const (
	deadlineEntities = 256
	deadlineBytes    = 64 << 10
)

// queryTurn is about how long a query works before it yields to others. It looks
// at the clock, which is a call into JavaScript in a browser, only at every
// fourth check of the deadline.
const (
	queryTurn      = 4 * time.Millisecond
	checksPerClock = 4
)

// progress counts the work of a query, and decides from that when to end the page
// early and when to yield.
type progress struct {
	explain   Explain
	partition string // of the entity that was examined last

	deadline func() bool // Query.Deadline
	yield    func()      // Options.Yield; nil if others wait for this transaction
	turn     time.Time   // when the current turn began, as of the first check
	checks   int

	// Since the last check:
	entities int // examined, deletions included
	bytes    int // of blocks
}

// examine counts an entity.
func (p *progress) examine(partition string) {
	p.entities++
	p.explain.Examined++
	p.enter(partition)
}

// enter counts a partition, unless the entity before was in it, too.
func (p *progress) enter(partition string) {
	if p.explain.Partitions == 0 || partition != p.partition {
		p.explain.Partitions++
		p.partition = partition
	}
}

// pageIsOver is called before an entity is examined and reports whether the page
// ends before it. It never does unless the page made progress since the last
// check.
func (p *progress) pageIsOver() bool {
	if p.entities < deadlineEntities && (p.bytes < deadlineBytes || p.entities == 0) {
		return false
	}
	p.entities, p.bytes = 0, 0
	p.checks++
	switch {
	case p.yield == nil:
	case p.turn.IsZero():
		p.turn = time.Now()
	case p.checks%checksPerClock == 0 && time.Since(p.turn) >= queryTurn:
		p.yield()
		p.turn = time.Now()
	}
	return p.deadline != nil && p.deadline()
}
