package auth

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"sandtable/odata"
)

func sasRequest(query string) Request {
	q, err := url.ParseQuery(query)
	if err != nil {
		panic(err)
	}
	return Request{Method: "GET", Path: "/mytable", Query: q, Header: http.Header{}, HTTPS: true}
}

func TestSASVectors(t *testing.T) {
	const account2019 = "sv=2019-02-02&ss=t&srt=sco&sp=rwdlacu&se=2030-01-01T00:00:00Z&spr=https,http&sig=dKEa4zPUq/dWdOLrCYusn1Jnz45OJCCdBPi%2BhMWeijk%3D"
	const account2020 = "sv=2020-12-06&ss=t&srt=sco&sp=rwdlacu&se=2030-01-01T00:00:00Z&spr=https,http&sig=aQbb1uM9CNZPJhjuzMWpvrja5t6VW2FlvCUFVvjctAk%3D"
	for _, c := range []struct{ name, query, scheme string }{
		{"account, 2019", account2019, SchemeAccountSAS},
		{"account, 2020", account2020, SchemeAccountSAS},
		{"table", "sv=2019-02-02&tn=MyTable&sp=raud&se=2030-01-01T00:00:00Z&sig=VH1kJ2dMcGJPJnFMefVZ3HMd1fedSci/031kWIgJz0w%3D", SchemeTableSAS},
		{"table with a range", "sv=2019-02-02&tn=mytable&sp=r&st=2021-01-01T00:00:00Z&se=2030-01-01T00:00:00Z&sip=10.0.0.1-10.0.0.9&spr=https,http&spk=A&srk=1&epk=B&erk=9&sig=XpTlzUSLK76MFxAkH9aO0niEwEDkMz6xZ7PqLnvYgoc%3D", SchemeTableSAS},
		{"table, 2013", "sv=2013-08-15&tn=mytable&sp=r&se=2030-01-01T00:00:00Z&sig=c00v2CQEAVbFrIq2ft%2BGYjp3/UOs0dKAQ%2BX/Kda/D3k%3D", SchemeTableSAS},
	} {
		t.Run(c.name, func(t *testing.T) {
			grant, err := Authenticate(sasRequest(c.query), account(testAccount), testNow)
			if err != nil {
				t.Fatal(err)
			}
			if grant.Scheme != c.scheme {
				t.Errorf("scheme %s, want %s", grant.Scheme, c.scheme)
			}
			if err := grant.Check(Need{Type: Object, All: "r"}, "mytable"); err != nil {
				t.Errorf("reading the table: %v", err)
			}
		})
	}
}

func TestSASRefused(t *testing.T) {
	valid := AccountSAS(testAccount, testKey, testNow.Add(time.Hour))
	if _, err := Authenticate(sasRequest(valid), account(testAccount), testNow); err != nil {
		t.Fatalf("the valid one: %v", err)
	}
	for _, c := range []struct {
		name, query string
		now         time.Time
	}{
		{"expired", valid, testNow.Add(time.Hour)},
		{"more permissions", strings.Replace(valid, "sp=rwdlacu", "sp=rwdlacup", 1), testNow},
		{"another version", strings.Replace(valid, "sv=2019-02-02", "sv=2020-12-06", 1), testNow},
		{"a version before SAS", strings.Replace(valid, "sv=2019-02-02", "sv=2011-08-18", 1), testNow},
		{"no version", strings.Replace(valid, "sv=2019-02-02", "sv=", 1), testNow},
		{"a parameter twice", valid + "&sp=r", testNow},
		{"neither kind", "sv=2019-02-02&sig=abc", testNow},
		{"an unknown policy", "sv=2019-02-02&tn=mytable&si=read-policy&sig=tT07KSqD7x8No5xPonlMPDmeYNIzhCR6iFkisPHepoA%3D", testNow},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := Authenticate(sasRequest(c.query), account(testAccount), c.now); !errors.Is(err, ErrAuthenticationFailed) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// resign returns the account SAS with replaced parameters and a new signature.
func resign(t *testing.T, change map[string]string) Request {
	t.Helper()
	q, err := url.ParseQuery(AccountSAS(testAccount, testKey, testNow.Add(time.Hour)))
	if err != nil {
		t.Fatal(err)
	}
	return signedSAS(q, change, accountStringToSign)
}

// resignTable is resign for a table SAS.
func resignTable(t *testing.T, change map[string]string) Request {
	t.Helper()
	q := url.Values{"sv": {"2019-02-02"}, "tn": {"mytable"}, "sp": {"r"}, "se": {"2021-10-26T21:12:20Z"}}
	return signedSAS(q, change, tableStringToSign)
}

func signedSAS(q url.Values, change map[string]string, stringToSign func(url.Values, string, string) string) Request {
	for name, value := range change {
		q.Set(name, value)
	}
	q.Set("sig", Sign(testKey, stringToSign(q, testAccount, q.Get("sv"))))
	return Request{Method: "GET", Path: "/mytable", Query: q, Header: http.Header{}, HTTPS: true, IP: "10.0.0.5"}
}

func TestSASUse(t *testing.T) {
	for _, c := range []struct {
		name   string
		change map[string]string
		http   bool
		want   error
	}{
		{"unchanged", nil, false, nil},
		{"over http", nil, true, nil},
		{"https only over https", map[string]string{"spr": "https"}, false, nil},
		{"https only over http", map[string]string{"spr": "https"}, true, ErrProtocolMismatch},
		{"unknown protocol", map[string]string{"spr": "ftp"}, false, ErrAuthenticationFailed},
		{"not yet", map[string]string{"st": "2021-10-27"}, false, ErrAuthenticationFailed},
		{"a start that is no date", map[string]string{"st": "now"}, false, ErrAuthenticationFailed},
		{"from now", map[string]string{"st": "2021-10-26T20:12:20Z"}, false, nil},
		{"from now, with nine digits of a fraction", map[string]string{"st": "2021-10-26T20:12:20.000000049Z"}, false, nil},
		{"until now", map[string]string{"se": "2021-10-26T20:12:20Z"}, false, ErrAuthenticationFailed},
		{"no dates", map[string]string{"se": ""}, false, ErrAuthenticationFailed},
		{"inside the address range", map[string]string{"sip": "10.0.0.1-10.0.0.9"}, false, nil},
		{"below the address range", map[string]string{"sip": "10.0.0.6-10.0.0.9"}, false, ErrSourceIPMismatch},
		{"above the address range", map[string]string{"sip": "10.0.0.1-10.0.0.4"}, false, ErrSourceIPMismatch},
		{"another address", map[string]string{"sip": "10.0.0.6"}, false, ErrSourceIPMismatch},
		{"no address", map[string]string{"sip": "localhost"}, false, ErrAuthenticationFailed},
		{"a range without a start", map[string]string{"sip": "-10.0.0.9"}, false, ErrAuthenticationFailed},
		{"a range without an end", map[string]string{"sip": "10.0.0.1-"}, false, ErrAuthenticationFailed},
		{"no version", map[string]string{"sv": "2019"}, false, ErrAuthenticationFailed},
		{"a version before SAS", map[string]string{"sv": "2011-08-18"}, false, ErrAuthenticationFailed},
		{"the first version of account SAS", map[string]string{"sv": "2015-04-05"}, false, nil},
	} {
		for kind, sign := range map[string]func(*testing.T, map[string]string) Request{"account": resign, "table": resignTable} {
			t.Run(c.name+"/"+kind, func(t *testing.T) {
				r := sign(t, c.change)
				r.HTTPS = !c.http
				if _, err := Authenticate(r, account(testAccount), testNow); !errors.Is(err, c.want) {
					t.Errorf("got %v, want %v", err, c.want)
				}
			})
		}
	}
}

func TestAccountSASRefused(t *testing.T) {
	for _, c := range []struct {
		name   string
		change map[string]string
		want   error
	}{
		{"another service", map[string]string{"ss": "bqf"}, ErrServiceMismatch},
		{"a version before account SAS", map[string]string{"sv": "2014-02-14"}, ErrAuthenticationFailed},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := Authenticate(resign(t, c.change), account(testAccount), testNow); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}

// TestPolicyOfSAS: a signature ends with its policy, even if it has all terms itself.
func TestPolicyOfSAS(t *testing.T) {
	limited := account(testAccount)
	limited.Policy = func(table, id string) (Policy, bool) {
		return Policy{Permission: "r"}, table == "mytable" && id == "known"
	}
	for _, c := range []struct {
		name, policy, permissions string
		account                   Account
		want                      error
	}{
		{"permissions of the policy", "known", "", limited, nil},
		{"permissions of both", "known", "raud", limited, ErrPolicyConflict},
		{"a policy that was removed", "removed", "raud", limited, ErrAuthenticationFailed},
		{"an account without policies", "known", "raud", account(testAccount), ErrAuthenticationFailed},
	} {
		t.Run(c.name, func(t *testing.T) {
			sas, err := SAS{Table: "mytable", Policy: c.policy, Permissions: c.permissions, Expiry: testNow.Add(time.Hour)}.Sign(testAccount, testKey)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Authenticate(sasRequest(sas), c.account, testNow); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}

// TestSASWithoutAddress: C47.
func TestSASWithoutAddress(t *testing.T) {
	r := resign(t, map[string]string{"sip": "10.0.0.6"})
	r.IP = ""
	if _, err := Authenticate(r, account(testAccount), testNow); err != nil {
		t.Error(err)
	}
}

func TestAccountSASReach(t *testing.T) {
	for _, c := range []struct {
		name    string
		srt, sp string
		need    Need
		want    error
	}{
		{"all of the letters", "o", "au", Need{Type: Object, All: "au"}, nil},
		{"one of two letters", "o", "u", Need{Type: Object, All: "au"}, ErrPermissionMismatch},
		{"any of the letters", "c", "w", Need{Type: Container, Any: "cw"}, nil},
		{"none of the letters", "c", "r", Need{Type: Container, Any: "cw"}, ErrPermissionMismatch},
		{"another resource type", "c", "r", Need{Type: Object, All: "r"}, ErrResourceTypeMismatch},
		{"never by SAS", "sco", "rwdlacu", Need{Type: NoSAS}, ErrAuthorizationFailure},
	} {
		t.Run(c.name, func(t *testing.T) {
			grant, err := Authenticate(resign(t, map[string]string{"srt": c.srt, "sp": c.sp}), account(testAccount), testNow)
			if err != nil {
				t.Fatal(err)
			}
			if err := grant.Check(c.need, "mytable"); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}

// TestEmptyEndOfRange: the signature of a range that ends with an empty key is that of
// one without an end, so that its holder could remove the end.
func TestEmptyEndOfRange(t *testing.T) {
	for name, given := range map[string]url.Values{
		"partition": {"epk": {""}},
		"row":       {"epk": {"p"}, "erk": {""}},
	} {
		t.Run(name, func(t *testing.T) {
			q := url.Values{"sv": {"2019-02-02"}, "tn": {"mytable"}, "sp": {"r"}, "se": {"2030-01-01"}, "spk": {""}}
			maps.Copy(q, given)
			q.Set("sig", Sign(testKey, tableStringToSign(q, testAccount, "2019-02-02")))
			if _, err := Authenticate(Request{Query: q, Header: http.Header{}}, account(testAccount), testNow); !errors.Is(err, ErrAuthenticationFailed) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestTableSASReach(t *testing.T) {
	q := url.Values{"sv": {"2019-02-02"}, "tn": {"MyTable"}, "sp": {"rd"}, "se": {"2030-01-01"}, "spk": {"B"}, "srk": {"2"}, "epk": {"C"}}
	q.Set("sig", Sign(testKey, tableStringToSign(q, testAccount, "2019-02-02")))
	grant, err := Authenticate(Request{Query: q, Header: http.Header{}}, account(testAccount), testNow)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, table string
		need        Need
		want        error
	}{
		{"read", "mytable", Need{Type: Object, All: "r"}, nil},
		{"any case", "MYTABLE", Need{Type: Object, All: "d"}, nil},
		{"no permission", "mytable", Need{Type: Object, All: "a"}, ErrPermissionMismatch},
		{"another table", "other", Need{Type: Object, All: "r"}, ErrAuthorizationFailure},
		{"tables", "", Need{Type: Container, All: "l"}, ErrAuthorizationFailure},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := grant.Check(c.need, c.table); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
	for key, want := range map[odata.Key]bool{
		{PartitionKey: "A", RowKey: "9"}: false,
		{PartitionKey: "B", RowKey: "1"}: false,
		{PartitionKey: "B", RowKey: "2"}: true,
		{PartitionKey: "C", RowKey: "9"}: true,
		{PartitionKey: "D", RowKey: ""}:  false,
	} {
		if got := grant.Keys().Contains(key); got != want {
			t.Errorf("%v in the range: %v, want %v", key, got, want)
		}
	}
}

func TestTableSASRangeNeedsPartition(t *testing.T) {
	for _, row := range []string{"srk", "erk"} {
		if _, err := Authenticate(resignTable(t, map[string]string{row: "2"}), account(testAccount), testNow); !errors.Is(err, ErrAuthenticationFailed) {
			t.Errorf("%s alone: got %v", row, err)
		}
	}
}

// TestTableStringToSign: the versions that added lines to it, and the versions before them.
func TestTableStringToSign(t *testing.T) {
	for version, want := range map[string]string{
		"2014-02-14": "r\n\n\n/account/mytable\n\n2014-02-14\n\n\n\n",
		"2015-02-21": "r\n\n\n/table/account/mytable\n\n2015-02-21\n\n\n\n",
		"2015-04-05": "r\n\n\n/table/account/mytable\n\n\n\n2015-04-05\n\n\n\n",
	} {
		if got := tableStringToSign(url.Values{"tn": {"MyTable"}, "sp": {"r"}}, "account", version); got != want {
			t.Errorf("%s: %q, want %q", version, got, want)
		}
	}
}
