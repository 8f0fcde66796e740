package pgstore

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Open connects to the database that a URL such as postgres://user@host/name
// names, and creates or migrates the tables in the first schema of its search
// path, unless it is to be read only. The URL's parameters are those of pgxpool.
func Open(ctx context.Context, url string, options Options) (*Store, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err // which does not show the password
	}
	s := &Store{options: options}
	s.options.Wait = cmp.Or(options.Wait, 2*time.Second)
	s.options.Limit = cmp.Or(options.Limit, 10*time.Second)
	s.options.Commit = cmp.Or(options.Commit, 30*time.Second)
	s.cache.age = cmp.Or(options.CatalogAge, time.Second)
	configure(config, url)
	if s.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, err
	}
	err = s.pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
		if options.ReadOnly {
			_, err := readVersion(ctx, c.Conn())
			return err
		}
		return migrate(ctx, c.Conn())
	})
	if err != nil {
		s.pool.Close()
		if isCode(err, codeInsufficientPrivilege, codeInvalidSchemaName) {
			err = fmt.Errorf("%w\nThe role of the first server needs CREATE on the schema, all others USAGE, and SELECT, INSERT, UPDATE and DELETE on the tables sandtable_…", err)
		}
		return nil, fmt.Errorf("open database %s: %w", config.ConnConfig.Database, err)
	}
	if !options.ReadOnly {
		s.purge = startPurge(s)
	}
	return s, nil
}

// configure sets what the URL leaves open.
func configure(config *pgxpool.Config, url string) {
	if !hasParameter(url, "pool_max_conns") {
		config.MaxConns = defaultConnections
	}
	config.ConnConfig.Database = cmp.Or(config.ConnConfig.Database, config.ConnConfig.User)
	parameters := config.ConnConfig.RuntimeParams
	for name, value := range map[string]string{
		"application_name": "sandtable",
		// A server that lost its network must not hold locks forever.
		"idle_in_transaction_session_timeout": "30s",
		// Nor must a request wait for a lock much longer than Options.Wait, with a connection.
		"lock_timeout": "5s",
		// Every statement has an index, in whose order it returns rows. A plan that was
		// made while a table was empty may say otherwise, and is kept: then a page would
		// cost a scan of all that is behind it, and a sort.
		"enable_seqscan": "off", "enable_bitmapscan": "off",
		// Only a warning says that a commit was not replicated, see noteWarning.
		"client_min_messages": "warning",
	} {
		if parameters[name] == "" {
			parameters[name] = value
		}
	}
	config.ConnConfig.OnNotice = noteWarning
	config.ConnConfig.ConnectTimeout = cmp.Or(config.ConnConfig.ConnectTimeout, 5*time.Second)
	// A cancelled statement is cancelled in the database, too. Without that its
	// session would keep waiting for a lock while the pool opens another connection.
	config.ConnConfig.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: time.Second}
	}
}

// Close waits for the transactions that are under way and closes the connections.
func (s *Store) Close() {
	if s.purge != nil {
		s.purge.stop()
	}
	s.pool.Close()
}
