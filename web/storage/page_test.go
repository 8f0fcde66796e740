package storage

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/page"
	"sandtable/web/pagetest"
	"sandtable/web/remote"
)

// open opens the page in a browser with these answers.
func open(t *testing.T, endpoint *pagetest.Endpoint, before, after browser.Persistence, err error) *pagetest.Driver[*Page] {
	t.Helper()
	return pagetest.Open(t, endpoint, page.Route{Page: "storage"}, func(p page.Props) *Page {
		return &Page{Props: p,
			persistence: func() (browser.Persistence, error) { return before, err },
			persist:     func() (browser.Persistence, error) { return after, err }}
	})
}

func TestPersistence(t *testing.T) {
	before := browser.Persistence{Usage: 3 << 20, Quota: 10 << 30}
	after := before
	after.Persisted = true
	d := open(t, pagetest.NewEndpoint(), before, after, nil)
	d.Shows("IndexedDB of this browser", "3.0 MiB of 10.0 GiB", "may delete the tables", `data-testid="keep"`)
	d.Do(func() { d.Page.onPersist(d.Context(), app.Event{}) })
	d.Shows("keeps the tables until you clear")
	d.Hides(`data-testid="keep"`)
}

func TestWithoutStorage(t *testing.T) {
	d := open(t, pagetest.NewEndpoint(), browser.Persistence{}, browser.Persistence{}, browser.ErrNoPersistence)
	d.Shows("This browser does not say whether it keeps the tables")
	d.Do(func() { d.Page.status = remote.Of(client.Status{Build: "b", Store: "memory"}) })
	d.Shows("memory only", "gives the page no storage")
	d.Hides(`data-testid="keep"`)
}

func TestVerify(t *testing.T) {
	endpoint := pagetest.NewEndpoint()
	d := open(t, endpoint, browser.Persistence{}, browser.Persistence{}, errors.New("unknown"))
	d.Shows("Check the tables", "Nothing is changed")
	verify := func() { d.Page.onVerify(d.Context(), app.Event{}) }
	d.Do(verify)
	d.Shows("Nothing is wrong. Entities: 1,204, tables: 3, blocks: 5 (")
	for i := range 22 {
		endpoint.Findings = append(endpoint.Findings, fmt.Sprintf("corrupt block (block %d)", i+1))
	}
	d.Do(verify)
	d.Shows("Problems found.", "corrupt block (block 20)", "and 2 more")
	d.Hides("Nothing is wrong", "corrupt block (block 21)")
	endpoint.Refuse = "POST"
	d.Do(verify)
	d.Shows("InternalError")
	d.Hides("Nothing is wrong")
}

func TestFailingCheckpoints(t *testing.T) {
	d := open(t, pagetest.NewEndpoint(), browser.Persistence{}, browser.Persistence{}, nil)
	d.Hides("Checkpoints are failing")
	d.Do(func() {
		d.Page.status = remote.Of(client.Status{Build: "b", Store: "indexeddb", CheckpointFailure: &client.CheckpointFailure{
			Error: "the browser's storage is full", Since: time.Date(2026, 11, 20, 18, 44, 2, 0, time.UTC), Attempts: 3}})
	})
	d.Shows("Checkpoints are failing", "Since 2026-11-20 18:44 UTC: the browser&#39;s storage is full.", "Nothing is lost")
}
