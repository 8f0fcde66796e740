package playground

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/pagetest"
	"sandtable/web/remote"
)

// TestRunWhileResultsAreRead: the results of a run, which are read slowly, are not taken
// for those of the next one, and the requests that read them are no requests of it.
func TestRunWhileResultsAreRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		defer clear(kept)
		endpoint := pagetest.NewEndpoint()
		var sent []string
		slow := &pagetest.Slow{Transport: pagetest.Transport(func(r client.Request) (client.Response, error) {
			_, path, _ := strings.Cut(r.URL, "/_sandtable")
			switch path, _, _ = strings.Cut(path, "?"); path {
			case "/requests":
				sent = append(sent, "the requests")
				return client.Response{Status: 200, Body: []byte(`{"instance":"i","requests":[{"id":1,"account":"devstoreaccount1"}]}`)}, nil
			case "/accounts/devstoreaccount1/tables":
				sent = append(sent, "the tables")
			case "/accounts/devstoreaccount1/snapshots":
				sent = append(sent, "a snapshot")
				return client.Response{Status: 201, Body: []byte(`{"id":"s"}`)}, nil
			}
			return endpoint.Do(context.Background(), r)
		})}
		d := pagetest.Open(t, slow, page.Route{Page: "playground"}, func(p page.Props) *Page { return &Page{Props: p} })
		d.Page.ctx, d.Page.account = d.Context(), "devstoreaccount1"
		began := false
		d.Do(func() {
			slow.During(d.Page.readResults)
			d.Page.prepare(func(string) { began = true })
		})
		if want := []string{"the requests", "the tables", "the requests", "a snapshot"}; !slices.Equal(sent, want) {
			t.Errorf("sent %q, want %q", sent, want)
		}
		if k := d.Page.kept(); !began || k.read || !k.arrivals.collects() {
			t.Errorf("the run began: %v; its requests are read: %v; they are collected: %v", began, k.read, k.arrivals.collects())
		}
	})
}

// TestSummaryWhileResultsAreRead: the number of requests is of the run that has ended.
func TestSummaryWhileResultsAreRead(t *testing.T) {
	d := open(t)
	d.Do(func() {
		d.Page.console, d.Page.requests = sampleConsole(), remote.Of([]control.Recorded{{}, {}}).Asked()
	})
	d.Hides("2 requests")
	d.Do(func() { d.Page.requests = d.Page.requests.Answered([]control.Recorded{{}}, nil) })
	d.Shows("1 request")
}
