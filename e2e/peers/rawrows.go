package main

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// rawRows writes and reads the rows of the loads with pgx, without a server: the
// least that a server on PostgreSQL can cost.
type rawRows struct{ pool *pgxpool.Pool }

func newRawRows(ctx context.Context, url string) (*rawRows, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	config.MaxConns = 16 // as a server has
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	for _, table := range []string{small, big} {
		_, err = pool.Exec(ctx, `CREATE TABLE `+table+` (partition_key bytea, row_key bytea, entity bytea NOT NULL, PRIMARY KEY (partition_key, row_key))`)
		if err != nil {
			pool.Close()
			return nil, err
		}
	}
	return &rawRows{pool}, nil
}

func insertInto(table string) string { return `INSERT INTO ` + table + ` VALUES ($1, $2, $3)` }

// values returns the columns of an entity. Its JSON is about as long as what a server
// stores.
func (e entity) values() []any { return []any{[]byte(e.partition), []byte(e.row), e.json(nil)} }

func (r *rawRows) contestant() *contestant {
	return &contestant{
		name: "pgx alone",
		insert: func(ctx context.Context, i int) error {
			_, err := r.pool.Exec(ctx, insertInto(small), entityAt(i).values()...)
			return err
		},
		batch: func(ctx context.Context, i int) error {
			batch := &pgx.Batch{} // which is one transaction
			for _, e := range entities(i*100, 100) {
				batch.Queue(insertInto(big), e.values()...)
			}
			return r.pool.SendBatch(ctx, batch).Close()
		},
		get: func(ctx context.Context, i int) error {
			e := entityAt(i * 7919 % sharedRows)
			var stored []byte
			err := r.pool.QueryRow(ctx, `SELECT entity FROM `+big+` WHERE partition_key = $1 AND row_key = $2`, []byte(e.partition), []byte(e.row)).Scan(&stored)
			if errors.Is(err, pgx.ErrNoRows) {
				return found(false, nil)
			}
			return err
		},
		page: func(ctx context.Context, i int) error {
			rows, err := r.pool.Query(ctx, `SELECT partition_key, row_key, entity FROM `+big+` WHERE partition_key = $1 ORDER BY row_key`,
				[]byte(entityAt(i*7919%sharedRows).partition))
			if err != nil {
				return err
			}
			n := 0
			for rows.Next() {
				n += len(rows.RawValues()) / 3
			}
			return exactly(500)(n, rows.Err())
		},
	}
}
