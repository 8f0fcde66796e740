//go:build !js

package control

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sandtable/web/client"
)

// endpoint starts a server with one handler and returns a client of it. The
// handler's requests are noted as "METHOD uri body".
func endpoint(t *testing.T, h http.HandlerFunc) (*Client, *[]string) {
	t.Helper()
	var seen []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		seen = append(seen, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+string(body)))
		h(w, r)
	}))
	t.Cleanup(server.Close)
	return &Client{Base: server.URL, Transport: client.DefaultTransport()}, &seen
}

func TestClient(t *testing.T) {
	c, seen := endpoint(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/status":
			io.WriteString(w, `{"build":"b","store":"indexeddb","durability":"relaxed","accounts":1,"tables":2,"entities":3,"corruption":[]}`)
		case "/accounts":
			io.WriteString(w, `{"accounts":[{"name":"devstoreaccount1","access":"open","tables":2}]}`)
		case "/accounts/x/connection":
			io.WriteString(w, `{"account":"x","endpoint":"https://x","sas":"s","connectionString":"c","sasUrl":"u"}`)
		}
	})
	ctx := context.Background()
	if s, err := c.Status(ctx); err != nil || s.Entities != 3 || s.Durability != "relaxed" || len(s.Corruption) != 0 {
		t.Errorf("%+v, %v", s, err)
	}
	if all, err := c.Accounts(ctx); err != nil || !slices.Equal(all, []Account{{Name: "devstoreaccount1", Access: "open", Tables: 2}}) {
		t.Errorf("%+v, %v", all, err)
	}
	if x, err := c.Connection(ctx, "x"); err != nil || x != (Connection{"x", "https://x", "s", "c", "u"}) {
		t.Errorf("%+v, %v", x, err)
	}
	if err := c.CreateAccount(ctx, "classroom"); err != nil {
		t.Error(err)
	}
	if err := c.ResetUnopened(ctx); err != nil {
		t.Error(err)
	}
	want := []string{"GET /status", "GET /accounts", "GET /accounts/x/connection", `POST /accounts {"name":"classroom"}`, `POST /reset {"what":"unopened"}`}
	if !slices.Equal(*seen, want) {
		t.Errorf("requests: %q, want %q", *seen, want)
	}
}

func TestVerify(t *testing.T) {
	tests := []struct {
		name, body string
		want       Verified
		err        string // a part of it
	}{
		{"sound", `{"accounts":1,"tables":2,"entities":3,"blocks":4,"bytes":5,"walRecords":6,"unusedBlocks":0,"problemCount":0,"problems":[]}`,
			Verified{Tables: 2, Entities: 3, Blocks: 4, Bytes: 5, Records: 6, Findings: []string{}}, ""},
		{"lines", `{"progress":{"entities":1}}` + "\n" + `{"entities":3,"problemCount":1,"problems":["bad block"]}` + "\n",
			Verified{Entities: 3, Found: 1, Findings: []string{"bad block"}}, ""},
		{"refused", `{"progress":{}}` + "\n" + `{"error":{"code":"ServerBusy","message":"The server is busy."}}` + "\n", Verified{}, "ServerBusy"},
		{"broken off", `{"progress":{}}` + "\n", Verified{}, "not a Sandtable"},
		{"another server", "<html>", Verified{}, "not a Sandtable"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, _ := endpoint(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, test.body) })
			got, err := c.Verify(context.Background(), func(Verified) {})
			if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Fatalf("error %v, want %q", err, test.err)
			}
			if err == nil && !reflect.DeepEqual(got, test.want) {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestStatusOfAnotherServer: a static host that answers every address with its
// page, or with an empty object, is no Sandtable.
// TestPartitionsOfACosmosTable: Cosmos DB allows names that have to be escaped.
func TestPartitionsOfACosmosTable(t *testing.T) {
	c, seen := endpoint(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "{}") })
	if _, err := c.Partitions(context.Background(), "x", "a&b+50% ä"); err != nil {
		t.Error(err)
	}
	if want := []string{"GET /accounts/x/partitions?table=a%26b%2B50%25+%C3%A4"}; !slices.Equal(*seen, want) {
		t.Errorf("got %q", *seen)
	}
}

func TestStatusOfAnotherServer(t *testing.T) {
	for _, body := range []string{"<html>", "{}", ""} {
		c, _ := endpoint(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) })
		if _, err := c.Status(context.Background()); !errors.Is(err, ErrNoSandtable) {
			t.Errorf("%q: %v", body, err)
		}
	}
}
