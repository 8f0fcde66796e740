package engine

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"sandtable/odata"
)

// A snapshot is a hidden account: its catalog entry has the name of the account, a
// slash, and the snapshot's identity. Its tables are clones that share blocks with
// the account's tables (share.go), so that taking and restoring a snapshot costs a
// few catalog entries, however large the tables are. Deleting the account deletes
// its snapshots.

// MaxSnapshots is how many snapshots an account can have.
const MaxSnapshots = 32

// MaxSnapshotName is how many characters the name of a snapshot can have.
const MaxSnapshotName = 100

// Errors of snapshots.
var (
	// ErrSnapshotNotFound means that the account does not have the snapshot.
	ErrSnapshotNotFound = errors.New("snapshot not found")
	// ErrSnapshotName means that a name is empty, too long or has control characters.
	ErrSnapshotName = errors.New("snapshot name is invalid")
	// ErrTooManySnapshots means that the account already has MaxSnapshots.
	ErrTooManySnapshots = errors.New("too many snapshots")
	// ErrSnapshotIncomplete means that the snapshot is still being read from a file.
	ErrSnapshotIncomplete = errors.New("snapshot is incomplete")
	// ErrSnapshotComplete means that the snapshot can no longer be changed.
	ErrSnapshotComplete = errors.New("snapshot is complete")
)

// SnapshotKind says why a snapshot was taken.
type SnapshotKind string

// The kinds of snapshots.
const (
	SnapshotTaken   SnapshotKind = "taken"   // on request
	SnapshotImport  SnapshotKind = "import"  // before an import
	SnapshotDelete  SnapshotKind = "delete"  // before a table was deleted
	SnapshotRestore SnapshotKind = "restore" // before another snapshot was restored
	SnapshotFile    SnapshotKind = "file"    // read from a file
)

// Automatic reports whether the snapshot was taken automatically, before another
// operation: newer automatic snapshots may replace it.
func (k SnapshotKind) Automatic() bool {
	return k == SnapshotImport || k == SnapshotDelete || k == SnapshotRestore
}

// Snapshot describes a snapshot of an account.
type Snapshot struct {
	ID         string // unique in the store
	Account    string
	Name       string
	Kind       SnapshotKind
	Taken      odata.DateTime
	Properties string // the service properties of the account
	Incomplete bool   // still being read from a file

	// What it holds; zero if that was not counted.
	Tables   int
	Entities int
	Bytes    int64 // not shared with the account's current tables
	// State is equal for snapshots that are known to hold the same tables, entities,
	// policies and properties.
	State uint64
}

// Holder is the name under which [Tx.Tables] and [Tx.Table] find the snapshot's
// tables.
func (s Snapshot) Holder() string { return holderOf(s.Account, s.ID) }

// The properties that a snapshot's entry has in addition to an account's.
const (
	snapshotName       = "Name"
	snapshotKind       = "Kind"
	snapshotIncomplete = "Incomplete"
)

func holderOf(account, id string) string { return account + "/" + id }

// isHolder reports whether a name belongs to a snapshot, not to an account.
func isHolder(name string) bool { return strings.Contains(name, "/") }

// accountOfHolder returns the account of a snapshot.
func accountOfHolder(name string) string {
	account, _, _ := strings.Cut(name, "/")
	return account
}

// Snapshots lists the snapshots of an account, the oldest first, without counting what
// they hold: that takes time for each block, see [Tx.Snapshot].
func (tx *Tx) Snapshots(account string) iter.Seq[Snapshot] {
	return func(yield func(Snapshot) bool) {
		for e := range tx.snapshotEntities(account) {
			if !yield(snapshotEntry(e)) {
				return
			}
		}
	}
}

// snapshotEntities visits the catalog's entries of an account's snapshots, the
// oldest first.
func (tx *Tx) snapshotEntities(account string) iter.Seq[*odata.Entity] {
	return func(yield func(*odata.Entity) bool) {
		prefix := holderOf(account, "")
		from := odata.Key{PartitionKey: prefix}
		for more := true; more; {
			more = false
			tx.ascend(from, func(e *odata.Entity) bool {
				if strings.HasPrefix(e.PartitionKey, prefix) {
					from, more = e.Key().NextPartition(), yield(e)
				}
				return false
			})
		}
	}
}

// snapshotOf describes a snapshot and what it holds.
func (tx *Tx) snapshotOf(e *odata.Entity) Snapshot {
	s := snapshotEntry(e)
	for info := range tx.Tables(s.Holder(), "") {
		s.Tables++
		s.Entities += info.Entities
		s.Bytes += tx.ownBytes(s, info.Name)
	}
	s.State = tx.stateOf(s.Holder(), s.Properties)
	return s
}

// snapshotEntry returns what the catalog's entry of a snapshot says: all but what
// its tables hold.
func snapshotEntry(e *odata.Entity) Snapshot {
	s := Snapshot{Account: accountOfHolder(e.PartitionKey), Taken: e.Timestamp, Properties: accountOf(e).Properties}
	s.ID = e.PartitionKey[len(s.Account)+1:]
	for _, p := range e.Properties {
		switch p.Name {
		case snapshotName:
			s.Name = p.Value.Text()
		case snapshotKind:
			s.Kind = SnapshotKind(p.Value.Text())
		case snapshotIncomplete:
			s.Incomplete = p.Value.Bool()
		}
	}
	return s
}

// ownBytes returns how many bytes of a snapshot's table the account's table of the
// same name does not share.
func (tx *Tx) ownBytes(s Snapshot, name string) (n int64) {
	table, err := tx.Table(s.Holder(), name)
	if err != nil {
		return 0
	}
	c := tx.contents(table.id)
	n = c.bytes()
	current, err := tx.Table(s.Account, name)
	if err != nil {
		return n
	}
	other := tx.contents(current.id)
	c.blocks.Scan(func(r *blockRef) bool {
		if same, ok := other.blocks.Get(r); ok {
			n -= int64(r.sharedBytes(same))
		}
		return true
	})
	return n
}

// Snapshot returns a snapshot and counts what it holds, or [ErrSnapshotNotFound].
func (tx *Tx) Snapshot(account, id string) (Snapshot, error) {
	e, err := tx.snapshotEntity(account, id)
	if err != nil {
		return Snapshot{}, err
	}
	return tx.snapshotOf(e), nil
}

func (tx *Tx) snapshotEntity(account, id string) (*odata.Entity, error) {
	if isHolder(account) || id == "" {
		return nil, ErrSnapshotNotFound
	}
	e, err := tx.accountEntity(holderOf(account, id))
	if err != nil {
		return nil, ErrSnapshotNotFound
	}
	return e, nil
}

// TakeSnapshot takes a snapshot of an account, in constant time for each table, and
// counts what it holds. It may return [ErrAccountNotFound], [ErrSnapshotName] or [ErrTooManySnapshots].
func (tx *Tx) TakeSnapshot(account, name string, kind SnapshotKind) (Snapshot, error) {
	e, err := tx.newSnapshot(account, name, kind, false)
	if err != nil {
		return Snapshot{}, err
	}
	var tables []*odata.Entity
	tx.tablesOf(account, func(t *odata.Entity) { tables = append(tables, t) })
	for _, t := range tables {
		tx.cloneTable(t, e.PartitionKey, nil)
	}
	return tx.snapshotOf(e), nil
}

// BeginSnapshot creates an empty snapshot, whose tables are then written under its
// [Snapshot.Holder]. It is incomplete until [Tx.FinishSnapshot].
func (tx *Tx) BeginSnapshot(account, name string) (Snapshot, error) {
	e, err := tx.newSnapshot(account, name, SnapshotFile, true)
	if err != nil {
		return Snapshot{}, err
	}
	return tx.snapshotOf(e), nil
}

func (tx *Tx) newSnapshot(account, name string, kind SnapshotKind, incomplete bool) (*odata.Entity, error) {
	if err := tx.checkWritable(); err != nil {
		return nil, err
	}
	if err := checkSnapshotName(name); err != nil {
		return nil, err
	}
	owner, err := tx.Account(account)
	if err != nil {
		return nil, err
	}
	n := 0
	for range tx.snapshotEntities(account) {
		n++
	}
	if n >= MaxSnapshots {
		return nil, ErrTooManySnapshots
	}
	stamp := tx.nextStamp()
	holder := Snapshot{Account: owner.Name, ID: fmt.Sprintf("%016x", int64(stamp))}.Holder()
	e := newSnapshotEntity(holder, owner.Properties, stamp, name, kind, incomplete)
	tx.apply(op{kind: AccountCreated, account: holder, table: catalogID, after: e})
	return e, nil
}

func newSnapshotEntity(holder, properties string, stamp odata.DateTime, name string, kind SnapshotKind, incomplete bool) *odata.Entity {
	e := accountEntity(Account{Name: holder, Properties: properties}, stamp)
	e.Properties = append(e.Properties,
		odata.Property{Name: snapshotName, Value: odata.StringValue(strings.Clone(name))},
		odata.Property{Name: snapshotKind, Value: odata.StringValue(strings.Clone(string(kind)))},
	)
	if incomplete {
		e.Properties = append(e.Properties, odata.Property{Name: snapshotIncomplete, Value: odata.BooleanValue(true)})
	}
	return e
}

func checkSnapshotName(name string) error {
	if strings.TrimSpace(name) == "" || !utf8.ValidString(name) || utf8.RuneCountInString(name) > MaxSnapshotName ||
		strings.ContainsFunc(name, unicode.IsControl) {
		return ErrSnapshotName
	}
	return nil
}

// tablesOf visits the catalog's entries of an account's or a snapshot's tables.
func (tx *Tx) tablesOf(account string, visit func(*odata.Entity)) {
	tx.ascend(odata.Key{PartitionKey: account, RowKey: "\x00"}, func(e *odata.Entity) bool {
		if e.PartitionKey != account {
			return false
		}
		visit(e)
		return true
	})
}

// cloneTable creates a table with the contents, the name and the policies of another
// one. It replaces the table before, nil for none.
func (tx *Tx) cloneTable(from *odata.Entity, account string, before *odata.Entity) {
	id := tx.nextTable
	tx.nextTable++
	entry := tableEntity(account, tableNameOf(from), id, tx.nextStamp())
	if policies, ok := from.Property(tablePolicies); ok {
		entry.Properties = append(entry.Properties, odata.Property{Name: tablePolicies, Value: policies})
	}
	o := op{
		kind: TableRestored, account: entry.PartitionKey, name: tableNameOf(entry),
		table: catalogID, before: before, after: entry, cloned: tableIDOf(from),
	}
	if before != nil {
		o.dropped = tableIDOf(before)
	}
	tx.apply(o)
}

// RestoreSnapshot gives an account the tables, entities, policies and service
// properties of a snapshot, in constant time for each table: entities come back
// with their ETags. Keys and access stay. It may return [ErrSnapshotNotFound] or
// [ErrSnapshotIncomplete].
func (tx *Tx) RestoreSnapshot(account, id string) error {
	if err := tx.checkWritable(); err != nil {
		return err
	}
	e, err := tx.snapshotEntity(account, id)
	if err != nil {
		return err
	}
	s := snapshotEntry(e)
	if s.Incomplete {
		return ErrSnapshotIncomplete
	}
	owner, err := tx.Account(account)
	if err != nil {
		return err
	}
	current := make(map[string]*odata.Entity)
	tx.tablesOf(account, func(t *odata.Entity) { current[t.RowKey] = t })
	var tables []*odata.Entity
	tx.tablesOf(s.Holder(), func(t *odata.Entity) { tables = append(tables, t) })
	for _, t := range tables {
		tx.cloneTable(t, owner.Name, current[t.RowKey])
		delete(current, t.RowKey)
	}
	for info := range tx.Tables(account, "") {
		if t := current[strings.ToLower(info.Name)]; t != nil {
			tx.dropTable(t)
		}
	}
	owner.Properties = s.Properties
	return tx.PutAccount(owner)
}

// RenameSnapshot renames a snapshot. It may return [ErrSnapshotNotFound] or
// [ErrSnapshotName].
func (tx *Tx) RenameSnapshot(account, id, name string) error {
	if err := checkSnapshotName(name); err != nil {
		return err
	}
	return tx.changeSnapshot(account, id, func(s *Snapshot) { s.Name = name })
}

// SetSnapshotProperties replaces the service properties of an incomplete snapshot. It
// may return [ErrSnapshotNotFound] or [ErrSnapshotComplete].
func (tx *Tx) SetSnapshotProperties(account, id, properties string) error {
	return tx.changeIncomplete(account, id, func(s *Snapshot) { s.Properties = properties })
}

// FinishSnapshot completes a snapshot that [Tx.BeginSnapshot] created.
func (tx *Tx) FinishSnapshot(account, id string) error {
	return tx.changeIncomplete(account, id, func(s *Snapshot) { s.Incomplete = false })
}

// CheckIncomplete returns nil for a snapshot that [Tx.FinishSnapshot] has not completed,
// else [ErrSnapshotNotFound] or [ErrSnapshotComplete].
func (tx *Tx) CheckIncomplete(account, id string) error {
	e, err := tx.snapshotEntity(account, id)
	if err == nil && !snapshotEntry(e).Incomplete {
		err = ErrSnapshotComplete
	}
	return err
}

func (tx *Tx) changeIncomplete(account, id string, change func(*Snapshot)) error {
	if err := tx.CheckIncomplete(account, id); err != nil {
		return err
	}
	return tx.changeSnapshot(account, id, change)
}

func (tx *Tx) changeSnapshot(account, id string, change func(*Snapshot)) error {
	if err := tx.checkWritable(); err != nil {
		return err
	}
	e, err := tx.snapshotEntity(account, id)
	if err != nil {
		return err
	}
	s := snapshotEntry(e)
	change(&s)
	// The Timestamp is the time when it was taken.
	after := newSnapshotEntity(s.Holder(), s.Properties, e.Timestamp, s.Name, s.Kind, s.Incomplete)
	tx.apply(op{kind: AccountChanged, account: s.Holder(), table: catalogID, before: e, after: after})
	return nil
}

// DeleteSnapshot deletes a snapshot, or returns [ErrSnapshotNotFound].
func (tx *Tx) DeleteSnapshot(account, id string) error {
	if _, err := tx.snapshotEntity(account, id); err != nil {
		return err
	}
	return tx.DeleteAccount(holderOf(account, id))
}
