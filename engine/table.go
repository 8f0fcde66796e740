package engine

import (
	"strings"

	"sandtable/odata"
)

// Table is a table as a transaction sees it.
type Table struct {
	tx    *Tx
	id    TableID
	entry *odata.Entity // of the catalog
	name  string

	rules EntityRules
}

// SetRules sets the rules of what is written through this Table, which are
// [DefaultRules] otherwise.
func (t *Table) SetRules(rules EntityRules) { t.rules = rules }

// Info describes the table, with the transaction's changes.
func (t *Table) Info() TableInfo { return t.tx.tableInfo(t.entry) }

// contents returns the table's contents, or ErrTableNotFound.
func (t *Table) contents() (*contents, error) {
	if t.tx.done {
		return nil, ErrClosed
	}
	if c := t.tx.contents(t.id); c != nil {
		return c, nil
	}
	return nil, ErrTableNotFound
}

// Get returns the entity with this key, or [ErrEntityNotFound]. An error that
// wraps [ErrStorage] means that its block could not be read now.
func (t *Table) Get(key odata.Key) (*odata.Entity, error) {
	c, err := t.contents()
	if err != nil {
		return nil, err
	}
	return t.tx.find(c, key)
}

// stored returns the entity that a write is about to change, nil for none.
func (t *Table) stored(key odata.Key) (*odata.Entity, error) {
	if err := t.tx.checkWritable(); err != nil {
		return nil, err
	}
	e, err := t.Get(key)
	if err != nil && err != ErrEntityNotFound {
		return nil, err
	}
	return e, nil
}

// Insert adds an entity and keeps the order of its properties. It may return
// [ErrEntityExists], [odata.ErrTooManyProperties] or [odata.ErrEntityTooLarge].
// Names and values are not checked here; see [odata.CheckEntity].
func (t *Table) Insert(key odata.Key, properties []odata.Property) (*odata.Entity, error) {
	stored, err := t.stored(key)
	if err != nil {
		return nil, err
	}
	return t.put(stored)(t.rules.Insert(stored, key, properties))
}

// Replace replaces all properties of the entity; they are stored sorted by name, unless
// the rules keep them as given. It may return [odata.ErrTooManyProperties],
// [odata.ErrEntityTooLarge] and, because of the condition, [ErrEntityNotFound] or
// [ErrConditionNotMet].
func (t *Table) Replace(key odata.Key, properties []odata.Property, c Condition) (*odata.Entity, error) {
	stored, err := t.stored(key)
	if err != nil {
		return nil, err
	}
	return t.put(stored)(t.rules.Replace(stored, key, properties, c))
}

// Merge adds these properties to the entity, replacing properties of the same name.
// It returns the same errors as [Table.Replace].
func (t *Table) Merge(key odata.Key, properties []odata.Property, c Condition) (*odata.Entity, error) {
	stored, err := t.stored(key)
	if err != nil {
		return nil, err
	}
	return t.put(stored)(t.rules.Merge(stored, key, properties, c))
}

// Delete removes an entity. It may return [ErrEntityNotFound] or
// [ErrConditionNotMet].
func (t *Table) Delete(key odata.Key, c Condition) error {
	stored, err := t.stored(key)
	if err != nil {
		return err
	}
	if err := c.CheckDelete(stored); err != nil {
		return err
	}
	t.tx.apply(op{account: t.entry.PartitionKey, name: t.name, table: t.id, before: stored})
	return nil
}

// put returns a function that stores the result of an operation on a stored entity,
// nil for none.
func (t *Table) put(stored *odata.Entity) func(*odata.Entity, error) (*odata.Entity, error) {
	return func(e *odata.Entity, err error) (*odata.Entity, error) {
		if err != nil {
			return nil, err
		}
		e.Timestamp = t.tx.nextStamp()
		t.tx.apply(op{account: t.entry.PartitionKey, name: t.name, table: t.id, before: stored, after: e})
		return e, nil
	}
}

// TableInfo describes a table.
type TableInfo struct {
	Name     string         // in the case in which the table was created
	Created  odata.DateTime // a Timestamp of the store: no two tables have the same
	Entities int
	// AtLeast is set for a table with blocks in quarantine: at least Entities are
	// readable, and there may be more.
	AtLeast bool
}

func (tx *Tx) tableInfo(e *odata.Entity) TableInfo {
	info := TableInfo{Name: tableNameOf(e), Created: e.Timestamp}
	if c := tx.contents(tableIDOf(e)); c != nil {
		info.Entities, info.AtLeast = tx.cache.quarantine.count(tableIDOf(e), c)
	}
	return info
}

// Bytes returns the size of the table's blocks, which snapshots may share, plus an
// estimate for the changes since the last checkpoint. It reads no block.
func (t *Table) Bytes() (n int64) {
	c, err := t.contents()
	if err != nil {
		return 0
	}
	return c.bytes()
}

// Corruption returns the table's blocks in quarantine, whose entities it lacks. A block
// that several tables share may be named after another one.
func (t *Table) Corruption() []Corruption {
	c, err := t.contents()
	if err != nil {
		return nil
	}
	return t.tx.cache.quarantine.of(t.id, c)
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
