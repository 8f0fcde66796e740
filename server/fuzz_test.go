package server

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/server/nethttp"
)

// FuzzHandler sends any request to an open account, on Azure Storage and Cosmos DB
// hosts: no panic, no InternalError except the service's own, and a valid status.
func FuzzHandler(f *testing.F) {
	f.Add("GET", "/Tables", "$filter=TableName eq 'a'", "application/json", "")
	f.Add("POST", "/things", "", "application/json", `{"PartitionKey":"p","RowKey":"r","a@odata.type":"Edm.Int64","a":"1"}`)
	f.Add("PUT", "/things(PartitionKey='p',RowKey='r')", "$format=application/json", "application/json", `{"a":null}`)
	f.Add("POST", "/$batch", "", "multipart/mixed; boundary=b",
		"--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\nContent-Type: application/http\r\n\r\nDELETE /things(PartitionKey='p',RowKey='r') HTTP/1.1\r\nAccept: application/json\r\nIf-Match: *\r\n\r\n\r\n--c--\r\n--b--\r\n")
	f.Add("GET", "/things()", "$top=1&NextPartitionKey=1!4!MQ--&NextRowKey=1!0!&$select=a,b", "", "")
	db, err := engine.Open(new(engine.MemoryStorage), engine.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { db.Close() })
	if err := db.Update(func(tx *engine.Tx) error {
		if err := tx.PutAccount(engine.Account{Name: "fuzzaccount", Access: engine.OpenAccess}); err != nil {
			return err
		}
		return tx.CreateTable("fuzzaccount", "things")
	}); err != nil {
		f.Fatal(err)
	}
	var last lastReason
	handler := New(db, Options{SameOrigin: "/table", Observers: []Observer{&last}})
	f.Fuzz(func(t *testing.T, method, path, query, contentType, body string) {
		for _, host := range []string{"fuzzaccount.table.core.windows.net", "fuzzaccount.table.cosmos.azure.com"} {
			r := httptest.NewRequest("GET", "https://"+host+"/", strings.NewReader(body))
			r.Method, r.URL.Path, r.URL.RawPath, r.URL.RawQuery = method, path, path, query
			r.Header = http.Header{"Accept": {"application/json"}, "Content-Type": {contentType}}
			w := httptest.NewRecorder()
			last = ""
			nethttp.Serve(handler, w, r)
			if w.Code < 200 || w.Code > 599 {
				t.Errorf("%s: status %d", host, w.Code)
			}
			if w.Code == 500 && string(last) != errTableFilter.Error() {
				t.Errorf("%s: InternalError: %s", host, last)
			}
		}
	})
}

// FuzzHost sends a request to any host of a store without accounts, natively and on a
// page's origin: no panic, and the answer blames the request.
func FuzzHost(f *testing.F) {
	for _, host := range []string{
		"fuzzaccount.table.core.windows.net", "FUZZACCOUNT-secondary.Table.Cosmos.azure.com:443", "fuzzaccount.localhost",
		"\u023a", "\u023a.table.core.windows.net", "\u0130.\u212a", "[::1]:1", "[", ".", "",
	} {
		f.Add(host, true)
	}
	db, err := engine.Open(new(engine.MemoryStorage), engine.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { db.Close() })
	f.Fuzz(func(t *testing.T, host string, samePage bool) {
		r := httptest.NewRequest("GET", "/fuzzaccount/Tables", nil)
		r.Host = host
		w := httptest.NewRecorder()
		options := Options{}
		if samePage {
			options.SameOrigin = "/table"
		}
		nethttp.Serve(New(db, options), w, r)
		if w.Code < 400 || w.Code >= 500 {
			t.Errorf("status %d", w.Code)
		}
	})
}

// lastReason is the reason why the last request was refused.
type lastReason string

func (l *lastReason) Finished(r *Record) { *l = lastReason(r.Reason) }

func TestTableToken(t *testing.T) {
	created := odata.MinDateTime + 0x1d7caa5dc9d7fab
	if got, want := encodeTableToken("zzzA2", created), "1!32!enp6YTIBMDFkN2NhYTVkYzlkN2ZhYg--"; got != want {
		t.Errorf("table token %s, want %s", got, want)
	}
}
