//go:build !js

package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"sandtable/odata"
	"sandtable/odata/payload"
)

// endpoint starts a server with one handler and returns a client of it. The
// handler's requests are noted as "METHOD uri | body".
func endpoint(t *testing.T, h http.HandlerFunc) (*Client, *[]string) {
	t.Helper()
	var seen []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		seen = append(seen, strings.TrimSuffix(r.Method+" "+r.URL.RequestURI()+" | "+string(body), " | "))
		h(w, r)
	}))
	t.Cleanup(server.Close)
	return &Client{Base: server.URL + "/table/acc", Transport: DefaultTransport()}, &seen
}

func wantSeen(t *testing.T, seen []string, want ...string) {
	t.Helper()
	if !slices.Equal(seen, want) {
		t.Errorf("requests:\n%s\nwant:\n%s", strings.Join(seen, "\n"), strings.Join(want, "\n"))
	}
}

func TestTablesReadsAllPages(t *testing.T) {
	c, seen := endpoint(t, func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("NextTableName") == "" {
			w.Header().Set("x-ms-continuation-NextTableName", "1!4!Yg--")
			io.WriteString(w, `{"value":[{"TableName":"aaa"}]}`)
			return
		}
		io.WriteString(w, `{"value":[{"TableName":"bbb"}]}`)
	})
	names, err := c.Tables(context.Background())
	if err != nil || !slices.Equal(names, []string{"aaa", "bbb"}) {
		t.Errorf("%q, %v", names, err)
	}
	wantSeen(t, *seen, "GET /table/acc/Tables", "GET /table/acc/Tables?NextTableName=1%214%21Yg--")
}

func TestQuery(t *testing.T) {
	entity := &odata.Entity{PartitionKey: "p", RowKey: "r", Timestamp: odata.MinDateTime, Properties: []odata.Property{
		{Name: "Big", Value: odata.Int64Value(9007199254740993)}}}
	c, seen := endpoint(t, func(w http.ResponseWriter, r *http.Request) {
		for name, want := range map[string]string{"Accept": "application/json;odata=minimalmetadata", "x-ms-version": "2019-02-02", "DataServiceVersion": "3.0", "x-sandtable-explain": "1"} {
			if got := r.Header.Get(name); got != want {
				t.Errorf("%s is %q", name, got)
			}
		}
		w.Header().Set("x-ms-continuation-NextPartitionKey", "1!4!cA--")
		w.Header().Set("x-sandtable-explain", "kind=row range;blocks=2;examined=52;returned=48")
		context := payload.Context{Level: payload.MinimalMetadata}
		w.Write(context.AppendEntities(nil, "T", slices.Values([]*odata.Entity{entity})))
	})
	page, err := c.Query(context.Background(), "T", Query{Filter: "A eq 'b & c'", Select: "A,B", Top: 100, From: &Continuation{PartitionKey: "1!0!"}})
	if err != nil {
		t.Fatal(err)
	}
	if page.Explain != (Explain{"row range", 2, 52, 48}) || page.Next == nil || *page.Next != (Continuation{PartitionKey: "1!4!cA--"}) || page.Elapsed <= 0 {
		t.Errorf("%+v", page)
	}
	if len(page.Entities) != 1 || page.Entities[0].Tag != entity.ETag() || !page.Entities[0].Properties[0].Value.Equal(entity.Properties[0].Value) {
		t.Errorf("%+v", page.Entities)
	}
	wantSeen(t, *seen, "GET /table/acc/T?$filter=A+eq+%27b+%26+c%27&$select=A%2CB&$top=100&NextPartitionKey=1%210%21")
}

func TestWrites(t *testing.T) {
	c, seen := endpoint(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", "new")
		w.Header().Set("Seen-If-Match", r.Header.Get("If-Match"))
		w.WriteHeader(http.StatusNoContent)
	})
	ctx := context.Background()
	e := &odata.Entity{PartitionKey: "it's", RowKey: "ä b"}
	if tag, err := c.Insert(ctx, "T", e); err != nil || tag != "new" {
		t.Errorf("%q, %v", tag, err)
	}
	if tag, err := c.Replace(ctx, "T", e, "old"); err != nil || tag != "new" {
		t.Errorf("%q, %v", tag, err)
	}
	for _, err := range []error{c.Delete(ctx, "T", e.Key(), "*"), c.CreateTable(ctx, "T"), c.DeleteTable(ctx, "T")} {
		if err != nil {
			t.Error(err)
		}
	}
	body := `{"PartitionKey":"it's","RowKey":"\u00e4 b"}`
	address := "/table/acc/T(PartitionKey='it''s',RowKey='%C3%A4%20b')"
	wantSeen(t, *seen, "POST /table/acc/T | "+body, "PUT "+address+" | "+body, "DELETE "+address,
		`POST /table/acc/Tables | {"TableName":"T"}`, "DELETE /table/acc/Tables('T')")
}

func TestGet(t *testing.T) {
	c, _ := endpoint(t, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"odata.etag":"W/\"x\"","PartitionKey":"p","RowKey":"r","Timestamp":"2026-11-20T00:00:00Z","On":true}`)
	})
	e, err := c.Get(context.Background(), "T", odata.Key{PartitionKey: "p", RowKey: "r"})
	if err != nil || e.Tag != `W/"x"` || e.Key() != (odata.Key{PartitionKey: "p", RowKey: "r"}) {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestRefusals(t *testing.T) {
	tests := []struct {
		name, body string
		want       ServiceError
	}{
		{"the service's", `{"odata.error":{"code":"TableNotFound","message":{"lang":"en-US","value":"The table specified does not exist.\nRequestId:0d2f\nTime:2026-11-20T00:00:00Z"}}}`,
			ServiceError{404, "TableNotFound", "The table specified does not exist.", ""}},
		{"the control API's", `{"error":{"code":"AccountExists","message":"There is one."}}`, ServiceError{404, "AccountExists", "There is one.", ""}},
		{"another server's page", `<html>Not here</html>`, ServiceError{404, "", "The endpoint answered with status 404.", ""}},
		{"another server's text", "Not here\n", ServiceError{404, "", "The endpoint answered with status 404. Not here", ""}},
		{"an error without a word", `{"odata.error":{}}`, ServiceError{404, "", `The endpoint answered with status 404. {"odata.error":{}}`, ""}},
		{"nothing", ``, ServiceError{404, "", "The endpoint answered with status 404.", ""}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, _ := endpoint(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusNotFound)
				io.WriteString(w, test.body)
			})
			_, err := c.Tables(context.Background())
			var got *ServiceError
			if !errors.As(err, &got) || *got != test.want {
				t.Errorf("%+v", err)
			}
			if HasCode(err, "TableNotFound") != (test.want.Code == "TableNotFound") {
				t.Error("HasCode does not see the code")
			}
		})
	}
}

func TestAnswersThatAreNone(t *testing.T) {
	c, _ := endpoint(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>") })
	if _, err := c.Tables(context.Background()); err == nil {
		t.Error("a page was read as a list of tables")
	}
	if _, err := c.Query(context.Background(), "T", Query{}); err == nil {
		t.Error("a page was read as entities")
	}
	if _, err := c.Get(context.Background(), "T", odata.Key{}); err == nil {
		t.Error("a page was read as an entity")
	}
	c.Base = "http://127.0.0.1:1"
	if _, err := c.Tables(context.Background()); !errors.Is(err, ErrNoAnswer) {
		t.Errorf("nobody there: %v", err)
	}
}

func TestRetry(t *testing.T) {
	attempts := 0
	c, _ := endpoint(t, func(w http.ResponseWriter, _ *http.Request) {
		if attempts++; attempts < 3 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		io.WriteString(w, `{"value":[]}`)
	})
	if _, err := c.Tables(context.Background()); err != nil || attempts != 3 {
		t.Errorf("%v after %d attempts", err, attempts)
	}
}

// TestRetryOfFailedStart: the browser's database may open at the next attempt.
func TestRetryOfFailedStart(t *testing.T) {
	for reason, want := range map[string]int{"database": retries + 1, "format": 1} {
		c, seen := endpoint(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "0")
			w.Header().Set(reasonHeader, reason)
			w.WriteHeader(http.StatusServiceUnavailable)
		})
		if _, err := c.Tables(context.Background()); err == nil || len(*seen) != want {
			t.Errorf("%s: %d attempts, want %d; error: %v", reason, len(*seen), want, err)
		}
	}
}

func TestRetryEndsWithItsContext(t *testing.T) {
	c, _ := endpoint(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("x-ms-retry-after-ms", "2000")
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := c.Tables(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

func TestLongPauseIsLeftToTheUser(t *testing.T) {
	c, seen := endpoint(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(http.StatusServiceUnavailable)
		io.WriteString(w, `{"odata.error":{"code":"ServerBusy","message":{"lang":"en-US","value":"The server is busy.\nRequestId:1"}}}`)
	})
	_, err := c.Tables(context.Background())
	if got := fmt.Sprint(err); got != "ServerBusy: The server is busy. The endpoint asks for a pause of 30 s." || len(*seen) != 1 {
		t.Errorf("%s, after %d requests", got, len(*seen))
	}
}

func TestUnreadableAnswer(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{
		{"another server's page", "<p>hello</p>", "payload is malformed. It begins with <p>hello</p>"},
		{"an unknown type", `{"value":[{"A":"b","A@odata.type":"Edm.Odd"}]}`, `It begins with {"value":[{"A":"b"`},
		{"nothing", "", "payload is malformed. It is empty"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, _ := endpoint(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, test.body) })
			_, err := c.Query(context.Background(), "Things", Query{})
			if got := fmt.Sprint(err); !strings.HasPrefix(got, "the endpoint's answer cannot be read: ") || !strings.Contains(got, test.want) {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestNoRetryWithoutAHint(t *testing.T) {
	c, seen := endpoint(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	if _, err := c.Tables(context.Background()); err == nil || len(*seen) != 1 {
		t.Errorf("%v after %d requests", err, len(*seen))
	}
}

func TestParseExplain(t *testing.T) {
	tests := []struct {
		header string
		want   Explain
	}{
		{"", Explain{}},
		{"kind=table scan;blocks=1;examined=2;returned=3", Explain{"table scan", 1, 2, 3}},
		{"returned=3; kind=point;other=x;;=", Explain{"point", 0, 0, 3}},
	}
	for _, test := range tests {
		if got := ParseExplain(test.header); got != test.want {
			t.Errorf("%q: %+v", test.header, got)
		}
	}
	if got := (Explain{}).Plus(Explain{"point", 1, 2, 3}).Plus(Explain{"point", 1, 2, 3}); got != (Explain{"point", 2, 4, 6}) {
		t.Errorf("%+v", got)
	}
}

func FuzzRefusal(f *testing.F) {
	f.Add([]byte(`{"odata.error":{"code":"x","message":{"lang":"","value":"y\nRequestId:z"}}}`))
	f.Add([]byte(`{"error":{"code":"x","message":"y"}}`))
	f.Add([]byte("<html>"))
	f.Fuzz(func(t *testing.T, body []byte) {
		if e := refusal(Response{Status: 400, Body: body}); e.Error() == "" {
			t.Errorf("%q is refused without a word", body)
		}
	})
}
