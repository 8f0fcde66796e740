package engine

import (
	"strings"

	"sandtable/odata"
)

// The settings are an entity of the catalog that is no account's and no
// table's: an account has a name.
var settingsKey = odata.Key{RowKey: "settings"}

const settingsText = "Text"

// Settings returns the document that [Tx.SetSettings] left, "" for none. It
// means nothing to the engine: a program keeps with a store what the store's
// next opening is to know.
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
