package entities

import (
	"strings"
	"testing"
	"time"

	"sandtable/odata"
	"sandtable/web/client"
	"sandtable/web/page"
	"sandtable/web/remote"
)

func row(partition, rowKey string, age int32) client.Entity {
	return client.Entity{Entity: &odata.Entity{PartitionKey: partition, RowKey: rowKey,
		Properties: []odata.Property{{Name: "Age", Value: odata.Int32Value(age)}}}}
}

func rowKeys(r results) string {
	var all []string
	for _, e := range r.entities {
		all = append(all, e.RowKey)
	}
	return strings.Join(all, " ")
}

func TestResultsPages(t *testing.T) {
	r := results{active: -1}
	next := &client.Continuation{PartitionKey: "x"}
	r.answered(page.Route{}, client.Page{Entities: []client.Entity{row("p", "1", 1)}, Next: next, Explain: client.Explain{Examined: 2}, Elapsed: time.Second})
	r.more = true
	r.answered(page.Route{}, client.Page{Entities: []client.Entity{row("p", "2", 1)}, Explain: client.Explain{Examined: 3}, Elapsed: time.Second})
	if rowKeys(r) != "1 2" || r.next != nil || r.explain.Examined != 5 || r.elapsed != 2*time.Second || r.state != remote.Loaded {
		t.Errorf("%+v", r)
	}
	r.answered(page.Route{}, client.Page{Entities: []client.Entity{row("p", "3", 1)}})
	if rowKeys(r) != "3" || r.explain.Examined != 0 {
		t.Errorf("a new first page left %+v", r)
	}
}

func TestResultsPutAndTake(t *testing.T) {
	start := func(filter string, next *client.Continuation) results {
		r := results{asked: page.Route{}.With(filterArg, filter), next: next}
		r.entities = []client.Entity{row("p", "2", 30), row("p", "4", 30)}
		return r
	}
	more := &client.Continuation{PartitionKey: "x"}
	tests := []struct {
		name   string
		filter string
		next   *client.Continuation
		put    client.Entity
		shown  bool
		want   string
	}{
		{"between", "", nil, row("p", "3", 1), true, "2 3 4"},
		{"first", "", nil, row("o", "9", 1), true, "9 2 4"},
		{"last", "", nil, row("p", "5", 1), true, "2 4 5"},
		{"beyond the last page", "", more, row("p", "5", 1), false, "2 4"},
		{"within what is loaded", "", more, row("p", "3", 1), true, "2 3 4"},
		{"passes the filter", "Age ge 21", nil, row("p", "3", 21), true, "2 3 4"},
		{"outside of the filter", "Age ge 21", nil, row("p", "3", 20), false, "2 4"},
		{"one that was there, outside of the filter by now", "Age ge 21", nil, row("p", "4", 1), true, "2 4"},
		{"a filter that does not parse", "Age", nil, row("p", "3", 20), false, "2 4"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := start(test.filter, test.next)
			before := r
			if shown := r.put(test.put); shown != test.shown || rowKeys(r) != test.want {
				t.Errorf("%v: %s", shown, rowKeys(r))
			}
			if rowKeys(before) != "2 4" {
				t.Error("what was drawn before changed")
			}
			r.take(test.put.Key())
			r.take(test.put.Key())
			if _, found := r.index(test.put.Key()); found {
				t.Error("the row is still there")
			}
		})
	}
}

func TestLoadedText(t *testing.T) {
	many := make([]client.Entity, 1234)
	more := &client.Continuation{PartitionKey: "x"}
	tests := []struct {
		want string
		r    results
	}{
		{"", results{}},
		{"Loading…", results{state: remote.Loading}},
		{"0 loaded, reading…", results{state: remote.Loading, held: true}},
		{"No entities", results{held: true, state: remote.Loaded}},
		{"1,234 loaded, more follow", results{held: true, state: remote.Loaded, entities: many, next: more}},
		{"All 1,234 loaded", results{held: true, state: remote.Loaded, entities: many}},
	}
	for _, test := range tests {
		if got := loadedText(test.r); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

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
