package lesson

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"sandtable/odata"
	"sandtable/web/control"
	"sandtable/web/inspect"
)

func scan(kind string, examined, returned int) control.RecordedDetail {
	return control.RecordedDetail{Recorded: control.Recorded{Method: "GET", Operation: inspect.QueryEntities, Status: 200, Account: "a",
		URL: "https://a.table.core.windows.net/Orders()?$filter=n%20eq%201", Statistics: &control.Statistics{Kind: kind, Examined: examined, Returned: returned}}}
}

func get(status int) control.RecordedDetail {
	body := "text"
	return control.RecordedDetail{RequestHeaders: map[string]string{"If-Match": "*"}, RequestBody: &body, Recorded: control.Recorded{Method: "GET",
		Operation: inspect.GetEntity, Status: status, Account: "a", URL: "https://a.table.core.windows.net/Orders(PartitionKey='a',RowKey='1')?sp=r&sig=REDACTED"}}
}

func TestRules(t *testing.T) {
	entity := func(partition, row string, value odata.Value) *odata.Entity {
		return &odata.Entity{PartitionKey: partition, RowKey: row, Properties: []odata.Property{{Name: "n", Value: value}}}
	}
	whole := Run{
		Requests: []control.RecordedDetail{scan("table scan", 12, 2), get(404), get(200)},
		Tables: []Table{{"Orders", []*odata.Entity{entity("a", "1", odata.Int32Value(1)), entity("a", "2", odata.StringValue("1")),
			entity("b", "1", odata.Int64Value(5_000_000_000))}}},
		Output: []string{"one", "two"}, Failure: "ResourceNotFound (404)",
	}
	tests := []struct{ name, rule, found string }{ // found is "" if the rule holds
		{"table", `{"table": {"name": "orders"}}`, ""},
		{"another table", `{"table": {"name": "X"}}`, "there is Orders"},
		{"entities", `{"table": {"name": "Orders", "entities": 3, "partitions": {"max": 2}, "largest": 2}}`, ""},
		{"too few", `{"table": {"name": "Orders", "entities": {"min": 4}}}`, "it has 3 entities"},
		{"too many partitions", `{"table": {"name": "Orders", "partitions": 1}}`, "it has 2 partitions"},
		{"the largest partition", `{"table": {"name": "Orders", "largest": 1}}`, "largest partition has 2"},
		{"some entities", `{"table": {"name": "Orders", "where": {"PartitionKey": {"value": "a"}}, "entities": 3}}`, "2 entities of 3"},
		{"absent", `{"table": {"name": "Orders", "absent": true}}`, "Orders exists"},
		{"entity", `{"entity": {"table": "Orders", "partitionKey": "a", "rowKey": "1", "properties": {"n": {"type": "Edm.Int32", "value": 1}}, "lacks": ["m"]}}`, ""},
		{"a string", `{"entity": {"table": "Orders", "partitionKey": "a", "rowKey": "2", "properties": {"n": {"type": "Edm.Int32"}}}}`, "n is 1 (Edm.String)"},
		{"a large number", `{"entity": {"table": "Orders", "partitionKey": "b", "rowKey": "1", "properties": {"n": {"value": "5000000000"}}}}`, ""},
		{"another value", `{"entity": {"table": "Orders", "partitionKey": "a", "rowKey": "1", "properties": {"n": {"value": 2}}}}`, "n is 1"},
		{"no property", `{"entity": {"table": "Orders", "partitionKey": "a", "rowKey": "1", "properties": {"m": {}}}}`, "it has no m"},
		{"a property too many", `{"entity": {"table": "Orders", "partitionKey": "a", "rowKey": "1", "lacks": ["n"]}}`, "it has n"},
		{"no entity", `{"entity": {"table": "Orders", "partitionKey": "c", "rowKey": "1"}}`, `no such entity, but "a", "1"`},
		{"requests", `{"requests": {"method": "GET", "count": 3, "examined": 13, "returned": {"max": 3}}}`, ""},
		{"a scan", `{"requests": {"scans": true, "count": 0}}`, "your query was a table scan: it read 12 to return 2"},
		{"a plan", `{"requests": {"plan": "point"}}`, ""},
		{"a filter", `{"requests": {"url": "$filter=n eq 1", "table": "Orders"}}`, ""},
		{"a parameter of a SAS", `{"requests": {"url": "sp=r", "method": "GET", "operation": "Get Entity", "count": 2}}`, ""},
		{"read too much", `{"requests": {"reads": true, "examined": {"max": 12}}}`, "your requests read 13 entities"},
		{"since", `{"requests": {"since": {"status": 404}, "status": 200, "count": 1}}`, ""},
		{"not since", `{"requests": {"since": {"status": 412}}}`, "no such request"},
		{"nothing after", `{"requests": {"method": "PUT"}}`, "GET was answered 200"},
		{"a header", `{"requests": {"header": {"if-match": "*"}, "body": "ex"}}`, ""},
		{"no header", `{"requests": {"header": {"Accept": "json"}}}`, "GET was answered 200"},
		{"prints", `{"prints": "two"}`, ""},
		{"fails", `{"fails": "404"}`, ""},
		{"prints a first line", `{"prints": "\none"}`, ""},
		{"prints a last line", `{"prints": "two\n"}`, ""},
		{"prints no such line", `{"prints": "ne\nt\n"}`, "printed something else"},
		{"does not print", `{"prints": "three"}`, "printed something else"},
		{"not", `{"not": {"prints": "one"}}`, "it did"},
		{"all", `{"all": [{"prints": "one"}, {"prints": "three"}]}`, "printed something else"},
		{"any", `{"any": [{"prints": "three"}, {"prints": "one"}]}`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var r Rule
			if err := strict([]byte(test.rule), &r); err != nil {
				t.Fatal(err)
			}
			if problem := r.problem(0); problem != "" {
				t.Fatal(problem)
			}
			found, ok := r.try(whole)
			if ok != (test.found == "") || !strings.Contains(found, test.found) {
				t.Errorf("holds: %v, found %q, want %q", ok, found, test.found)
			}
		})
	}
}

func TestAValueFitsInEverySpelling(t *testing.T) {
	at, _ := odata.ParseDateTime("2026-11-01T00:00:00.5Z")
	guid, _ := odata.ParseGuid("c9da6455-213d-42c9-9a79-3e9149a57833")
	tests := []struct {
		value odata.Value
		raw   string
		found string // "" if it fits
	}{
		{odata.DoubleValue(1e6), `1000000`, ""}, {odata.DoubleValue(1e6), `1000000.0`, ""}, {odata.DoubleValue(1e6), `1e6`, ""}, {odata.DoubleValue(1e6), `1000001`, "1000000.0"},
		{odata.DoubleValue(100), `100.0`, ""}, {odata.DoubleValue(math.Inf(1)), `"Infinity"`, ""}, {odata.DoubleValue(math.NaN()), `"NaN"`, ""},
		{odata.Int32Value(7), `"7"`, ""}, {odata.StringValue("7"), `7`, ""}, {odata.StringValue(" 7"), `7`, " 7"}, {odata.BooleanValue(true), `true`, ""}, {odata.BooleanValue(true), `1`, "true"},
		{odata.Int64Value(9007199254740993), `9007199254740993`, ""}, {odata.Int64Value(9007199254740993), `"9007199254740992"`, "9007199254740993"},
		{odata.DateTimeValue(at), `"2026-11-01T00:00:00.500Z"`, ""}, {odata.GuidValue(guid), `"C9DA6455-213D-42C9-9A79-3E9149A57833"`, ""},
		{odata.BinaryValue([]byte{1, 2, 3}), `"AQID"`, ""}, {odata.BinaryValue([]byte{1, 2, 3}), `"AQIE"`, "AQID"},
	}
	for _, test := range tests {
		raw := json.RawMessage(test.raw)
		if found := (Want{Value: &raw}).differs(test.value); found != test.found {
			t.Errorf("%v and %s: found %q, want %q", test.value, test.raw, found, test.found)
		}
	}
}

func TestTheHintIsAboutTheMistake(t *testing.T) {
	var step Step
	text := `{"want": "reads one", "requests": {"reads": true, "examined": 1}, "hints": [
		{"if": {"requests": {"plan": "partition scan"}}, "say": "row"}, {"if": {"requests": {"scans": true}}, "say": "key"}, {"say": "more"}, {"say": "most"}]}`
	step.Checks = make([]Check, 1)
	if err := json.Unmarshal([]byte(text), &step.Checks[0]); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		run  Run
		want string
	}{
		{"another plan", Run{Requests: []control.RecordedDetail{scan("partition scan", 12, 1)}}, "row more most"},
		{"two that match", Run{Requests: []control.RecordedDetail{scan("table scan", 12, 1)}}, "key more most"},
		{"none", Run{}, "more most"},
	} {
		results, passed := step.Check(test.run)
		if got := strings.Join(results[0].Hints, " "); passed || got != test.want {
			t.Errorf("%s: passed %v, hints %q, want %q", test.name, passed, got, test.want)
		}
	}
}
