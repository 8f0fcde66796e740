package connection

import (
	"bytes"
	"strings"
	"testing"
)

const (
	azure    = "https://abc.table.core.windows.net"
	emulator = "http://127.0.0.1:10002/devstoreaccount1"
	someSAS  = "sv=2019-02-02&sig=abc%3D"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ name, text, url, account, sas, table string }{
		{"an account of Azure", "DefaultEndpointsProtocol=https;AccountName=abc;AccountKey=a2V5;EndpointSuffix=core.windows.net", azure, "abc", "", ""},
		{"fields in any case, spaces, no suffix", "accountname=abc ; ACCOUNTKEY=a2V5;", azure, "abc", "", ""},
		{"another cloud", "AccountName=abc;AccountKey=a2V5;EndpointSuffix=core.chinacloudapi.cn", "https://abc.table.core.chinacloudapi.cn", "abc", "", ""},
		{"Cosmos DB", "DefaultEndpointsProtocol=https;AccountName=abc;AccountKey=a2V5;TableEndpoint=https://abc.table.cosmos.azure.com:443/;", "https://abc.table.cosmos.azure.com:443", "abc", "", ""},
		{"Cosmos DB, a name with hyphens", "AccountName=our-team-s-account-for-orders;AccountKey=a2V5;TableEndpoint=https://our-team-s-account-for-orders.table.cosmos.azure.com:443/;",
			"https://our-team-s-account-for-orders.table.cosmos.azure.com:443", "our-team-s-account-for-orders", "", ""},
		{"Azurite in full", "DefaultEndpointsProtocol=http;AccountName=abc;AccountKey=a2V5;BlobEndpoint=http://127.0.0.1:10000/abc;TableEndpoint=http://127.0.0.1:10002/abc/;", "http://127.0.0.1:10002/abc", "abc", "", ""},
		{"an emulator", "UseDevelopmentStorage=true", emulator, WellKnownAccount, "", ""},
		{"an emulator, in another spelling", " usedevelopmentstorage=True; ", emulator, WellKnownAccount, "", ""},
		{"an emulator behind a proxy", "UseDevelopmentStorage=true;DevelopmentStorageProxyUri=http://my.host/", "http://my.host:10002/devstoreaccount1", WellKnownAccount, "", ""},
		{"a SAS", "TableEndpoint=" + azure + "/;SharedAccessSignature=?" + someSAS, azure, "abc", someSAS, ""},
		{"a SAS of an account", "AccountName=abc;SharedAccessSignature=" + someSAS, azure, "abc", someSAS, ""},
		{"an address", azure + "/?" + someSAS, azure, "abc", someSAS, ""},
		{"an address of the secondary", "https://abc-secondary.table.core.windows.net/?" + someSAS, "https://abc-secondary.table.core.windows.net", "abc", someSAS, ""},
		{"an address of an emulator", emulator + "?" + someSAS, emulator, WellKnownAccount, someSAS, ""},
		{"an address of the secondary of an emulator", emulator + "-secondary?" + someSAS, emulator + "-secondary", WellKnownAccount, someSAS, ""},
		{"an address of a table", azure + "/Orders?tn=orders&" + someSAS, azure, "abc", "tn=orders&" + someSAS, "Orders"},
		{"an address of a table, with a SAS of the account", azure + "/Orders?" + someSAS, azure, "abc", someSAS, ""},
		{"an address of an account, with a SAS of a table", azure + "?tn=orders&" + someSAS, azure, "abc", "tn=orders&" + someSAS, "orders"},
		{"an address of a table of an emulator", emulator + "/Orders/?tn=orders&" + someSAS, emulator, WellKnownAccount, "tn=orders&" + someSAS, "Orders"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, err := Parse(c.text)
			if err != nil || e.URL != c.url || e.Account != c.account || e.SAS != c.sas || e.Table != c.table || (e.Key == nil) != (c.sas != "") || !Is(c.text) {
				t.Errorf("got %+v, %v", e, err)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, says string }{
		{"nothing", "", "neither AccountName nor TableEndpoint"},
		{"a word", "secret", "has no “=”"},
		{"no account", "AccountKey=a2V5", "neither AccountName nor TableEndpoint"},
		{"no key", "AccountName=abc", "no key and no shared access signature"},
		{"an account that no service has", "AccountName=SECRET;AccountKey=a2V5", "not the name of an account"},
		{"an account that makes another host", "AccountName=secret.example/;AccountKey=a2V5", "not the name of an account"},
		{"a key that is not Base64", "AccountName=abc;AccountKey=?secret", "not valid Base64"},
		{"a key and a SAS", "AccountName=abc;AccountKey=a2V5;SharedAccessSignature=sig=secret", "remove one"},
		{"a SAS without a signature", "AccountName=abc;SharedAccessSignature=sv=secret", "has no sig"},
		{"a SAS without an account", "SharedAccessSignature=sig=secret", "neither AccountName nor TableEndpoint"},
		{"an endpoint that is not an address", "AccountName=abc;AccountKey=a2V5;TableEndpoint=secret", "must begin with"},
		{"an endpoint of another scheme", "AccountName=abc;AccountKey=a2V5;TableEndpoint=ftp://secret", "must begin with"},
		{"an endpoint with a user", "AccountName=abc;AccountKey=a2V5;TableEndpoint=https://secret:secret@host", "must begin with"},
		{"a proxy that is not an address", "UseDevelopmentStorage=true;DevelopmentStorageProxyUri=secret", "must begin with"},
		{"an address without a SAS", azure + "/secret", "no shared access signature"},
		{"an address without an account", "https://tables.contoso.com/?sig=secret", "does not name the account"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse(c.text)
			if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(strings.ToLower(err.Error()), "secret") {
				t.Errorf("got %v, want %q", err, c.says)
			}
		})
	}
}

func TestIs(t *testing.T) {
	for _, path := range []string{"data", "./a=b.jsonl", "C:\\data", "/srv/table.csv", "-"} {
		if Is(path) {
			t.Errorf("%q is parsed as a connection string", path)
		}
	}
}

func TestNew(t *testing.T) {
	for address, want := range map[string]string{
		"http://127.0.0.1:4711":              "http://127.0.0.1:4711/acc",
		"http://127.0.0.1:4711/acc/":         "http://127.0.0.1:4711/acc",
		"https://acc.table.core.windows.net": "https://acc.table.core.windows.net",
		"https://host/table/acc":             "https://host/table/acc",
		"https://tables.contoso.com":         "https://tables.contoso.com",
	} {
		if e, err := New(address, " acc ", "a2V5", ""); err != nil || e.URL != want || e.Account != "acc" || !bytes.Equal(e.Key, []byte("key")) {
			t.Errorf("%s: got %+v, %v", address, e, err)
		}
	}
}

// FuzzParse: what was accepted describes itself, and is accepted again.
func FuzzParse(f *testing.F) {
	f.Add("AccountName=abc;AccountKey=a2V5;TableEndpoint=http://localhost:1/abc/;")
	f.Add("UseDevelopmentStorage=true;DevelopmentStorageProxyUri=http://my.host/")
	f.Add(azure + "/Orders?tn=orders&" + someSAS)
	f.Fuzz(func(t *testing.T, text string) {
		e, err := Parse(text)
		if err != nil {
			return
		}
		again, err := At(e.URL, e.Account)
		if err != nil || again.URL != e.URL || again.Account != e.Account || (len(e.Key) == 0) == (e.SAS == "") {
			t.Errorf("%q: %+v, then %+v, %v", text, e, again, err)
		}
	})
}

func TestIsLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LOCALHOST:10002": true, "account.localhost:80": true, "127.0.0.1": true, "127.9.9.9:1": true, "[::1]:80": true,
		"127.example.com": false, "localhost.example.com": false, "192.168.0.1": false, "": false,
	} {
		if got := IsLoopback(host); got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
}
