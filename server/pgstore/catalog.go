package pgstore

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/server"
)

const selectAccount = `SELECT name, key1, key2, access, properties FROM sandtable_accounts WHERE name = $1`

func readAccount(ctx context.Context, on queryer, name string) (engine.Account, error) {
	account, err := scanAccount(on.QueryRow(ctx, selectAccount, name))
	if errors.Is(err, pgx.ErrNoRows) {
		return engine.Account{}, engine.ErrAccountNotFound
	}
	return account, failureOf(err, false)
}

// Account implements [server.Tx].
func (t *tx) Account() (engine.Account, error) {
	account, err := readAccount(t.ctx, t.conn, t.scope.Account)
	if err != nil && !errors.Is(err, engine.ErrAccountNotFound) {
		t.failed = err
	}
	return account, err
}

// PutAccount implements [server.Tx].
func (t *tx) PutAccount(a engine.Account) error {
	if !t.writable {
		return engine.ErrReadOnly
	}
	if !odata.CheckAccountName(a.Name) {
		return engine.ErrAccountInvalid
	}
	_, err := t.change(`INSERT INTO sandtable_accounts (name, key1, key2, access, properties) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (name) DO UPDATE SET key1 = $2, key2 = $3, access = $4, properties = $5`,
		a.Name, bytesOf(a.Keys[0]), bytesOf(a.Keys[1]), int(a.Access), []byte(a.Properties))
	return err
}

// bytesOf returns bytes that are not NULL.
func bytesOf(b []byte) []byte { return append([]byte{}, b...) }

// change runs a statement that changes the catalog.
func (t *tx) change(sql string, args ...any) (pgconn.CommandTag, error) {
	if !t.writable {
		return pgconn.CommandTag{}, engine.ErrReadOnly
	}
	t.catalog = true
	tag, err := t.conn.Exec(t.ctx, sql, args...)
	return tag, t.fail(err)
}

// forget drops what the cache has of the catalog if it was changed.
func (t *tx) forget() {
	if t.catalog {
		t.store.cache.clear()
	}
}

// tablesChunk is how many tables are read at a time.
const tablesChunk = odata.MaxPageSize + 1

// Tables implements [server.Tx].
func (t *tx) Tables(from string, visit func(engine.TableInfo) bool) error {
	key := tableKey(from)
	for {
		tables, err := t.readTables(key)
		if err != nil {
			return t.fail(err)
		}
		for _, table := range tables {
			if !visit(table) {
				return nil
			}
		}
		if len(tables) < tablesChunk {
			return nil
		}
		key = append(tableKey(tables[len(tables)-1].Name), 0)
	}
}

func (t *tx) readTables(from []byte) ([]engine.TableInfo, error) {
	rows, err := t.conn.Query(t.ctx, `SELECT name, created FROM sandtable_tables
		WHERE account = $1 AND key >= $2 ORDER BY key LIMIT $3`, t.scope.Account, from, tablesChunk)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(r pgx.CollectableRow) (info engine.TableInfo, err error) {
		err = r.Scan(&info.Name, (*int64)(&info.Created))
		return info, err
	})
}

// CreateTable implements [server.Tx].
func (t *tx) CreateTable(name string) error {
	switch {
	case !t.writable:
		return engine.ErrReadOnly
	case !t.account:
		return engine.ErrAccountNotFound
	}
	if err := odata.CheckCosmosTableName(name); err != nil {
		return err
	}
	created := t.store.nextStamp(t.Now(), nil)
	tag, err := t.change(`INSERT INTO sandtable_tables (account, key, id, name, policies, created)
		VALUES ($1, $2, $3, $4, '', $5) ON CONFLICT (account, key) DO NOTHING`,
		t.scope.Account, tableKey(name), newTableID(), name, int64(created))
	if err == nil && tag.RowsAffected() == 0 {
		err = engine.ErrTableExists
	}
	return err
}

// newTableID returns a random id. Should another table have it, the insert fails and
// is retried.
func newTableID() int64 { return rand.Int64() }

// Table implements [server.Tx].
func (t *tx) Table() (server.Table, error) {
	switch {
	case !t.account:
		return nil, engine.ErrAccountNotFound
	case t.table == nil:
		return nil, engine.ErrTableNotFound
	}
	return &table{tx: t, tableEntry: t.table, rules: engine.DefaultRules}, nil
}

// DeleteTable implements [server.Tx]. The rows of the table are purged later.
func (t *tx) DeleteTable() error {
	if _, err := t.Table(); err != nil {
		return err
	}
	if _, err := t.change(`DELETE FROM sandtable_tables WHERE account = $1 AND key = $2`, t.scope.Account, tableKey(t.scope.Table)); err != nil {
		return err
	}
	_, err := t.change(`INSERT INTO sandtable_dropped (table_id, dropped) VALUES ($1, now())`, t.table.id)
	t.table = nil
	return err
}

// SetPolicies implements [server.Table].
func (t *table) SetPolicies(document string) error {
	_, err := t.tx.change(`UPDATE sandtable_tables SET policies = $3 WHERE account = $1 AND key = $2`,
		t.tx.scope.Account, []byte(strings.ToLower(t.name)), []byte(document))
	if err == nil {
		t.policies = document
	}
	return err
}
