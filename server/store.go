package server

import (
	"context"
	"errors"

	"sandtable/engine"
	"sandtable/odata"
)

// Store keeps the accounts, tables and entities of a [Handler]. Its errors are
// those of package engine, [ErrUnavailable] and [ErrOutcomeUnknown]. It is safe
// for concurrent use.
type Store interface {
	// Account and Policies are for checking credentials: an account, and the
	// document of a table's stored access policies. A store that several servers
	// share may answer from a cache, for a bounded time.
	Account(ctx context.Context, name string) (engine.Account, error)
	Policies(ctx context.Context, account, table string) (string, error)
	// View calls f with a snapshot of what the scope names. It returns f's error.
	// Like Update, it may call f more than once.
	View(ctx context.Context, scope *Scope, f func(Tx) error) error
	// Update calls f with a transaction that may change what the scope names. If f
	// fails, nothing is changed, and its error is returned; otherwise the changes
	// are durable when Update returns nil. A store may call f more than once: f
	// must leave nothing behind except in its last call.
	Update(ctx context.Context, scope *Scope, f func(Tx) error) error
}

// Errors of a store that is elsewhere.
var (
	// ErrUnavailable means that the store cannot do it now. Nothing was changed.
	ErrUnavailable = errors.New("store is unavailable")
	// ErrOutcomeUnknown means that the connection to the store broke while a change
	// was being committed: it may have happened.
	ErrOutcomeUnknown = errors.New("outcome of the change is unknown")
)

// Scope names what a transaction is about, so that a store can read all of it
// at once.
type Scope struct {
	Account string
	Table   string // "" for the account and its list of tables
	// Keys are all entities that the transaction reads or changes, except by a
	// query. They are in one partition.
	Keys []odata.Key
	// Query is the only query of a View, but for its Deadline; nil for none, and
	// for one that is not known.
	Query *engine.Query
}

// Tx is a transaction on the account of its scope. It sees its own changes. It
// belongs to the callback that it was passed to.
type Tx interface {
	// Now returns the same time on every call. The Timestamps of the transaction's
	// writes are this time or later.
	Now() odata.DateTime
	// Account returns the account as it is, not as a cache has it.
	Account() (engine.Account, error)
	PutAccount(engine.Account) error
	// Tables visits the tables by lower-cased name, starting with from, until visit
	// returns false.
	Tables(from string, visit func(engine.TableInfo) bool) error
	CreateTable(name string) error
	// Table returns the table of the scope, DeleteTable deletes it.
	Table() (Table, error)
	DeleteTable() error
}

// Table is a table as a transaction sees it. Its methods are those of
// [engine.Table].
type Table interface {
	Name() string // as it was given at the table's creation
	Policies() string
	SetPolicies(document string) error
	SetRules(engine.EntityRules)
	Get(odata.Key) (*odata.Entity, error)
	Insert(odata.Key, []odata.Property) (*odata.Entity, error)
	Replace(odata.Key, []odata.Property, engine.Condition) (*odata.Entity, error)
	Merge(odata.Key, []odata.Property, engine.Condition) (*odata.Entity, error)
	Delete(odata.Key, engine.Condition) error
	Query(engine.Query) Rows
}

// Rows are the matches of a query, one after another, as an [engine.Cursor]
// returns them.
type Rows interface {
	Next() bool
	Row() *odata.Entity
	LastRow()
	Err() error
	Close()
	Continuation() *odata.Key
	Explain() engine.Explain
}
