package engine

import (
	"bytes"
	"iter"
	"strings"

	"sandtable/odata"
)

// catalogID is the table that lists the accounts and all other tables. An
// account is the entity (name, ""), a table (account, lower-cased name): so an
// account sorts before its tables, and tables sort as in the service.
const catalogID TableID = 0

// The properties of the catalog's entities. They are part of the format: names and
// types do not change, and properties may be added.
const (
	accountKey1       = "Key1"
	accountKey2       = "Key2"
	accountAccess     = "Access"
	accountProperties = "Properties"
	tableName         = "Name"
	tableID           = "Id"
	tablePolicies     = "Policies"
)

// Access says whether an account accepts unsigned requests.
type Access uint8

// The levels of access.
const (
	// StrictAccess requires a signature or a token, as the service does.
	StrictAccess Access = iota
	// OpenAccess accepts unsigned requests too; every signature present is checked.
	OpenAccess
)

// String returns "strict" or "open".
func (a Access) String() string {
	if a == OpenAccess {
		return "open"
	}
	return "strict"
}

// Account is a storage account.
type Account struct {
	Name   string    // 3 to 24 lower-case letters and digits
	Keys   [2][]byte // the primary and the secondary key; nil for none
	Access Access
	// Properties is the document of the account's service properties, which is
	// opaque to the engine; "" for those of a new account.
	Properties string
}

func (a Account) equal(b Account) bool {
	return a.Access == b.Access && a.Properties == b.Properties &&
		bytes.Equal(a.Keys[0], b.Keys[0]) && bytes.Equal(a.Keys[1], b.Keys[1])
}

func accountEntity(a Account, stamp odata.DateTime) *odata.Entity {
	e := &odata.Entity{PartitionKey: strings.Clone(a.Name), Timestamp: stamp, Properties: []odata.Property{
		{Name: accountKey1, Value: odata.BinaryValue(a.Keys[0])},
		{Name: accountKey2, Value: odata.BinaryValue(a.Keys[1])},
		{Name: accountAccess, Value: odata.Int32Value(int32(a.Access))},
	}}
	if a.Properties != "" {
		e.Properties = append(e.Properties, odata.Property{
			Name: accountProperties, Value: odata.StringValue(strings.Clone(a.Properties)),
		})
	}
	return e
}

func accountOf(e *odata.Entity) Account {
	a := Account{Name: e.PartitionKey}
	for _, p := range e.Properties {
		switch p.Name {
		case accountKey1:
			a.Keys[0] = keyOf(p.Value)
		case accountKey2:
			a.Keys[1] = keyOf(p.Value)
		case accountAccess:
			a.Access = Access(p.Value.Int())
		case accountProperties:
			a.Properties = p.Value.Text()
		}
	}
	return a
}

func keyOf(v odata.Value) []byte {
	if v.Text() == "" {
		return nil
	}
	return []byte(v.Text())
}

func tableEntity(account, name string, id TableID, stamp odata.DateTime) *odata.Entity {
	return &odata.Entity{
		PartitionKey: account, RowKey: strings.Clone(strings.ToLower(name)), Timestamp: stamp,
		Properties: []odata.Property{
			{Name: tableName, Value: odata.StringValue(strings.Clone(name))},
			{Name: tableID, Value: odata.Int64Value(int64(id))},
		},
	}
}

func tableNameOf(e *odata.Entity) string {
	v, _ := e.Property(tableName)
	return v.Text()
}

func tableIDOf(e *odata.Entity) TableID {
	v, _ := e.Property(tableID)
	return TableID(v.Int())
}

// Policies returns the document of the table's stored access policies, which is
// opaque to the engine; "" for none.
func (t *Table) Policies() string {
	v, _ := t.entry.Property(tablePolicies)
	return v.Text()
}

// SetPolicies replaces the document that [Table.Policies] returns.
func (t *Table) SetPolicies(document string) error {
	if err := t.tx.checkWritable(); err != nil {
		return err
	}
	if _, err := t.contents(); err != nil {
		return err
	}
	if document == t.Policies() {
		return nil
	}
	// The Timestamp of the entry is the time of the table's creation.
	entry := tableEntity(t.entry.PartitionKey, t.name, t.id, t.entry.Timestamp)
	if document != "" {
		entry.Properties = append(entry.Properties, odata.Property{
			Name: tablePolicies, Value: odata.StringValue(strings.Clone(document)),
		})
	}
	t.tx.apply(op{kind: TableChanged, account: entry.PartitionKey, name: t.name, table: catalogID, before: t.entry, after: entry})
	t.entry = entry
	return nil
}

// isTable reports whether an entity of the catalog is a table, not an account or
// the settings.
func isTable(e *odata.Entity) bool { return e.RowKey != "" && e.PartitionKey != "" }

func isAccount(e *odata.Entity) bool { return e.RowKey == "" }

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
				more = !isAccount(e) || yield(accountOf(e))
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
	if err != nil {
		return Account{}, err
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

// DeleteAccount removes an account with all of its tables.
func (tx *Tx) DeleteAccount(name string) error {
	if err := tx.checkWritable(); err != nil {
		return err
	}
	e, err := tx.accountEntity(name)
	if err != nil {
		return err
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

// DeleteAccounts removes all accounts and tables, including tables whose account
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

// TableInfo describes a table.
type TableInfo struct {
	Name     string         // as it was given at the table's creation
	Created  odata.DateTime // a Timestamp of the store: no two tables have the same
	Entities int
	// AtLeast is set for a table with blocks in quarantine: Entities are known to
	// be readable, and there may be more.
	AtLeast bool
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

func (tx *Tx) tableInfo(e *odata.Entity) TableInfo {
	info := TableInfo{Name: tableNameOf(e), Created: e.Timestamp}
	if c := tx.contents(tableIDOf(e)); c != nil {
		info.Entities, info.AtLeast = tx.cache.quarantine.count(tableIDOf(e), c)
	}
	return info
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
	return &Table{tx: tx, id: tableIDOf(e), entry: e, name: tableNameOf(e), limit: odata.MaxEntitySize, maxProperties: odata.MaxProperties}, nil
}

// CreateTable creates an empty table: [ErrTableExists], [ErrAccountNotFound], or
// an error of [odata.CheckTableName].
func (tx *Tx) CreateTable(account, name string) error {
	if err := tx.checkWritable(); err != nil {
		return err
	}
	if err := odata.CheckTableName(name); err != nil {
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
