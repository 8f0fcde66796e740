//go:build unix

package pgstore

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sandtable/engine"
	"sandtable/server"
)

// Plan returns how the database executes the first chunk of a query.
func (s *Store) Plan(ctx context.Context, scope *server.Scope, q engine.Query) (plan string, err error) {
	err = s.pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
		sql, args := newCursor(&tx{scope: scope}, q).chunk()
		rows, err := conn.Query(ctx, "EXPLAIN "+sql, args...)
		if err != nil {
			return err
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		plan = strings.Join(lines, "\n")
		return err
	})
	return plan, err
}
