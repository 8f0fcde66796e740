package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/control"
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

func TestPersistenceRefused(t *testing.T) {
	d := open(t, pagetest.NewEndpoint(), browser.Persistence{}, browser.Persistence{}, nil)
	d.Hides("The browser refused")
	d.Do(func() { d.Page.onPersist(d.Context(), app.Event{}) })
	d.Shows("The browser refused for now", "install it as an app", `data-testid="keep"`)
	if d.Writes != 1 {
		t.Errorf("the pill is told %d times", d.Writes)
	}
}

func TestWithoutStorage(t *testing.T) {
	d := open(t, pagetest.NewEndpoint(), browser.Persistence{}, browser.Persistence{}, browser.ErrNoPersistence)
	d.Shows("This browser does not say whether it keeps the tables")
	d.Do(func() { d.Page.status = remote.Of(control.Status{Build: "b", Store: "memory"}) })
	d.Shows("memory only", "gives the page no storage")
	d.Hides(`data-testid="keep"`)
}

// TestButtonsWait: no button is there before what is above it.
func TestButtonsWait(t *testing.T) {
	status := remote.Of(control.Status{Build: "b", Store: "indexeddb"})
	for _, p := range []*Page{
		{status: status, persisted: remote.Value[browser.Persistence]{}.Asked()},
		{status: status, usage: remote.Value[[]usage]{}.Asked()},
	} {
		if n := len(p.drawActions()); n != 1 {
			t.Errorf("%d elements, want the bones", n)
		}
	}
}

func TestVerify(t *testing.T) {
	endpoint := pagetest.NewEndpoint()
	d := open(t, endpoint, browser.Persistence{}, browser.Persistence{}, errors.New("unknown"))
	d.Shows("Check the tables", "Nothing is changed")
	verify := func() { d.Page.onCheck(d.Context(), app.Event{}) }
	d.Do(verify)
	d.Shows("Nothing is wrong. Entities: 1,204, tables: 3, blocks with entities: 5 (", "Checked at ")
	for i := range 22 {
		endpoint.Findings = append(endpoint.Findings, fmt.Sprintf("corrupt block (block %d)", i+1))
	}
	d.Do(verify)
	d.Shows("Problems found.", "corrupt block (block 20)", "and 2 more", "Dump what is sound")
	if d.Problems != 22 {
		t.Errorf("the shell knows of %d problems", d.Problems)
	}
	d.Hides("Nothing is wrong", "corrupt block (block 21)")
	endpoint.Refuse = "POST"
	d.Do(verify)
	d.Shows("InternalError")
	d.Hides("Nothing is wrong")
}

// running is an endpoint whose checks and compactions continue until they are stopped.
type running struct{ *pagetest.Endpoint }

func (e running) Do(c context.Context, r client.Request) (client.Response, error) {
	if r.Received == nil {
		return e.Endpoint.Do(c, r)
	}
	r.Received([]byte(`{"progress":{"entities":70000}}` + "\n"))
	<-c.Done()
	return client.Response{}, c.Err()
}

func TestTasksAreStopped(t *testing.T) {
	unknown := func() (browser.Persistence, error) { return browser.Persistence{}, browser.ErrNoPersistence }
	endpoint := pagetest.NewEndpoint()
	endpoint.Gain = 1 << 20
	d := pagetest.Open(t, running{endpoint}, page.Route{Page: "storage"}, func(p page.Props) *Page {
		return &Page{Props: p, persistence: unknown, persist: unknown}
	})
	for _, test := range []struct {
		name   string
		toggle func(*Page, app.Context, app.Event)
		notice string
		after  string
	}{
		{"check", (*Page).onCheck, "The check was stopped", "Nothing is wrong. Entities: 3,"},
		{"compaction", (*Page).onCompact, "Compacting was stopped", "Merges blocks"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d.Do(func() {
				d.Page.check.result = remote.Of(control.Verified{Entities: 3})
				test.toggle(d.Page, d.Context(), app.Event{})
				test.toggle(d.Page, d.Context(), app.Event{})
			})
			d.Notified(test.notice)
			d.Shows(test.after)
			d.Hides("Stop</button>")
		})
	}
}

// TestTimeOfACheckThatWasNotStopped: a check that is stopped changes neither the result of
// the one before nor when that was.
func TestTimeOfACheckThatWasNotStopped(t *testing.T) {
	d := pagetest.Open(t, running{pagetest.NewEndpoint()}, page.Route{Page: "storage"}, func(p page.Props) *Page {
		unknown := func() (browser.Persistence, error) { return browser.Persistence{}, browser.ErrNoPersistence }
		return &Page{Props: p, persistence: unknown, persist: unknown}
	})
	const when = "Checked at 10:20:30 UTC in 1.5 s."
	d.Do(func() {
		c := &d.Page.check
		c.result, c.began, c.took = remote.Of(control.Verified{Entities: 3}), time.Date(2026, 12, 1, 10, 20, 30, 0, time.UTC), 1500*time.Millisecond
	})
	d.Shows(when)
	d.Do(func() {
		d.Page.onCheck(d.Context(), app.Event{})
		d.Page.onCheck(d.Context(), app.Event{})
	})
	d.Notified("The check was stopped")
	d.Shows(when)
}

func TestTasksShowHowFarTheyAre(t *testing.T) {
	d := open(t, pagetest.NewEndpoint(), browser.Persistence{}, browser.Persistence{}, nil)
	d.Do(func() {
		d.Page.status = remote.Of(control.Status{Build: "b", Store: "indexeddb", Entities: 140_000})
		stop := func() {}
		d.Page.check.stop, d.Page.compaction.stop = stop, stop
		d.Page.check.now.Store(&control.Verified{Entities: 70_000, Blocks: 120, Bytes: 2 << 20, Found: 1})
		d.Page.compaction.now.Store(&control.Size{Blocks: 9, Bytes: 3 << 20, Records: 40})
	})
	d.Shows("Checked 70,000 of 140,000 entities in 120 blocks (2.0 MiB), found 1 problem", `aria-valuenow="50"`, "Compacting: now 3.0 MiB in 9 blocks and 40 WAL records")
}

func TestFailingCheckpoints(t *testing.T) {
	d := open(t, pagetest.NewEndpoint(), browser.Persistence{}, browser.Persistence{}, nil)
	d.Hides("Checkpoints are failing", "Last checkpoint")
	d.Do(func() {
		last := time.Date(2026, 11, 20, 18, 41, 10, 0, time.UTC)
		d.Page.status = remote.Of(control.Status{Build: "b", Store: "indexeddb", LastCheckpoint: &last, CheckpointFailure: &control.CheckpointFailure{
			Error: "the browser's storage is full", Since: time.Date(2026, 11, 20, 18, 44, 2, 0, time.UTC), Attempts: 3}})
	})
	d.Shows("2026-11-20 18:41:10 UTC", "Checkpoints are failing", "Since 2026-11-20 18:44 UTC: the browser&#39;s storage is full.", "Nothing is lost")
}

const archive = `{"@sandtable":"archive","version":1}` + "\n" + `{"@sandtable":"end","accounts":1,"tables":1,"entities":2,"corruption":1}` + "\n"

func TestDumpAndLoad(t *testing.T) {
	endpoint := pagetest.NewEndpoint()
	d := open(t, endpoint, browser.Persistence{}, browser.Persistence{}, nil)
	dump := func(file browser.File, err error) {
		d.Do(func() {
			d.Page.fetch = func(string) (browser.File, error) { return file, err }
			d.Page.onDump(d.Context(), app.Event{})
		})
	}
	dump(browser.FileOf("", []byte(archive)), nil)
	d.Shows("2 entities in 1 table of 1 account, without 1 corrupt part")
	dump(browser.FileOf("", []byte(archive[:40])), nil)
	d.Shows("its end is missing", "No file was saved.")
	dump(browser.File{}, errors.New("gone"))
	d.Shows("Gone")

	d.Do(func() { d.Page.chosen(browser.FileOf("<b>.jsonl", []byte(archive[:40]))) })
	d.Shows("Nothing was loaded from &lt;b&gt;.jsonl")
	d.Do(func() { d.Page.chosen(browser.FileOf("all.jsonl", []byte(archive))) })
	d.Shows("all.jsonl", "Load 2 entities")
	endpoint.Refuse = "POST"
	d.Do(func() { d.Page.onLoad(d.Context(), app.Event{}) })
	d.Shows("InternalError", "Load again")
	endpoint.Refuse = ""
	d.Do(func() { d.Page.onLoad(d.Context(), app.Event{}) })
	d.Shows("Loaded 2 entities in 1 table from all.jsonl.")
	if len(d.Changed) != 2 {
		t.Errorf("the shell heard of %d changes", len(d.Changed))
	}
}

func TestResetNeedsTheWords(t *testing.T) {
	endpoint := pagetest.NewEndpoint()
	d := open(t, endpoint, browser.Persistence{}, browser.Persistence{}, nil)
	resets := func() (n int) {
		for _, r := range endpoint.Requests {
			if r == "POST /_sandtable/reset" {
				n++
			}
		}
		return n
	}
	for _, word := range []string{"", "delete", "Delete everything", "delete everything "} {
		d.Do(func() { d.Page.word = word; d.Page.empty() })
	}
	if resets() != 0 {
		t.Fatal("it was reset without the words")
	}
	d.Problems = 2 // that a check found
	d.Do(func() { d.Page.word = resetWords; d.Page.empty() })
	if d.Problems != 0 {
		t.Error("the shell still knows of problems")
	}
	d.Notified("Everything is deleted")
	if resets() != 1 || d.Page.word != "" {
		t.Errorf("%d resets, the field has %q", resets(), d.Page.word)
	}
	endpoint.Refuse = "POST"
	d.Do(func() { d.Page.word = resetWords; d.Page.empty() })
	d.Shows("InternalError")
}

func TestCompactAndDurability(t *testing.T) {
	endpoint := pagetest.NewEndpoint()
	compact := func(d *pagetest.Driver[*Page]) { d.Do(func() { d.Page.onCompact(d.Context(), app.Event{}) }) }
	d := open(t, endpoint, browser.Persistence{}, browser.Persistence{}, nil)
	d.Shows("Less than 0.1 MiB to gain.", "aria-disabled")
	compact(d)
	if slices.Contains(endpoint.Requests, "POST /_sandtable/compact") {
		t.Error("it compacts where nothing is to gain")
	}
	endpoint.Gain = 1 << 20
	d.Do(d.Page.read)
	d.Shows("About 1.0 MiB to gain, in 7 blocks.")
	d.Hides("aria-disabled")
	compact(d)
	d.Shows("From 3.0 MiB in 9 blocks and 40 WAL records to 1.0 MiB in 4 blocks and 0 WAL records.")
	d.Do(func() { d.Page.choose("strict") })
	if !slices.Contains(endpoint.Requests, "PATCH /_sandtable/settings") {
		t.Errorf("the requests are %q", endpoint.Requests)
	}
	endpoint.Refuse = "PATCH"
	d.Do(func() { d.Page.choose("strict") })
	d.Shows("InternalError")
}

func TestUsageAndQuarantine(t *testing.T) {
	d := open(t, pagetest.NewEndpoint(), browser.Persistence{}, browser.Persistence{}, nil)
	d.Do(func() {
		d.Page.usage = remote.Of([]usage{
			{account: "b", Table: client.Table{Name: "Large", Entities: 3, Bytes: 3 << 20}},
			{account: "a", Table: client.Table{Name: "Small", Entities: 7, Bytes: 768 << 10}},
			{account: "a", Table: client.Table{Bytes: 256 << 10}, snapshots: []control.Snapshot{{ID: "08df", Name: "before"}, {ID: "08e0"}}},
		})
		d.Page.status = remote.Of(control.Status{Build: "b", Store: "indexeddb", Entities: 14, Tables: 5, Corruption: []string{`corrupt block of table "Orders" (block 3)`}})
		d.Page.check.result = remote.Of(control.Verified{Found: 1, Findings: []string{"bad block (block 3) in a/08df/Orders: checksum mismatch"}})
	})
	d.Shows("bad block (block 3) in the snapshot “before” of a/Orders: checksum mismatch")
	d.Shows("10 in 2 tables", "Deletes 10 entities in 2 tables and 2 snapshots, and accounts that were added.", "b / Large", "3.0 MiB", "75.0 %", "18.8 %", "a / 2 snapshots", "4.0 MiB", "Corrupt data is in quarantine.", "corrupt block of table &#34;Orders&#34; (block 3)")
}

// TestSizesAddUp: what the browser reports is more than the blocks of the tables.
func TestSizesAddUp(t *testing.T) {
	for name, test := range map[string]struct {
		store string
		used  int
		rest  bool
	}{
		"in a browser":                  {"indexeddb", 28 << 20, true},
		"a browser that rounds its sum": {"indexeddb", 1 << 20, false},
		"in memory":                     {"memory", 28 << 20, false},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, pagetest.NewEndpoint(), browser.Persistence{Usage: test.used, Quota: 1 << 30}, browser.Persistence{}, nil)
			d.Do(func() {
				d.Page.status = remote.Of(control.Status{Build: "b", Store: test.store, WAL: 1 << 20})
				d.Page.usage = remote.Of([]usage{{account: "a", Table: client.Table{Name: "T", Bytes: 3 << 20}}})
			})
			d.Shows("Together", "3.0 MiB", "Write-ahead log", "1.0 MiB")
			if test.rest {
				d.Shows("App and freed space", "24.0 MiB", "All of this site", "28.0 MiB")
			} else {
				d.Hides("App and freed space")
			}
		})
	}
}

// TestBlocksThatAreCounted: Check and Compact count different ones, and say which.
func TestBlocksThatAreCounted(t *testing.T) {
	d := open(t, pagetest.NewEndpoint(), browser.Persistence{}, browser.Persistence{}, nil)
	d.Do(func() {
		d.Page.check.result = remote.Of(control.Verified{Tables: 2, Entities: 9, Blocks: 47, Bytes: 3 << 20, Records: 4})
		d.Page.compaction.result = remote.Of(control.Compacted{Before: &control.Size{Blocks: 43, Bytes: 2 << 20, Records: 4}, After: &control.Size{Blocks: 53, Bytes: 3 << 20}})
	})
	d.Shows("blocks with entities: 47 (3.0 MiB), WAL records: 4.",
		"From 2.0 MiB in 43 blocks and 4 WAL records to 3.0 MiB in 53 blocks and 0 WAL records.", "Every stored block counts once")
}

// TestCountsFollowTheStore: many changes are one reading.
func TestCountsFollowTheStore(t *testing.T) {
	endpoint := pagetest.Filled(3)
	d := open(t, endpoint, browser.Persistence{}, browser.Persistence{}, nil)
	d.Shows("Deletes 3 entities in 1 table")
	endpoint.Tables["Orders"] = nil
	endpoint.Requests = nil
	d.Do(func() {
		for range 5 {
			d.Watchers[0]([]control.Change{{Kind: "tableCreated", Table: "Orders"}})
		}
	})
	d.Shows("Deletes 3 entities in 2 tables")
	if n := len(slices.DeleteFunc(endpoint.Requests, func(r string) bool { return r != "GET /_sandtable/status" })); n != 1 {
		t.Errorf("the status was read %d times, want 1", n)
	}
}

func TestStatusThatFails(t *testing.T) {
	endpoint := pagetest.NewEndpoint()
	endpoint.Refuse = "GET"
	d := open(t, endpoint, browser.Persistence{}, browser.Persistence{}, nil)
	d.Do(func() { d.Page.status = remote.Value[control.Status]{}.Answered(control.Status{}, client.ErrNoAnswer) })
	d.Shows("does not answer", "Try again")
	endpoint.Refuse = ""
	d.Do(func() { d.Page.onAgain(d.Context(), app.Event{}) })
	d.Shows("IndexedDB of this browser")
}
