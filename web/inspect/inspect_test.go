package inspect

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"sandtable/odata/filter"
	"sandtable/web/client"
	"sandtable/web/control"
)

const host = "https://devstoreaccount1.table.core.windows.net"

func recorded(method, url, operation string) control.Recorded {
	return control.Recorded{Method: method, URL: url, Operation: operation, Account: "devstoreaccount1", Status: 200}
}

func TestCallOfAddresses(t *testing.T) {
	tests := []struct{ name, url, service, rest string }{
		{"host style", host + "/Orders()?$top=1", host, "/Orders()"},
		{"secondary", "https://devstoreaccount1-secondary.table.core.windows.net/Orders()", "https://devstoreaccount1-secondary.table.core.windows.net", "/Orders()"},
		{"emulator", "http://127.0.0.1:10002/devstoreaccount1/Orders()", "http://127.0.0.1:10002/devstoreaccount1", "/Orders()"},
		{"worker", "https://page.example/folder/table/devstoreaccount1/Orders()", "https://page.example/folder/table/devstoreaccount1", "/Orders()"},
		{"account alone", "http://127.0.0.1:10002/devstoreaccount1?comp=properties", "http://127.0.0.1:10002/devstoreaccount1", "/"},
		{"no address", "garbage", "", "garbage"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := addressed(recorded("GET", test.url, QueryEntities))
			if !strings.HasSuffix(test.name, "secondary") && c.Service != test.service || c.Service+c.Rest != test.service+test.rest {
				t.Errorf("got %q and %q, want %q and %q", c.Service, c.Rest, test.service, test.rest)
			}
		})
	}
}

func TestCallHidesCredentials(t *testing.T) {
	c := CallOf(control.RecordedDetail{Recorded: recorded("GET", host+"/Orders()?$filter=A%20eq%20'%26%2B'&sv=2019-02-02&sig=REDACTED&odd=REDACTED", QueryEntities),
		RequestHeaders: map[string]string{"b": "2", "A": "1"}})
	if !c.Signed || c.Option("$filter") != "A eq '&+'" || len(c.Header) != 2 || c.Header[0].Name != "A" {
		t.Errorf("%+v", c)
	}
	if got, want := c.Address("http://x"), "http://x/Orders()?$filter=A%20eq%20'%26%2B'"; got != want {
		t.Errorf("address %s, want %s", got, want)
	}
	if got, want := Resource(recorded("GET", host+"/Orders()?$filter=A%20eq%201&$top=2&sv=1", "")), "/Orders()?$filter=A eq 1&$top=2"; got != want {
		t.Errorf("resource %s, want %s", got, want)
	}
	batch := recorded("POST", host+"/$batch", Transaction)
	batch.Operations = 100
	if got, want := Resource(batch), "/$batch · 100 operations"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

const batchBody = "--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n" +
	"--c\r\nContent-Type: application/http\r\n\r\nPOST " + host + "/Orders HTTP/1.1\r\nContent-Type: application/json\r\n\r\n" + `{"PartitionKey":"p","RowKey":"1"}` + "\r\n" +
	"--c\r\nContent-Type: application/http\r\n\r\nMERGE " + host + "/Orders(PartitionKey='p',RowKey='2') HTTP/1.1\r\nIf-Match: *\r\nContent-Type: application/json\r\n\r\n{\"A\":1}\r\n" +
	"--c\r\nContent-Type: application/http\r\n\r\nDELETE " + host + "/Orders(PartitionKey='p',RowKey='3') HTTP/1.1\r\nIf-Match: *\r\n\r\n\r\n--c--\r\n--b--\r\n"

func batchDetail(body, answer string) control.RecordedDetail {
	return control.RecordedDetail{Recorded: recorded("POST", host+"/$batch", Transaction), RequestBody: &body, ResponseBody: &answer,
		RequestHeaders:  map[string]string{"Content-Type": "multipart/mixed; boundary=b"},
		ResponseHeaders: map[string]string{"Content-Type": "multipart/mixed; boundary=r"}}
}

func TestPartsOfABatch(t *testing.T) {
	parts, err := Parts(batchDetail(batchBody, ""))
	if err != nil {
		t.Fatal(err)
	}
	want := []struct{ operation, label string }{{InsertEntity, "Orders p / 1"}, {MergeEntity, "Orders p / 2"}, {DeleteEntity, "Orders p / 3"}}
	if len(parts) != len(want) {
		t.Fatalf("got %d parts, want %d", len(parts), len(want))
	}
	for i, w := range want {
		if parts[i].Call.Operation != w.operation || parts[i].Label() != w.label {
			t.Errorf("part %d is %q of %q, want %+v", i, parts[i].Call.Operation, parts[i].Label(), w)
		}
	}
}

// TestPartsAsTheServiceReadsThem: targets may be paths with the account or without it, and
// X-HTTP-Method says what a POST means.
func TestPartsAsTheServiceReadsThem(t *testing.T) {
	const service = "http://127.0.0.1:10002/shop"
	for _, target := range []string{service + "/Orders(PartitionKey='p',RowKey='1')", "/shop/Orders(PartitionKey='p',RowKey='1')", "/Orders(PartitionKey='p',RowKey='1')"} {
		body := "--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\nContent-Type: application/http\r\n\r\nPOST " + target +
			" HTTP/1.1\r\nX-HTTP-Method: MERGE\r\nIf-Match: *\r\nContent-Type: application/json\r\n\r\n{}\r\n--c--\r\n--b--\r\n"
		d := batchDetail(body, "")
		d.URL, d.Account = service+"/$batch", "shop"
		parts, err := Parts(d)
		if err != nil {
			t.Fatal(err)
		}
		c := parts[0].Call
		if c.Method != "MERGE" || c.Operation != MergeEntity || parts[0].Label() != "Orders p / 1" || c.Service != service {
			t.Errorf("%s: %s, %q of %q at %s", target, c.Method, c.Operation, parts[0].Label(), c.Service)
		}
	}
}

// TestRefusedBatch: the only answer is about the operation whose number is in its message.
func TestRefusedBatch(t *testing.T) {
	answer := "--r\r\nContent-Type: multipart/mixed; boundary=s\r\n\r\n--s\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n" +
		"HTTP/1.1 409 Conflict\r\nContent-Type: application/json\r\n\r\n" +
		`{"odata.error":{"code":"EntityAlreadyExists","message":{"lang":"en-US","value":"1:The specified entity already exists.\nRequestId:x"}}}` + "\r\n--s--\r\n--r--\r\n"
	parts, err := Parts(batchDetail(batchBody, answer))
	if err != nil {
		t.Fatal(err)
	}
	if parts[1].Status != 409 || parts[1].Code != "EntityAlreadyExists" || parts[0].Status != 0 {
		t.Errorf("%+v", parts)
	}
	if _, err := Parts(func() control.RecordedDetail {
		d := batchDetail(batchBody[:200], "")
		d.Truncated = true
		return d
	}()); !errors.Is(err, ErrTruncated) {
		t.Errorf("a truncated batch: %v", err)
	}
}

func TestTree(t *testing.T) {
	root, err := Tree("PartitionKey eq 'EU' and (Age ge 21L or not Active)")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := outline(root), `all of(PartitionKey is "EU" String; any of(Age is at least 21 Int64; not(Active is true Boolean)))`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var syntax *filter.SyntaxError
	if _, err := Tree("Age qe 21"); !errors.As(err, &syntax) {
		t.Errorf("got %v, want a syntax error", err)
	}
}

func outline(n Node) string {
	if n.Group == "" {
		return n.Property + " " + n.Operator + " " + n.Value + " " + n.Type
	}
	var parts []string
	for _, part := range n.Parts {
		parts = append(parts, outline(part))
	}
	return n.Group + "(" + strings.Join(parts, "; ") + ")"
}

func TestCompareMarksTheFirstDifference(t *testing.T) {
	tests := []struct{ name, signed, expected, left, right string }{
		{"a table's name", "r\n/table/a/Sensors\n\n", "r\n/table/a/sensors\n\n", "1:/table/a/[Sensors]", "1:/table/a/[sensors]"},
		{"a missing account", "d\n/Tables", "d\n/a/Tables", "1:/[]Tables", "1:/[a/]Tables"},
		{"a missing line", "d", "d\nx", "", "1:[x]"},
		{"letters of several bytes", "é", "è", "0:[é]", "0:[è]"},
		{"equal", "d\nx", "d\nx", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			left, right := Compare(test.signed, test.expected)
			if marked(left) != test.left || marked(right) != test.right {
				t.Errorf("got %q and %q, want %q and %q", marked(left), marked(right), test.left, test.right)
			}
		})
	}
}

func marked(lines []Line) string {
	for i, l := range lines {
		if l.Differs {
			return string(rune('0'+i)) + ":" + l.Before + "[" + l.Marked + "]" + l.After
		}
	}
	return ""
}

func TestWhat(t *testing.T) {
	tests := []struct {
		want    string
		request control.Recorded
	}{
		{"table scan", control.Recorded{Status: 200, Operation: QueryEntities, Statistics: &control.Statistics{Kind: "table scan"}}},
		{"transaction", control.Recorded{Status: 202, Method: "POST", Operation: Transaction}},
		{"signature", control.Recorded{Status: 403, Code: "AuthenticationFailed"}},
		{"stale ETag", control.Recorded{Status: 412, Code: "UpdateConditionNotSatisfied"}},
		{"TableAlreadyExists", control.Recorded{Status: 409, Code: "TableAlreadyExists"}},
		{"policies", control.Recorded{Status: 204, Operation: "Set Table ACL"}},
		{"create table", control.Recorded{Status: 201, Operation: CreateTable}},
		{"preflight", control.Recorded{Status: 200, Method: "OPTIONS"}},
		{"", control.Recorded{Status: 200}},
	}
	for _, test := range tests {
		if got := What(test.request); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

func TestMatches(t *testing.T) {
	r := control.Recorded{Method: "POST", Status: 404, Code: "TableNotFound", Account: "classroom", URL: "https://classroom.table.core.windows.net/Orders", Operation: InsertEntity}
	for search, want := range map[string]bool{
		"": true, "orders": true, "ORD insert": true, "orders customers": false, "table:orders": true, "table:cust": false,
		"status:4": true, "status:2": false, "method:post": true, "account:class": true, "code:TableNot": true, "eq:1": false,
	} {
		if got := Matches(r, search); got != want {
			t.Errorf("%q: got %v, want %v", search, got, want)
		}
	}
}

// TestTableOfATransaction: its address names none, but the endpoint does.
func TestTableOfATransaction(t *testing.T) {
	var r control.Recorded
	if err := json.Unmarshal([]byte(`{"method":"POST","url":"`+host+`/$batch","table":"orders"}`), &r); err != nil {
		t.Fatal(err)
	}
	if !Matches(r, "table:Orders") || Matches(r, "table:Customers") {
		t.Error("the search for a table does not find its transactions")
	}
}

func TestWhy(t *testing.T) {
	detail := func(status int, code, reason string, change func(*control.RecordedDetail)) control.RecordedDetail {
		d := control.RecordedDetail{Recorded: control.Recorded{Status: status, Code: code, Reason: reason, URL: host + "/T"}, RequestHeaders: map[string]string{"If-Match": `W/"x"`}}
		change(&d)
		return d
	}
	nothing := func(*control.RecordedDetail) {}
	tests := []struct {
		name            string
		d               control.RecordedDetail
		title, text, do string
	}{
		{"a mistake", detail(403, "AuthenticationFailed", "authentication failed: the table's name must be in lower case", func(d *control.RecordedDetail) { d.Signed, d.StringToSign = "a", "b" }),
			"The table's name must be in lower case.", "", "Sign the string"},
		{"another key", detail(403, "AuthenticationFailed", "…", func(d *control.RecordedDetail) { d.StringToSign = "b" }), "The signature is not", "probably wrong", "regenerated"},
		{"stale", detail(412, "UpdateConditionNotSatisfied", "", nothing), "has changed", `W/"x"`, "new ETag"},
		{"expired", detail(403, "AuthenticationFailed", "authentication failed: the SAS has expired", nothing), "do not hold", "The SAS has expired.", "key"},
		{"filter", detail(400, "InvalidInput", "syntax", func(d *control.RecordedDetail) { d.URL += "()?$filter=Age%20gte%2021" }), "Column 5 of the filter: gte is not an operator.", "Syntax.", "Write ge there."},
		{"unfinished filter", detail(400, "InvalidInput", "syntax", func(d *control.RecordedDetail) { d.URL += "()?$filter=Age%20ge" }), "A value is missing after ge.", "Syntax.", ""},
		{"unknown", detail(418, "Teapot", "short and stout", nothing), "Teapot", "Short and stout.", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := Why(test.d)
			if !strings.Contains(got.Title, test.title) || !strings.Contains(got.Text, test.text) || !strings.Contains(got.Do, test.do) || got.Link == "" {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestAllows(t *testing.T) {
	c := CallOf(control.RecordedDetail{Recorded: recorded("GET", host+"/S()?sv=2019-02-02&sp=rd&tn=Sensors&se=2026-12-20T00:00:00Z&spr=https&sig=x", "")})
	if got, want := Allows(c), "query, delete in the table Sensors, until 2026-12-20T00:00:00Z, over HTTPS only, from any address"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	c = CallOf(control.RecordedDetail{Recorded: recorded("GET", host+"/S()?sv=2019-02-02&sp=r&tn=S&si=p&spk=a&srk=1&epk=b&erk=9&sig=x", "")})
	if got, want := Allows(c), "query in the table S, under the policy p, from partition a, row 1, up to partition b, row 9, from any address"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Allows(Call{}); got != "" {
		t.Errorf("without a token: %q", got)
	}
}

func TestPercentile(t *testing.T) {
	if got := Percentile([]float64{1, 2, 3, 4}, .5); got != 3 {
		t.Errorf("got %v", got)
	}
	if got := Percentile(nil, .5); got != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

func TestSender(t *testing.T) {
	for _, test := range []struct{ name, value, want string }{
		{"User-Agent", "Mozilla/5.0 (X11) Chrome/140", "a page"}, {"x-ms-useragent", "azsdk-js-data-tables/13.3.2 core-rest", "azsdk-js-data-tables/13.3.2"},
		{"Accept", "x", ""},
	} {
		if got := Sender(client.Header{{Name: test.name, Value: test.value}}); got != test.want {
			t.Errorf("%s: got %q, want %q", test.value, got, test.want)
		}
	}
}
