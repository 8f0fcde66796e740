package pgstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/server"
)

// tx is a transaction. It begins with one round trip, in which everything that
// the scope names is read, and commits with another.
type tx struct {
	store    *Store
	ctx      context.Context
	conn     *pgx.Conn
	scope    *server.Scope
	writable bool
	failed   error // the first failure, whatever the callback made of it

	open    bool // whether the database has begun a transaction
	now     odata.DateTime
	account bool        // whether the account exists
	table   *tableEntry // nil for none
	rows    map[odata.Key]*row
	catalog bool // whether the catalog was changed

	prefetched *cursor          // the query of the scope, until it is used
	results    pgx.BatchResults // that the rows of prefetched are part of; nil for none
}

// tableEntry is a table as the catalog has it.
type tableEntry struct {
	id       int64
	name     string
	policies string
	created  odata.DateTime
}

// row is an entity that the transaction knows.
type row struct {
	key             odata.Key
	stored, current *odata.Entity // nil for none
	// corrupt is why the content of stored is not known; nil if it is.
	corrupt error
}

// unreadable returns why the current entity cannot be read, nil if it can.
func (r *row) unreadable() error {
	if r.current != r.stored { // it is replaced
		return nil
	}
	return r.corrupt
}

const (
	beginView   = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
	beginUpdate = "BEGIN ISOLATION LEVEL READ COMMITTED"
	beginGroup  = "BEGIN ISOLATION LEVEL REPEATABLE READ"

	selectTable = `SELECT t.id, t.name, t.policies, t.created, clock_timestamp()
		FROM sandtable_accounts a LEFT JOIN sandtable_tables t ON t.account = a.name AND t.key = $2
		WHERE a.name = $1`
	lockAccount = `SELECT name FROM sandtable_accounts WHERE name = $1 FOR UPDATE`

	// The rows come with the id of their table, which may be another one than
	// selectTable found if the table was deleted and created between the two.
	selectRows = `SELECT table_id, partition_key, row_key, entity FROM sandtable_entities
		WHERE table_id = (SELECT id FROM sandtable_tables WHERE account = $1 AND key = $2)
		AND partition_key = $3 AND row_key = ANY($4) ORDER BY row_key`
	lockRows = selectRows + ` FOR UPDATE`

	// selectEntity is all of a point read. One statement needs no transaction.
	selectEntity = `SELECT t.id, t.name, t.policies, t.created, clock_timestamp(), e.entity
		FROM sandtable_accounts a LEFT JOIN sandtable_tables t ON t.account = a.name AND t.key = $2
		LEFT JOIN sandtable_entities e ON e.table_id = t.id AND e.partition_key = $3 AND e.row_key = $4
		WHERE a.name = $1`
)

// begin begins the transaction and reads what the scope names. Changes of the
// catalog lock their account, so that they happen one after another.
func (t *tx) begin() error {
	keyed := len(t.scope.Keys) > 0
	switch {
	case !t.writable && !keyed && t.scope.Query != nil:
		return t.beginQuery()
	case !t.writable && len(t.scope.Keys) == 1:
		return t.readEntity(t.scope.Keys[0])
	}
	batch := &pgx.Batch{}
	account, table := t.scope.Account, tableKey(t.scope.Table)
	switch {
	case !t.writable:
		batch.Queue(beginView)
	case len(t.scope.Keys) > 1:
		batch.Queue(beginGroup)
	default:
		batch.Queue(beginUpdate)
	}
	if t.writable && !keyed {
		batch.Queue(lockAccount, account)
	}
	batch.Queue(selectTable, account, table).QueryRow(func(r pgx.Row) error { return t.scanTable(r) })
	if keyed {
		t.rows = make(map[odata.Key]*row, len(t.scope.Keys))
		rowKeys := make([][]byte, len(t.scope.Keys))
		for i, key := range t.scope.Keys {
			t.rows[key] = &row{key: key}
			rowKeys[i] = encodeKey(key.RowKey)
		}
		sql := selectRows
		if t.writable {
			sql = lockRows
		}
		batch.Queue(sql, account, table, encodeKey(t.scope.Keys[0].PartitionKey), rowKeys).Query(t.scanRows)
	}
	if !t.writable && keyed {
		batch.Queue("COMMIT") // everything has been read
	}
	err := t.fail(t.conn.SendBatch(t.ctx, batch).Close())
	t.open = true
	return err
}

// readEntity reads one entity. It begins no transaction.
func (t *tx) readEntity(key odata.Key) error {
	found := &row{key: key}
	t.rows = map[odata.Key]*row{key: found}
	var stored []byte
	r := t.conn.QueryRow(t.ctx, selectEntity, t.scope.Account, tableKey(t.scope.Table), encodeKey(key.PartitionKey), encodeKey(key.RowKey))
	err := t.scanTable(r, &stored)
	if err == nil && stored != nil {
		found.stored, found.corrupt, err = t.decode(stored, key)
		found.current = found.stored
	}
	return t.fail(err)
}

// closeResults reads what is left of the first round trip.
func (t *tx) closeResults() error {
	results := t.results
	t.results = nil
	if results == nil {
		return nil
	}
	return results.Close()
}

// scanTable scans what the catalog has, and the columns after that into more.
func (t *tx) scanTable(r pgx.Row, more ...any) error {
	var id, created *int64
	var name *string
	var policies []byte
	var now time.Time
	err := r.Scan(append([]any{&id, &name, &policies, &created, &now}, more...)...)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return err
	}
	t.account = true
	if t.store.options.Now == nil {
		t.now = odata.DateTimeOf(now)
	}
	if id != nil {
		t.table = &tableEntry{*id, *name, string(policies), odata.DateTime(*created)}
	}
	return nil
}

func (t *tx) scanRows(rows pgx.Rows) error {
	for rows.Next() {
		values := rows.RawValues()
		key := odata.Key{PartitionKey: decodeKey(values[1]), RowKey: decodeKey(values[2])}
		stored, corrupt, err := t.decode(values[3], key)
		if err != nil {
			return err
		}
		known := t.rows[key]
		if known == nil {
			known = &row{key: key}
			t.rows[key] = known
		}
		known.stored, known.current, known.corrupt = stored, stored, corrupt
		if t.table != nil {
			if err := rows.Scan(&t.table.id, nil, nil, nil); err != nil {
				return err
			}
		}
	}
	return rows.Err()
}

// decode decodes what a row has. Of a row that fails its check it returns an entity
// without content, and the corruption, which it reports.
func (t *tx) decode(value []byte, key odata.Key) (e *odata.Entity, corrupt, err error) {
	e, err = engine.DecodeEntity(slices.Clone(value), key)
	if !errors.Is(err, engine.ErrCorrupt) {
		return e, nil, err
	}
	t.store.reported.report(t.store.options.OnCorruption, engine.Corruption{
		Kind: engine.CorruptEntity, Account: t.scope.Account, Table: t.scope.Table, Block: engine.BlockInfo{First: key, Count: 1}, Err: err,
	})
	return &odata.Entity{PartitionKey: key.PartitionKey, RowKey: key.RowKey}, err, nil
}

// fail notes an error of the database, and returns what it means.
func (t *tx) fail(err error) error {
	err = failureOf(err, false)
	if err != nil && t.failed == nil {
		t.failed = err
	}
	return err
}

const (
	insertRow = `INSERT INTO sandtable_entities (table_id, partition_key, row_key, entity) VALUES ($1, $2, $3, $4)`
	updateRow = `UPDATE sandtable_entities SET entity = $4 WHERE table_id = $1 AND partition_key = $2 AND row_key = $3`
	deleteRow = `DELETE FROM sandtable_entities WHERE table_id = $1 AND partition_key = $2 AND row_key = $3`
)

// commit writes the changed rows and commits, in one round trip.
func (t *tx) commit() error {
	if !t.writable {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), t.store.options.Commit)
	defer cancel()
	batch := &pgx.Batch{}
	t.queueWrites(batch)
	warnings := t.conn.PgConn().CustomData()
	delete(warnings, warned)
	rolledBack := false
	batch.Queue("COMMIT").Exec(func(tag pgconn.CommandTag) error {
		rolledBack = tag.String() == "ROLLBACK" // the answer for a transaction that had failed
		return nil
	})
	if err := t.conn.SendBatch(ctx, batch).Close(); err != nil {
		return failureOf(err, true)
	}
	if rolledBack {
		return &failure{fmt.Errorf("%w: the transaction was rolled back", server.ErrUnavailable), true}
	}
	if warnings[warned] != nil || ctx.Err() != nil {
		return &failure{err: fmt.Errorf("%w: the standby has not confirmed it", server.ErrOutcomeUnknown)}
	}
	return nil
}

// queueWrites adds the statements for the changed rows, in the order of the keys,
// so that no two transactions wait for each other.
func (t *tx) queueWrites(batch *pgx.Batch) {
	var changed []*row
	for _, r := range t.rows {
		if r.current != r.stored {
			changed = append(changed, r)
		}
	}
	slices.SortFunc(changed, func(a, b *row) int { return a.key.Compare(b.key) })
	for _, r := range changed {
		partition, key := encodeKey(r.key.PartitionKey), encodeKey(r.key.RowKey)
		switch {
		case r.current == nil:
			batch.Queue(deleteRow, t.table.id, partition, key)
		case r.stored == nil:
			batch.Queue(insertRow, t.table.id, partition, key, engine.EncodeEntity(r.current))
		default:
			batch.Queue(updateRow, t.table.id, partition, key, engine.EncodeEntity(r.current))
		}
	}
}

// end rolls back what is not committed. It is called when the callback panics,
// too.
func (t *tx) end() {
	t.closeResults()
	if !t.open || t.conn.IsClosed() || t.conn.PgConn().TxStatus() == 'I' {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), 2*time.Second)
	defer cancel()
	t.conn.Exec(ctx, "ROLLBACK") // if it fails, the connection is closed with its transaction
}

// Now implements [server.Tx].
func (t *tx) Now() odata.DateTime {
	if t.now == 0 {
		clock := t.store.options.Now
		if clock == nil {
			clock = time.Now
		}
		t.now = odata.DateTimeOf(clock())
	}
	return t.now
}
