package storage

import (
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// exhibits shows the page in each of its states.
func exhibits() []ui.Exhibit {
	saved := remote.Of(client.Status{Build: "1", Store: "indexeddb", Durability: "relaxed", Tables: 3, Entities: 1204})
	failing := remote.Of(client.Status{Build: "1", Store: "indexeddb",
		CheckpointFailure: &client.CheckpointFailure{Error: "the browser's storage is full", Since: time.Unix(1795200000, 0), Attempts: 3}})
	pages := []*Page{
		{status: saved, persisted: remote.Of(browser.Persistence{Usage: 18 << 20, Quota: 10 << 30})},
		{status: saved, persisted: remote.Of(browser.Persistence{Persisted: true, Usage: 18 << 20, Quota: 10 << 30})},
		{status: saved, persisted: remote.Value[browser.Persistence]{}.Answered(browser.Persistence{}, browser.ErrNoPersistence)},
		{status: remote.Of(client.Status{Build: "1", Store: "memory"})},
		{status: failing},
		{status: saved, verified: remote.Value[client.Verified]{}.Asked()},
		{status: saved, verified: remote.Of(client.Verified{Tables: 3, Entities: 1204, Blocks: 5, Records: 12, Bytes: 240 << 10})},
		{status: saved, verified: remote.Of(client.Verified{Found: 2, Findings: []string{
			"corrupt block (block 12) in devstoreaccount1/Customers: checksum mismatch",
			"wrong count in devstoreaccount1/Customers: 1,204 entities, catalog says 1,804"}})},
		{status: saved, verified: remote.Value[client.Verified]{}.Answered(client.Verified{}, client.ErrNoAnswer)},
	}
	return []ui.Exhibit{{Name: "Storage", Draw: func() []app.UI {
		var all []app.UI
		for _, p := range pages {
			all = append(all, p.draw()...)
		}
		return all
	}}}
}
