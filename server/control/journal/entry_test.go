package journal

import (
	"maps"
	"net/url"
	"strings"
	"testing"
	"unsafe"

	"sandtable/server"
	"sandtable/server/message"
)

func request(t testing.TB, address string, header message.Header) *message.Request {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return &message.Request{Method: "GET", URL: u, Host: "127.0.0.1:10002", Header: header, TLS: u.Scheme == "https"}
}

func TestRecordedURL(t *testing.T) {
	const local = "http://127.0.0.1:10002"
	for _, c := range []struct{ name, url, want string }{
		{"a path", "/first1/Tables", local + "/first1/Tables"},
		{"an escaped path", "https://first1.table.core.windows.net/t('a%2Fb')", "https://first1.table.core.windows.net/t('a%2Fb')"},
		{"a user", "https://user:password@host/t", "https://host/t"},
		{"query options", "/t()?$filter=a%20eq%201&%24top=3&$format=application/json;odata=nometadata", local + "/t()?$filter=a%20eq%201&%24top=3&$format=application/json;odata=nometadata"},
		{"a signature", "/t?sv=1&sig=h2x%2B&se=2", local + "/t?sv=1&sig=REDACTED&se=2"},
		{"its name escaped", "/t?%73ig=abc", local + "/t?%73ig=REDACTED"},
		{"its name in capitals", "/t?SIG=abc", local + "/t?SIG=REDACTED"},
		{"a token", "/t?token=abc", local + "/t?token=REDACTED"},
		{"a semicolon", "/t?sv=1;sig=abc", local + "/t?sv=1;sig=REDACTED"},
		{"no name", "/t?=abc&abc&comp", local + "/t?=REDACTED&REDACTED&comp"},
		{"a long name", "/t?" + strings.Repeat("s", 40) + "==", local + "/t?REDACTED=REDACTED"},
		{"a broken escape", "/t?%zz=abc", local + "/t?%zz=REDACTED"},
		{"an empty query", "/t?", local + "/t"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := address(request(t, c.url, nil)); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestRecordedURLIsBounded(t *testing.T) {
	long := strings.Repeat("a", 1<<20)
	for _, u := range []string{"/" + long, "/t?$filter=" + long, "/t?" + long, "/t?" + strings.Repeat("a&", 1<<19), "/t?$filter=" + strings.Repeat(";", 1<<20)} {
		if got := address(request(t, u, nil)); len(got) > 3*maxURL {
			t.Errorf("%s…: %d bytes are recorded", u[:12], len(got))
		}
	}
}

func TestRecordedHeaders(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	e := NewEntry(&server.Record{Request: request(t, "/t", message.Header{
		"Accept": {"a", "b"}, "Cookie": {"secret"}, "X-Api-Key": {"secret"}, "Referer": {"https://page/?sig=secret"}, "X-Ms-Version": {"2019-02-02"},
		"Authorization": {"SharedKey first1:secret"}, "User-Agent": {long}, "Prefer": make([]string, 100_000),
	})}, false)
	got := map[string]string{}
	for _, f := range e.RequestHeader {
		got[f.Name] = f.Value
	}
	want := map[string]string{
		"Accept": "a, b", "x-ms-version": "2019-02-02", "Authorization": "SharedKey first1:REDACTED",
		"User-Agent": long[:maxField] + "…", "Prefer": strings.Repeat(", ", maxFields-1),
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

func TestRecordedAuthorization(t *testing.T) {
	for value, want := range map[string]string{
		"SharedKey first1:c2VjcmV0":                   "SharedKey first1:REDACTED",
		"sharedkeylite first1:c2VjcmV0":               "sharedkeylite first1:REDACTED",
		"SharedKey c2VjcmV0":                          "SharedKey REDACTED",
		"SharedKey " + strings.Repeat("c", 30) + ":x": "SharedKey REDACTED",
		"Bearer c2VjcmV0":                             "Bearer REDACTED",
		"Basic c2VjcmV0":                              "REDACTED",
		"c2VjcmV0 c2VjcmV0:x":                         "REDACTED",
		"c2VjcmV0":                                    "REDACTED",
		"":                                            "REDACTED",
	} {
		if got := withoutSignature(value); got != want {
			t.Errorf("%q is recorded as %q, want %q", value, got, want)
		}
	}
}

func BenchmarkRecord(b *testing.B) {
	h := message.Header{}
	for _, name := range []string{"Accept", "X-Ms-Version", "X-Ms-Date", "User-Agent", "Authorization", "Dataserviceversion", "X-Ms-Client-Request-Id", "Accept-Encoding"} {
		h[name] = []string{"something"}
	}
	record := &server.Record{
		Request: request(b, "https://first1.table.core.windows.net/things(PartitionKey='p',RowKey='r')", h), ResponseHeader: h,
		ResponseBody: make([]byte, 300),
	}
	r := NewRing(DefaultLimits)
	b.ReportAllocs()
	for b.Loop() {
		r.Add(NewEntry(record, true))
	}
}

// TestEntryKeepsNoMore: a request's line and headers may share one string, of which an
// entry keeps only what it shows.
func TestEntryKeepsNoMore(t *testing.T) {
	head := strings.Repeat(" ", 1<<20) + "GET first1 accept json"
	part := func(text string) string { i := strings.LastIndex(head, text); return head[i : i+len(text)] }
	r := request(t, "/first1/t", message.Header{"Accept": {part("json")}})
	r.Method, r.RawHeader = part("GET"), part("accept")
	e := NewEntry(&server.Record{Request: r, Account: part("first1")}, false)
	for _, kept := range []string{e.Method, e.Account, e.RequestHeader[0].Name, e.RequestHeader[0].Value} {
		if i := strings.LastIndex(head, kept); unsafe.StringData(kept) == unsafe.StringData(head[i:]) {
			t.Errorf("%q keeps %d bytes in memory", kept, len(head))
		}
	}
}
