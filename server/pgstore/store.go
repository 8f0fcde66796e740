package pgstore

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/server"
)

// Options are the options of [Open].
type Options struct {
	// Now is the clock of Timestamps; nil for that of the database, which all
	// servers share.
	Now func() time.Time
	// Wait is how long a request waits for one of the connections, and retries
	// while the database cannot be reached, before it fails with
	// [server.ErrUnavailable]. 0 means two seconds.
	Wait time.Duration
	// Limit is how long a request may use its connection before it commits: a database
	// that was cut off does not answer, and its connections do not end. 0 means ten
	// seconds.
	Limit time.Duration
	// Commit is how long a commit may take; a client that goes away does not interrupt
	// it. 0 means 30 seconds.
	Commit time.Duration
	// CatalogAge is how long accounts and access policies are cached, and that there is
	// no such account. 0 means one second, a negative value disables the cache.
	CatalogAge time.Duration
	// ReadOnly leaves the database as it is: Open does not migrate, deleted tables
	// are not purged, and updates fail. A schema without tables has no accounts.
	ReadOnly bool
	// OnCorruption is called once for each row that fails its check; nil for none.
	// Queries leave such a row out. It can be replaced and deleted, but not read.
	OnCorruption func(engine.Corruption)
}

// Store is a database with the schema of this package. It is safe for
// concurrent use.
type Store struct {
	pool    *pgxpool.Pool
	options Options
	stamp   atomic.Int64 // the last Timestamp that was given
	cache   cache
	purge   *purge // nil if the store is read only

	reported reported
}

var _ server.Store = (*Store)(nil)

// defaultConnections is the size of the pool unless the URL has pool_max_conns.
const defaultConnections = 16

// errReadOnly means that a store was opened with Options.ReadOnly.
var errReadOnly = errors.New("the store is open for reading only")

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error {
	return s.retry(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		return failureOf(conn.Ping(ctx), false)
	})
}

// Connections returns how many connections are in use, open, and allowed.
func (s *Store) Connections() (used, open, limit int) {
	stat := s.pool.Stat()
	return int(stat.AcquiredConns()), int(stat.TotalConns()), int(stat.MaxConns())
}

// View implements [server.Store].
func (s *Store) View(ctx context.Context, scope *server.Scope, f func(server.Tx) error) error {
	return s.transact(ctx, scope, false, f)
}

// Update implements [server.Store].
func (s *Store) Update(ctx context.Context, scope *server.Scope, f func(server.Tx) error) error {
	if s.options.ReadOnly {
		return errReadOnly
	}
	return s.transact(ctx, scope, true, f)
}

func (s *Store) transact(ctx context.Context, scope *server.Scope, writable bool, f func(server.Tx) error) error {
	return s.retry(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		t := &tx{store: s, ctx: ctx, conn: conn.Conn(), scope: scope, writable: writable}
		defer t.end()
		if err := t.begin(); err != nil {
			return err
		}
		if err := f(t); err != nil || t.failed != nil {
			return cmp.Or(t.failed, err)
		}
		err := t.commit()
		if err == nil || errors.Is(err, server.ErrOutcomeUnknown) {
			t.forget()
		}
		return err
	})
}

// Account implements [server.Store].
func (s *Store) Account(ctx context.Context, name string) (engine.Account, error) {
	if !odata.CheckAccountName(name) {
		return engine.Account{}, engine.ErrAccountNotFound
	}
	return cached(&s.cache, &s.cache.accounts, name, func() (account engine.Account, err error) {
		err = s.retry(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
			account, err = readAccount(ctx, conn.Conn(), name)
			return err
		})
		return account, err
	})
}

// Policies implements [server.Store].
func (s *Store) Policies(ctx context.Context, account, table string) (string, error) {
	return cached(&s.cache, &s.cache.policies, policyKey(account, table), func() (document string, err error) {
		err = s.View(ctx, &server.Scope{Account: account, Table: table}, func(t server.Tx) error {
			found, err := t.Table()
			if err == nil {
				document = found.Policies()
			}
			return err
		})
		return document, err
	})
}

// nextStamp returns the Timestamp of one write: now, or a tick after the last one
// that this server gave, and after that of the entity it replaces, nil for none.
func (s *Store) nextStamp(now odata.DateTime, stored *odata.Entity) odata.DateTime {
	for {
		last := odata.DateTime(s.stamp.Load())
		stamp := max(now, last+1)
		if stored != nil {
			stamp = max(stamp, stored.Timestamp+1)
		}
		if s.stamp.CompareAndSwap(int64(last), int64(stamp)) {
			return stamp
		}
	}
}
