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
	l := underLoad(t, s, func() {
		time.Sleep(500 * time.Millisecond)
		primary.Stop(syscall.SIGQUIT)
		standby.Promote(t)
		time.Sleep(time.Second)
	})
	l.check(s)
	if l.failed == 0 {
		t.Error("nothing failed while there was no primary")
	}
}
