package entities

import (
	"strings"
	"testing"

	"sandtable/odata/payload"
	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/pagetest"
)

func TestRefusedQueryKeepsTheRowsAsThePreviousResult(t *testing.T) {
	d := open(t, pagetest.Filled(3))
	d.Shows("Table scan")
	enter(d, pagetest.BadFilter)
	d.Shows("Previous result: 3 rows", `class="results previous"`, `data-row="2"`)
	d.Hides("Table scan", "All 3 loaded", "Load all")
	if n := strings.Count(d.HTML(), "Syntax error at position 6"); n != 1 {
		t.Errorf("the error is shown %d times", n)
	}
	enter(d, "")
	d.Shows("All 3 loaded", "Table scan", `class="results"`)
}

func TestRefusedQueryOfTheAddress(t *testing.T) {
	d := open(t, pagetest.Filled(0))
	enter(d, pagetest.BadFilter)
	d.Shows("No result", "The query failed", "Show all entities")
	d.Hides("No entity matches", "No entities")
}

// TestFailuresThatAreNotTheQuerys do not mark it as wrong: neither its text nor its clauses.
func TestFailuresThatAreNotTheQuerys(t *testing.T) {
	endpoint := pagetest.Filled(3)
	for name, test := range map[string]struct {
		answer client.Response
		err    error
		marked bool
		shown  string
	}{
		"busy":            {client.Response{Status: 503, Body: payload.AppendError(nil, "ServerBusy", "The server is busy.")}, nil, false, "503 ServerBusy"},
		"no answer":       {client.Response{}, client.ErrNoAnswer, false, "The endpoint does not answer."},
		"a bad key":       {client.Response{Status: 400, Body: payload.AppendError(nil, "InvalidAuthenticationInfo", "No.")}, nil, false, "400 InvalidAuthenticationInfo"},
		"a bad filter":    {client.Response{Status: 400, Body: payload.AppendError(nil, "InvalidInput", "No.")}, nil, true, "qe is not an operator"},
		"not implemented": {client.Response{Status: 501, Body: payload.AppendError(nil, "NotImplemented", "No.")}, nil, true, "501 NotImplemented"},
		"another server":  {client.Response{Status: 502, Body: []byte("oops")}, nil, false, "The endpoint answered with status 502. oops"},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, pagetest.Transport(func(r client.Request) (client.Response, error) {
				if strings.Contains(r.URL, "filter=") {
					return test.answer, test.err
				}
				return endpoint.Do(t.Context(), r)
			}))
			enter(d, pagetest.BadFilter)
			if marked := strings.Contains(d.HTML(), `class="editor invalid"`); marked != test.marked {
				t.Errorf("marked: %v, want %v", marked, test.marked)
			}
			d.Shows(test.shown, "Previous result: 3 rows")
		})
	}
}

// TestDeletingAllLoadedRowsLoadsMore: what follows takes their place.
func TestDeletingAllLoadedRowsLoadsMore(t *testing.T) {
	endpoint := pagetest.Filled(300)
	endpoint.PageSize = 100
	d := open(t, endpoint)
	d.Do(d.Page.selectAll)
	n := len(d.Page.selected)
	d.Do(d.Page.deleteSelected)
	d.Answer(true)
	d.Hides("Nothing yet")
	if left := len(endpoint.Tables["Customers"]); left != 300-n || d.Page.listing().Len() == 0 {
		t.Errorf("deleted %d of 300, %d left, %d shown", n, left, d.Page.listing().Len())
	}
}

// TestStripShowsWhatWasReadSoFar colours no partition that the pages that were
// read did not reach.
func TestStripShowsWhatWasReadSoFar(t *testing.T) {
	endpoint := pagetest.Filled(400)
	for i, e := range endpoint.Tables["Customers"] {
		e.PartitionKey = string(rune('a' + i/100))
	}
	d := open(t, endpoint)
	list := []control.Partition{{Key: "a", Entities: 100}, {Key: "b", Entities: 100}, {Key: "c", Entities: 100}, {Key: "d", Entities: 100}}
	d.Do(func() { d.Page.partitions = d.Page.partitions.Answered(control.Partitions{List: list, All: 4}, nil) })
	loaded := d.Page.listing().Len()
	if _, read := strip(list, d.Page.results.read()); read != (loaded+99)/100 || read == 4 {
		t.Errorf("%d partitions read with %d rows loaded", read, loaded)
	}
	d.Do(d.Page.loadAll)
	d.Shows("4 of 4 partitions read")
}
