package lesson

import (
	"strings"
	"testing"

	"sandtable/odata"
	"sandtable/web/client"
	"sandtable/web/inspect"
)

func read(kind string, examined, returned int, filter string) client.Recorded {
	return client.Recorded{Method: "GET", Operation: "Query Entities", Status: 200, Account: "a",
		URL:        "https://a.table.core.windows.net/Orders()?$filter=" + filter,
		Statistics: &client.Statistics{Kind: kind, Examined: examined, Returned: returned}}
}

func get(partition, row string, status int) client.Recorded {
	return client.Recorded{Method: "GET", Operation: inspect.GetEntity, Status: status, Account: "a",
		URL: "https://a.table.core.windows.net/Orders(PartitionKey='" + partition + "',RowKey='" + row + "')"}
}

func with(table, partition, row, name string, value odata.Value) []Table {
	return []Table{{table, []*odata.Entity{{PartitionKey: partition, RowKey: row, Properties: []odata.Property{{Name: name, Value: value}}}}}}
}

func TestChecks(t *testing.T) {
	refused := client.Recorded{Method: "PATCH", Operation: inspect.MergeEntity, Status: 412}
	counted := func(n int32) []Table { return with("Counters", "page", "visits", "count", odata.Int32Value(n)) }
	again := get("page", "visits", 200)
	tests := []struct {
		name, lesson string
		run          Run
		hint         string // "" if the run passes
	}{
		{"nothing", "first", Run{}, "createTable"},
		{"another table", "first", Run{Tables: []Table{{Name: "customers"}}}, "second argument"},
		{"empty", "first", Run{Tables: []Table{{Name: "Customers"}}}, "upsertEntity"},
		{"other keys", "first", Run{Tables: with("Customers", "eu", "1", "age", odata.Int32Value(21))}, "leading zeros"},
		{"no age", "first", Run{Tables: with("Customers", "EU", "0001", "Age", odata.Int32Value(21))}, "case-sensitive"},
		{"a string", "first", Run{Tables: with("Customers", "EU", "0001", "age", odata.StringValue("21"))}, "Quotes"},
		{"another age", "first", Run{Tables: with("Customers", "EU", "0001", "age", odata.Int32Value(2))}, "whole number"},
		{"right", "first", Run{Tables: with("Customers", "EU", "0001", "age", odata.Int32Value(21))}, ""},

		{"no request", "points", Run{}, "await the answer"},
		{"table scan", "points", Run{Requests: []client.Recorded{read("table scan", 36, 1, "")}}, "ordinary properties"},
		{"partition scan", "points", Run{Requests: []client.Recorded{read("partition scan", 12, 1, "")}}, "Name the RowKey"},
		{"row range", "points", Run{Requests: []client.Recorded{read("row range", 6, 6, "")}}, "one RowKey"},
		{"not found", "points", Run{Requests: []client.Recorded{get("2026-11", "7", 404)}}, "zeros"},
		{"another order", "points", Run{Requests: []client.Recorded{get("2026-10", "0007", 200)}}, "PartitionKey"},
		{"another order by filter", "points", Run{Requests: []client.Recorded{read("point", 1, 1, "PartitionKey%20eq%20'2026-10'%20and%20RowKey%20eq%20'0007'")}}, "PartitionKey"},
		{"twice", "points", Run{Requests: []client.Recorded{get("2026-11", "0007", 200), get("2026-11", "0007", 200)}}, "no other request"},
		{"right by filter", "points", Run{Requests: []client.Recorded{read("point", 1, 1, "PartitionKey%20eq%20'2026-11'%20and%20RowKey%20eq%20'0007'")}}, ""},
		{"right", "points", Run{Requests: []client.Recorded{get("2026-11", "0007", 200)}}, ""},

		{"lost update", "etags", Run{Requests: []client.Recorded{again, again}, Tables: counted(1)}, "third argument"},
		{"gave up", "etags", Run{Requests: []client.Recorded{again, refused}, Tables: counted(1)}, "Catch the error"},
		{"old count", "etags", Run{Requests: []client.Recorded{refused, again}, Tables: counted(1)}, "read last"},
		{"deleted", "etags", Run{Requests: []client.Recorded{refused, again}}, "need not be deleted"},
		{"right", "etags", Run{Requests: []client.Recorded{again, refused, again}, Tables: counted(2)}, ""},
	}
	for _, test := range tests {
		t.Run(test.lesson+"/"+test.name, func(t *testing.T) {
			l, _, ok := Of(test.lesson)
			if !ok {
				t.Fatal("no such lesson")
			}
			results, passed := l.Check(test.run)
			if passed != (test.hint == "") {
				t.Fatalf("passed: %v, results %+v", passed, results)
			}
			if last := results[len(results)-1].Problem; !passed && !strings.Contains(last.Hint, test.hint) {
				t.Errorf("the hint is %q, want %q in it", last.Hint, test.hint)
			}
		})
	}
}
