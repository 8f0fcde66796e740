package endpoint

import (
	"context"
	"errors"
	"strings"
	"testing"

	"sandtable/web/client"
	"sandtable/web/page"
	"sandtable/web/pagetest"
)

func open(t *testing.T, transport client.Transport) *pagetest.Driver[*Page] {
	t.Helper()
	d := pagetest.Open(t, pagetest.NewEndpoint(), page.Route{Page: "endpoint"}, func(p page.Props) *Page { return &Page{Props: p} })
	d.Session.Transport = transport
	return d
}

// answering is an endpoint that accepts everything.
func answering(r client.Request) (client.Response, error) {
	return client.Response{Status: 200, Header: client.Header{{Name: "x-ms-version", Value: "1"}}, Body: []byte(`{"value":[]}`)}, nil
}

const text = "DefaultEndpointsProtocol=http;AccountName=acc;AccountKey=c2VjcmV0;TableEndpoint=http://127.0.0.1:5/acc"

func TestConnect(t *testing.T) {
	for name, c := range map[string]struct {
		way      string
		fields   map[string]string
		remember bool
		id       string
	}{
		"connection string": {byText, map[string]string{"text": text}, false, "acc@127.0.0.1:5"},
		"remembered":        {byText, map[string]string{"text": text}, true, "acc@127.0.0.1:5"},
		"SAS URL":           {byText, map[string]string{"text": "https://acc.table.core.windows.net/T?tn=T&sig=x"}, false, "acc@core.windows.net"},
		"account and key":   {byKey, map[string]string{"endpoint": "http://127.0.0.1:5", "account": "acc", "key": "c2VjcmV0"}, false, "acc@127.0.0.1:5"},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, pagetest.Transport(answering))
			d.Do(func() { d.Page.way, d.Page.fields, d.Page.remember = c.way, c.fields, c.remember; d.Page.submit() })
			if _, ok := d.Remotes[c.id]; !ok || d.Remembered[c.id] != c.remember {
				t.Errorf("got %+v, remembered %v, %v", d.Remotes, d.Remembered, d.Page.err)
			}
		})
	}
}

// blocked is a network on which nothing answers the page, for a reason.
type blocked client.Reason

func (b blocked) Do(context.Context, client.Request) (client.Response, error) {
	return client.Response{}, client.ErrNoAnswer
}

func (b blocked) Diagnose(context.Context, string) client.Reason { return client.Reason(b) }

func TestNoConnection(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		network client.Transport
		shown   []string
	}{
		"not a connection string": {"<b>", nil, []string{"neither a connection string nor an address"}},
		"no key":                  {"AccountName=acc", nil, []string{"no key and no shared access signature"}},
		"down":                    {text, blocked(client.Down), []string{"Nothing answers at 127.0.0.1:5"}},
		"mixed content":           {text, blocked(client.MixedContent), []string{"This page came over https"}},
		"CORS":                    {text, blocked(client.CORSBlocked), []string{"no CORS rule for it", "az storage cors add", "-cors permissive"}},
		"headers hidden": {text, pagetest.Transport(func(client.Request) (client.Response, error) {
			return client.Response{Status: 200, Body: []byte(`{"value":[]}`)}, nil
		}), []string{"exposes no headers", "Exposed headers"}},
		"another failure": {text, pagetest.Transport(func(client.Request) (client.Response, error) {
			return client.Response{}, errors.New("something else")
		}), []string{"Something else"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, c.network)
			d.Do(func() { d.Page.fields["text"] = c.text; d.Page.submit() })
			d.Shows(c.shown...)
			if len(d.Remotes) > 0 || d.Page.busy {
				t.Errorf("connected to %v", d.Remotes)
			}
		})
	}
}

func linked(t *testing.T, args map[string]string) *pagetest.Driver[*Page] {
	t.Helper()
	r := page.Route{Page: "endpoint"}
	for name, value := range args {
		r = r.With(name, value)
	}
	d := pagetest.Open(t, pagetest.NewEndpoint(), r, func(p page.Props) *Page { return &Page{Props: p} })
	d.Session.Transport = pagetest.Transport(func(client.Request) (client.Response, error) {
		t.Error("something was sent")
		return client.Response{}, client.ErrNoAnswer
	})
	return d
}

// TestLink: a link names the account and the table; the user supplies the key and
// connects.
func TestLink(t *testing.T) {
	d := linked(t, map[string]string{"endpoint": "http://127.0.0.1:10002/acc", "open": "Orders"})
	d.Shows("A link asks you to connect", "the table Orders of the account acc at http://127.0.0.1:10002/acc", "Nothing has been sent")
	if len(d.Remotes) != 0 {
		t.Error("it connected by itself")
	}
	d.Do(func() { d.Page.submit() })
	d.Shows("no key and no shared access signature")
	d.Session.Transport = pagetest.Transport(answering)
	d.Do(func() { d.Page.fields["key"] = "c2VjcmV0"; d.Page.submit() })
	want := page.Route{Account: "acc@127.0.0.1:10002", Table: "Orders"}
	if _, ok := d.Remotes[want.Account]; !ok || d.Session.Route != want || d.Remembered[want.Account] {
		t.Errorf("%+v is shown, remembered: %v", d.Session.Route, d.Remembered)
	}
}

// TestLinkOpensItsOwnAccountOnly: with the connection string of another account, the
// table of the link is not opened there.
func TestLinkOpensItsOwnAccountOnly(t *testing.T) {
	d := linked(t, map[string]string{"endpoint": "https://good.table.core.windows.net", "open": "Orders"})
	d.Session.Transport = pagetest.Transport(answering)
	d.Do(func() { d.Page.way, d.Page.fields["text"] = byText, text; d.Page.submit() })
	if d.Session.Route.Table != "" {
		t.Errorf("%+v is shown", d.Session.Route)
	}
}

func TestRefusedLinks(t *testing.T) {
	for name, c := range map[string]struct{ endpoint, shown string }{
		"a SAS":         {"https://acc.table.core.windows.net/?sv=1&sig=secret", "do not belong in links"},
		"a key":         {"https://acc:secret@127.0.0.1/acc", "do not belong in links"},
		"a script":      {"javascript:alert(1)", "must begin with https://"},
		"a look-alike":  {"https://acc.table.core.windоws.net", "characters that addresses do not have"},
		"no account":    {"https://example.com/", "does not name the account"},
		"not a account": {"https://A_.table.core.windows.net", "is not the name of an account"},
	} {
		t.Run(name, func(t *testing.T) {
			d := linked(t, map[string]string{"endpoint": c.endpoint})
			d.Shows(c.shown)
			d.Hides("A link asks you", "secret")
		})
	}
}

// TestRemembering says what happens to the key before it happens.
func TestRemembering(t *testing.T) {
	d := open(t, pagetest.Transport(answering))
	d.Shows("The key is kept in memory")
	d.Do(func() { d.Page.remember = true })
	d.Shows("in plain text")
}

func TestCommandIsOneLineOfOptions(t *testing.T) {
	rule, _ := (&client.Unreachable{Reason: client.CORSBlocked, Origin: "https://x"}).Rule()
	if got := page.RuleCommand(rule); !strings.Contains(got, `--origins "https://x"`) || strings.Contains(got, ",") {
		t.Errorf("got %s", got)
	}
}
