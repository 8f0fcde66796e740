package pgstore

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sandtable/engine"
)

// Accounts returns all accounts by name.
func (s *Store) Accounts(ctx context.Context) (all []engine.Account, err error) {
	err = s.retry(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		rows, err := conn.Query(ctx, `SELECT name, key1, key2, access, properties FROM sandtable_accounts ORDER BY name`)
		if err == nil {
			all, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (engine.Account, error) { return scanAccount(r) })
		}
		if s.options.ReadOnly && isCode(err, codeUndefinedTable) {
			return nil
		}
		return failureOf(err, false)
	})
	return all, err
}

func scanAccount(r pgx.Row) (account engine.Account, err error) {
	var keys [2][]byte
	var properties []byte
	if err := r.Scan(&account.Name, &keys[0], &keys[1], &account.Access, &properties); err != nil {
		return engine.Account{}, err
	}
	for i, key := range keys {
		if len(key) > 0 {
			account.Keys[i] = key
		}
	}
	account.Properties = string(properties)
	return account, nil
}

// String returns where the data are, without credentials. It tells apart databases
// and schemas that could be copied to each other.
func (s *Store) String() string {
	config := s.pool.Config().ConnConfig
	where := fmt.Sprintf("PostgreSQL database %s at %s:%d", config.Database, config.Host, config.Port)
	if path := config.RuntimeParams["search_path"]; path != "" {
		where += ", schema " + path
	}
	return where
}
