package partitions

import (
	"testing"

	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/pagetest"
)

// TestLinkToTheEmptyPartition: its key is in the address, too.
func TestLinkToTheEmptyPartition(t *testing.T) {
	e := &endpoint{partitions: control.Partitions{All: 2, Exact: true, List: []control.Partition{{Key: "", Entities: 3}, {Key: "a", Entities: 4}}}}
	d := open(t, e)
	d.Do(func() { d.Page.choose("") })
	d.Shows(`data-testid="chosen-partition"`)
	again := pagetest.Open(t, e, d.Route, func(p page.Props) *Page { return &Page{Props: p} })
	again.Shows(`data-testid="chosen-partition"`)
	if again.Page.chosen != "" {
		t.Errorf("%q is chosen", again.Page.chosen)
	}
}
