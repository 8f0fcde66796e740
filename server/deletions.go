package server

import (
	"maps"
	"strings"
	"sync"
	"time"
)

// deletions remembers how long the names of deleted tables are blocked. The
// service blocks a name for 40 seconds or more; Sandtable does so only if
// Options.TableDeletion says so, and not across restarts. A nil deletions blocks
// nothing.
type deletions struct {
	delay time.Duration
	now   func() time.Time

	mu    sync.Mutex
	until map[string]time.Time // by account and lower-cased name
}

func newDeletions(delay time.Duration, now func() time.Time) *deletions {
	if delay <= 0 {
		return nil
	}
	return &deletions{delay: delay, now: now, until: map[string]time.Time{}}
}

func deletionKey(account, table string) string { return account + "/" + strings.ToLower(table) }

// add blocks the name of a table that was just deleted.
func (d *deletions) add(account, table string) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.now()
	maps.DeleteFunc(d.until, func(_ string, until time.Time) bool { return !now.Before(until) })
	d.until[deletionKey(account, table)] = now.Add(d.delay)
}

// clear frees all names.
func (d *deletions) clear() {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	clear(d.until)
}

// has reports whether a table is being deleted.
func (d *deletions) has(account, table string) bool {
	if d == nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	until, ok := d.until[deletionKey(account, table)]
	return ok && d.now().Before(until)
}
