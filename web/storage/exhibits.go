package storage

import (
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// exhibits shows the page in each of its states.
func exhibits() []ui.Exhibit {
	saved := remote.Of(control.Status{Build: "1", Store: "indexeddb", Durability: "relaxed", Tables: 3, Entities: 1204})
	failing := remote.Of(control.Status{Build: "1", Store: "indexeddb",
		CheckpointFailure: &control.CheckpointFailure{Error: "the browser's storage is full", Since: time.Unix(1795200000, 0), Attempts: 3}})
	checking := kept{check: check{stop: func() {}}}
	checking.check.now.Store(&control.Verified{Entities: 700, Blocks: 3, Bytes: 128 << 10})
	pages := []*Page{
		{status: saved, persisted: remote.Of(browser.Persistence{Usage: 18 << 20, Quota: 10 << 30})},
		{status: saved, persisted: remote.Of(browser.Persistence{Persisted: true, Usage: 18 << 20, Quota: 10 << 30})},
		{status: saved, persisted: remote.Value[browser.Persistence]{}.Answered(browser.Persistence{}, browser.ErrNoPersistence)},
		{status: remote.Of(control.Status{Build: "1", Store: "memory"})},
		{status: failing},
		{status: saved, dump: remote.Of(dumped{3 << 20, control.ArchiveEnd{Accounts: 1, Tables: 3, Entities: 1204}}), kept: &kept{load: load{open: true, end: control.ArchiveEnd{Entities: 5}}}},
		{status: saved, kept: &kept{load: load{busy: true},
			compaction: compaction{result: remote.Of(control.Compacted{Before: &control.Size{Blocks: 9, Bytes: 3 << 20, Records: 40}, After: &control.Size{Blocks: 4, Bytes: 1 << 20}})}}},
		{status: saved, kept: &kept{load: load{err: control.ErrNoArchive}}, reset: remote.Value[bool]{}.Answered(false, client.ErrNoAnswer)},
		{status: saved, kept: &checking},
		{status: saved, kept: &kept{check: check{took: 1800 * time.Millisecond, result: remote.Of(control.Verified{Tables: 3, Entities: 1204, Blocks: 5, Records: 12, Bytes: 240 << 10})}}},
		{status: saved, kept: &kept{check: check{result: remote.Of(control.Verified{Found: 2, Findings: []string{
			"corrupt block (block 12) in devstoreaccount1/Customers: checksum mismatch",
			"wrong count in devstoreaccount1/Customers: 1,204 entities, catalog says 1,804"}})}}},
		{status: saved, kept: &kept{check: check{result: remote.Value[control.Verified]{}.Answered(control.Verified{}, client.ErrNoAnswer)}}},
	}
	return []ui.Exhibit{{Name: "Storage", Draw: func() []app.UI {
		var all []app.UI
		for _, p := range pages {
			p.Session = empty{}
			if p.kept == nil {
				p.kept = &kept{}
			}
			all = append(all, p.draw()...)
			all = append(all, p.drawActions()...)
		}
		return all
	}}}
}

// empty is a session without tables.
type empty struct{ page.Session }

func (empty) Catalog() page.Catalog { return page.Catalog{} }
