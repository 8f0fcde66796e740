package engine

import (
	"iter"
	"strings"

	"sandtable/odata"
)

// ascend visits the entities of the catalog from a key on. It searches for each of
// them, so that yield may change the catalog.
func (tx *Tx) ascend(from odata.Key, yield func(*odata.Entity) bool) {
	for {
		var found *odata.Entity
		tx.contents(catalogID).changes.Ascend(pivot(from), func(e *odata.Entity) bool {
			found = e
			return false
		})
		if found == nil || !yield(found) {
			return
		}
		from = found.Key().Next()
	}
}

// Accounts lists the accounts by name.
func (tx *Tx) Accounts() iter.Seq[Account] {
	return func(yield func(Account) bool) {
		from, more := odata.Key{}, true
		for more {
			more = false
			tx.ascend(from, func(e *odata.Entity) bool {
				from = e.Key().NextPartition()
				more = !isAccount(e) || isHolder(e.PartitionKey) || yield(accountOf(e))
				return false
			})
		}
	}
}

func (tx *Tx) accountEntity(name string) (*odata.Entity, error) {
	e, err := tx.find(tx.contents(catalogID), odata.Key{PartitionKey: name})
	if err != nil {
		return nil, ErrAccountNotFound
	}
	return e, nil
}

// Account returns the account with this name, or [ErrAccountNotFound].
func (tx *Tx) Account(name string) (Account, error) {
	e, err := tx.accountEntity(name)
	if err != nil || isHolder(name) {
		return Account{}, ErrAccountNotFound
	}
	return accountOf(e), nil
}

// PutAccount creates an account, or replaces all but the tables of an existing
// one. It returns [ErrAccountInvalid] for an invalid name.
func (tx *Tx) PutAccount(a Account) error {
	if err := tx.checkWritable(); err != nil {
		return err
	}
	if !odata.CheckAccountName(a.Name) {
		return ErrAccountInvalid
	}
	o := op{kind: AccountCreated, account: a.Name, table: catalogID}
	if e, err := tx.accountEntity(a.Name); err == nil {
		if a.equal(accountOf(e)) {
			return nil
		}
		o.kind, o.before = AccountChanged, e
	}
	o.after = accountEntity(a, tx.nextStamp())
	tx.apply(o)
	return nil
}

// DeleteAccount removes an account with all of its tables and snapshots.
func (tx *Tx) DeleteAccount(name string) error {
	if err := tx.checkWritable(); err != nil {
		return err
	}
	e, err := tx.accountEntity(name)
	if err != nil {
		return err
	}
	if !isHolder(name) {
		for s := range tx.snapshotEntities(name) {
			if err := tx.DeleteAccount(s.PartitionKey); err != nil {
				return err
			}
		}
	}
	tx.ascend(e.Key().Next(), func(t *odata.Entity) bool {
		if t.PartitionKey != name {
			return false
		}
		tx.dropTable(t)
		return true
	})
	tx.apply(op{kind: AccountDeleted, account: name, table: catalogID, before: e})
	return nil
}

// DeleteAccounts removes all accounts, tables and snapshots, including tables whose account
// was lost by corruption. The settings stay.
func (tx *Tx) DeleteAccounts() error {
	if err := tx.checkWritable(); err != nil {
		return err
	}
	var accounts, tables []*odata.Entity
	tx.ascend(odata.Key{}, func(e *odata.Entity) bool {
		switch {
		case isTable(e):
			tables = append(tables, e)
		case isAccount(e):
			accounts = append(accounts, e)
		}
		return true
	})
	for _, t := range tables {
		tx.dropTable(t)
	}
	for _, a := range accounts {
		tx.apply(op{kind: AccountDeleted, account: a.PartitionKey, table: catalogID, before: a})
	}
	return nil
}

// Tables lists an account's tables by lower-cased name, starting with from. A
// missing account has none.
func (tx *Tx) Tables(account, from string) iter.Seq[TableInfo] {
	// The row key "" is the account itself.
	key := odata.Key{PartitionKey: account, RowKey: max(strings.ToLower(from), "\x00")}
	return func(yield func(TableInfo) bool) {
		tx.ascend(key, func(e *odata.Entity) bool {
			return e.PartitionKey == account && yield(tx.tableInfo(e))
		})
	}
}

func (tx *Tx) tableEntity(account, name string) (*odata.Entity, error) {
	key := odata.Key{PartitionKey: account, RowKey: strings.ToLower(name)}
	if e, err := tx.find(tx.contents(catalogID), key); err == nil && isTable(e) {
		return e, nil
	}
	if _, err := tx.accountEntity(account); err != nil {
		return nil, err
	}
	return nil, ErrTableNotFound
}

// Table returns the account's table with this name, in any case, or
// [ErrAccountNotFound] or [ErrTableNotFound].
func (tx *Tx) Table(account, name string) (*Table, error) {
	if tx.done {
		return nil, ErrClosed
	}
	e, err := tx.tableEntity(account, name)
	if err != nil {
		return nil, err
	}
	return &Table{tx: tx, id: tableIDOf(e), entry: e, name: tableNameOf(e), rules: DefaultRules}, nil
}

// CreateTable creates an empty table: [ErrTableExists], [ErrAccountNotFound], or
// an error of [odata.CheckCosmosTableName].
func (tx *Tx) CreateTable(account, name string) error {
	if err := tx.checkWritable(); err != nil {
		return err
	}
	if err := odata.CheckCosmosTableName(name); err != nil {
		return err
	}
	switch _, err := tx.tableEntity(account, name); err {
	case ErrTableNotFound:
	case nil:
		return ErrTableExists
	default:
		return err
	}
	id := tx.nextTable
	tx.nextTable++
	owner, _ := tx.accountEntity(account)
	entry := tableEntity(owner.PartitionKey, name, id, tx.nextStamp())
	tx.apply(op{kind: TableCreated, account: owner.PartitionKey, name: tableNameOf(entry), table: catalogID, after: entry})
	tx.setRoot(id, newContents(newBlockTree()))
	return nil
}

// DeleteTable removes a table with its entities, in constant time:
// [ErrTableNotFound] or [ErrAccountNotFound].
func (tx *Tx) DeleteTable(account, name string) error {
	if err := tx.checkWritable(); err != nil {
		return err
	}
	e, err := tx.tableEntity(account, name)
	if err != nil {
		return err
	}
	tx.dropTable(e)
	return nil
}

func (tx *Tx) dropTable(e *odata.Entity) {
	tx.apply(op{
		kind: TableDeleted, account: e.PartitionKey, name: tableNameOf(e),
		table: catalogID, before: e, dropped: tableIDOf(e),
	})
}
