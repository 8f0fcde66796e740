//go:build unix

package pgtest

import (
	"net/url"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Standby starts a copy of the cluster that follows it. The cluster acknowledges a
// commit only when the standby has it.
func (c *Cluster) Standby(t testing.TB) *Cluster {
	t.Helper()
	s, err := newCluster()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.process != nil {
			s.Stop(syscall.SIGQUIT)
		}
		os.RemoveAll(s.folder)
	})
	backup := s.command("pg_basebackup", "-D", s.data(), "-h", c.folder, "-U", "postgres", "-R", "-c", "fast", "--no-sync")
	if out, err := backup.CombinedOutput(); err != nil {
		t.Fatalf("pg_basebackup: %v\n%s", err, out)
	}
	if err := s.Restart(); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), c.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for _, statement := range []string{"ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()"} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	for state := ""; state != "sync"; {
		if err := conn.QueryRow(t.Context(), "SELECT coalesce(max(sync_state), '') FROM pg_stat_replication").Scan(&state); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond) // there is no event for it
	}
	return s
}

// Promote makes a standby a cluster of its own.
func (c *Cluster) Promote(t testing.TB) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), c.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	// What follows it, now or later, is not waited for.
	for _, statement := range []string{"SELECT pg_promote()", "ALTER SYSTEM SET synchronous_standby_names = ''", "SELECT pg_reload_conf()"} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
}

// EitherURL returns the address of whichever of two clusters accepts writes.
func (c *Cluster) EitherURL(other *Cluster) string {
	return "postgres://postgres@/postgres?host=" + url.QueryEscape(c.folder+","+other.folder) + "&port=5432,5432&target_session_attrs=read-write"
}
