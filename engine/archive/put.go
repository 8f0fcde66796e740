package archive

import (
	"errors"
	"slices"

	"sandtable/engine"
	"sandtable/odata"
)

// putSnapshot gives the snapshot the account's service properties.
func (l *loader) putSnapshot(given engine.Account) error {
	return l.db.Update(func(tx *engine.Tx) error {
		return tx.SetSnapshotProperties(given.Name, l.options.Snapshot, given.Properties)
	})
}

// holder returns under which name tables are written.
func (l *loader) holder() string {
	if l.options.Snapshot != "" {
		return engine.Snapshot{Account: l.at.Account, ID: l.options.Snapshot}.Holder()
	}
	return l.at.Account
}

// checkHolder refuses a snapshot that is complete.
func (l *loader) checkHolder(tx *engine.Tx) error {
	if l.options.Snapshot == "" {
		return nil
	}
	return tx.CheckIncomplete(l.at.Account, l.options.Snapshot)
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
