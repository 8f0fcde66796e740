package server_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"sandtable/server"
	"sandtable/server/auth"
	"sandtable/server/journal"
)

// recorded is a request as GET requests shows it.
type recorded struct {
	ID                              int
	Time                            time.Time
	Milliseconds                    float64
	Method, URL, Operation, Account string
	Status                          int
	Code, RequestID, Reason         string
	Statistics                      *struct {
		Kind                       string
		Blocks, Examined, Returned int
	}
	RequestHeaders, ResponseHeaders map[string]string
	RequestBody, ResponseBody       *string
	Truncated                       bool
	StringToSign                    string
}

func (f *fixture) recorded(query string) []recorded {
	f.Helper()
	var answer struct {
		Life     string
		Requests []recorded
	}
	f.control("GET", "requests"+query, "").decode(&answer)
	if answer.Life == "" {
		f.Error("the answer does not say which life it is of")
	}
	return answer.Requests
}

func TestRequests(t *testing.T) {
	f := newFixture(t)
	if got := f.recorded(""); len(got) != 0 {
		t.Errorf("a new handler remembers %+v", got)
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
	if insert.RequestHeaders["X-Ms-Version"] != testVersion || insert.ResponseHeaders["x-ms-request-id"] != insert.RequestID || insert.ResponseHeaders["ETag"] == "" {
		t.Errorf("headers %v, %v", insert.RequestHeaders, insert.ResponseHeaders)
	}
	query := got[2]
	if s := query.Statistics; s == nil || s.Kind != "partition scan" || s.Examined != 1 || s.Returned != 1 || !strings.Contains(*query.ResponseBody, "Amara") {
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

// TestRequestsSayWhatToSign: a learner sees what the signature should have
// been of.
func TestRequestsSayWhatToSign(t *testing.T) {
	f := newFixture(t)
	r := httptest.NewRequest("GET", "https://strictaccount.table.core.windows.net/Tables", nil)
	r.Header.Set("x-ms-version", testVersion)
	sign(r, "strictaccount", []byte("another key"), f.now)
	f.send(r).wantStatus(403)
	last := f.recorded("")[0]
	if last.StringToSign != "Fri, 20 Nov 2026 18:44:02 GMT\n/strictaccount/Tables" || last.Code != "AuthenticationFailed" || !strings.Contains(last.Reason, "signature") {
		t.Errorf("%+v", last)
	}
	if got := last.RequestHeaders["Authorization"]; got != "SharedKeyLite strictaccount:REDACTED" {
		t.Errorf("Authorization is shown as %q", got)
	}
}

// TestRequestsHaveNoSecrets sends every secret in every place that a request
// has, escaped in every way, and looks for them in all that is told.
func TestRequestsHaveNoSecrets(t *testing.T) {
	f := newFixtureWith(t, func(o *server.Options) { o.ControlToken = controlToken })
	told := make(chan server.Event, 10_000)
	f.handler.Subscribe(func(e server.Event) { told <- e })
	f.createTable("things")
	sas := auth.AccountSAS(testAccount, testKey, f.now.Add(time.Hour))
	q, _ := url.ParseQuery(sas)
	shared := base64.StdEncoding.EncodeToString([]byte("a signature of 32 bytes, which!!"))
	secrets := map[string]string{
		"key":       base64.StdEncoding.EncodeToString(testKey),
		"token":     controlToken,
		"signature": q.Get("sig"),
		"bearer":    "eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiJ9.c2VjcmV0",
		"shared":    shared,
	}
	escapes := map[string]func(string) string{
		"plain": func(s string) string { return s },
		"query": url.QueryEscape,
		"twice": func(s string) string { return url.QueryEscape(url.QueryEscape(s)) },
		"JSON":  func(s string) string { return strings.NewReplacer("/", `\/`, "+", `\u002b`, "=", `\u003D`).Replace(s) },
		"XML": func(s string) string {
			return strings.NewReplacer("+", "&#43;", "/", "&#x2f;", "=", "&#61;").Replace(s)
		},
	}
	sent := 0
	send := func(method, target, body string, headers ...string) {
		f.do(method, target, body, append(headers, "x-ms-client-request-id: "+fmt.Sprint(sent))...)
		sent++
	}
	for _, secret := range secrets {
		// The credentials themselves, good and bad, in the request that has the
		// secret elsewhere, too.
		for _, credentials := range []string{
			"Authorization: SharedKey devstoreaccount1:" + secret, "Authorization: SharedKeyLite devstoreaccount1:" + secret,
			"Authorization: Bearer " + secret, "Authorization: " + secret, "Authorization: SharedKey " + secret, "Authorization: Basic " + secret,
		} {
			send("GET", "/things()", "", credentials)
			send("POST", "/nothing?echo="+url.QueryEscape(secret), `{"PartitionKey":"p","RowKey":"r","Said":"`+secret+`"}`, credentials)
		}
		send("GET", "/things()?sv=1&sig="+url.QueryEscape(secret), "")
		send("GET", "/things()?sv=1&%73ig="+url.QueryEscape(secret)+"&x="+url.QueryEscape(secret), "")
		send("GET", "/things()?token="+url.QueryEscape(secret), "")
		send("GET", "/things()", "", "Cookie: a="+secret, "X-Api-Key: "+secret, "Referer: https://page.example/?sig="+url.QueryEscape(secret))
	}
	// What is known to be a secret, in any place of a request that was signed in
	// another way, or not at all.
	for _, name := range []string{"key", "token"} {
		for _, escape := range escapes {
			text := escape(secrets[name])
			send("POST", "/things", `{"PartitionKey":"p","RowKey":"`+fmt.Sprint(sent)+`","Said":"`+text+`"}`)
			send("GET", "/things()?$filter=Said%20eq%20'"+url.QueryEscape(text)+"'", "")
			send("GET", "/things(PartitionKey='"+url.PathEscape(text)+"',RowKey='r')", "")
			send("GET", "/things()", "", "X-Odd: "+text)
		}
		for cut := range 40 { // a body that is cut within it
			send("POST", "/things", `{"PartitionKey":"p","RowKey":"`+fmt.Sprint(sent)+`","Said":"`+strings.Repeat("x", 16<<10-80+cut)+secrets[name]+`"}`)
		}
	}
	// A signature beside others' requests, as a batch has them.
	for _, escape := range escapes {
		text := escape(secrets["signature"])
		send("POST", "/$batch", "--b\r\n\r\nGET /things()?sv=1&sig="+text+" HTTP/1.1\r\nAuthorization: SharedKey a1b:"+text+"\r\n\r\n--b--", "Content-Type: multipart/mixed; boundary=b")
		send("POST", "/things", `{"PartitionKey":"p","RowKey":"x","Link":"https://a/t?sv=1&sig=`+text+`"}`)
		send("POST", "/things", `{"PartitionKey":"p","RowKey":"x","Link":"AccountName=a;AccountKey=`+text+`;"}`)
		send("POST", "/things?sv=1&sig="+url.QueryEscape(secrets["signature"]), `{"PartitionKey":"p","RowKey":"x","Bare":"`+text+`"}`)
	}

	var all strings.Builder
	f.read(&all, controlToken)
	if n := strings.Count(all.String(), `"requestId"`); n < journal.DefaultLimits.Entries {
		t.Fatalf("%d requests were looked at", n)
	}
	events := 0
	for events < sent {
		e := <-told
		if e.Kind == "request" {
			events++
			all.Write(e.Data)
		}
	}
	text := all.String()
	decoded := decodedFully(text)
	for name, secret := range secrets {
		for _, form := range []string{text, decoded} {
			if i := strings.Index(form, secret); i >= 0 {
				t.Errorf("the %s is in %s", name, form[max(0, i-200):min(len(form), i+100)])
			}
			// Of a cut one, not even the beginning.
			if i := strings.Index(form, secret[:12]); i >= 0 {
				t.Errorf("the beginning of the %s is in %s", name, form[max(0, i-200):min(len(form), i+100)])
			}
		}
	}
	if !strings.Contains(text, journal.Redacted) {
		t.Error("nothing was redacted")
	}
}

// read gathers all requests that the journal has, in all answers that show them.
func (f *fixture) read(all *strings.Builder, token string) {
	f.Helper()
	body := f.control("GET", "requests?token="+token, "").wantStatus(200).body
	all.WriteString(body)
	var answer struct{ Requests []recorded }
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		f.Fatal(err)
	}
	for _, r := range answer.Requests {
		all.WriteString(f.control("GET", fmt.Sprint("requests/", r.ID, "?token=", token), "").wantStatus(200).body)
	}
}

// decodedFully takes escapes of JSON, XML and addresses out, again and again.
func decodedFully(text string) string {
	replace := strings.NewReplacer(`\/`, "/", `\u002b`, "+", `\u003D`, "=", `\u002f`, "/", `\\`, `\`, "&#43;", "+", "&#x2f;", "/", "&#61;", "=",
		"%2B", "+", "%2F", "/", "%3D", "=", "%25", "%", "%5C", `\`, "%26", "&", "%23", "#", "%3B", ";")
	for range 6 {
		text = replace.Replace(text)
	}
	return text
}

// BenchmarkRecording prints what the journal adds to a point read.
func BenchmarkRecording(b *testing.B) {
	var handlers [2]*server.Handler
	for i := range handlers {
		_, db := benchHandler(b, 10_000)
		handlers[i] = server.New(db, server.Options{Control: i == 1})
	}
	r := benchRequest("GET", "/things(PartitionKey='p',RowKey='00004711')", minimal)
	var took [2]time.Duration
	w := &sink{}
	for b.Loop() {
		for i, h := range handlers { // in turns, for the machine is not ours alone
			began := time.Now()
			for range 20 {
				w.header = make(http.Header, 12)
				h.ServeHTTP(w, r)
			}
			took[i] += time.Since(began)
		}
	}
	b.ReportMetric(float64(took[0])/float64(b.N)/20, "ns/without")
	b.ReportMetric(float64(took[1])/float64(b.N)/20, "ns/with")
	b.ReportMetric(float64(took[1])/float64(took[0]), "ratio")
}
