package connection

import (
	"errors"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	const sas = "sv=2019-02-02&sig=abc%3D"
	for _, c := range []struct{ name, text, url, account, sas string }{
		{"an account of Azure", "DefaultEndpointsProtocol=https;AccountName=abc;AccountKey=a2V5;EndpointSuffix=core.windows.net", "https://abc.table.core.windows.net", "abc", ""},
		{"another cloud", "AccountName=abc;AccountKey=a2V5;EndpointSuffix=core.chinacloudapi.cn", "https://abc.table.core.chinacloudapi.cn", "abc", ""},
		{"Cosmos DB", "DefaultEndpointsProtocol=https;AccountName=abc;AccountKey=a2V5;TableEndpoint=https://abc.table.cosmos.azure.com:443/;", "https://abc.table.cosmos.azure.com:443", "abc", ""},
		{"an endpoint of its own", "AccountName=abc;AccountKey=a2V5;TableEndpoint=http://localhost:1/abc/;", "http://localhost:1/abc", "abc", ""},
		{"an emulator", "UseDevelopmentStorage=true", developmentURL, WellKnownAccount, ""},
		{"an emulator, in another spelling", " usedevelopmentstorage=True; ", developmentURL, WellKnownAccount, ""},
		{"an emulator behind a proxy", "UseDevelopmentStorage=true;DevelopmentStorageProxyUri=http://my.host", "http://my.host:10002/devstoreaccount1", WellKnownAccount, ""},
		{"a SAS", "TableEndpoint=https://abc.table.core.windows.net;SharedAccessSignature=" + sas, "https://abc.table.core.windows.net", "abc", sas},
		{"a SAS of an account", "AccountName=abc;SharedAccessSignature=?" + sas, "https://abc.table.core.windows.net", "abc", sas},
		{"a URL", "https://abc.table.core.windows.net/?" + sas, "https://abc.table.core.windows.net", "abc", sas},
		{"a URL of an emulator", "http://127.0.0.1:10002/devstoreaccount1?" + sas, "http://127.0.0.1:10002/devstoreaccount1", "devstoreaccount1", sas},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, err := Parse(c.text)
			if err != nil || e.URL != c.url || e.Account != c.account || e.SAS != c.sas || (e.Key == nil) != (c.sas != "") || !Is(c.text) {
				t.Errorf("got %+v, %v", e, err)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       error
	}{
		{"no key", "AccountName=abc", ErrSyntax},
		{"a key that is not base64", "AccountName=abc;AccountKey=?secret", ErrSyntax},
		{"no account", "AccountKey=a2V5", ErrSyntax},
		{"a SAS without an account", "SharedAccessSignature=sig=secret", ErrSyntax},
		{"an endpoint that is not a URL", "AccountName=abc;AccountKey=a2V5;TableEndpoint=secret", ErrSyntax},
		{"a proxy that is not a URL", "UseDevelopmentStorage=true;DevelopmentStorageProxyUri=secret", ErrSyntax},
		{"a URL without a SAS", "https://abc.table.core.windows.net/secret", ErrCredentials},
		{"nothing", "", ErrSyntax},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := Parse(c.text); !errors.Is(err, c.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
	for _, path := range []string{"data", "./a=b.jsonl", "C:\\data", "/srv/table.csv", "-"} {
		if Is(path) {
			t.Errorf("%q is parsed as a connection string", path)
		}
	}
}
