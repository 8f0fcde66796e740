package entity

import (
	"cmp"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
)

func keyWords(k odata.Key) string { return keyWord(k.PartitionKey) + " / " + keyWord(k.RowKey) }

// keyWord returns a key as it is shown: an empty one is allowed.
func keyWord(key string) string { return cmp.Or(key, "(empty)") }

// titled draws the keys of an entity as the title of the panel. Each has its own
// direction of writing.
func titled(title app.HTMLH2, k odata.Key) app.HTMLH2 {
	return title.Title(keyWords(k)).Body(app.Bdi().Text(keyWord(k.PartitionKey)), app.Text(" / "), app.Bdi().Text(keyWord(k.RowKey)))
}
