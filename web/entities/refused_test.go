package entities

import (
	"strings"
	"testing"

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
