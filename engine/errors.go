package engine

import (
	"errors"

	"sandtable/engine/internal/encoding"
)

// Errors of accounts and tables.
var (
	// ErrAccountNotFound means that the store does not have the account.
	ErrAccountNotFound = errors.New("account not found")
	// ErrAccountInvalid means that no account can have this name; see
	// [odata.CheckAccountName].
	ErrAccountInvalid = errors.New("account name is invalid")
	// ErrTableNotFound means that the account does not have the table, or that the
	// table was deleted since the transaction opened it.
	ErrTableNotFound = errors.New("table not found")
	// ErrTableExists means that the name of a new table is taken, ignoring case.
	ErrTableExists = errors.New("table already exists")
)

// Errors of entities.
var (
	// ErrEntityNotFound means that the table has no entity with this key.
	ErrEntityNotFound = errors.New("entity not found")
	// ErrEntityExists means that the table already has an entity with this key.
	ErrEntityExists = errors.New("entity already exists")
	// ErrConditionNotMet means that the entity has another ETag than the condition.
	ErrConditionNotMet = errors.New("update condition not satisfied")
)

// Errors of transactions and of the store.
var (
	// ErrReadOnly means that a View tried to write.
	ErrReadOnly = errors.New("transaction is read-only")
	// ErrClosed means that a DB or a storage is closed, or a transaction has ended.
	ErrClosed = errors.New("closed")
	// ErrStorage is wrapped, together with the cause, by every error that the
	// storage caused. No reader has seen the changes of an Update that returns it;
	// if the storage could not know whether they were saved, they may be there
	// after the next opening, see [Storage].
	ErrStorage = errors.New("storage")
	// ErrReading is wrapped, together with ErrStorage, if a block could not be read
	// now; another attempt may succeed.
	ErrReading = errors.New("block cannot be read")
	// ErrBlockNotFound means that the storage does not have the block.
	ErrBlockNotFound = errors.New("block not found")
	// ErrNoSpace means that the disk or the quota is full. Nothing was written, and
	// nothing of the write will appear later.
	ErrNoSpace = errors.New("no space left")
	// ErrFormat means that a newer version of this program wrote the store. It is
	// not changed.
	ErrFormat = encoding.ErrFormat
	// ErrCorrupt means that stored data fails its checksum or cannot be decoded.
	ErrCorrupt = encoding.ErrCorrupt
)
