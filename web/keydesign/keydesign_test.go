package keydesign

import (
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"sandtable/odata"
	"sandtable/odata/filter"
	"sandtable/web/control"
)

var at = time.Date(2026, 11, 20, 18, 44, 2, 0, time.UTC)

func traffic() *Traffic { return &Traffic{Account: "shop", Table: "Orders"} }

func read(url string, examined int, when time.Time) control.Recorded {
	return control.Recorded{Method: "GET", Account: "shop", URL: "https://shop.table.core.windows.net/" + url, Time: when, Statistics: &control.Statistics{Examined: examined}}
}

func TestTraffic(t *testing.T) {
	x := traffic()
	for range 30 {
		x.Wrote(control.Change{Kind: "inserted", Account: "shop", Table: "orders", PartitionKey: "new"}, at)
	}
	x.Wrote(control.Change{Kind: "inserted", Account: "shop", Table: "Others", PartitionKey: "no"}, at)
	x.Wrote(control.Change{Kind: "tableDeleted", Account: "shop", Table: "Orders"}, at)
	x.Answered(read("Orders(PartitionKey='a%20b',RowKey='1')", 1, at))
	x.Answered(read("Orders()?$filter=PartitionKey%20eq%20'new'%20and%20Total%20gt%205", 40, at.Add(time.Second)))
	x.Answered(read("Orders()", 100, at))
	x.Answered(read("Others()", 100, at))
	now := at.Add(2 * time.Second)
	want := []Busy{{Key: "new", Requests: 31, Entities: 70, Share: 31.0 / 33}, {Key: "a b", Requests: 1, Entities: 1, Share: 1.0 / 33}}
	if got := x.Busiest(now); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if !want[0].Hot() || want[1].Hot() {
		t.Error("the first is hot, the second is not")
	}
	line, peak := x.Of("new").Line(now)
	if peak != 40 || line[Seconds-2] != 40 || line[Seconds-3] != 30 || line[Seconds-1] != 0 {
		t.Errorf("line is %v", line)
	}
	if requests, entities := x.All.Sum(now); requests != 33 || entities != 171 {
		t.Errorf("all: %d requests, %d entities", requests, entities)
	}
	if got := x.Busiest(at.Add(2 * time.Minute)); len(got) > 0 || len(x.partitions) > 0 {
		t.Errorf("after two minutes there is %v", got)
	}
}

// TestTrafficOfBefore: requests that are known only later count in their own second, or not
// at all if that is over a minute ago.
func TestTrafficOfBefore(t *testing.T) {
	x := traffic()
	x.Busiest(at)
	for _, seconds := range []int{2, 59, 60, 61, 3600} {
		x.Answered(read("Orders(PartitionKey='a',RowKey='1')", 1, at.Add(-time.Duration(seconds)*time.Second)))
	}
	if requests, _ := x.All.Sum(at); requests != 2 {
		t.Errorf("all: %d requests in the last minute, want 2", requests)
	}
	if requests, _ := x.Of("a").Sum(at); requests != 2 {
		t.Errorf("the partition: %d requests in the last minute, want 2", requests)
	}
}

// TestFilterWithASemicolon: one that is not escaped is part of the filter, as for the service.
func TestFilterWithASemicolon(t *testing.T) {
	x, r := traffic(), read("Orders()?$filter=PartitionKey%20eq%20'a;b'", 1, at)
	if got := x.Filter(r); got != "PartitionKey eq 'a;b'" {
		t.Errorf("the filter is %q", got)
	}
	x.Answered(r)
	if requests, _ := x.Of("a;b").Sum(at); requests != 1 {
		t.Errorf("the partition has %d requests", requests)
	}
}

func TestAdvice(t *testing.T) {
	hot := Busy{Requests: 60, Share: 0.9}
	for _, c := range []struct {
		busy    Busy
		at, all int
		want    string
	}{
		{Busy{Requests: 60, Share: 0.2}, 3, 4, ""},
		{Busy{Requests: 5, Share: 1}, 3, 4, ""},
		{Busy{Requests: 60, Share: 0.1, Entities: 61 * 1000}, 1, 4, "One partition gets most of the traffic."},
		{hot, 0, 1, "Everything is in one partition."},
		{hot, 3, 4, "The last partition gets the traffic."},
		{hot, 0, 4, "The first partition gets the traffic."},
	} {
		if title, _ := Advice(c.busy, c.at, c.all); title != c.want {
			t.Errorf("%+v at %d of %d: %q, want %q", c.busy, c.at, c.all, title, c.want)
		}
	}
}

// orders returns entities of two customers over ten months.
func orders() (all []*odata.Entity) {
	for i := range 100 {
		when := time.Date(2026, time.Month(1+i/10), 3, 0, 0, 0, 0, time.UTC)
		all = append(all, &odata.Entity{PartitionKey: when.Format("2006-01"), RowKey: fmt.Sprint(i), Properties: []odata.Property{
			{Name: "Customer", Value: odata.StringValue([]string{"acme", "contoso"}[i%2])},
			{Name: "OrderedAt", Value: odata.DateTimeValue(odata.DateTimeOf(when))}, {Name: "Total", Value: odata.DoubleValue(1)},
		}})
	}
	return all
}

func TestSpread(t *testing.T) {
	all := orders()
	parts := []Part{{"Customer", ""}, {"OrderedAt", "month"}}
	var keys []string
	for _, e := range all {
		keys = append(keys, Key(parts, e))
	}
	if keys[0] != "acme_2026-01" {
		t.Errorf("the first key is %q", keys[0])
	}
	got := SpreadOf(keys, []string{"a", "a", "b", "c"})
	want := Spread{Partitions: 20, Median: 5, Largest: 5, Batches: 20, BusiestShare: 0.5, Sizes: []Size{{"5–8", 20}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if none := SpreadOf(nil, nil); none.Partitions != 0 || none.BusiestShare != -1 {
		t.Errorf("of nothing: %+v", none)
	}
	sizes := histogram([]int{1, 1, 2, 5, 8, 9, 33})
	if want := []Size{{"1", 2}, {"2", 1}, {"3", 0}, {"4", 0}, {"5–8", 2}, {"9–16", 1}, {"17–32", 0}, {"33–64", 1}}; !reflect.DeepEqual(sizes, want) {
		t.Errorf("sizes are %v, want %v", sizes, want)
	}
}

func TestParts(t *testing.T) {
	all := Parts(orders())
	var words []string
	for _, p := range all {
		words = append(words, p.String())
	}
	want := []string{"PartitionKey", "hash of PartitionKey", "first letter of PartitionKey", "RowKey", "hash of RowKey", "first letter of RowKey",
		"Customer", "hash of Customer", "first letter of Customer", "day of OrderedAt", "month of OrderedAt", "year of OrderedAt"}
	if !reflect.DeepEqual(words, want) {
		t.Errorf("got %q, want %q", words, want)
	}
	for _, p := range all {
		_ = p.value(&odata.Entity{}) // a property that an entity lacks
	}
}

func TestPlan(t *testing.T) {
	parts := []Part{{"Customer", ""}, {"OrderedAt", "month"}}
	for text, want := range map[string]Plan{
		"Customer eq 'acme' and Total gt 100":                                           {"table scan", 50},
		"Customer eq 'acme' and OrderedAt eq datetime'2026-02-03T00:00:00Z'":            {"partition scan", 5},
		"PartitionKey eq '2026-10'":                                                     {"table scan", 100},
		"Customer eq 'acme' or Total gt 5":                                              {"table scan", 100},
		"OrderedAt eq datetime'2026-02-03T00:00:00Z'":                                   {"table scan", 100},
		"Customer eq 'nobody' and OrderedAt eq datetime'2026-02-03T00:00:00Z' and true": {"partition scan", 0},
	} {
		x, err := filter.Parse(text)
		if err != nil {
			t.Fatal(text, err)
		}
		if got := PlanOf(parts, x, orders()); got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}

func TestCost(t *testing.T) {
	u := Usage{Bytes: 1 << 20, Writes: 250, Reads: 3000}.Times(1024)
	c := CostOf(u, Prices{GiB: 0.05, Writes: 0.1, Reads: 0.2})
	if c.Stored != 0.05 || math.Abs(c.Writes-2.56) > 1e-9 || math.Abs(c.Reads-61.44) > 1e-9 || c.Total() != c.Stored+c.Writes+c.Reads {
		t.Errorf("cost is %+v", c)
	}
	nan := 0.0
	nan /= nan
	if !DefaultPrices.Valid() || (Prices{GiB: -1}).Valid() || (Prices{Reads: nan}).Valid() {
		t.Error("prices are zero or more")
	}
}
