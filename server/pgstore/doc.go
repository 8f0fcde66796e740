// Package pgstore keeps the accounts, tables and entities of a server in
// PostgreSQL, or in a database that speaks its protocol, so that any number of
// servers can share them. A [Store] is a server.Store.
//
// # Transactions
//
// The keys that an update touches are read, and their rows locked, in one round
// trip; the operations are evaluated here by the functions of package engine;
// what they change is written, and committed, in a second round trip (tx.go). A
// missing row cannot be locked, but the primary key makes inserts of the same
// key collide. An update of one entity runs at READ COMMITTED: its locked row is
// the latest, so servers that contend for it queue up instead of failing. An
// update of several entities runs at REPEATABLE READ, so that all of them,
// missing ones included, are read from one snapshot; a row changed since then
// fails the transaction. Collisions of either kind are retried (retry.go): the
// callback is called again with what is stored by then.
//
// An update reads its table's entry without a lock. If the table is deleted during
// it, the update counts as done before that, and its rows are orphans:
// the ids of tables are never used again, and the purge (purge.go) returns to a
// deleted table until no transaction can remember it.
//
// Reads run in a snapshot: a point read is one statement. A query runs at
// REPEATABLE READ: without a filter, or with one that names a partition and nothing
// else, its page is one round trip; with another one there is a trip for each chunk of
// rows, and one more.
//
// Timestamps are those of the database's clock, so that the clocks of servers do
// not matter, and are later than that of the entity they replace.
//
// # Rows
//
// Entities are ordered by their keys, stored so that the order of the bytes is
// that of the service (keys.go). Properties are one column, encoded as in the
// engine's WAL, with a checksum. A query reads the range of keys that follows
// from its filter, in chunks, and evaluates the filter here (query.go), with the
// code that the engine uses.
//
// Accounts and access policies, which every request is checked against, are
// cached for a second (cache.go).
package pgstore
