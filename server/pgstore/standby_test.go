//go:build unix

package pgstore_test

import (
	"errors"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sandtable/odata"
	"sandtable/server"
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

// TestStandbyIsAway: a commit that PostgreSQL made without the confirmation of the
// synchronous standby is not acknowledged, whoever ended the wait.
func TestStandbyIsAway(t *testing.T) {
	cluster := pgtest.Start(t)
	url := cluster.Schema(t)
	prepare(t, open(t, url, pgstore.Options{}))
	admin, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(t.Context())
	follow := func(names string) {
		for _, statement := range []string{"ALTER SYSTEM SET synchronous_standby_names = '" + names + "'", "SELECT pg_reload_conf()"} {
			if _, err := admin.Exec(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		for now := "-"; now != names; time.Sleep(time.Millisecond) { // there is no event for it
			if err := admin.QueryRow(t.Context(), "SHOW synchronous_standby_names").Scan(&now); err != nil {
				t.Fatal(err)
			}
		}
	}
	insert := func(s *pgstore.Store, k odata.Key) error {
		return change(t, s, []odata.Key{k}, func(table server.Table) error { _, err := table.Insert(k, nil); return err })
	}
	cancelWait := func() {
		for cancelled := 0; cancelled == 0; time.Sleep(time.Millisecond) {
			if err := admin.QueryRow(t.Context(), "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'").Scan(&cancelled); err != nil {
				t.Error(err)
				return
			}
		}
	}
	for _, c := range []struct {
		name   string
		commit time.Duration
		endIt  func()
	}{
		{"the commit takes too long", 200 * time.Millisecond, func() {}},
		{"an administrator ends the wait", time.Minute, cancelWait},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t, url+"&pool_max_conns=1", pgstore.Options{Commit: c.commit})
			if err := s.Ping(t.Context()); err != nil {
				t.Fatal(err)
			}
			follow("nobody")
			result := make(chan error, 1)
			go func() {
				// PostgreSQL's processes learn of the standby one after the other.
				var err error
				for i, end := 0, time.Now().Add(10*time.Second); err == nil && time.Now().Before(end); i++ {
					err = insert(s, key("p", fmt.Sprint(c.name, i)))
				}
				result <- err
			}()
			c.endIt()
			err := <-result
			follow("")
			if !errors.Is(err, server.ErrOutcomeUnknown) {
				t.Errorf("an insert that no standby confirmed: %v, want ErrOutcomeUnknown", err)
			}
			if status, code, _ := server.Describe(err); status != 500 || code != "OperationTimedOut" {
				t.Errorf("the service answers %d %s", status, code)
			}
			if err := insert(s, key("p", c.name+", later")); err != nil {
				t.Errorf("on the same connection, without a standby to wait for: %v", err)
			}
		})
	}
}
