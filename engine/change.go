package engine

import "sandtable/odata"

// ChangeKind says what a [Change] is about.
type ChangeKind uint8

// The kinds of changes.
const (
	// EntityChanged means that an entity was inserted (no Before), updated, or
	// deleted (no After).
	EntityChanged ChangeKind = iota
	// TableCreated means that a table was created, without entities.
	TableCreated
	// TableDeleted means that a table was deleted. Its entities get no changes of
	// their own.
	TableDeleted
	// TableChanged means that the access policies of a table changed.
	TableChanged
	// AccountCreated means that an account was created, without tables.
	AccountCreated
	// AccountChanged means that the keys, access or service properties of an account
	// changed.
	AccountChanged
	// AccountDeleted means that an account was deleted. Its tables were deleted
	// before it, each with a change of its own.
	AccountDeleted
	// SettingsChanged means that [Tx.Settings] returns another document.
	SettingsChanged
	// TableRestored means that a table was created or replaced with the contents of
	// a table of a snapshot. Its entities get no changes of their own.
	TableRestored
	// SnapshotsChanged means that a snapshot of the account was taken, renamed or
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
	Table   string    // in the case in which it was created; "" for kinds without
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
	// dropped is a table whose catalog entry the op deletes or replaces, and cloned is
	// the table from which a new one gets its contents; 0 for none.
	dropped, cloned TableID
}

func (o *op) key() odata.Key {
	if o.after != nil {
		return o.after.Key()
	}
	return o.before.Key()
}

// countDelta returns by how much the op changes the number of entities.
func (o *op) countDelta() (n int) {
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
	if isHolder(o.account) { // a snapshot: only its own entry matters to subscribers
		return Change{Kind: SnapshotsChanged, Account: accountOfHolder(o.account)}, o.table == catalogID && o.key().RowKey == ""
	}
	c = Change{Kind: o.kind, Account: o.account, Table: o.name}
	if o.kind == EntityChanged {
		c.Key, c.Before, c.After = o.key(), o.before, o.after
	}
	return c, true
}
