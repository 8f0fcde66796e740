package engine

import (
	"strings"

	"sandtable/odata"
)

// settingsKey is the catalog's key of the settings. Unlike accounts and tables it
// has no partition key.
var settingsKey = odata.Key{RowKey: "settings"}

const settingsText = "Text"

// Settings returns the document that [Tx.SetSettings] stored, "" for none. It is
// opaque to the engine: a program keeps its settings with the store.
func (tx *Tx) Settings() string {
	e, err := tx.find(tx.contents(catalogID), settingsKey)
	if err != nil {
		return ""
	}
	v, _ := e.Property(settingsText)
	return v.Text()
}

// SetSettings replaces the document that [Tx.Settings] returns.
func (tx *Tx) SetSettings(document string) error {
	if err := tx.checkWritable(); err != nil {
		return err
	}
	if document == tx.Settings() {
		return nil
	}
	o := op{kind: SettingsChanged, table: catalogID}
	if e, err := tx.find(tx.contents(catalogID), settingsKey); err == nil {
		o.before = e
	}
	o.after = &odata.Entity{
		RowKey: settingsKey.RowKey, Timestamp: tx.nextStamp(),
		Properties: []odata.Property{{Name: settingsText, Value: odata.StringValue(strings.Clone(document))}},
	}
	tx.apply(o)
	return nil
}
