package pgstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sandtable/engine"
)

// schemaVersion is the version that this program makes and uses.
const schemaVersion = 1

// migrations lead from one version of the schema to the next, beginning with 0,
// an empty schema. Table ids are random, so that a range-sharded database
// spreads tables; within a table, ranges of partitions stay together.
var migrations = [schemaVersion]string{`
CREATE TABLE IF NOT EXISTS sandtable_accounts (
	name text PRIMARY KEY,
	key1 bytea NOT NULL,
	key2 bytea NOT NULL,
	access int NOT NULL,
	properties bytea NOT NULL
);
CREATE TABLE IF NOT EXISTS sandtable_tables (
	account text NOT NULL,
	key bytea NOT NULL,
	id bigint NOT NULL UNIQUE,
	name text NOT NULL,
	policies bytea NOT NULL,
	created bigint NOT NULL,
	PRIMARY KEY (account, key)
);
CREATE TABLE IF NOT EXISTS sandtable_entities (
	table_id bigint NOT NULL,
	partition_key bytea NOT NULL,
	row_key bytea NOT NULL,
	entity bytea NOT NULL,
	PRIMARY KEY (table_id, partition_key, row_key)
);
CREATE TABLE IF NOT EXISTS sandtable_dropped (
	table_id bigint PRIMARY KEY,
	dropped timestamptz NOT NULL
);
`}

// migrationLock is the key of the advisory lock under which one server migrates
// while others wait.
const migrationLock = 0x53616E64 // "Sand"

const (
	// codeUndefinedFunction is how a database without advisory locks answers:
	// CockroachDB before 26.
	codeUndefinedFunction     = "42883"
	codeUndefinedTable        = "42P01"
	codeInsufficientPrivilege = "42501"
	codeInvalidSchemaName     = "3F000" // also that of one that the role may not use
)

// migrate brings the schema to this program's version. A role that may not
// create tables can use a schema that another one has migrated.
func migrate(ctx context.Context, conn *pgx.Conn) error {
	version, err := readVersion(ctx, conn)
	if err != nil || version == schemaVersion {
		return err
	}
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", migrationLock); err != nil {
			return err
		}
		if version, err = readVersion(ctx, tx); err != nil || version == schemaVersion {
			return err
		}
		return runMigrations(ctx, conn, version)
	})
	if isCode(err, codeUndefinedFunction) {
		return runMigrations(ctx, conn, version) // each can be repeated
	}
	return err
}

func runMigrations(ctx context.Context, conn *pgx.Conn, version int) error {
	for _, statements := range migrations[version:] {
		if _, err := conn.PgConn().Exec(ctx, statements).ReadAll(); err != nil {
			return fmt.Errorf("create the tables: %w", err)
		}
	}
	_, err := conn.PgConn().Exec(ctx, fmt.Sprintf(`
		CREATE TABLE IF NOT EXISTS sandtable_schema (version int NOT NULL);
		DELETE FROM sandtable_schema;
		INSERT INTO sandtable_schema VALUES (%d)`, schemaVersion)).ReadAll()
	return err
}

// readVersion returns the version of the schema, 0 if there is none.
func readVersion(ctx context.Context, on queryer) (version int, err error) {
	var exists bool
	if err := on.QueryRow(ctx, "SELECT to_regclass('sandtable_schema') IS NOT NULL").Scan(&exists); err != nil || !exists {
		return 0, err
	}
	err = on.QueryRow(ctx, "SELECT version FROM sandtable_schema").Scan(&version)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return 0, nil
	case err != nil:
		return 0, err
	case version < 0 || version > schemaVersion:
		return 0, fmt.Errorf("%w: the database has schema version %d, this program knows %d", engine.ErrFormat, version, schemaVersion)
	}
	return version, nil
}

// isCode reports whether an error is PostgreSQL's with one of these codes.
func isCode(err error, codes ...string) bool {
	var of *pgconn.PgError
	if !errors.As(err, &of) {
		return false
	}
	for _, code := range codes {
		if of.Code == code {
			return true
		}
	}
	return false
}

// queryer is what statements run on.
type queryer interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}
