package archive

import (
	"errors"
	"slices"

	"sandtable/engine"
	"sandtable/odata"
)

// update changes the store, or a snapshot while that is incomplete. A chunk that completed
// its snapshot may be sent again, if its answer was lost: it may change nothing then.
func (l *loader) update(account string, f func(*engine.Tx) error) error {
	if l.options.Snapshot == "" {
		return l.db.Update(f)
	}
	err := l.db.Update(func(tx *engine.Tx) error {
		if err := tx.CheckIncomplete(account, l.options.Snapshot); err != nil {
			return err
		}
		return f(tx)
	})
	if l.mayRepeat && errors.Is(err, engine.ErrSnapshotComplete) {
		if err = l.db.View(f); errors.Is(err, engine.ErrReadOnly) {
			err = engine.ErrSnapshotComplete
		}
	}
	return err
}

// putSnapshot gives the snapshot the account's service properties.
func (l *loader) putSnapshot(given engine.Account) error {
	return l.update(given.Name, func(tx *engine.Tx) error {
		err := tx.SetSnapshotProperties(given.Name, l.options.Snapshot, given.Properties)
		return unlessSame(tx, err, given.Name, l.options.Snapshot, func(s engine.Snapshot) bool { return s.Properties == given.Properties })
	})
}

// finishSnapshot completes the snapshot.
func (l *loader) finishSnapshot(counts Counts) error {
	return l.update(l.at.Account, func(tx *engine.Tx) error {
		err := tx.FinishSnapshot(l.at.Account, l.options.Snapshot)
		return unlessSame(tx, err, l.at.Account, l.options.Snapshot, func(s engine.Snapshot) bool {
			return s.Tables == counts.Tables && s.Entities == counts.Entities
		})
	})
}

// unlessSame returns err, but nil for a complete snapshot that is the same already.
func unlessSame(tx *engine.Tx, err error, account, id string, same func(engine.Snapshot) bool) error {
	if errors.Is(err, engine.ErrSnapshotComplete) {
		if s, failed := tx.Snapshot(account, id); failed != nil || same(s) {
			return failed
		}
	}
	return err
}

// holder returns under which name tables are written.
func (l *loader) holder() string {
	if l.options.Snapshot != "" {
		return engine.Snapshot{Account: l.at.Account, ID: l.options.Snapshot}.Holder()
	}
	return l.at.Account
}

// putEntities writes entities to a table, with their properties in the order given,
// and returns how many were there already.
func putEntities(tx *engine.Tx, account, name string, entities []*odata.Entity) (unchanged int, err error) {
	table, err := tx.Table(account, name)
	if err != nil {
		return 0, err
	}
	table.SetRules(engine.EntityRules{Size: odata.MaxCosmosEntitySize, Properties: odata.MaxCosmosProperties, AsGiven: true})
	for _, e := range entities {
		stored, err := table.Get(e.Key())
		switch {
		case errors.Is(err, engine.ErrEntityNotFound):
			_, err = table.Insert(e.Key(), e.Properties)
		case err != nil: // returned below
		case same(stored.Properties, e.Properties):
			unchanged++
		default:
			_, err = table.Replace(e.Key(), e.Properties, engine.Upsert)
		}
		if err != nil {
			return 0, err
		}
	}
	return unchanged, nil
}

func same(stored, given []odata.Property) bool {
	return slices.EqualFunc(stored, given, func(a, b odata.Property) bool {
		return a.Name == b.Name && a.Value.Equal(b.Value)
	})
}
