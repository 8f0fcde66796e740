package entity

import (
	"context"

	"sandtable/odata"
	"sandtable/web/control"
	"sandtable/web/page"
)

// onChanges checks whether the entity in the panel was saved elsewhere. Changes
// of the panel's own are reported, too: the tag tells them apart.
func (p *Panel) onChanges(changes []control.Change) {
	if !p.existing || p.loading() || p.busy || p.merging != nil || p.changed {
		return
	}
	for _, c := range changes {
		key := odata.Key{PartitionKey: c.PartitionKey, RowKey: c.RowKey}
		if c.Kind == "lost" || c.Account == p.Route.Account && c.Table == p.Route.Table && key == *p.Key && c.Kind != "deleted" {
			p.checkTag()
			return
		}
	}
}

func (p *Panel) checkTag() {
	key := *p.Key
	page.Background(p.ctx, func(c context.Context) func() {
		stored, err := p.client().Get(c, p.Route.Table, key)
		return func() {
			if err == nil && p.existing && *p.Key == key && !p.busy && p.merging == nil && stored.Tag != p.draft.Tag {
				p.changed = true
			}
		}
	})
}
