package control_test

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/server"
	"sandtable/server/auth"
	"sandtable/server/control"
	"sandtable/server/control/journal"
	"sandtable/server/message"
	"sandtable/server/servertest"
)

// recorded is a request as listed by GET requests.
type recorded struct {
	ID                              int
	Time                            time.Time
	Milliseconds                    float64
	Method, URL, Operation, Account string
	Status                          int
	Code, RequestID, Reason         string
	Table                           string
	Partition                       *string
	ClientRequestID, Label, Source  string
	Operations                      []struct{ Operation, RowKey string }
	Statistics                      *struct {
		Kind                                   string
		Blocks, Partitions, Examined, Returned int
	}
	RequestHeaders, ResponseHeaders map[string]string
	RequestBody, ResponseBody       *string
	Truncated                       bool
	StringToSign, Signed            string
}

func (f *fixture) recorded(query string) []recorded {
	f.Helper()
	var answer struct {
		Instance string
		Requests []recorded
	}
	f.control("GET", "requests"+query, "").decode(&answer)
	if answer.Instance == "" {
		f.Error("the response does not name its run")
	}
	return answer.Requests
}

// Later pages are written into the memory of earlier ones.
func TestRecordedBodyOutlivesLaterPages(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	for _, key := range []string{"first", "second"} {
		f.insert("things", `{"PartitionKey":"`+key+`","RowKey":"r"}`)
	}
	for _, key := range []string{"first", "second", "second", "second"} {
		f.do("GET", "/things()?$filter=PartitionKey%20eq%20'"+key+"'", "").wantStatus(200)
	}
	if body := *f.recorded("?after=3&limit=4")[0].ResponseBody; !strings.Contains(body, "first") || strings.Contains(body, "second") {
		t.Errorf("the first query is recorded with %s", body)
	}
}

func TestRequests(t *testing.T) {
	f := newFixture(t)
	if got := f.recorded(""); len(got) != 0 {
		t.Errorf("a new handler has recorded %+v", got)
	}
	f.createTable("things")
	f.insert("things", `{"PartitionKey":"p","RowKey":"r","Name":"Amara"}`)
	f.do("GET", "/things()?$filter=PartitionKey%20eq%20'p'", "").wantStatus(200)
	f.do("GET", "/nothing()", "").wantStatus(404)
	got := f.recorded("")
	if len(got) != 4 {
		t.Fatalf("%d requests", len(got))
	}
	insert := got[1]
	if insert.ID != 2 || insert.Method != "POST" || insert.URL != "https://"+testHost+"/things" || insert.Operation != "Insert Entity" ||
		insert.Account != testAccount || insert.Status != 204 || insert.Code != "" || insert.RequestID == "" || !insert.Time.Equal(f.now) ||
		insert.Statistics != nil || *insert.RequestBody != `{"PartitionKey":"p","RowKey":"r","Name":"Amara"}` || *insert.ResponseBody != "" || insert.Truncated {
		t.Errorf("insert %+v", insert)
	}
	if insert.RequestHeaders["x-ms-version"] != testVersion || insert.ResponseHeaders["x-ms-request-id"] != insert.RequestID || insert.ResponseHeaders["ETag"] == "" {
		t.Errorf("headers %v, %v", insert.RequestHeaders, insert.ResponseHeaders)
	}
	query := got[2]
	if query.Table != "things" || query.Partition == nil || *query.Partition != "p" {
		t.Errorf("the query is about %q, %v", query.Table, query.Partition)
	}
	if s := query.Statistics; s == nil || s.Kind != "partition scan" || s.Partitions != 1 || s.Examined != 1 || s.Returned != 1 || !strings.Contains(*query.ResponseBody, "Amara") {
		t.Errorf("query %+v", query)
	}
	if missing := got[3]; missing.Status != 404 || missing.Code != "TableNotFound" && missing.Code != "ResourceNotFound" || missing.Reason == "" || missing.StringToSign != "" {
		t.Errorf("missing %+v", missing)
	}
	if tail := f.recorded("?after=3"); len(tail) != 1 || tail[0].ID != 4 {
		t.Errorf("after 3: %+v", tail)
	}
	if tail := f.recorded("?limit=2"); len(tail) != 2 || tail[0].ID != 3 {
		t.Errorf("the last two: %+v", tail)
	}
	var one recorded
	f.control("GET", "requests/2", "").decode(&one)
	if one.URL != insert.URL || *one.RequestBody != *insert.RequestBody {
		t.Errorf("one %+v", one)
	}
}

func TestRequestsKeptAndCut(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	long := strings.Repeat("x", 20_000)
	f.do("POST", "/things", `{"PartitionKey":"p","RowKey":"r","Long":"`+long+`"}`).wantStatus(201)
	last := f.recorded("?limit=1")[0]
	if !last.Truncated || len(*last.RequestBody) != 16<<10 || len(*last.ResponseBody) != 16<<10 {
		t.Errorf("kept %d and %d bytes, truncated %v", len(*last.RequestBody), len(*last.ResponseBody), last.Truncated)
	}
	for range journal.DefaultLimits.Entries + 10 {
		f.do("GET", "/things()?$top=0", "")
	}
	if got := f.recorded(""); len(got) != journal.DefaultLimits.Entries || got[len(got)-1].ID != 212 {
		t.Errorf("%d requests, the last is %d", len(got), got[len(got)-1].ID)
	}
	f.control("PATCH", "settings", `{"recordBodies":false}`).wantStatus(200)
	f.do("GET", "/things()?$top=0", "")
	if last := f.recorded("?limit=1")[0]; last.ResponseBody != nil || !last.Truncated {
		t.Errorf("without bodies: %+v", last)
	}
}

func TestRequestsOfABatch(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	f.insert("things", `{"PartitionKey":"p","RowKey":"r"}`)
	body := "--b\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n" +
		"GET https://" + testHost + "/things()?$filter=PartitionKey%20eq%20'p' HTTP/1.1\r\nAccept: application/json\r\n\r\n\r\n--b--\r\n"
	f.do("POST", "/$batch", body, "Content-Type: multipart/mixed; boundary=b").wantStatus(202)
	last := f.recorded("?limit=1")[0]
	if last.Operation != "Entity Group Transaction" || *last.RequestBody != body || last.Statistics == nil || last.Statistics.Kind != "partition scan" {
		t.Errorf("%+v", last)
	}
}

// TestRequestsSayWhatToSign: the journal shows the expected string to sign.
func TestRequestsSayWhatToSign(t *testing.T) {
	f := newFixture(t)
	r := httptest.NewRequest("GET", "https://strictaccount.table.core.windows.net/Tables", nil)
	r.Header.Set("x-ms-version", testVersion)
	servertest.Sign(r, "strictaccount", []byte("another key"), f.now)
	f.send(r).wantStatus(403)
	last := f.recorded("")[0]
	if last.StringToSign != "Fri, 20 Nov 2026 18:44:02 GMT\n/strictaccount/Tables" || last.Code != "AuthenticationFailed" || !strings.Contains(last.Reason, "signature") {
		t.Errorf("%+v", last)
	}
	r.Header.Set("x-ms-date", "Fri, 20 Nov 2026 18:44:02 GMT")
	r.Header.Set("Authorization", "SharedKeyLite strictaccount:"+auth.Sign(testKey, "Fri, 20 Nov 2026 18:44:02 GMT\n/Tables"))
	f.send(r).wantStatus(403)
	if mistake := f.recorded("")[1]; mistake.Signed != "Fri, 20 Nov 2026 18:44:02 GMT\n/Tables" || !strings.Contains(mistake.Reason, "account is missing") {
		t.Errorf("%+v", mistake)
	}
	if got := last.RequestHeaders["Authorization"]; got != "SharedKeyLite strictaccount:REDACTED" {
		t.Errorf("Authorization is shown as %q", got)
	}
}

// TestRequestsHaveNoCredentials sends credentials wherever clients put them and
// searches for them in everything that shows requests.
func TestRequestsHaveNoCredentials(t *testing.T) {
	f := newFixtureWith(t, func(o *options) { o.RecordBodies = false })
	shown := make(chan control.Event, 10_000)
	f.handler.Subscribe(func(e control.Event) { shown <- e })
	f.createTable("things")
	q, _ := url.ParseQuery(auth.AccountSAS(testAccount, testKey, f.now.Add(time.Hour)))
	secrets := map[string]string{
		"account key": base64.StdEncoding.EncodeToString(testKey),
		"signature":   q.Get("sig"),
		"bearer":      "eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiJ9.c2VjcmV0",
	}
	sent := 1
	send := func(method, target, body string, headers ...string) {
		f.do(method, target, body, headers...)
		sent++
	}
	for _, secret := range secrets {
		for _, form := range []string{secret, strings.TrimRight(secret, "="), url.QueryEscape(secret), url.QueryEscape(url.QueryEscape(secret))} {
			for _, credentials := range []string{
				"Authorization: SharedKey devstoreaccount1:" + form, "Authorization: SharedKeyLite devstoreaccount1:" + form, "Authorization: Bearer " + form,
				"Authorization: " + form, "Authorization: SharedKey " + form, "Authorization: Basic " + form, "Authorization: " + form + ":" + form,
				"Cookie: a=" + form, "X-Api-Key: " + form, "Referer: https://page.example/?sig=" + form, "Ocp-Apim-Subscription-Key: " + form,
			} {
				send("GET", "/things()", "", credentials)
			}
			for _, query := range []string{"sv=1&sig=", "sv=1&%73ig=", "SIG=", "token=", "access_token=", "code=", "x;sig=", "sv=1;sig=", ""} {
				send("GET", "/things()?"+query+strings.ReplaceAll(form, "+", "%2B"), "")
			}
			send("POST", "/things", `{"PartitionKey":"p","RowKey":"`+fmt.Sprint(sent)+`","Key":"`+form+`","XML":"&amp;#x2b;`+form+`"}`)
			send("POST", "/$batch", "--b\r\n\r\nGET /things()?sig="+form+" HTTP/1.1\r\n\r\n--b--", "Content-Type: multipart/mixed; boundary=b")
		}
	}
	var all strings.Builder
	for _, r := range f.recorded("") {
		all.WriteString(f.control("GET", fmt.Sprint("requests/", r.ID), "").wantStatus(200).body)
	}
	for requests := 0; requests < sent; {
		if e := <-shown; e.Kind == "request" {
			requests++
			all.Write(e.Data)
		}
	}
	decoded := all.String()
	for range 3 { // URL escapes may be nested
		decoded = strings.NewReplacer("%2B", "+", "%2F", "/", "%3D", "=", "%25", "%").Replace(decoded)
	}
	for name, secret := range secrets {
		if i := strings.Index(decoded, secret[:12]); i >= 0 {
			t.Errorf("the %s is in %s", name, decoded[max(0, i-200):min(len(decoded), i+100)])
		}
	}
	if !strings.Contains(decoded, journal.Redacted) {
		t.Error("nothing was redacted")
	}
}

// TestRequestsOfBackslashes: showing a long request takes no longer than showing a
// short one (issue 16 §1.3).
func TestRequestsOfBackslashes(t *testing.T) {
	f := newFixture(t)
	long := strings.Repeat(`\`, 96_000)
	for range 20 {
		f.do("GET", "/things()?$filter="+long+"&sig="+long, "", "X-Odd: "+long, "User-Agent: "+long, "Authorization: SharedKey "+long)
	}
	for _, r := range f.recorded("") {
		if size := len(r.URL) + len(r.RequestHeaders["User-Agent"]) + len(r.Reason); size > 16<<10 {
			t.Errorf("%d bytes are recorded", size)
		}
	}
	if size := len(f.control("GET", "requests", "").body); size > 20*32<<10 {
		t.Errorf("20 requests are shown in %d bytes", size)
	}
}

// TestRequestsShowNamesAsSent: header names keep their case if the platform
// reports it (issue 16 §2.3).
func TestRequestsShowNamesAsSent(t *testing.T) {
	f := newFixture(t)
	header := message.Header{"X-Ms-Version": {testVersion}, "Dataserviceversion": {"3.0"}, "X-Secret": {"s"}}
	for _, raw := range []string{"", "X-MS-Version:" + testVersion + "\ndataServiceVersion:3.0\nx-secret:s"} {
		u, _ := url.Parse("https://" + testHost + "/Tables")
		f.handler.Serve(&whole{header: message.Header{}},
			&message.Request{Method: "GET", URL: u, Host: u.Host, Header: header, RawHeader: raw, Context: t.Context()})
	}
	got := f.recorded("")
	for i, want := range []map[string]string{
		{"x-ms-version": testVersion, "DataServiceVersion": "3.0"}, {"X-MS-Version": testVersion, "dataServiceVersion": "3.0"},
	} {
		if !maps.Equal(got[i].RequestHeaders, want) {
			t.Errorf("got %v, want %v", got[i].RequestHeaders, want)
		}
	}
}

// BenchmarkRecording prints the journal's overhead on a point read.
func BenchmarkRecording(b *testing.B) {
	db, err := engine.Open(new(engine.MemoryStorage), engine.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	err = db.Update(func(tx *engine.Tx) error {
		if err := tx.PutAccount(engine.Account{Name: testAccount, Access: engine.OpenAccess}); err != nil {
			return err
		}
		if err := tx.CreateTable(testAccount, "things"); err != nil {
			return err
		}
		table, err := tx.Table(testAccount, "things")
		if err == nil {
			_, err = table.Insert(odata.Key{PartitionKey: "p", RowKey: "r"}, properties(1))
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	handlers := []message.Handler{server.New(db, server.Options{SameOrigin: "/table"}), control.New(db, server.Options{}, control.Options{RecordBodies: true})}
	u, _ := url.Parse("https://" + testHost + "/things(PartitionKey='p',RowKey='r')")
	r := &message.Request{Method: "GET", URL: u, Host: u.Host, Context: b.Context(), Header: message.Header{
		"Accept": {"application/json;odata=minimalmetadata"}, "Content-Type": {"application/json"}, "X-Ms-Version": {testVersion},
		"X-Ms-Date": {"Fri, 20 Nov 2026 18:44:02 GMT"}, "User-Agent": {"benchmark"}, "X-Ms-Client-Request-Id": {"7"},
	}}
	var took [2]time.Duration
	for b.Loop() {
		for i, h := range handlers { // alternating, because the machine is shared
			began := time.Now()
			for range 20 {
				h.Serve(&whole{header: make(message.Header, 12)}, r)
			}
			took[i] += time.Since(began)
		}
	}
	b.ReportMetric(float64(took[0])/float64(b.N)/20, "ns/without")
	b.ReportMetric(float64(took[1])/float64(b.N)/20, "ns/with")
	b.ReportMetric(float64(took[1])/float64(took[0]), "ratio")
}

// TestRequestsNameTheirClient: a request is found by the client's id, its label, and
// the SDK.
func TestRequestsNameTheirClient(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	f.insert("things", `{"PartitionKey":"p","RowKey":"r"}`)
	f.do("GET", "/things(PartitionKey='p',RowKey='r')", "", "x-ms-client-request-id: 7f1c", "x-sandtable-label: step 2",
		"User-Agent: Mozilla/5.0 (X11)", "x-ms-useragent: azsdk-js-data-tables/13.3.2 core-rest-pipeline/1.22").wantStatus(200)
	f.do("GET", "/things()", "", "User-Agent: Mozilla/5.0 (X11)", "x-sandtable-label: "+strings.Repeat("x", 500)).wantStatus(200)
	got := f.recorded("?after=2")
	if r := got[0]; r.ClientRequestID != "7f1c" || r.Label != "step 2" || r.Source != "azsdk-js-data-tables" || r.RequestHeaders["x-sandtable-label"] != "step 2" {
		t.Errorf("recorded %q, %q, %q", r.ClientRequestID, r.Label, r.Source)
	}
	if s := got[0].Statistics; s == nil || s.Kind != "point" || s.Partitions != 1 || s.Examined != 1 || s.Returned != 1 {
		t.Errorf("statistics of a point read: %+v", s)
	}
	if r := got[1]; r.ClientRequestID != "" || r.Source != "" || len(r.Label) > 140 || r.Partition != nil {
		t.Errorf("recorded %q, %q, a label of %d bytes, partition %v", r.ClientRequestID, r.Source, len(r.Label), r.Partition)
	}
}

func TestRequestsListTheOperationsOfATransaction(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	part := func(line, body string) string {
		return "--c\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n" + line + " HTTP/1.1\r\n" +
			"Content-Type: application/json\r\nAccept: application/json\r\nIf-Match: *\r\n\r\n" + body + "\r\n"
	}
	body := "--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n" +
		part("PUT /things(PartitionKey='p',RowKey='1')", `{"A":1}`) + part("DELETE /things(PartitionKey='p',RowKey='2')", "") + "--c--\r\n--b--\r\n"
	f.insert("things", `{"PartitionKey":"p","RowKey":"1"}`)
	f.insert("things", `{"PartitionKey":"p","RowKey":"2"}`)
	f.do("POST", "/$batch", body, "Content-Type: multipart/mixed; boundary=b").wantStatus(202)
	last := f.recorded("?limit=1")[0]
	if last.Table != "things" || last.Partition == nil || *last.Partition != "p" || len(last.Operations) != 2 ||
		last.Operations[0].Operation != "Update Entity" || last.Operations[0].RowKey != "1" || last.Operations[1].Operation != "Delete Entity" {
		t.Errorf("recorded %q, %v, %+v", last.Table, last.Partition, last.Operations)
	}
}
