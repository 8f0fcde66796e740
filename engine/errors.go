package engine

import (
	"errors"

	"sandtable/engine/internal/encoding"
)

// Errors of accounts and tables.
var (
	// ErrAccountNotFound is an account that the store does not have.
	ErrAccountNotFound = errors.New("account not found")
	// ErrAccountInvalid is a name that no account can have; see
	// [odata.CheckAccountName].
	ErrAccountInvalid = errors.New("account name is invalid")
	// ErrTableNotFound is a table that the account does not have, or that was
	// deleted since the transaction found it.
	ErrTableNotFound = errors.New("table not found")
	// ErrTableExists is a table to be created whose name is taken, in any case.
	ErrTableExists = errors.New("table already exists")
)

// Errors of entities.
var (
	// ErrEntityNotFound is a key that the table does not have.
	ErrEntityNotFound = errors.New("entity not found")
	// ErrEntityExists is an insert of a key that the table has.
	ErrEntityExists = errors.New("entity already exists")
	// ErrConditionNotMet is an entity with another ETag than the condition.
	ErrConditionNotMet = errors.New("update condition not satisfied")
)

// Errors of transactions and of the store.
var (
	// ErrReadOnly is a write in a View.
	ErrReadOnly = errors.New("transaction is read-only")
	// ErrClosed is a database, a storage or a transaction used after its end.
	ErrClosed = errors.New("closed")
	// ErrStorage is wrapped, together with the cause, by every error that the
	// storage caused. No reader has seen the changes of an Update that returns it;
	// if the storage could not know whether they were saved, they may be there
	// after the next opening, see [Storage].
	ErrStorage = errors.New("storage")
	// ErrReading is wrapped, together with ErrStorage, if a block could not be read
	// now; another attempt may succeed.
	ErrReading = errors.New("block cannot be read")
	// ErrBlockNotFound is a block that the storage does not have.
	ErrBlockNotFound = errors.New("block not found")
	// ErrNoSpace is a write for which the disk or the quota is full. Nothing of
	// it was written, and nothing of it will turn up.
	ErrNoSpace = errors.New("no space left")
	// ErrFormat is a store written by a newer version of this program. It is not
	// changed.
	ErrFormat = encoding.ErrFormat
	// ErrCorrupt is stored data that fails its checksum or cannot be decoded.
	ErrCorrupt = encoding.ErrCorrupt
)
