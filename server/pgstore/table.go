package pgstore

import (
	"sandtable/engine"
	"sandtable/odata"
)

// table is the table of a transaction's scope. Its operations are those of
// package engine on rows that the transaction has read.
type table struct {
	tx *tx
	*tableEntry
	rules engine.EntityRules
}

// Name implements [server.Table].
func (t *table) Name() string { return t.name }

// Policies implements [server.Table].
func (t *table) Policies() string { return t.policies }

// SetRules implements [server.Table].
func (t *table) SetRules(rules engine.EntityRules) { t.rules = rules }

// row returns what the transaction knows of a key. One that is not in the scope
// costs a round trip.
func (t *table) row(key odata.Key) (*row, error) {
	if known := t.tx.rows[key]; known != nil {
		return known, nil
	}
	if t.tx.rows == nil {
		t.tx.rows = map[odata.Key]*row{}
	}
	sql := selectRows
	if t.tx.writable {
		sql = lockRows
	}
	found := &row{key: key}
	t.tx.rows[key] = found
	rows, err := t.tx.conn.Query(t.tx.ctx, sql, t.tx.scope.Account, tableKey(t.name), encodeKey(key.PartitionKey), [][]byte{encodeKey(key.RowKey)})
	if err == nil {
		err = t.tx.scanRows(rows)
	}
	return found, t.tx.fail(err)
}

// Get implements [server.Table].
func (t *table) Get(key odata.Key) (*odata.Entity, error) {
	r, err := t.row(key)
	if err == nil && r.current == nil {
		err = engine.ErrEntityNotFound
	}
	if err == nil {
		err = r.unreadable()
	}
	if err != nil {
		return nil, err
	}
	return r.current, nil
}

// Insert implements [server.Table].
func (t *table) Insert(key odata.Key, properties []odata.Property) (*odata.Entity, error) {
	return t.put(key, false, func(current *odata.Entity) (*odata.Entity, error) {
		return t.rules.Insert(current, key, properties)
	})
}

// Replace implements [server.Table].
func (t *table) Replace(key odata.Key, properties []odata.Property, c engine.Condition) (*odata.Entity, error) {
	return t.put(key, readsETag(c), func(current *odata.Entity) (*odata.Entity, error) {
		return t.rules.Replace(current, key, properties, c)
	})
}

// Merge implements [server.Table].
func (t *table) Merge(key odata.Key, properties []odata.Property, c engine.Condition) (*odata.Entity, error) {
	return t.put(key, true, func(current *odata.Entity) (*odata.Entity, error) {
		return t.rules.Merge(current, key, properties, c)
	})
}

// readsETag reports whether a condition depends on the content of the stored entity.
func readsETag(c engine.Condition) bool { return c != engine.Upsert && c != engine.MustExist }

// put changes an entity. With reads, the change depends on the content of the current
// one.
func (t *table) put(key odata.Key, reads bool, change func(current *odata.Entity) (*odata.Entity, error)) (*odata.Entity, error) {
	r, err := t.writableRow(key, reads)
	if err != nil {
		return nil, err
	}
	e, err := change(r.current)
	if err != nil {
		return nil, err
	}
	if err := checkKey(key); err != nil {
		return nil, err
	}
	e.Timestamp = t.tx.store.nextStamp(t.tx.Now(), r.stored)
	r.current = e
	return e, nil
}

// Delete implements [server.Table].
func (t *table) Delete(key odata.Key, c engine.Condition) error {
	r, err := t.writableRow(key, readsETag(c))
	if err == nil {
		err = c.CheckDelete(r.current)
	}
	if err == nil {
		r.current = nil
	}
	return err
}

func (t *table) writableRow(key odata.Key, reads bool) (*row, error) {
	if !t.tx.writable {
		return nil, engine.ErrReadOnly
	}
	r, err := t.row(key)
	if err == nil && reads {
		err = r.unreadable()
	}
	return r, err
}
