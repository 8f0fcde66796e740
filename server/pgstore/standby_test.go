//go:build unix

package pgstore_test

import (
	"syscall"
	"testing"
	"time"

	"sandtable/server/pgstore"
	"sandtable/server/pgstore/pgtest"
)

// TestStandbyIsPromoted under load, after the primary has crashed for good: with
// synchronous replication nothing that was acknowledged is lost.
func TestStandbyIsPromoted(t *testing.T) {
	primary := pgtest.Start(t)
	standby := primary.Standby(t)
	s := open(t, primary.EitherURL(standby), pgstore.Options{Wait: 300 * time.Millisecond})
	prepare(t, s)
	l := underLoad(t, s, func(l *load) {
		time.Sleep(500 * time.Millisecond)
		primary.Stop(syscall.SIGQUIT)
		before := l.transactions()
		standby.Promote(t)
		for end := time.Now().Add(30 * time.Second); l.transactions() < before+100; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Error("the servers do not find the promoted standby")
				return
			}
		}
	})
	l.check(s)
}
