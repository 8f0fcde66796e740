package engine

import "errors"

// errExited answers an update whose callback ended its goroutine.
var errExited = errors.New("update callback did not return")

// update is one call of [DB.Update], waiting or being answered.
type update struct {
	f func(*Tx) error
	// turn is received from by the goroutine that waits, see commitQueue.join. It
	// is nil for an update that joined as the leader.
	turn   chan bool
	parked bool // the commitQueue's
	fetch  blockFetch

	err      error
	panicked any
	// dependent is set if the callback saw changes of the same group: the answer
	// is only as good as their commit.
	dependent bool
	changed   bool
}

// Update calls f with a transaction that may change the store, one update
// after another, and returns when the changes are durable. If f returns an
// error or panics, nothing is changed; the error is returned, the panic
// continues in the caller's goroutine. An error that wraps [ErrStorage] means
// that the changes could not be made durable, and no reader has seen them; if
// the storage's connection died, they may be there after the next opening.
//
// Updates that arrive while another is being made durable share the next
// append, so f may run in the goroutine of another Update. It must not call
// Update itself, nor wait for anything that does.
//
// F may be called more than once: if it needs entities that are not in memory,
// its run is abandoned, whatever it returns; they are loaded while other updates
// go on; and f is called again. Its effects outside of the transaction must not
// depend on how often it was called.
func (db *DB) Update(f func(*Tx) error) error {
	u := &update{f: f}
	for {
		leads, err := db.queue.join(u)
		if err != nil {
			return err
		}
		if leads || <-u.turn {
			db.commitGroup()
		}
		if !u.fetch.pending() {
			break
		}
		if err := u.fetch.load(db.cache); err != nil {
			db.queue.withdraw(u)
			return err
		}
	}
	if u.panicked != nil {
		panic(u.panicked)
	}
	return u.err
}
