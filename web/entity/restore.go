package entity

import (
	"context"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/client"
	"sandtable/web/humanize"
	"sandtable/web/page"
)

// restore inserts deleted entities again, and offers to try again what failed.
func restore(s page.Session, r page.Route, entities []*odata.Entity, owner Owner) {
	s.Background(func(c context.Context) func() {
		var back []client.Entity
		var left []*odata.Entity
		var failure error
		for _, e := range entities {
			restored, err := insert(c, s.Client(r.Account), r.Table, e)
			if err != nil {
				left, failure = append(left, e), err
				continue
			}
			back = append(back, restored)
		}
		return func() {
			for _, e := range back {
				owner.EntityRestored(e)
			}
			s.Wrote()
			switch {
			case failure != nil:
				s.Offer("Not restored: "+words(left)+". "+failure.Error(), "Try again", func() { restore(s, r, left, owner) })
			default:
				s.Notify("Restored " + words(entities))
			}
		}
	})
}

func insert(c context.Context, at *client.Client, table string, e *odata.Entity) (client.Entity, error) {
	if _, err := at.Insert(c, table, e); err != nil {
		return client.Entity{}, err
	}
	return at.Get(c, table, e.Key())
}

// words names one entity, and counts several.
func words(entities []*odata.Entity) string {
	if len(entities) == 1 {
		return keyWords(entities[0].Key())
	}
	return humanize.Count(len(entities), "entity", "entities")
}

func keyWords(k odata.Key) string { return keyWord(k.PartitionKey) + " / " + keyWord(k.RowKey) }

// keyWord returns a key as it is shown: an empty one is allowed.
func keyWord(key string) string {
	if key == "" {
		return "(empty)"
	}
	return key
}

// titled draws the keys of an entity as the title of the panel. Each has its own
// direction of writing.
func titled(title app.HTMLH2, k odata.Key) app.HTMLH2 {
	return title.Title(keyWords(k)).Body(app.Bdi().Text(keyWord(k.PartitionKey)), app.Text(" / "), app.Bdi().Text(keyWord(k.RowKey)))
}
