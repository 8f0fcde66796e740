//go:build unix

package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/server"
	"sandtable/server/pgstore"
	"sandtable/server/pgstore/pgtest"
)

// load writes pairs of entities in transactions until it is stopped, and records the
// acknowledged ones.
type load struct {
	*testing.T
	store *pgstore.Store
	stop  atomic.Bool
	// written receives when transactions were acknowledged since it did last.
	written chan struct{}

	mu           sync.Mutex
	acknowledged map[string]int64 // by partition: the last number
	attempted    map[string]int64
	failed       int
}

func (l *load) run(partition string) {
	keys := []odata.Key{key(partition, "left"), key(partition, "right")}
	for n := int64(1); !l.stop.Load(); n++ {
		l.mu.Lock()
		l.attempted[partition] = n
		l.mu.Unlock()
		err := change(l, l.store, keys, func(table server.Table) error {
			for _, k := range keys {
				if _, err := table.Replace(k, number(n), engine.Upsert); err != nil {
					return err
				}
			}
			return nil
		})
		l.mu.Lock()
		switch {
		case err == nil:
			l.acknowledged[partition] = n
			select {
			case l.written <- struct{}{}:
			default:
			}
		case errors.Is(err, server.ErrUnavailable), errors.Is(err, server.ErrOutcomeUnknown):
			l.failed++
		default:
			l.Errorf("an unexpected error: %v", err)
		}
		l.mu.Unlock()
	}
}

// check compares what is stored with what was acknowledged: both entities have
// the same number, one that was acknowledged or attempted after that.
func (l *load) check(s server.Store) {
	l.Helper()
	total := int64(0)
	for partition, last := range l.acknowledged {
		left, right := get(l, s, key(partition, "left")), get(l, s, key(partition, "right"))
		if left == nil || right == nil {
			l.Errorf("%s: an acknowledged write is lost", partition)
			continue
		}
		if a, b := numberOf(left), numberOf(right); a != b || a < last || a > l.attempted[partition] {
			l.Errorf("%s has %d and %d; %d was acknowledged last, %d attempted", partition, a, b, last, l.attempted[partition])
		}
		total += last
	}
	l.Logf("%d transactions, %d failed", total, l.failed)
	if total == 0 {
		l.Error("nothing was written")
	}
}

// transactions returns how many were acknowledged so far.
func (l *load) transactions() (total int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, last := range l.acknowledged {
		total += last
	}
	return total
}

// underLoad runs a load on s while a function disturbs the database.
func underLoad(t *testing.T, s *pgstore.Store, harm func(*load)) *load {
	l := &load{T: t, store: s, written: make(chan struct{}, 1), acknowledged: map[string]int64{}, attempted: map[string]int64{}}
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() { l.run(fmt.Sprint("p", i)) })
	}
	harm(l)
	l.stop.Store(true)
	all.Wait()
	return l
}

// TestConnectionsAreCut cuts the connections whenever a transaction is acknowledged,
// in the middle of those of the other writers.
func TestConnectionsAreCut(t *testing.T) {
	direct, url := openWithTable(t)
	p, through := startProxy(t, url)
	s := open(t, through, pgstore.Options{})
	l := underLoad(t, s, func(l *load) {
		for range 30 {
			select {
			case <-l.written:
				p.cut()
			case <-time.After(20 * time.Second):
				t.Error("no transaction is acknowledged")
				return
			}
		}
	})
	l.check(direct)
}

// TestDatabaseCrashes crashes and restarts the database under load.
func TestDatabaseCrashes(t *testing.T) {
	cluster := pgtest.Start(t)
	s := open(t, cluster.Schema(t), pgstore.Options{Wait: 200 * time.Millisecond})
	prepare(t, s)
	l := underLoad(t, s, func(*load) {
		for _, signal := range []syscall.Signal{syscall.SIGQUIT, syscall.SIGINT, syscall.SIGQUIT} {
			time.Sleep(200 * time.Millisecond)
			cluster.Stop(signal)
			time.Sleep(300 * time.Millisecond)
			if err := cluster.Restart(); err != nil {
				t.Error(err)
				return
			}
		}
		time.Sleep(200 * time.Millisecond)
	})
	l.check(s)
	if l.failed == 0 {
		t.Error("nothing failed while the database was down")
	}
}

// TestDatabaseIsGone: requests fail within their time limit, and work once the database
// is back.
func TestDatabaseIsGone(t *testing.T) {
	cluster := pgtest.Start(t)
	s := open(t, cluster.Schema(t), pgstore.Options{Wait: 300 * time.Millisecond})
	prepare(t, s)
	cluster.Stop(syscall.SIGINT)
	k := key("p", "r")
	insert := func() error {
		return change(t, s, []odata.Key{k}, func(table server.Table) error { _, err := table.Insert(k, nil); return err })
	}
	begin := time.Now()
	if err := insert(); !errors.Is(err, server.ErrUnavailable) || !strings.Contains(err.Error(), "connection refused") && !strings.Contains(err.Error(), "no such file") {
		t.Errorf("an insert without a database: %v, want ErrUnavailable with the reason", err)
	}
	if status, code, _ := server.Describe(insert()); status != 503 || code != "ServerBusy" {
		t.Errorf("the service answers %d %s", status, code)
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("two errors took %v", took)
	}
	if s.Ping(t.Context()) == nil {
		t.Error("the database answers a ping")
	}
	if err := cluster.Restart(); err != nil {
		t.Fatal(err)
	}
	if err := insert(); err != nil {
		t.Errorf("after the restart: %v", err)
	}
}

// TestDatabaseStalls: requests whose connections are open, but lead nowhere, fail
// within their time limit and change nothing.
func TestDatabaseStalls(t *testing.T) {
	direct, url := openWithTable(t)
	p, through := startProxy(t, url)
	s := open(t, through, pgstore.Options{Wait: 100 * time.Millisecond, Limit: 200 * time.Millisecond})
	k := key("p", "r")
	if err := s.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.stalled.Lock()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	scope := &server.Scope{Account: account, Table: tableName, Keys: []odata.Key{k}}
	insert := func(tx server.Tx) error {
		table, err := tx.Table()
		if err == nil {
			_, err = table.Insert(k, nil)
		}
		return err
	}
	for name, err := range map[string]error{"read": s.View(ctx, scope, insert), "insert": s.Update(ctx, scope, insert), "ping": s.Ping(ctx)} {
		if !errors.Is(err, server.ErrUnavailable) || ctx.Err() != nil {
			t.Errorf("%s: %v, want ErrUnavailable before the request ends", name, err)
		}
	}
	p.stalled.Unlock()
	if get(t, direct, k) != nil {
		t.Error("the insert that failed was done")
	}
	// A new connection may take longer than Wait on a busy machine.
	err := s.Update(ctx, scope, insert)
	for errors.Is(err, server.ErrUnavailable) && ctx.Err() == nil {
		err = s.Update(ctx, scope, insert)
	}
	if err != nil {
		t.Errorf("once the database answers: %v", err)
	}
}

// openWithLock opens a store, with more parameters of its URL, and returns an entity that
// the connection has locked.
func openWithLock(t *testing.T, parameters string, options pgstore.Options) (*pgstore.Store, odata.Key, *pgx.Conn) {
	t.Helper()
	url := pgtest.Schema(t)
	s := open(t, url+parameters, options)
	prepare(t, s)
	k := key("p", "locked")
	if err := change(t, s, []odata.Key{k}, func(table server.Table) error { _, err := table.Insert(k, nil); return err }); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	if _, err := conn.Exec(t.Context(), "BEGIN; SELECT 1 FROM sandtable_entities FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	return s, k, conn
}

// TestPoolIsFull: requests wait for a connection, then fail, and a cancelled request
// frees its connection.
func TestPoolIsFull(t *testing.T) {
	s, k, _ := openWithLock(t, "&pool_max_conns=2", pgstore.Options{Wait: time.Second})
	ctx, cancel := context.WithCancel(t.Context())
	scope := &server.Scope{Account: account, Table: tableName, Keys: []odata.Key{k}}
	var blocked sync.WaitGroup
	var ended atomic.Pointer[error]
	for range 2 {
		blocked.Go(func() {
			err := s.Update(ctx, scope, func(server.Tx) error { return nil })
			ended.Store(&err)
			if err == nil {
				t.Error("an update of a locked entity succeeded")
			}
		})
	}
	for used := 0; used < 2; used, _, _ = s.Connections() {
		if err := ended.Load(); err != nil {
			cancel()
			t.Fatalf("an update of a locked entity does not wait: %v", *err)
		}
		time.Sleep(time.Millisecond)
	}
	err := s.View(t.Context(), scope, func(server.Tx) error { return nil })
	if !errors.Is(err, server.ErrUnavailable) {
		t.Errorf("a read when all connections are in use: %v, want ErrUnavailable", err)
	}
	cancel()
	blocked.Wait()
	for used := 2; used > 0; used, _, _ = s.Connections() {
		time.Sleep(time.Millisecond)
	}
	get(t, s, k)
}

// TestCancelledRequestsLeaveTheDatabase: when requests for a locked entity are
// cancelled, none of their sessions keeps waiting for the lock, and the connections
// are used again.
func TestCancelledRequestsLeaveTheDatabase(t *testing.T) {
	s, k, conn := openWithLock(t, "&application_name=cancelled&pool_max_conns=4", pgstore.Options{})
	begin := time.Now()
	var requests sync.WaitGroup
	for range 24 {
		requests.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			scope := &server.Scope{Account: account, Table: tableName, Keys: []odata.Key{k}}
			if err := s.Update(ctx, scope, func(server.Tx) error { return nil }); err == nil {
				t.Error("an update of a locked entity succeeded")
			}
		})
	}
	requests.Wait()
	sessions := func(sql string) (n int) {
		if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'cancelled'"+sql).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := sessions(" AND wait_event_type = 'Lock'"); n > 0 {
		t.Errorf("%d sessions still wait for the lock, %v later", n, time.Since(begin))
	}
	if n := sessions(""); n > 4 {
		t.Errorf("%d sessions for a pool of 4 connections", n)
	}
	if _, err := conn.Exec(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	get(t, s, k)
}

// TestOtherSchema: a schema of another version is refused and left unchanged.
func TestOtherSchema(t *testing.T) {
	_, url := openWithTable(t)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for _, version := range []string{"version + 1", "-1"} {
		if _, err := conn.Exec(t.Context(), "UPDATE sandtable_schema SET version = "+version); err != nil {
			t.Fatal(err)
		}
		if _, err := pgstore.Open(t.Context(), url, pgstore.Options{}); !errors.Is(err, engine.ErrFormat) {
			t.Errorf("%s: opened with %v, want ErrFormat", version, err)
		}
	}
}

// TestReadOnly: a store that is opened for reading only creates no tables, and refuses
// updates.
func TestReadOnly(t *testing.T) {
	empty := open(t, pgtest.Schema(t), pgstore.Options{ReadOnly: true})
	if all, err := empty.Accounts(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("an empty schema has the accounts %v (%v)", all, err)
	}
	_, url := openWithTable(t)
	s := open(t, url, pgstore.Options{ReadOnly: true})
	if all, err := s.Accounts(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("the schema has the accounts %v (%v), want one", all, err)
	}
	if err := s.Update(t.Context(), &server.Scope{Account: account, Table: tableName}, server.Tx.DeleteTable); err == nil {
		t.Error("a table was deleted")
	}
}

// TestLeastPrivilege: a role that may only read and write rows can serve.
func TestLeastPrivilege(t *testing.T) {
	_, url := openWithTable(t)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var schema string
	if err := conn.QueryRow(t.Context(), "SELECT current_schema()").Scan(&schema); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), fmt.Sprintf(`CREATE ROLE %[1]s_server LOGIN; GRANT USAGE ON SCHEMA %[1]s TO %[1]s_server;
		GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %[1]s TO %[1]s_server`, schema)); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), fmt.Sprintf("CREATE ROLE %s_guest LOGIN", schema)); err != nil {
		t.Fatal(err)
	}
	if _, err := pgstore.Open(t.Context(), url+"&user="+schema+"_guest", pgstore.Options{}); err == nil || !strings.Contains(err.Error(), "needs CREATE") {
		t.Errorf("a role without rights: %v, want an error that names them", err)
	}
	s := open(t, url+"&user="+schema+"_server", pgstore.Options{})
	k := key("p", "r")
	if err := change(t, s, []odata.Key{k}, func(table server.Table) error { _, err := table.Insert(k, nil); return err }); err != nil {
		t.Error(err)
	}
	update(t, s, server.Tx.DeleteTable)
	if _, err := s.Purge(t.Context()); err != nil {
		t.Error(err)
	}
}
