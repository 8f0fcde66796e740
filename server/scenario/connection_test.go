package scenario

import (
	"testing"

	"sandtable/server"
)

func TestConnect(t *testing.T) {
	for _, c := range []struct{ name, text, url, account, problem string }{
		{"an account of Azure", "DefaultEndpointsProtocol=https;AccountName=abc;AccountKey=a2V5;EndpointSuffix=core.windows.net", "https://abc.table.core.windows.net", "abc", ""},
		{"an endpoint of its own", "AccountName=abc;AccountKey=a2V5;TableEndpoint=http://localhost:1/abc/;", "http://localhost:1/abc", "abc", ""},
		{"an emulator", "UseDevelopmentStorage=true", developmentURL, server.WellKnownAccount, ""},
		{"no key", "AccountName=abc", "", "", ErrConnectionString.Error()},
		{"a key that is not base64", "AccountName=abc;AccountKey=?", "", "", ErrConnectionString.Error() + ": AccountKey is not base64"},
		{"no account", "AccountKey=a2V5", "", "", ErrConnectionString.Error()},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, err := Connect(c.text)
			switch {
			case c.problem != "":
				if err == nil || err.Error() != c.problem {
					t.Errorf("got %v, want %s", err, c.problem)
				}
			case err != nil:
				t.Error(err)
			case e.URL != c.url || e.Account != c.account:
				t.Errorf("got %s of %s, want %s of %s", e.URL, e.Account, c.url, c.account)
			}
		})
	}
}
