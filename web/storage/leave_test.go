package storage

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/page"
	"sandtable/web/pagetest"
)

// TestCheckGoesOnWithoutThePage: what it finds is known to the shell, and the next page
// shows it until it is left, too.
func TestCheckGoesOnWithoutThePage(t *testing.T) {
	endpoint, kept := pagetest.NewEndpoint(), &kept{}
	endpoint.Findings = []string{"corrupt block (block 1)"}
	d := pagetest.Open(t, endpoint, page.Route{Page: "storage"}, func(p page.Props) *Page { return &Page{Props: p, kept: kept} })
	d.LeaveDuring(func() {
		d.Page.onCheck(d.Context(), app.Event{})
		if d.Page.check.stop == nil {
			t.Error("no check is in progress")
		}
	})
	if d.Problems != 1 {
		t.Errorf("the shell knows of %d problems", d.Problems)
	}
	d.Shows("corrupt block (block 1)")
	d.Do(func() { d.Navigate(page.Route{Page: "storage"}) })
	d.Hides("corrupt block (block 1)")
}

// TestChangesThatEndAfterThePage: what was not done is reported.
func TestChangesThatEndAfterThePage(t *testing.T) {
	for _, c := range []struct {
		refuse, says string
		change       func(*Page)
	}{
		{client.MethodPatch, "The durability was not changed: InternalError", func(p *Page) { p.choose("strict") }},
		{client.MethodPost, "Not everything was deleted: InternalError", func(p *Page) { p.word = resetWords; p.empty() }},
		{"", "Everything is deleted", func(p *Page) { p.word = resetWords; p.empty() }},
	} {
		endpoint := pagetest.NewEndpoint()
		endpoint.Refuse = c.refuse
		d := open(t, endpoint, browser.Persistence{}, browser.Persistence{}, nil)
		d.LeaveDuring(func() { c.change(d.Page) })
		d.Notified(c.says)
		if !slices.Equal(d.Changed, []string{""}) {
			t.Errorf("the shell reads the accounts %q", d.Changed)
		}
	}
}

// TestLoadGoesOnWithoutThePage: it reaches the archive's end, and is seen on the next page.
func TestLoadGoesOnWithoutThePage(t *testing.T) {
	started := &kept{}
	d := pagetest.Open(t, pagetest.NewEndpoint(), page.Route{Page: "storage"}, func(p page.Props) *Page { return &Page{Props: p, kept: started} })
	d.Do(func() { d.Page.chosen(browser.FileOf("all.jsonl", []byte(archive))) })
	first := d.Page
	d.LeaveDuring(func() { first.onLoad(first.ctx, app.Event{}) })
	if d.Page == first {
		t.Fatal("the page is the same")
	}
	d.Shows("Loaded 2 entities in 1 table from all.jsonl.")

	d.Do(func() { d.Page.chosen(browser.FileOf("all.jsonl", []byte(archive))) })
	d.Do(func() {
		d.Page.onLoad(d.Context(), app.Event{})
		d.Page.OnDismount()
	})
	d.Notified("Loaded 2 entities in 1 table from all.jsonl")
}

// TestDumpWithoutThePage: the file is saved, or it is said that it is not.
func TestDumpWithoutThePage(t *testing.T) {
	for want, err := range map[string]error{"Dumped 2 entities in 1 table of 1 account": nil, "No dump was saved: no answer": errors.New("no answer")} {
		d := open(t, pagetest.NewEndpoint(), browser.Persistence{}, browser.Persistence{}, nil)
		left := make(chan struct{})
		d.Page.fetch = func(string) (browser.File, error) {
			<-left
			return browser.FileOf("", []byte(archive)), err
		}
		d.Do(func() {
			d.Page.onDump(d.Context(), app.Event{})
			d.Navigate(pagetest.Elsewhere)
			d.Context().Defer(func(app.Context) { close(left) })
		})
		d.Notified(want)
	}
}

// TestStoppedLoad: what the browser says about the cancelled request is not shown.
func TestStoppedLoad(t *testing.T) {
	endpoint, sent := pagetest.NewEndpoint(), make(chan struct{})
	d := pagetest.Open(t, held{endpoint, sent}, page.Route{Page: "storage"}, func(p page.Props) *Page { return &Page{Props: p} })
	d.Do(func() { d.Page.chosen(browser.FileOf("all.jsonl", []byte(archive))) })
	d.Do(func() {
		d.Page.onLoad(d.Context(), app.Event{})
		<-sent
		d.Page.onStopLoad(d.Context(), app.Event{})
	})
	d.Shows("Loading was stopped", "What was loaded so far stays", "Load again")
}

// held is an endpoint whose writes wait until they are cancelled.
type held struct {
	*pagetest.Endpoint
	sent chan struct{}
}

func (e held) Do(c context.Context, r client.Request) (client.Response, error) {
	if r.Method == client.MethodGet {
		return e.Endpoint.Do(c, r)
	}
	close(e.sent)
	<-c.Done()
	return client.Response{}, errors.New("signal is aborted without reason")
}

// TestFileThatIsReadLate: a file whose contents are known only once another one is being
// loaded takes nothing from that.
func TestFileThatIsReadLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &pagetest.Slow{Transport: pagetest.NewEndpoint()}
		d := pagetest.Open(t, slow, page.Route{Page: "storage"}, func(p page.Props) *Page { return &Page{Props: p} })
		d.Do(func() { d.Page.chosen(browser.FileOf("all.jsonl", []byte(archive))) })
		d.Do(func() {
			d.Page.chosen(browser.FileOf("other.jsonl", []byte(archive)))
			slow.During(func() { d.Page.onLoad(d.Context(), app.Event{}) }) // until the other file was read
		})
		d.Shows("Loaded 2 entities in 1 table from all.jsonl.")
	})
}
