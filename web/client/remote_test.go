package client

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"sandtable/odata/connection"
)

func TestParseConnection(t *testing.T) {
	const endpoint = "https://contosodata.table.core.windows.net"
	for text, want := range map[string]Remote{
		"AccountName=contosodata;AccountKey=c2VjcmV0":                       {Account: "contosodata", Key: "c2VjcmV0", Endpoint: endpoint},
		"TableEndpoint=" + endpoint + "/;SharedAccessSignature=?sv=1&sig=x": {Account: "contosodata", SAS: "sv=1&sig=x", Endpoint: endpoint},
		endpoint + "/Customers?tn=customers&sig=x":                          {Account: "contosodata", SAS: "tn=customers&sig=x", Table: "Customers", Endpoint: endpoint},
		"AccountName=contoso-data;AccountKey=c2VjcmV0;TableEndpoint=https://contoso-data.table.cosmos.azure.com:443/": {
			Account: "contoso-data", Key: "c2VjcmV0", Endpoint: "https://contoso-data.table.cosmos.azure.com:443"},
	} {
		if got, err := ParseConnection(text); err != nil || got != want || !got.Valid() {
			t.Errorf("%s: got %+v, %v; want %+v", text, got, err, want)
		}
	}
}

// TestStoredRemotesAreChecked: what was remembered may be anything by now.
func TestStoredRemotesAreChecked(t *testing.T) {
	good := Remote{Account: "acc", Endpoint: "https://host", SAS: "sig=x"}
	for name, c := range map[string]struct {
		change func(*Remote)
		valid  bool
	}{
		"good":              {func(*Remote) {}, true},
		"a script":          {func(r *Remote) { r.Endpoint = "javascript:alert(1)" }, false},
		"no credentials":    {func(r *Remote) { r.SAS = "" }, false},
		"both":              {func(r *Remote) { r.Key = "c2VjcmV0" }, false},
		"a broken key":      {func(r *Remote) { r.SAS, r.Key = "", "?" }, false},
		"no account":        {func(r *Remote) { r.Account = "" }, false},
		"name and password": {func(r *Remote) { r.Endpoint = "https://me:pass@host" }, false},
	} {
		r := good
		c.change(&r)
		if r.Valid() != c.valid {
			t.Errorf("%s: valid is %v", name, r.Valid())
		}
	}
}

// network is a transport that keeps the last request.
type network struct {
	last   Request
	answer Response
	err    error
	reason Reason
}

func (n *network) Do(_ context.Context, r Request) (Response, error) {
	n.last = r
	return n.answer, n.err
}

func (n *network) Diagnose(context.Context, string) Reason { return n.reason }

func TestRemoteSignsRequests(t *testing.T) {
	n := &network{answer: Response{Status: 200, Body: []byte(`{"value":[]}`)}}
	c := Remote{Account: "devstoreaccount1", Key: connection.WellKnownKey, Endpoint: "http://127.0.0.1:10002/devstoreaccount1"}.Client(n)
	c.Transport.(*remoteTransport).now = func() time.Time { return time.Date(2021, 10, 26, 20, 12, 20, 0, time.UTC) }
	if _, err := c.Tables(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got, want := n.last.Header.Get("Authorization"), "SharedKey devstoreaccount1:XHPWvZAlx/dnPps8oYYFM4aROPXy0zRPVRowI9SqRa8="; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if n.last.URL != "http://127.0.0.1:10002/devstoreaccount1/Tables#network" || n.last.Header.Get("x-ms-date") != "Tue, 26 Oct 2021 20:12:20 GMT" {
		t.Errorf("sent %+v", n.last)
	}
	if _, err := c.Query(context.Background(), "T", Query{}); err != nil || n.last.Header.Get(explainHeader) != "" {
		t.Errorf("%v: sent %v", err, n.last.Header)
	}
}

func TestRemoteAddsTheSAS(t *testing.T) {
	n := &network{answer: Response{Status: 200, Body: []byte(`{"value":[]}`)}}
	c := Remote{Account: "acc", SAS: "sv=1&sig=x", Endpoint: "https://host"}.Client(n)
	if _, err := c.Tables(context.Background()); err != nil || n.last.URL != "https://host/Tables?sv=1&sig=x#network" {
		t.Errorf("%v: sent %s", err, n.last.URL)
	}
	if _, err := c.Query(context.Background(), "T", Query{Top: 5}); err != nil || n.last.URL != "https://host/T?$top=5&sv=1&sig=x#network" {
		t.Errorf("%v: sent %s", err, n.last.URL)
	}
	if n.last.Header.Get("Authorization") != "" {
		t.Error("a request with a SAS is signed")
	}
}

func TestRemoteSaysWhyThereIsNoAnswer(t *testing.T) {
	for reason, says := range map[Reason]string{
		Down: "Nothing answers at host", Offline: "offline", MixedContent: "over https", CORSBlocked: "no CORS rule",
	} {
		n := &network{err: ErrNoAnswer, reason: reason}
		_, err := Remote{Account: "acc", SAS: "sig=x", Endpoint: "https://host"}.Client(n).Tables(context.Background())
		var unreachable *Unreachable
		if !errors.As(err, &unreachable) || !errors.Is(err, ErrNoAnswer) || !strings.Contains(err.Error(), says) {
			t.Errorf("%d: got %v, want %q", reason, err, says)
		}
		if _, ok := unreachable.Rule(); ok != (reason == CORSBlocked) {
			t.Errorf("%d: a rule helps: %v", reason, ok)
		}
	}
}

// TestRemoteThatComesUpWhileItIsDiagnosed: its request is sent again where that is safe,
// rather than called blocked by CORS.
func TestRemoteThatComesUpWhileItIsDiagnosed(t *testing.T) {
	n := &startingNetwork{network{err: ErrNoAnswer, reason: CORSBlocked, answer: Response{Status: 200, Body: []byte(`{"value":[]}`)}}}
	c := Remote{Account: "acc", SAS: "sig=x", Endpoint: "https://host"}.Client(n)
	if _, err := c.Tables(context.Background()); err != nil {
		t.Errorf("a list: got %v", err)
	}
	n.err = ErrNoAnswer
	if err := c.CreateTable(context.Background(), "T"); !errors.Is(err, ErrNoAnswer) {
		t.Errorf("a new table: got %v, and it may have been sent twice", err)
	}
}

// startingNetwork answers as soon as it was diagnosed.
type startingNetwork struct{ network }

func (n *startingNetwork) Diagnose(context.Context, string) Reason {
	n.err = nil
	return n.reason
}

func TestCheckSeesHeaders(t *testing.T) {
	n := &network{answer: Response{Status: 200, Header: Header{{"x-ms-version", "2019-02-02"}}}}
	c := Remote{Account: "acc", SAS: "sig=x", Endpoint: "https://host"}.Client(n)
	if err := c.Check(context.Background(), ""); err != nil || n.last.URL != "https://host/Tables?$top=1&sig=x#network" {
		t.Errorf("got %v for %s", err, n.last.URL)
	}
	if err := c.Check(context.Background(), "50% a&b"); err != nil || n.last.URL != "https://host/50%25%20a%26b()?$top=1&sig=x#network" {
		t.Errorf("a table of Cosmos DB: got %v for %s", err, n.last.URL)
	}
	n.answer.Header = nil
	var hidden *Unreachable
	if err := c.Check(context.Background(), "T"); !errors.As(err, &hidden) || hidden.Reason != HeadersHidden {
		t.Errorf("headers that CORS hides: got %v", err)
	}
}

// TestRemoteID: endpoints that differ in anything have different identities.
func TestRemoteID(t *testing.T) {
	for endpoint, want := range map[string]string{
		"https://contoso.table.core.windows.net":     "contoso@core.windows.net",
		"https://contoso.table.cosmos.azure.com:443": "contoso@cosmos.azure.com:443",
		"http://contoso.table.core.windows.net":      "contoso@core.windows.net:80",
		"http://127.0.0.1:10002/contoso":             "contoso@127.0.0.1:10002",
		"https://proxy/a/contoso":                    "contoso@proxy/a",
		"https://proxy/b/contoso":                    "contoso@proxy/b",
	} {
		if got := (Remote{Account: "contoso", Endpoint: endpoint}).ID(); got != want {
			t.Errorf("%s: got %s, want %s", endpoint, got, want)
		}
	}
}
