package client

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestParseConnection(t *testing.T) {
	const key = "c2VjcmV0"
	for _, c := range []struct {
		name, text string
		want       Remote
		id         string
	}{
		{"azure", "DefaultEndpointsProtocol=https;AccountName=contosodata;AccountKey=" + key + ";EndpointSuffix=core.windows.net",
			Remote{Account: "contosodata", Key: key, Endpoint: "https://contosodata.table.core.windows.net"}, "contosodata@core.windows.net"},
		{"names in any case, no suffix", "accountname=contosodata ; ACCOUNTKEY=" + key + ";",
			Remote{Account: "contosodata", Key: key, Endpoint: "https://contosodata.table.core.windows.net"}, "contosodata@core.windows.net"},
		{"emulator", "UseDevelopmentStorage=true",
			Remote{Account: "devstoreaccount1", Key: emulatorKey, Endpoint: "http://127.0.0.1:10002/devstoreaccount1"}, "devstoreaccount1@127.0.0.1:10002"},
		{"emulator behind a proxy", "UseDevelopmentStorage=true;DevelopmentStorageProxyUri=http://host/",
			Remote{Account: "devstoreaccount1", Key: emulatorKey, Endpoint: "http://host:10002/devstoreaccount1"}, "devstoreaccount1@host:10002"},
		{"azurite in full", "DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=" + key + ";BlobEndpoint=http://127.0.0.1:10000/devstoreaccount1;TableEndpoint=http://127.0.0.1:10002/devstoreaccount1/;",
			Remote{Account: "devstoreaccount1", Key: key, Endpoint: "http://127.0.0.1:10002/devstoreaccount1"}, "devstoreaccount1@127.0.0.1:10002"},
		{"sas", "TableEndpoint=https://contosodata.table.core.windows.net/;SharedAccessSignature=?sv=2019-02-02&sig=a%3D",
			Remote{Account: "contosodata", SAS: "sv=2019-02-02&sig=a%3D", Endpoint: "https://contosodata.table.core.windows.net"}, "contosodata@core.windows.net"},
		{"cosmos", "DefaultEndpointsProtocol=https;AccountName=contoso;AccountKey=" + key + ";TableEndpoint=https://contoso.table.cosmos.azure.com:443/;",
			Remote{Account: "contoso", Key: key, Endpoint: "https://contoso.table.cosmos.azure.com:443"}, "contoso@cosmos.azure.com:443"},
		{"account SAS URL", "https://contosodata.table.core.windows.net/?sv=1&ss=t&sig=x",
			Remote{Account: "contosodata", SAS: "sv=1&ss=t&sig=x", Endpoint: "https://contosodata.table.core.windows.net"}, "contosodata@core.windows.net"},
		{"table SAS URL", "https://contosodata.table.core.windows.net/Customers?tn=customers&sig=x",
			Remote{Account: "contosodata", SAS: "tn=customers&sig=x", Table: "Customers", Endpoint: "https://contosodata.table.core.windows.net"}, "contosodata@core.windows.net"},
		{"SAS URL with the account in the path", "http://localhost:4711/devstoreaccount1/T?tn=t&sig=x",
			Remote{Account: "devstoreaccount1", SAS: "tn=t&sig=x", Table: "T", Endpoint: "http://localhost:4711/devstoreaccount1"}, "devstoreaccount1@localhost:4711"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ParseConnection(c.text)
			if err != nil || got != c.want {
				t.Fatalf("got %+v, %v; want %+v", got, err, c.want)
			}
			if !got.Valid() || got.ID() != c.id {
				t.Errorf("valid %v, id %s, want %s", got.Valid(), got.ID(), c.id)
			}
		})
	}
}

func TestParseConnectionRefused(t *testing.T) {
	for text, says := range map[string]string{
		"":                                       "Paste a connection string",
		"hello":                                  "has no “=”",
		"AccountKey=c2VjcmV0":                    "neither AccountName nor TableEndpoint",
		"AccountName=contosodata":                "no key and no shared access signature",
		"AccountName=UPPER;AccountKey=c2VjcmV0":  "is not the name of an account",
		"AccountName=contosodata;AccountKey=***": "not valid Base64",
		"AccountName=contosodata;AccountKey=c2VjcmV0;SharedAccessSignature=sig=x": "remove one",
		"AccountName=contosodata;SharedAccessSignature=sv=1":                      "has no sig",
		"TableEndpoint=ftp://x;AccountName=abc;AccountKey=c2VjcmV0":               "is not an address",
		"https://contosodata.table.core.windows.net/":                             "no signature",
		"https://tables.contoso.com/?sig=x":                                       "does not name the account",
	} {
		if got, err := ParseConnection(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: got %+v, %v; want an error with %q", text, got, err, says)
		}
	}
}

func TestWithKey(t *testing.T) {
	for endpoint, want := range map[string]string{
		"http://127.0.0.1:4711":              "http://127.0.0.1:4711/acc",
		"http://127.0.0.1:4711/acc/":         "http://127.0.0.1:4711/acc",
		"https://acc.table.core.windows.net": "https://acc.table.core.windows.net",
		"https://host/table/acc":             "https://host/table/acc",
		"https://tables.contoso.com":         "https://tables.contoso.com",
	} {
		if got, err := WithKey(endpoint, " acc ", "c2VjcmV0"); err != nil || got.Endpoint != want {
			t.Errorf("%s: got %+v, %v", endpoint, got, err)
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
	c := Remote{Account: "devstoreaccount1", Key: emulatorKey, Endpoint: "http://127.0.0.1:10002/devstoreaccount1"}.Client(n)
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

func TestCheckSeesHeaders(t *testing.T) {
	n := &network{answer: Response{Status: 200, Header: Header{{"x-ms-version", "2019-02-02"}}}}
	c := Remote{Account: "acc", SAS: "sig=x", Endpoint: "https://host"}.Client(n)
	if err := c.Check(context.Background(), ""); err != nil || n.last.URL != "https://host/Tables?$top=1&sig=x#network" {
		t.Errorf("got %v for %s", err, n.last.URL)
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
		"https://contoso.table.core.windows.net": "contoso@core.windows.net",
		"http://contoso.table.core.windows.net":  "contoso@core.windows.net:80",
		"http://127.0.0.1:10002/contoso":         "contoso@127.0.0.1:10002",
		"https://proxy/a/contoso":                "contoso@proxy/a",
		"https://proxy/b/contoso":                "contoso@proxy/b",
	} {
		if got := (Remote{Account: "contoso", Endpoint: endpoint}).ID(); got != want {
			t.Errorf("%s: got %s, want %s", endpoint, got, want)
		}
	}
}
