package pgstore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/server"
)

// failure is an error of the database.
type failure struct {
	err error
	// retryable is set if nothing was changed, and another attempt may succeed.
	retryable bool
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// The codes of PostgreSQL's errors that mean something here.
//
// Source: "PostgreSQL Error Codes",
// https://www.postgresql.org/docs/current/errcodes-appendix.html.
const (
	codeWarning              = "01000"
	codeUniqueViolation      = "23505"
	codeReadOnlyTransaction  = "25006" // a standby
	codeSerializationFailure = "40001"
	codeCompletionUnknown    = "40003"
	codeDeadlock             = "40P01"
	codeTooManyConnections   = "53300"
	codeDiskFull             = "53100"
	codeProgramLimit         = "54000"
	codeLockNotAvailable     = "55P03"
	codeQueryCanceled        = "57014"
)

// failureOf returns the failure that an error of the database is. If a commit was
// under way, only an answer of the database proves that it did not happen.
func failureOf(err error, committing bool) error {
	if err == nil || errors.Is(err, engine.ErrCorrupt) || errors.Is(err, engine.ErrFormat) {
		return err
	}
	var answer *pgconn.PgError
	fatal := !errors.As(err, &answer) || answer.SeverityUnlocalized != "ERROR" && answer.Severity != "ERROR"
	switch {
	case isCode(err, codeCompletionUnknown), committing && fatal && !pgconn.SafeToRetry(err):
		return &failure{err: fmt.Errorf("%w: %w", server.ErrOutcomeUnknown, err)}
	case fatal, isCode(err, codeUniqueViolation, codeSerializationFailure, codeDeadlock, codeLockNotAvailable, codeTooManyConnections, codeReadOnlyTransaction, codeQueryCanceled):
		return &failure{fmt.Errorf("%w: %w", server.ErrUnavailable, err), true}
	case isCode(err, codeDiskFull):
		return &failure{err: fmt.Errorf("%w: %w: %w", engine.ErrStorage, engine.ErrNoSpace, err)}
	case isCode(err, codeProgramLimit):
		return &failure{err: fmt.Errorf("%w: %w", odata.ErrKeyOutOfRange, err)}
	}
	return &failure{err: err}
}

// warned marks a connection, in its CustomData, as one that got a warning.
const warned = "sandtable.warned"

// noteWarning marks a connection on a warning without a code of its own. During a
// commit it means that PostgreSQL no longer waits for its synchronous standby: it was
// cancelled, by the commit's time limit or by an administrator, and reports success.
//
// Source: SyncRepWaitForLSN in PostgreSQL's src/backend/replication/syncrep.c.
func noteWarning(conn *pgconn.PgConn, n *pgconn.Notice) {
	if n.Code == codeWarning {
		conn.CustomData()[warned] = true
	}
}

// The pause before another attempt is random, up to a limit that doubles.
const (
	firstPause = 2 * time.Millisecond
	maxPause   = 200 * time.Millisecond
)

// retry calls f with a connection until it does not fail in a way that another
// attempt may help, for up to Options.Wait.
func (s *Store) retry(ctx context.Context, f func(context.Context, *pgxpool.Conn) error) error {
	if ctx == nil {
		ctx = context.Background()
	}
	end := time.Now().Add(s.options.Wait)
	var err error
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		err = s.attempt(ctx, end, err, f)
		var failed *failure
		if !errors.As(err, &failed) || !failed.retryable || ctx.Err() != nil || time.Now().After(end) {
			return err
		}
		select {
		case <-time.After(rand.N(pause)):
		case <-ctx.Done():
		}
	}
}

// attempt calls f once. The last attempt, which failed with before, has the reason why this
// one gets no connection until the end.
func (s *Store) attempt(ctx context.Context, end time.Time, before error, f func(context.Context, *pgxpool.Conn) error) error {
	waiting, cancel := context.WithDeadline(ctx, end)
	conn, err := s.pool.Acquire(waiting)
	cancel()
	if before != nil && errors.Is(err, context.DeadlineExceeded) {
		return before
	}
	if err != nil {
		used, _, limit := s.Connections()
		return &failure{fmt.Errorf("%w: %d of %d connections are in use: %w", server.ErrUnavailable, used, limit, err), true}
	}
	defer conn.Release() // which closes one with an open transaction
	ctx, cancel = context.WithTimeout(ctx, s.options.Limit)
	defer cancel()
	return f(ctx, conn)
}

// hasParameter reports whether a URL, or a connection string of the form
// "name=value …", sets a parameter.
func hasParameter(text, name string) bool {
	if u, err := url.Parse(text); err == nil && u.Scheme != "" {
		return u.Query().Has(name)
	}
	return strings.Contains(text, name+"=") || strings.Contains(text, name+" =")
}
