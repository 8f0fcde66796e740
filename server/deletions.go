package server

import (
	"maps"
	"strings"
	"sync"
	"time"
)

// maxBlocked limits how many names are blocked at a time: more are free at once.
const maxBlocked = 10_000

// deletions remembers how long the names of deleted tables are blocked. The
// service blocks a name for 40 seconds or more; Sandtable does so only if
// Options.TableDeletion or [Handler.SetTableDeletion] says so, and not across restarts.
type deletions struct {
	now func() time.Time

	mu    sync.Mutex
	delay time.Duration
	until map[string]time.Time // by account and lower-cased name
}

func newDeletions(delay time.Duration, now func() time.Time) *deletions {
	return &deletions{now: now, delay: delay, until: map[string]time.Time{}}
}

// setDelay changes how long names are blocked from now on; 0 frees all.
func (d *deletions) setDelay(delay time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.delay = delay; delay <= 0 {
		clear(d.until)
	}
}

func deletionKey(account, table string) string { return account + "/" + strings.ToLower(table) }

// add blocks the name of a table that was just deleted.
func (d *deletions) add(account, table string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.delay <= 0 {
		return
	}
	now := d.now()
	maps.DeleteFunc(d.until, func(_ string, until time.Time) bool { return !now.Before(until) })
	if len(d.until) < maxBlocked {
		d.until[deletionKey(account, table)] = now.Add(d.delay)
	}
}

// free frees the names in one account, or in all if it is "".
func (d *deletions) free(account string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.DeleteFunc(d.until, func(key string, _ time.Time) bool { return account == "" || strings.HasPrefix(key, account+"/") })
}

// has reports whether a table is being deleted.
func (d *deletions) has(account, table string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	until, ok := d.until[deletionKey(account, table)]
	return ok && d.now().Before(until)
}
