package entities

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"sandtable/odata"
	"sandtable/odata/filter"
	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/pagetest"
	"sandtable/web/remote"
)

func TestAdvice(t *testing.T) {
	tests := []struct{ kind, filter, says string }{
		{"table scan", "Age ge 21", "PartitionKey eq '…'"},
		{"table scan", " ", ""},
		{"partition scan", "PartitionKey eq 'a'", "RowKey"},
		{"row range", "PartitionKey eq 'a' and RowKey ge 'b'", ""},
		{"point", "x", ""},
		{"something new", "x", ""},
	}
	for _, test := range tests {
		got := advice(test.kind, test.filter)
		if (got == "") != (test.says == "") || !strings.Contains(got, test.says) {
			t.Errorf("%s of %q: %q", test.kind, test.filter, got)
		}
	}
}

func TestWithKeys(t *testing.T) {
	for given, want := range map[string]string{
		"":                         "",
		" * ":                      " * ",
		"Age":                      "Age,PartitionKey,RowKey",
		"RowKey, Age":              "RowKey,Age,PartitionKey",
		"PartitionKey,RowKey,Name": "PartitionKey,RowKey,Name",
	} {
		if got := withKeys(given); got != want {
			t.Errorf("%q: %q", given, got)
		}
	}
}

func TestStrip(t *testing.T) {
	partitions := []control.Partition{{Key: "a", Entities: 10}, {Key: "b", Entities: 20}, {Key: "c", Entities: 30}}
	for text, want := range map[string]string{
		"PartitionKey eq 'b' and Age ge 1":      "b",
		"PartitionKey ge 'b'":                   "b c",
		"Age ge 1":                              "a b c",
		"PartitionKey eq 'x'":                   "",
		"PartitionKey eq 'a' and RowKey eq 'r'": "a",
	} {
		x, err := filter.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		parts, read := strip(partitions, filter.Bounds(x))
		var names []string
		for _, p := range parts {
			if p.Read {
				names = append(names, p.Name)
			}
		}
		if got := strings.Join(names, " "); got != want || read != len(names) || len(parts) != 3 {
			t.Errorf("%s reads %q (%d), want %q", text, got, read, want)
		}
	}
}

func TestStripOfManyPartitions(t *testing.T) {
	var partitions []control.Partition
	for i := range 2000 {
		partitions = append(partitions, control.Partition{Key: string(rune('A' + i)), Entities: 5})
	}
	parts, read := strip(partitions, odata.KeyRange{})
	if len(parts) > 2*maxParts || read != 2000 {
		t.Errorf("%d parts, %d read", len(parts), read)
	}
}

// TestOldPartitionsExplainNothing: a partition may have been added since they were read.
func TestOldPartitionsExplainNothing(t *testing.T) {
	endpoint := pagetest.Filled(3)
	d := open(t, endpoint)
	read := func() {
		d.Page.partitions = d.Page.partitions.Answered(control.Partitions{Exact: true, All: 1, List: []control.Partition{{Key: "p"}}}, nil)
	}
	d.Do(read)
	endpoint.Tables["Customers"] = nil
	enter(d, "PartitionKey eq 'New'") // the endpoint does not report partitions again
	d.Shows("No entity matches")
	d.Hides("There is no partition")
	d.Do(read)
	d.Shows("There is no partition")
}

// TestPartitionsThatAreAnsweredLate: a list of partitions that was requested before a query
// does not replace the one that explains its empty result.
func TestPartitionsThatAreAnsweredLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		endpoint, partitions := pagetest.Filled(1), `{"exact":true,"all":1,"partitions":[{"key":"p"}]}`
		slow := &pagetest.Slow{Transport: pagetest.Transport(func(r client.Request) (client.Response, error) {
			if !strings.Contains(r.URL, "/partitions") {
				return endpoint.Do(context.Background(), r)
			}
			return client.Response{Status: 200, Body: []byte(partitions)}, nil
		})}
		d := open(t, slow)
		d.Do(func() {
			slow.During(d.Page.loadPartitions)
			partitions = `{"exact":true,"all":2,"partitions":[{"key":"p"},{"key":"q"}]}`
			d.Page.loadPartitions()
		})
		if known, _ := d.Page.partitions.Data(); known.All != 2 || d.Page.partitions.State() != remote.Loaded {
			t.Errorf("the page knows %+v, %v", known, d.Page.partitions.State())
		}
	})
}
