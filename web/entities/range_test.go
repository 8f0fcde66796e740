package entities

import (
	"net/url"
	"strings"
	"testing"

	"sandtable/odata"
	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/grid"
	"sandtable/web/listing"
	"sandtable/web/pagetest"
)

// TestNothingFromAKeyOn: rows that begin beyond the last key do not mean an empty table.
func TestNothingFromAKeyOn(t *testing.T) {
	d := open(t, pagetest.Filled(3))
	d.Do(func() { d.Session.Route = customers.With(fromArg, "q") })
	d.Do(func() {
		d.Page.results.rows = listing.Listing{}
		d.Page.results.rows.Append(nil, nil)
	})
	d.Shows("No entity from this key on", "Back to the first row")
	d.Hides("No entities in Customers")
}

// TestFromAKeyOfTheEmptyPartition: the address does not name an empty key.
func TestFromAKeyOfTheEmptyPartition(t *testing.T) {
	endpoint, asked := pagetest.Filled(3), ""
	d := open(t, pagetest.Transport(func(r client.Request) (client.Response, error) {
		if strings.Contains(r.URL, "filter=") {
			asked = r.URL
		}
		return endpoint.Do(t.Context(), r)
	}))
	d.Do(func() {
		d.Page.bar.jump = [2]string{"", "00001"}
		d.Page.settings.Sort = "RowKey"
		d.Page.sortRows()
		d.Page.jump()
	})
	address, err := url.Parse(asked)
	if want := "(PartitionKey gt '' or PartitionKey eq '' and RowKey ge '00001')"; err != nil || address.Query().Get("$filter") != want {
		t.Errorf("requested %s", asked)
	}
	d.Shows("Back to the first row")
}

// TestInsertsOutsideTheQuery: what no run of the query can return is not offered as new.
func TestInsertsOutsideTheQuery(t *testing.T) {
	d := open(t, pagetest.Filled(3))
	insert := func(partition string) {
		d.Do(func() {
			d.Watchers[0]([]control.Change{{Kind: "inserted", Account: pagetest.Account, Table: "Customers", PartitionKey: partition, RowKey: "new"}})
		})
	}
	d.Do(func() { d.Session.Route = customers.With(filterArg, "PartitionKey eq 'p' and Age ge 0") })
	insert("q")
	d.Hides(`data-testid="show-new"`)
	insert("p")
	d.Shows("Show 1 new")
	d.Do(func() { d.Session.Route = customers.With(fromArg, "p").With(fromRowArg, "00001") })
	insert("a")
	d.Hides(`data-testid="show-new"`)
}

// TestRowsThatAreReadAgainCountOnce: rows that had left the memory were looked at before.
func TestRowsThatAreReadAgainCountOnce(t *testing.T) {
	d := open(t, pagetest.Filled(2500))
	d.Do(func() { d.Session.Route = customers.With(containsArg, "RowKey:0") })
	d.Do(func() { d.Page.results.rows.Resident = 1000; d.Page.loadAll() })
	d.Shows("2,500 match of 2,500 rows read")
	row := 0
	for d.Page.at(row) != nil {
		row++
	}
	d.Do(func() { d.Page.sheet.window = grid.Window{From: row, To: row + 20}; d.Page.refill() })
	if d.Page.at(row) == nil {
		t.Fatalf("row %d was not read again", row)
	}
	d.Shows("2,500 match of 2,500 rows read")
}

func TestOneRowRead(t *testing.T) {
	d := open(t, pagetest.Filled(1))
	d.Do(func() { d.Session.Route = customers.With(containsArg, "RowKey:0") })
	d.Shows("1 match of 1 row read")
}

// TestStripOfKeysWithTo: " to " in a key is not the one between two keys.
func TestStripOfKeysWithTo(t *testing.T) {
	var partitions []control.Partition
	for i := range 2000 {
		partitions = append(partitions, control.Partition{Key: string(rune('A'+i)) + " to " + string(rune('B'+i)), Entities: 5})
	}
	parts, _ := strip(partitions, odata.KeyRange{})
	if got := parts[0].Name; !strings.HasPrefix(got, "A to B to ") {
		t.Errorf("the first part is %q", got)
	}
}
