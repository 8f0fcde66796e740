package engine

import "sandtable/odata"

// ChangeKind says what a [Change] is about.
type ChangeKind uint8

// The kinds of changes.
const (
	// EntityChanged is an entity inserted (no Before), updated, or deleted (no
	// After).
	EntityChanged ChangeKind = iota
	// TableCreated is a new table, without entities.
	TableCreated
	// TableDeleted is a deleted table. Its entities get no changes of their own.
	TableDeleted
	// TableChanged is a table with new access policies.
	TableChanged
	// AccountCreated is a new account, without tables.
	AccountCreated
	// AccountChanged is an account with new keys, access or service properties.
	AccountChanged
	// AccountDeleted is a deleted account. Its tables were deleted before it, each
	// with a change of its own.
	AccountDeleted
	// SettingsChanged is a new document of [Tx.Settings].
	SettingsChanged
	// TableRestored is a table with other contents than before, or a new one with
	// contents: that of a snapshot. Its entities get no changes of their own.
	TableRestored
	// SnapshotsChanged is a snapshot of the account that was taken, renamed or
	// deleted.
	SnapshotsChanged
	// ChangesMissed replaces changes that a subscriber was too slow for: it has to
	// read everything again.
	ChangesMissed
)

var changeKindNames = [...]string{
	EntityChanged:    "entity changed",
	TableCreated:     "table created",
	TableDeleted:     "table deleted",
	TableChanged:     "table changed",
	AccountCreated:   "account created",
	AccountChanged:   "account changed",
	AccountDeleted:   "account deleted",
	SettingsChanged:  "settings changed",
	TableRestored:    "table restored",
	SnapshotsChanged: "snapshots changed",
	ChangesMissed:    "changes missed",
}

// String returns the kind in words.
func (k ChangeKind) String() string {
	if int(k) < len(changeKindNames) {
		return changeKindNames[k]
	}
	return "unknown change"
}

// Change is one change of a commit.
type Change struct {
	Kind    ChangeKind
	Account string
	Table   string    // the name as it was given at its creation; "" for kinds without
	Key     odata.Key // of EntityChanged
	Before  *odata.Entity
	After   *odata.Entity
}

// op is a change as the trees and the WAL see it: an entity of a table, or of the
// catalog, that is put or deleted.
type op struct {
	kind          ChangeKind
	account, name string
	table         TableID
	before, after *odata.Entity // not both nil
	// dropped is the table whose entry in the catalog goes or is replaced, and cloned
	// the table whose contents those of a new one are; 0 for none.
	dropped, cloned TableID
}

func (o *op) key() odata.Key {
	if o.after != nil {
		return o.after.Key()
	}
	return o.before.Key()
}

// net returns by how much the op changes the number of entities.
func (o *op) net() (n int) {
	if o.before == nil {
		n++
	}
	if o.after == nil {
		n--
	}
	return n
}

// change returns the op as subscribers see it.
func (o *op) change() (c Change, ok bool) {
	if isHolder(o.account) { // a snapshot, of which only its own entry is of interest
		return Change{Kind: SnapshotsChanged, Account: accountOfHolder(o.account)}, o.table == catalogID && o.key().RowKey == ""
	}
	c = Change{Kind: o.kind, Account: o.account, Table: o.name}
	if o.kind == EntityChanged {
		c.Key, c.Before, c.After = o.key(), o.before, o.after
	}
	return c, true
}
