package pgstore

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// purge deletes the rows of deleted tables in the background.
type purge struct {
	store  *Store
	cancel context.CancelFunc
	ended  chan struct{}
}

const (
	purgeEvery = time.Minute
	// purgeFor is how long a deleted table is returned to: longer than any
	// transaction that found it before can last.
	purgeFor  = 10 * time.Minute
	purgeRows = 1000 // at a time
)

func startPurge(s *Store) *purge {
	ctx, cancel := context.WithCancel(context.Background())
	p := &purge{s, cancel, make(chan struct{})}
	go p.run(ctx)
	return p
}

func (p *purge) stop() {
	p.cancel()
	<-p.ended
}

func (p *purge) run(ctx context.Context) {
	defer close(p.ended)
	ticker := time.NewTicker(purgeEvery)
	defer ticker.Stop()
	for {
		p.store.Purge(ctx) // what fails is done by the next one
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// Purge deletes the rows of deleted tables now, as the store does every minute.
// It returns how many rows it deleted.
func (s *Store) Purge(ctx context.Context) (deleted int64, err error) {
	var tables []int64
	err = s.retry(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		rows, err := conn.Query(ctx, `SELECT table_id FROM sandtable_dropped`)
		if err == nil {
			tables, err = pgx.CollectRows(rows, pgx.RowTo[int64])
		}
		return failureOf(err, false)
	})
	for _, id := range tables {
		n, failed := s.purgeTable(ctx, id)
		if deleted += n; failed != nil {
			return deleted, failed
		}
	}
	return deleted, err
}

// purgeTable deletes the rows of a table, and forgets it if it was deleted long
// ago.
func (s *Store) purgeTable(ctx context.Context, id int64) (deleted int64, err error) {
	for more := true; more && err == nil; {
		err = s.retry(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
			tag, err := conn.Exec(ctx, `DELETE FROM sandtable_entities WHERE (table_id, partition_key, row_key) IN (
				SELECT table_id, partition_key, row_key FROM sandtable_entities
				WHERE table_id = $1 ORDER BY partition_key, row_key LIMIT $2)`, id, purgeRows)
			deleted += tag.RowsAffected()
			more = tag.RowsAffected() > 0
			return failureOf(err, false)
		})
	}
	if err != nil {
		return deleted, err
	}
	return deleted, s.retry(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		_, err := conn.Exec(ctx, `DELETE FROM sandtable_dropped WHERE table_id = $1 AND dropped < now() - $2::interval`,
			id, purgeFor)
		return failureOf(err, false)
	})
}
