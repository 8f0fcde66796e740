package playground

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/httpfile"
)

// TestCompile: each request is sent on the line that it has in its file, with
// values that cannot end their literal.
func TestCompile(t *testing.T) {
	list, err := httpfile.Parse("### one\nGET " + origin + "/T?$filter=A eq '</script>'\nAccept: a\"b\n\n### two\nPOST " + origin + "/T\n\n{\"a\": 1}\u2028`${x}`\n")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(compile(list), "\n")
	if len(lines) < 6 || !strings.Contains(lines[1], `send("GET", "`+origin) || !strings.Contains(lines[5], `send("POST", "`+origin+`/T", [], "{\"a\": 1}\u2028`) {
		t.Errorf("the program is\n%s", strings.Join(lines, "\n"))
	}
	if !strings.Contains(lines[1], `[["Accept","a\"b"]]`) {
		t.Errorf("the headers are in %s", lines[1])
	}
	if strings.Contains(sending(), "\n") || strings.Contains(sendScript, "//") {
		t.Error("what comes before has more than one line, or a comment that would end it")
	}
}

func TestHTTPSamplesCanBeRead(t *testing.T) {
	for _, s := range samples {
		if list, err := httpfile.Parse(s.Code); s.HTTP && (err != nil || len(list) < 3) {
			t.Errorf("%s: %d requests, %v", s.Name, len(list), err)
		}
	}
}

func TestAnswers(t *testing.T) {
	lines := []output{
		{Text: `H{"method":"GET","url":"https://playground.table.core.windows.net/T()?$filter=a%20eq%201","status":200,"statusText":"OK","headers":[["etag","W/1"],["x-ms-request-id","7"]],"bytes":9}` + "\n{\"a\":", Line: 3},
		{Text: "B[1,1.50]}"},
		{Text: `H{"status":404,"statusText":""}` + "\n", Line: 9},
		{Text: "Hnot JSON", Line: 12},
		{Text: ""},
	}
	got := answersIn(lines)
	if len(got) != 2 {
		t.Fatalf("%+v", got)
	}
	a, b := got[0], got[1]
	if a.resource() != "/T()?$filter=a eq 1" || a.title() != "200 OK" || a.failed() || a.line != 3 || a.header("x-ms-request-id") != "7" {
		t.Errorf("the first is %+v", a)
	}
	if want := "{\n  \"a\": [\n    1,\n    1.50\n  ]\n}"; a.pretty() != want {
		t.Errorf("pretty: %s", a.pretty())
	}
	if want := "200 OK\netag: W/1\nx-ms-request-id: 7\n\n{\"a\":[1,1.50]}"; a.raw() != want {
		t.Errorf("raw: %s", a.raw())
	}
	if !b.failed() || b.title() != "404 Not Found" || b.line != 9 || b.body != "" {
		t.Errorf("the second is %+v", b)
	}
}

// TestAuthorize: what is signed, and that it can be signed again.
func TestAuthorize(t *testing.T) {
	now := time.Date(2026, 11, 20, 18, 46, 31, 0, time.UTC)
	key := []byte("0123456789abcdef")
	file := "### one\nPUT " + origin + "/T(PartitionKey='a b',RowKey='1')?comp=x\n\n{}\n"
	for range 2 {
		list, err := httpfile.Parse(file)
		if err != nil {
			t.Fatal(err)
		}
		set, text, err := authorize(list[0], "run1", key, now)
		if want := "PUT\n\napplication/json\nFri, 20 Nov 2026 18:46:31 GMT\n/run1/T(PartitionKey='a%20b',RowKey='1')?comp=x"; err != nil || text != want {
			t.Errorf("got %q, %v", text, err)
		}
		file = httpfile.SetHeaders(file, list[0], set)
	}
	want := "### one\nPUT " + origin + "/T(PartitionKey='a b',RowKey='1')?comp=x\nContent-Type: application/json\nx-ms-version: 2019-02-02\n" +
		"x-ms-date: Fri, 20 Nov 2026 18:46:31 GMT\nAuthorization: SharedKey run1:"
	if !strings.HasPrefix(file, want) || strings.Count(file, "Authorization") != 1 {
		t.Errorf("the file is\n%s", file)
	}
	list, _ := httpfile.Parse("GET https://other.table.core.windows.net/Tables")
	if _, _, err := authorize(list[0], "run1", key, now); !errors.Is(err, errForeign) {
		t.Errorf("another host: %v", err)
	}
}

func TestRowsOfAnAnswer(t *testing.T) {
	list, columns, ok := answer{body: `{"odata.metadata":"x","value":[{"odata.etag":"e","RowKey":"1","PartitionKey":"p","n@odata.type":"Edm.Int64","n":"7"},{"RowKey":"2","PartitionKey":"p","a":true}]}`}.rows()
	if !ok || len(list) != 2 || strings.Join(columns, " ") != "PartitionKey RowKey a n" {
		t.Errorf("got %v, %v, %v", list, columns, ok)
	}
	for _, body := range []string{"", "<xml/>", `{"TableName":"T"}`, `{"value":7}`, `{"value":["a"]}`} {
		if _, _, ok := (answer{body: body}).rows(); ok {
			t.Errorf("%s has rows", body)
		}
	}
}

// TestNullOfAnAnswer: with $select, the service answers null for a property that an
// entity lacks.
func TestNullOfAnAnswer(t *testing.T) {
	list, columns, _ := answer{body: `{"value":[{"a":1,"b":null},{"a":null,"b":""}]}`}.rows()
	got := app.HTMLString(drawRows(list, columns))
	if n := strings.Count(got, "–"); n != 2 || strings.Count(got, `"num is-number"`) != 1 {
		t.Errorf("%d values are absent in %s", n, got)
	}
}

// TestColouredJSON: names have no colour, and no character is lost or markup.
func TestColouredJSON(t *testing.T) {
	text := "{\n  \"a\": \"x: \\\" <b>\",\n  \"b\": [-1.5e+3, true, null]\n}"
	got := app.HTMLString(app.Pre().Body(colouredJSON(text)...))
	for _, want := range []string{`&#34;a&#34;: `, `"is-string">`, `&lt;b&gt;`, `"is-number">`, "-1.5e+3", `"is-boolean">`, `"is-none">`} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %s", want, got)
		}
	}
	if many := colouredJSON(strings.Repeat("1 ", 5*colouredValues)); len(many) > 2*colouredValues+1 {
		t.Errorf("%d elements", len(many))
	}
	for _, text := range []string{"", `"`, `"a\`, "é<xml>", "tru"} {
		if got := app.HTMLString(app.Pre().Body(colouredJSON(text)...)); !strings.Contains(got, strings.NewReplacer(`"`, "&#34;", "<", "&lt;", ">", "&gt;").Replace(text)) {
			t.Errorf("%q is %s", text, got)
		}
	}
}
