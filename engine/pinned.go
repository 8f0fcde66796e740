package engine

import "sync"

// Pinned is a state of the store that stays readable until Unpin, like a long-running
// View: blocks that are replaced meanwhile stay in the storage.
type Pinned struct {
	db    *DB
	v     *version
	unpin sync.Once
}

// Pin pins the current state. The caller has to unpin it.
func (db *DB) Pin() *Pinned { return &Pinned{db: db, v: db.pin()} }

// View is [DB.View] of the pinned state. It must not be called after Unpin.
func (p *Pinned) View(f func(*Tx) error) error {
	if p.db.queue.closed.Load() {
		return ErrClosed
	}
	p.v.epoch.readers.Add(1)
	return p.db.view(p.v, f)
}

// Unpin releases the state. Running calls of View end as usual.
func (p *Pinned) Unpin() { p.unpin.Do(func() { p.v.epoch.readers.Add(-1) }) }
