package snippet

import (
	"bytes"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/quick"

	"sandtable/web/control"
	"sandtable/web/inspect"
)

const host = "https://devstoreaccount1.table.core.windows.net"

// allTypes has a value of each type, and a string that is special in every language.
const allTypes = `{"PartitionKey":"it's \"p\" $HOME","RowKey":"r\\1\n","S":"</script>${x}'","I":-5,"L@odata.type":"Edm.Int64","L":"9007199254740993","D":1.5,` +
	`"N@odata.type":"Edm.Double","N":"NaN","B":true,"T@odata.type":"Edm.DateTime","T":"2026-11-20T18:44:02.1234567Z",` +
	`"G@odata.type":"Edm.Guid","G":"a455c695-df98-5678-aaaa-81d3367e5a34","X@odata.type":"Edm.Binary","X":"AP8="}`

func call(method, path, operation, body string, header ...string) inspect.Call {
	fields := map[string]string{"Content-Type": "application/json", "Authorization": "SharedKey devstoreaccount1:REDACTED"}
	for i := 0; i < len(header); i += 2 {
		fields[header[i]] = header[i+1]
	}
	return inspect.CallOf(control.RecordedDetail{Recorded: control.Recorded{Method: method, URL: host + path, Operation: operation, Account: "devstoreaccount1"},
		RequestHeaders: fields, RequestBody: &body})
}

var calls = map[string]inspect.Call{
	"insert":       call("POST", "/Things", inspect.InsertEntity, allTypes),
	"query":        call("GET", "/Things()?$filter=A%20eq%20'it''s'&$select=A,B&$top=5&sv=1&sig=REDACTED", inspect.QueryEntities, ""),
	"point":        call("GET", "/Things(PartitionKey='p',RowKey='r')", inspect.GetEntity, ""),
	"replace":      call("PUT", "/Things(PartitionKey='p',RowKey='r')", inspect.UpdateEntity, `{"A":1}`, "If-Match", `W/"x"`),
	"merge":        call("MERGE", "/Things(PartitionKey='p',RowKey='r')", inspect.InsertOrMergeEntity, `{"A":1}`),
	"delete":       call("DELETE", "/Things(PartitionKey='p',RowKey='r')", inspect.DeleteEntity, "", "If-Match", `W/"x"`),
	"create table": call("POST", "/Tables", inspect.CreateTable, `{"TableName":"Things"}`),
	"list tables":  call("GET", "/Tables", inspect.QueryTables, ""),
	"some tables":  call("GET", "/Tables?$filter=TableName%20ge%20'T'&$top=5", inspect.QueryTables, ""),
	"selected":     call("GET", "/Things(PartitionKey='p',RowKey='r')?$select=A,B", inspect.GetEntity, ""),
	"quoted":       call("MERGE", "/Things(PartitionKey='it''s',RowKey='r')", inspect.MergeEntity, `{"A":1}`, "If-Match", "*"),
	"whole number": call("POST", "/Things", inspect.InsertEntity, `{"PartitionKey":"p","RowKey":"r","D@odata.type":"Edm.Double","D":2}`),
	"delete table": call("DELETE", "/Tables('Things')", inspect.DeleteTable, ""),
	"policies":     call("GET", "/Things?comp=acl", "Get Table ACL", ""),
}

func language(name string) Language {
	for _, l := range Languages {
		if l.Name == name {
			return l
		}
	}
	panic(name)
}

func TestCodeSaysWhatTheCallDoes(t *testing.T) {
	tests := []struct{ language, call, want string }{
		{"curl", "query", `curl -X GET 'https://devstoreaccount1.table.core.windows.net/Things()?$filter=A%20eq%20'\''it'\'''\''s'\''&$select=A,B&$top=5&'"$TABLES_SAS"`},
		{"curl", "replace", `-H 'If-Match: W/"x"'`},
		{"curl", "policies", `Things?comp=acl&'"$TABLES_SAS"`},
		{"fetch", "replace", `method: "PUT"`},
		{"js", "insert", `L: { type: "Int64"`},
		{"js", "replace", `"Replace", { etag: "W/\"x\"" })`},
		{"js", "query", `queryOptions: { filter: "A eq 'it''s'", select: ["A", "B"] }`},
		{"js", "policies", "Use curl or fetch"},
		{"js", "some tables", `listTables({
  queryOptions: { filter: "TableName ge 'T'" },
}).byPage({ maxPageSize: 5 })`},
		{"js", "selected", `getEntity("p", "r", { queryOptions: { select: ["A", "B"] } })`},
		{"go", "insert", "aztables.EDMInt64(9007199254740993)"},
		{"go", "insert", "map[string]any{\n\t\t\"PartitionKey\": \"it's "}, // in its own fields the SDK doubles quotes
		{"go", "insert", `"N": "NaN",
		"N@odata.type": "Edm.Double",`},
		{"go", "whole number", `"D": 2.0,
		"D@odata.type": "Edm.Double",`},
		{"go", "some tables", `NewListTablesPager(&aztables.ListTablesOptions{Filter: to.Ptr("TableName ge 'T'"), Top: to.Ptr(int32(5))})`},
		{"go", "selected", "Use curl or fetch"},
		{"python", "list tables", "client.list_tables()"},
		{"python", "some tables", `client.query_tables("TableName ge 'T'", results_per_page=5).by_page()`},
		{"python", "selected", `get_entity("p", "r", select=["A", "B"])`},
		{"csharp", "some tables", `await foreach (var page in service.QueryAsync(filter: "TableName ge 'T'", maxPerPage: 5).AsPages())
{
    foreach (var table in page.Values) Console.WriteLine(table.Name);
    break; // one page
}`},
		{"csharp", "list tables", "await foreach (var table in service.QueryAsync()) Console.WriteLine(table.Name);"},
		{"go", "query", "\nif pager.More() {\n"},
		{"go", "list tables", "\nfor pager.More() {\n"},
		{"csharp", "selected", `GetEntityAsync<TableEntity>("p", "r", new[] { "A", "B" })`},
		{"java", "some tables", `listTables(new ListTablesOptions().setFilter("TableName ge 'T'").setTop(5), null, null).iterableByPage().iterator().next().getValue().forEach(`},
		{"java", "selected", `getEntityWithResponse("p", "r", List.of("A", "B"), null, Context.NONE).getValue()`},
		{"java", "replace", `client.updateEntityWithResponse(new TableEntity("p", "r")
    .addProperty("A", 1)
    .addProperty("odata.etag", "W/\"x\""), TableEntityUpdateMode.REPLACE, true, null, Context.NONE);`},
		{"java", "delete", `client.deleteEntityWithResponse(new TableEntity("p", "r")
    .addProperty("odata.etag", "W/\"x\""), true, null, Context.NONE);`},
		{"go", "merge", "UpdateMode: aztables.UpdateModeMerge}"},
		{"go", "delete", `IfMatch: to.Ptr(azcore.ETag("W/\"x\""))`},
		{"python", "insert", `EntityProperty(9007199254740993, EdmType.INT64)`},
		{"python", "replace", "mode=UpdateMode.REPLACE, etag="},
		{"csharp", "insert", "9007199254740993L"},
		{"csharp", "delete", `new ETag("W/\"x\"")`},
		{"java", "merge", "upsertEntityWithResponse("},
		{"java", "create table", `createTable("Things")`},
	}
	for _, test := range tests {
		t.Run(test.language+" "+test.call, func(t *testing.T) {
			got := Write(language(test.language), calls[test.call], nil, "")
			if want := strings.ReplaceAll(test.want, `L: { type`, `"L": { type`); !strings.Contains(got, want) {
				t.Errorf("got\n%s\nwant %s", got, want)
			}
			if strings.Contains(got, "REDACTED") || strings.Contains(got, "Authorization") {
				t.Errorf("credentials in\n%s", got)
			}
		})
	}
}

func TestNativeAddressIsExplained(t *testing.T) {
	const native = "http://127.0.0.1:10002/devstoreaccount1"
	if got := Write(language("go"), calls["point"], nil, native); !strings.Contains(got, "sandtable serve") || !strings.Contains(got, native) || strings.Contains(got, host) {
		t.Errorf("Go: %s", got)
	}
	if got := Write(language("js"), calls["point"], nil, native); strings.Contains(got, native) || !strings.Contains(got, host) {
		t.Errorf("JavaScript: %s", got)
	}
}

func TestTransaction(t *testing.T) {
	parts := []inspect.Part{{Call: calls["insert"]}, {Call: calls["merge"]},
		{Call: call("DELETE", "/Things(PartitionKey='p',RowKey='r')", inspect.DeleteEntity, "", "If-Match", "*")}}
	whole := call("POST", "/$batch", inspect.Transaction, "…")
	for name, want := range map[string]string{
		"js": `["upsert", {`, "go": "aztables.TransactionTypeInsertMerge", "python": `("delete", {`,
		"csharp": "TableTransactionActionType.UpsertMerge", "java": "TableTransactionActionType.UPSERT_MERGE",
	} {
		if got := Write(language(name), whole, parts, ""); !strings.Contains(got, want) {
			t.Errorf("%s: got\n%s\nwant %s", name, got, want)
		}
	}
}

// TestConditionalTransaction: an operation that depends on an ETag does so in code, and keys
// with quotes arrive as they are.
func TestConditionalTransaction(t *testing.T) {
	whole := call("POST", "/$batch", inspect.Transaction, "…")
	for _, c := range []struct{ language, operation, want string }{
		{"js", "replace", `"Replace", { etag: "W/\"x\"" }]`},
		{"js", "delete", "Use curl or fetch"}, // the SDK deletes whatever the tag
		{"go", "replace", `Entity: entity1, IfMatch: to.Ptr(azcore.ETag("W/\"x\""))}`},
		{"go", "delete", `Entity: entity1, IfMatch: to.Ptr(azcore.ETag("W/\"x\""))}`},
		{"go", "quoted", `"PartitionKey": "it''s"`},
		{"go", "insert", `"PartitionKey": "it's `},
		{"python", "replace", `}, {"mode": UpdateMode.REPLACE, "etag": "W/\"x\"", "match_condition": MatchConditions.IfNotModified}),`},
		{"python", "delete", `}, {"etag": "W/\"x\"", "match_condition": MatchConditions.IfNotModified}),`},
		{"python", "delete", "from azure.core import MatchConditions\n"},
		{"csharp", "replace", `}, new ETag("W/\"x\"")),`},
		{"csharp", "delete", `new TableEntity("p", "r"), new ETag("W/\"x\"")),`},
		{"java", "replace", `.addProperty("odata.etag", "W/\"x\""), true)`},
		{"java", "delete", `.addProperty("odata.etag", "W/\"x\""), true)`},
	} {
		t.Run(c.language+" "+c.operation, func(t *testing.T) {
			if got := Write(language(c.language), whole, []inspect.Part{{Call: calls[c.operation]}}, ""); !strings.Contains(got, c.want) {
				t.Errorf("got\n%s\nwant %s", got, c.want)
			}
		})
	}
}

// TestPagesOverHTTP: the SDK for JavaScript sends nothing over http unless it is told to.
func TestPagesOverHTTP(t *testing.T) {
	c := calls["point"]
	c.Service = "http://127.0.0.1:10002/devstoreaccount1"
	if got := Write(language("js"), c, nil, ""); !strings.Contains(got, "new AzureSASCredential(sas), { allowInsecureConnection: true });") {
		t.Errorf("with credentials: %s", got)
	}
	c.Signed = false
	if got := Write(language("js"), c, nil, ""); !strings.Contains(got, `"Things", { allowInsecureConnection: true });`) {
		t.Errorf("without: %s", got)
	}
}

// TestCurlIsOneCommand has a shell read what curl would get, for a body with
// everything that is special to shells.
func TestCurlIsOneCommand(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell on this platform")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "curl"), []byte("#!"+shell+"\nfor a; do printf '%s\\0' \"$a\"; done\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(shell, "-c", Write(language("curl"), calls["insert"], nil, ""))
	command.Env = []string{"PATH=" + dir, "TABLES_SAS=sv=1&sig=a", "HOME=/nowhere"}
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(string(out), "\x00")
	want := []string{"-X", "POST", host + "/Things?sv=1&sig=a", "-H", "Content-Type: application/json", "--data-raw", allTypes, ""}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// TestCurlSendsWhatWasSent: a body that begins with @ is no name of a file, and
// brackets in an address are not a series of requests.
func TestCurlSendsWhatWasSent(t *testing.T) {
	got := Write(language("curl"), call("PUT", "/Things[1-9]", "", "@/etc/passwd"), nil, "")
	if !strings.HasPrefix(got, "curl --globoff -X PUT ") || !strings.Contains(got, "--data-raw '@/etc/passwd'") {
		t.Errorf("got %s", got)
	}
}

// TestStringsStayInTheirLine: C# ends a line at U+0085, Go refuses a byte order mark, and
// marks of direction make code look like other code than it is.
func TestStringsStayInTheirLine(t *testing.T) {
	if got, want := quote("a\"\\\n\r\t\u0085\u2028\ufeff\u202e\x00é😀"), `"a\"\\\n\r\t\u0085\u2028\ufeff\u202e\u0000é😀"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestPythonBytes: a reader of Python's literals gets every value back.
func TestPythonBytes(t *testing.T) {
	check := func(data []byte) bool {
		literal := pyBytes(string(data))
		digits, ok := strings.CutPrefix(strings.ReplaceAll(strings.TrimSuffix(literal, `"`), `\x`, ""), `b"`)
		got, err := hex.DecodeString(digits)
		return ok && err == nil && bytes.Equal(got, data) && strings.Count(literal, `\x`) == len(data)
	}
	for b := range 256 {
		if !check([]byte{byte(b)}) {
			t.Errorf("byte %#x: %s", b, pyBytes(string([]byte{byte(b)})))
		}
	}
	if err := quick.Check(check, nil); err != nil {
		t.Error(err)
	}
}
