package access

import (
	"strings"
	"testing"
	"time"

	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/pagetest"
)

func TestExample(t *testing.T) {
	text := example(control.Connection{ConnectionString: `TableEndpoint=https://x;SharedAccessSignature=sv=1&sig="`}, "Sensors")
	for _, part := range []string{`"TableEndpoint=https://x;SharedAccessSignature=sv=1&sig=\""`, `"Sensors"`, "TableClient.fromConnectionString("} {
		if !strings.Contains(text, part) {
			t.Errorf("the example lacks %s:\n%s", part, text)
		}
	}
}

func TestCodeInEachLanguage(t *testing.T) {
	for _, l := range languages {
		if text := code(l.Value, control.Connection{ConnectionString: "secret"}, "Sensors"); !strings.Contains(text, `"Sensors"`) || strings.Contains(text, "secret") != (l.Value == "js") {
			t.Errorf("%s:\n%s", l.Label, text)
		}
	}
}

// TestConnectionOfAConnectedAccount: neither has the account's key.
func TestConnectionOfAConnectedAccount(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 30, 0, time.UTC)
	r := client.Remote{Account: "acc", Endpoint: "http://127.0.0.1:1/acc", Key: "c2VjcmV0"}
	got := connectionOf(r, now)
	if !strings.Contains(got.SASURL, "http://127.0.0.1:1/acc/?sv=") || !strings.Contains(got.SAS, "se=2026-11-27T12%3A00%3A00Z") || strings.Contains(got.ConnectionString, r.Key) {
		t.Errorf("with a key: got %+v", got)
	}
	r = client.Remote{Account: "acc", Endpoint: "http://127.0.0.1:1/acc", SAS: "sig=x", Table: "T"}
	if got := connectionOf(r, now); got.SASURL != "http://127.0.0.1:1/acc/T?sig=x" || !strings.HasSuffix(got.ConnectionString, "=sig=x") {
		t.Errorf("with a SAS: got %+v", got)
	}
}

// TestExampleWithALinkToOneTable: such a link reaches no other table and creates none.
func TestExampleWithALinkToOneTable(t *testing.T) {
	r := client.Remote{Account: "acc", Endpoint: "https://acc.table.core.windows.net", SAS: "sv=2019-02-02&tn=orders&sig=x", Table: "orders"}
	d := pagetest.Open(t, pagetest.NewEndpoint(), page.Route{Account: r.ID(), Page: "connect"}, func(p page.Props) *Connect {
		p.Session.Connect(r, false)
		return &Connect{Props: p, language: "js"}
	})
	text := d.Page.text("example")
	if strings.Contains(text, "createTable") || !strings.Contains(text, `"orders"`) {
		t.Errorf("got\n%s", text)
	}
	if text := example(control.Connection{SAS: "sv=2019-02-02&ss=t&sig=x"}, "Orders"); !strings.Contains(text, "createTable") {
		t.Errorf("with a link to the account:\n%s", text)
	}
}

// TestExampleOverHTTP: the SDK for JavaScript sends nothing over http unless it is told to.
func TestExampleOverHTTP(t *testing.T) {
	for endpoint, want := range map[string]bool{"http://127.0.0.1:10002/acc": true, "https://acc.table.core.windows.net": false} {
		text := example(control.Connection{Endpoint: endpoint, ConnectionString: "x"}, "Sensors")
		if got := strings.Contains(text, "\"Sensors\",\n  { allowInsecureConnection: true },\n);"); got != want {
			t.Errorf("%s: got\n%s", endpoint, text)
		}
	}
}
