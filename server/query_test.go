package server_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"sandtable/server"
	"sandtable/server/nethttp"
)

func TestQueryEntities(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	for i, pk := range []string{"a", "a", "b", "c"} {
		f.insert("things", fmt.Sprintf(`{"PartitionKey":"%s","RowKey":"%d","n":%d,"even":%v}`, pk, i, i, i%2 == 0))
	}
	f.insert("things", `{"PartitionKey":"z","RowKey":"other"}`)
	for _, c := range []struct{ name, filter, want string }{
		{"all, in key order", "", "0 1 2 3 other"},
		{"a partition", "PartitionKey eq 'a'", "0 1"},
		{"a point", "PartitionKey eq 'a' and RowKey eq '1'", "1"},
		{"a missing point", "PartitionKey eq 'a' and RowKey eq '7'", ""},
		{"a range of partitions", "PartitionKey ge 'b' and PartitionKey lt 'd'", "2 3"},
		{"a constant on the left", "2 le n", "2 3"},
		{"and before or", "PartitionKey eq 'a' and RowKey eq '0' or n eq 3", "0 3"},
		{"a bare boolean", "even", "0 2"},
		{"not matches entities without the property", "not (n eq 1)", "0 2 3 other"},
		{"ne does not", "n ne 1", "0 2 3"},
		{"another type", "n eq '1'", ""},
		{"by timestamp", "Timestamp gt datetime'2000-01-01T00:00:00Z'", "0 1 2 3 other"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &fixture{T: t, handler: f.handler}
			for _, path := range []string{"/things", "/things()"} {
				if got := f.do("GET", path+"?$filter="+url.QueryEscape(c.filter), "").rowKeys(); got != c.want {
					t.Errorf("%s: got %q, want %q", path, got, c.want)
				}
			}
		})
	}
}

func TestQueryEntitiesRefused(t *testing.T) {
	const notImplemented = "The requested operation is not implemented on the specified resource."
	for _, c := range []struct {
		name, query   string
		status        int
		code, message string
	}{
		{"syntax", "$filter=" + url.QueryEscape("property1 eq 1'invalid'"), 400, "InvalidInput", "Syntax error at position 23 in 'property1 eq 1'invalid''."},
		{"types", "$filter=" + url.QueryEscape("(PartitionKey ) and (RowKey ge 'x')"), 400, "InvalidInput",
			"A binary operator with incompatible types was detected. Found operand types 'Edm.String' and 'Edm.Boolean' for operator kind 'And'."},
		{"a function", "$filter=" + url.QueryEscape("startswith(a,'x')"), 501, "NotImplemented", notImplemented},
		{"two properties", "$filter=" + url.QueryEscape("a eq b"), 501, "NotImplemented", notImplemented},
		{"an option", "$skip=3", 501, "NotImplemented", notImplemented},
		{"top", "$top=1001", 400, "InvalidInput", textInputs},
		{"an empty row key", "NextPartitionKey=1!4!MQ--&NextRowKey=", 400, "InvalidInput", textInputs},
		{"an empty row key alone", "NextRowKey=", 400, "InvalidInput", textInputs},
		{"a broken escape", "$filter=%zz", 400, "InvalidInput", "Bad Request - Error in query syntax."},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.createTable("things")
			f.do("GET", "/things?"+c.query, "").wantError(c.status, c.code, c.message).wantHeader("Cache-Control", cacheControlOf(c.status))
		})
	}
}

func TestQueryPages(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	const count = 2501
	insertMany(f, count)
	for _, c := range []struct {
		name, query string
		pages       string
		total       int
	}{
		{"a thousand a page", "", "1000 1000 501", count},
		{"exact at the end", "$filter=" + url.QueryEscape("RowKey lt '02000'"), "1000 1000", 2000},
		{"top is for a page", "$top=900", "900 900 701", count},
		{"one page", "$top=1000&$filter=" + url.QueryEscape("n lt 1000"), "1000", 1000},
		{"sparse", "$top=2&$filter=" + url.QueryEscape("n eq 5 or n eq 1500 or n eq 2500"), "2 1", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &fixture{T: t, handler: f.handler}
			pages, keys := readPages(f, "/things?"+c.query)
			if pages != c.pages || len(keys) != c.total {
				t.Errorf("%d in pages of %s, want %d in %s", len(keys), pages, c.total, c.pages)
			}
			for i := 1; i < len(keys); i++ {
				if keys[i-1] >= keys[i] {
					t.Fatalf("%s before %s", keys[i-1], keys[i])
				}
			}
		})
	}
}

// insertMany inserts n entities in batches of 100.
func insertMany(f *fixture, n int) {
	f.Helper()
	for i := 0; i < n; i += 100 {
		var operations []string
		for j := i; j < min(i+100, n); j++ {
			operations = append(operations, insertPart("things", fmt.Sprintf(`{"PartitionKey":"p","RowKey":"%05d","n":%d}`, j, j)))
		}
		f.batch(operations...).wantStatus(202)
	}
}

// readPages follows the continuations and returns the pages' sizes and all row keys.
func readPages(f *fixture, target string) (sizes string, keys []string) {
	f.Helper()
	next := ""
	var counts []string
	for {
		r := f.do("GET", target+next, "")
		page := strings.Fields(r.rowKeys())
		counts = append(counts, fmt.Sprint(len(page)))
		keys = append(keys, page...)
		pk, rk := r.header.Get("x-ms-continuation-NextPartitionKey"), r.header.Get("x-ms-continuation-NextRowKey")
		if pk == "" {
			return strings.Join(counts, " "), keys
		}
		next = "&NextPartitionKey=" + url.QueryEscape(pk) + "&NextRowKey=" + url.QueryEscape(rk)
	}
}

func TestContinuationOfADeletedKey(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	insertMany(f, 5)
	r := f.do("GET", "/things?$top=2", "")
	r.wantHeader("x-ms-continuation-NextPartitionKey", "1!4!cA--").wantHeader("x-ms-continuation-NextRowKey", "1!8!MDAwMDI-")
	f.do("DELETE", "/things(PartitionKey='p',RowKey='00002')", "", "If-Match: *").wantStatus(204)
	if got := f.do("GET", "/things?NextPartitionKey=1!4!cA--&NextRowKey=1!8!MDAwMDI-", "").rowKeys(); got != "00003 00004" {
		t.Errorf("got %s", got)
	}
	if got := f.do("GET", "/things?NextPartitionKey=1!4!cA--", "").rowKeys(); got != "00000 00001 00003 00004" {
		t.Errorf("without a row key: got %s", got)
	}
}

func TestSelect(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	f.insert("things", `{"PartitionKey":"p","RowKey":"r","a":1,"b":"2"}`)
	const no = "Accept: application/json;odata=nometadata"
	f.do("GET", "/things?$select=b,x", "", no).wantBody(`{"value":[{"b":"2","x":null}]}`)
	f.do("GET", "/things?$select=RowKey,%20a", "", no).wantBody(`{"value":[{"RowKey":"r","a":1}]}`)
	f.do("GET", "/things?$select=_a", "", no).wantBody(`{"value":[{"_a":null}]}`)
	f.do("GET", "/things?$select=a,", "", no).wantBody(`{"value":[{"a":1}]}`)
	for _, empty := range []string{"", "%20"} {
		if got := f.do("GET", "/things?$select="+empty, "").members(); got["odata.metadata"] != "https://"+testHost+"/$metadata#things&$select=" ||
			got["value"].([]any)[0].(map[string]any)["a"] != 1.0 {
			t.Errorf("$select=%s: %v", empty, got)
		}
	}
}

func TestSelectOnOneEntity(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	etag := f.insert("things", `{"PartitionKey":"p","RowKey":"r","age":1,"sex":"male"}`)
	f.do("GET", "/things(PartitionKey='p',RowKey='r')?$select=age,sex,xyz", "").wantHeader("ETag", etag).
		wantBody(`{"odata.metadata":"https://` + testHost + `/$metadata#things/@Element&$select=age,sex,xyz","odata.etag":"` +
			strings.ReplaceAll(etag, `"`, `\"`) + `","age":1,"sex":"male","xyz":null}`)
	f.do("GET", "/things(PartitionKey='p',RowKey='r')?$orderby=age", "").wantStatus(501)
}

func TestSelectRefuses(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	for _, c := range []struct{ name, selected, position string }{
		{"a list", "['age,%20sex']", "0"},
		{"a number", "age,%2012", "5"},
		{"nothing between commas", "é,,age", "2"},
		{"a comma alone", ",", "0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f.do("GET", "/things?$select="+c.selected, "").wantHeader("Cache-Control", "").
				wantError(400, "InvalidInput", "An identifier was expected at position "+c.position+".")
		})
	}
}

func TestTopZero(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	f.insert("things", `{"PartitionKey":"p","RowKey":"r"}`)
	for _, query := range []string{"/things?$top=0", "/Tables?$top=0"} {
		f.do("GET", query, "", "Accept: application/json;odata=nometadata").wantStatus(200).wantBody(`{"value":[]}`).
			wantHeader("x-ms-continuation-NextPartitionKey", "").wantHeader("x-ms-continuation-NextTableName", "")
	}
}

func TestExplain(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	insertMany(f, 10)
	r := f.do("GET", "/things?$filter="+url.QueryEscape("PartitionKey eq 'p' and RowKey ge '00004' and n lt 8"), "", "x-sandtable-explain: 1")
	// The number of blocks depends on what is in memory.
	explained := r.wantStatus(200).header.Get("x-sandtable-explain")
	if !strings.HasPrefix(explained, "kind=row range;blocks=") || !strings.HasSuffix(explained, ";examined=6;returned=4") {
		t.Errorf("got %s", explained)
	}
	f.do("GET", "/things", "").wantHeader("x-sandtable-explain", "")
}

// TestQueryTime: after five seconds a query returns its results so far, possibly
// none, and a continuation.
func TestQueryTime(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	insertMany(f, 1000)
	slow := f.newHandler(server.Options{Now: func() time.Time {
		f.now = f.now.Add(3 * time.Second)
		return f.now
	}})
	fast := f.handler
	f.handler = slow
	target := "/things?$filter=" + url.QueryEscape("n eq 999")
	r := f.do("GET", target, "")
	if got := r.rowKeys(); got != "" {
		t.Errorf("an incomplete page has %s", got)
	}
	pk, rk := r.header.Get("x-ms-continuation-NextPartitionKey"), r.header.Get("x-ms-continuation-NextRowKey")
	if pk == "" || rk == "" {
		t.Fatalf("no continuation in %v", r.header)
	}
	f.handler = fast
	rest := f.do("GET", target+"&NextPartitionKey="+url.QueryEscape(pk)+"&NextRowKey="+url.QueryEscape(rk), "")
	if got := rest.rowKeys(); got != "00999" {
		t.Errorf("the next page has %q", got)
	}
}

// TestLargePage: a page of large entities ends long before the thousandth, and all
// pages together contain every entity once.
func TestLargePage(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	large := strings.Repeat("x", 30_000)
	for i := range 40 {
		f.insert("things", fmt.Sprintf(`{"PartitionKey":"p","RowKey":"%02d","a":%q,"b":%q,"c":%q,"d":%q}`, i, large, large, large, large))
	}
	found, next := 0, ""
	for pages := 0; ; pages++ {
		r := f.do("GET", "/things?"+next, "")
		found += len(strings.Fields(r.rowKeys()))
		if n := len(r.body); n > 5<<20 {
			t.Errorf("page %d has %d bytes", pages, n)
		}
		pk, rk := r.header.Get("x-ms-continuation-NextPartitionKey"), r.header.Get("x-ms-continuation-NextRowKey")
		if pk == "" {
			if pages == 0 {
				t.Error("a single page")
			}
			break
		}
		next = "NextPartitionKey=" + url.QueryEscape(pk) + "&NextRowKey=" + url.QueryEscape(rk)
	}
	if found != 40 {
		t.Errorf("the pages have %d entities, want 40", found)
	}
}

// heldWriter keeps what it could not write, as HTTP/2 does for a moment when a client
// resets its stream.
type heldWriter struct {
	httptest.ResponseRecorder
	held []byte
}

func (w *heldWriter) Write(b []byte) (int, error) {
	w.held = b
	return 0, errors.New("the stream is closed")
}

// TestUnwrittenPageIsNotReused: a page that could not be written may still be read.
func TestUnwrittenPageIsNotReused(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	for _, key := range []string{"first", "second"} {
		f.insert("things", `{"PartitionKey":"`+key+`","RowKey":"r"}`)
	}
	target := "https://" + testHost + "/things()?$filter=PartitionKey%20eq%20'"
	r := httptest.NewRequest("GET", target+"first'", nil)
	r.Header.Set("x-ms-version", testVersion)
	r.Header.Set("Accept", "application/json")
	var w heldWriter
	nethttp.Serve(f.handler, &w, r)
	for range 3 {
		f.do("GET", target+"second'", "").wantStatus(200)
	}
	if !bytes.Contains(w.held, []byte("first")) || bytes.Contains(w.held, []byte("second")) {
		t.Errorf("the writer holds %s", w.held)
	}
}

// The live suite of the client fast-azure-storage filters single entities.
func TestGetEntityFiltered(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	f.insert("things", `{"PartitionKey":"pk","RowKey":"rk","a":"x"}`)
	for _, c := range []struct {
		filter, code string
		status       int
	}{
		{"a eq 'x'", "", 200},
		{"", "", 200},
		{"a eq 'y'", "ResourceNotFound", 404},
		{"b eq 'x'", "ResourceNotFound", 404},
		{"a eq", "InvalidInput", 400},
	} {
		r := f.do("GET", "/things(PartitionKey='pk',RowKey='rk')?$filter="+url.QueryEscape(c.filter), "").wantStatus(c.status)
		if c.code != "" {
			r.wantParts(c.code)
		}
	}
}
