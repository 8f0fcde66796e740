package web

import (
	"encoding/json"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"sandtable/odata"
	"sandtable/web/remote"
	"sandtable/web/tableclient"
	"sandtable/web/ui"
)

func TestPlace(t *testing.T) {
	tests := []struct {
		name  string
		place Place
		query string
	}{
		{"nowhere", Place{}, ""},
		{"an account", Place{Account: "a"}, "account=a"},
		{"a table", Place{Account: "a", Table: "T"}, "account=a&table=T"},
		{"a query", Place{"a", "T", "A eq 'b & c=d'", "A,B"}, "account=a&table=T&filter=A+eq+%27b+%26+c%3Dd%27&select=A%2CB"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := test.place.Query(); got != test.query {
				t.Errorf("query %q", got)
			}
			u, err := url.Parse("https://host/folder/?old=1#part")
			if err != nil {
				t.Fatal(err)
			}
			there := test.place.On(u)
			if there.Path != "/folder/" || there.Host != "host" || there.Fragment != "" {
				t.Errorf("the address is %v", there)
			}
			if got := PlaceOf(there); got != test.place {
				t.Errorf("back comes %+v", got)
			}
		})
	}
}

func TestPlaceOfStrangeAddresses(t *testing.T) {
	for query, want := range map[string]Place{
		"table=T&filter=x":     {},
		"account=a&filter=x":   {Account: "a"},
		"utm=1&%zz&account=a":  {Account: "a"},
		"account=a&account=b":  {Account: "a"},
		"account=&table=T":     {},
		"account=a;table=T&x=": {},
	} {
		if got := PlaceOf(&url.URL{RawQuery: query}); got != want {
			t.Errorf("%s: %+v", query, got)
		}
	}
}

func TestEndpointBase(t *testing.T) {
	for page, want := range map[string]string{
		"http://h:8080/":                 "http://h:8080/",
		"http://h/?account=a#x":          "http://h/",
		"https://h/sub/index.html":       "https://h/sub/",
		"https://h/sub/?account=a/b":     "https://h/sub/",
		"https://h/sub/gallery":          "https://h/sub/",
		"https://h/deeper/sub/?table=%2": "https://h/deeper/sub/",
	} {
		u, err := url.Parse(page)
		if err != nil {
			t.Fatal(err)
		}
		if got := endpointBase(u); got != want {
			t.Errorf("%s: %s", page, got)
		}
	}
}

func TestPill(t *testing.T) {
	failed := remote.Value[tableclient.Status]{}.Answered(tableclient.Status{}, tableclient.ErrNoAnswer)
	tests := []struct {
		name  string
		value remote.Value[tableclient.Status]
		mood  ui.Mood
		words string
	}{
		{"not asked", remote.Value[tableclient.Status]{}, ui.Wait, "Starting"},
		{"loading", remote.Value[tableclient.Status]{}.Asked(), ui.Wait, "Starting"},
		{"failed", failed, ui.Bad, "Not answering"},
		{"saved", remote.Of(tableclient.Status{Build: "b", Store: "indexeddb"}), ui.Good, "Saved in this browser"},
		{"memory", remote.Of(tableclient.Status{Build: "b", Store: "memory"}), ui.Wait, "In memory only"},
		{"damage", remote.Of(tableclient.Status{Store: "indexeddb", Damage: []json.RawMessage{[]byte("{}")}}), ui.Bad, "Stored data is damaged"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if mood, words, _ := pillOf(test.value); mood != test.mood || words != test.words {
				t.Errorf("%s %q", mood, words)
			}
		})
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

func row(partition, rowKey string, age int32) tableclient.Entity {
	return tableclient.Entity{Entity: &odata.Entity{PartitionKey: partition, RowKey: rowKey,
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
	next := &tableclient.Continuation{PartitionKey: "x"}
	r.answered(Place{}, tableclient.Page{Entities: []tableclient.Entity{row("p", "1", 1)}, Next: next, Explain: tableclient.Explain{Examined: 2}, Elapsed: time.Second})
	r.more = true
	r.answered(Place{}, tableclient.Page{Entities: []tableclient.Entity{row("p", "2", 1)}, Explain: tableclient.Explain{Examined: 3}, Elapsed: time.Second})
	if rowKeys(r) != "1 2" || r.next != nil || r.explain.Examined != 5 || r.elapsed != 2*time.Second || r.state != remote.Loaded {
		t.Errorf("%+v", r)
	}
	r.answered(Place{}, tableclient.Page{Entities: []tableclient.Entity{row("p", "3", 1)}})
	if rowKeys(r) != "3" || r.explain.Examined != 0 {
		t.Errorf("a new first page left %+v", r)
	}
}

func TestResultsPutAndTake(t *testing.T) {
	start := func(filter string, next *tableclient.Continuation) results {
		r := results{asked: Place{Filter: filter}, next: next}
		r.entities = []tableclient.Entity{row("p", "2", 30), row("p", "4", 30)}
		return r
	}
	more := &tableclient.Continuation{PartitionKey: "x"}
	tests := []struct {
		name   string
		filter string
		next   *tableclient.Continuation
		put    tableclient.Entity
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
	many := make([]tableclient.Entity, 1234)
	more := &tableclient.Continuation{PartitionKey: "x"}
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

func TestNamesWith(t *testing.T) {
	all := []string{"Customers", "Orders"}
	if got := namesWith(all, " ORD "); !reflect.DeepEqual(got, []string{"Orders"}) {
		t.Errorf("%q", got)
	}
	if got := namesWith(all, ""); len(got) != 2 {
		t.Errorf("%q", got)
	}
}

func TestThemes(t *testing.T) {
	theme := themes[0]
	for range themes {
		theme = nextTheme(theme)
	}
	if theme != themes[0] || nextTheme("sepia") != themes[0] {
		t.Error("the button does not go round")
	}
}

func TestExample(t *testing.T) {
	text := example(tableclient.Connection{ConnectionString: `TableEndpoint=https://x;SharedAccessSignature=sv=1&sig="`}, "Sensors")
	for _, part := range []string{`"TableEndpoint=https://x;SharedAccessSignature=sv=1&sig=\""`, `"Sensors"`, "TableClient.fromConnectionString("} {
		if !strings.Contains(text, part) {
			t.Errorf("the example lacks %s:\n%s", part, text)
		}
	}
}

func TestIndented(t *testing.T) {
	text := "Yılmaz \U0001F3D6 \u00a0\u2028 \" \\u0131 \r\n"
	e := &odata.Entity{PartitionKey: "p", RowKey: "r", Properties: []odata.Property{{Name: "Name", Value: odata.StringValue(text)}}}
	got := indented(e)
	if !strings.Contains(got, "\n  \"Name\": \"Yılmaz \U0001F3D6 ") {
		t.Errorf("%s", got)
	}
	var back struct{ Name string }
	if err := json.Unmarshal([]byte(got), &back); err != nil || back.Name != text {
		t.Errorf("%v: %q came back as %q", err, text, back.Name)
	}
}

func FuzzWithoutEscapes(f *testing.F) {
	f.Add("Yılmaz \\u0131 \U0001F3D6")
	f.Add(`"\`)
	f.Fuzz(func(t *testing.T, text string) {
		withoutEscapes(text)
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Skip("no JSON")
		}
		var want, got string
		if json.Unmarshal(quoted, &want) != nil {
			t.Skip("no JSON")
		}
		if err := json.Unmarshal([]byte(withoutEscapes(string(quoted))), &got); err != nil || got != want {
			t.Errorf("%s became %q, %v", quoted, got, err)
		}
	})
}
