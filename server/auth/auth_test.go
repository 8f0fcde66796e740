package auth

import (
	"encoding/base64"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"sandtable/odata"
)

// The emulators' account. The signatures below come from the reference, not from
// this package.
const (
	testAccount = "devstoreaccount1"
	testKeyText = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
	testDate    = "Tue, 26 Oct 2021 20:12:20 GMT"
)

var (
	testKey = decode(testKeyText)
	testNow = time.Date(2021, 10, 26, 20, 12, 20, 0, time.UTC)
)

func decode(text string) []byte {
	key, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return key
}

func account(name string) Account { return Account{Name: name, Keys: [2][]byte{testKey}} }

func signedRequest(method, target, authorization string, header http.Header) Request {
	u, err := url.Parse(target)
	if err != nil {
		panic(err)
	}
	if header == nil {
		header = http.Header{}
	}
	if header.Get("x-ms-date") == "" && header.Get("Date") == "" {
		header.Set("x-ms-date", testDate)
	}
	header.Set("Authorization", authorization)
	return Request{Method: method, Path: u.EscapedPath(), Query: u.Query(), Header: header}
}

func TestSharedKeyVectors(t *testing.T) {
	jsonType := http.Header{"Content-Type": {"application/json"}}
	for _, c := range []struct {
		name, account, method, target, authorization string
		header                                       http.Header
	}{
		{"path style", testAccount, "GET", "/devstoreaccount1/Tables", "SharedKey devstoreaccount1:XHPWvZAlx/dnPps8oYYFM4aROPXy0zRPVRowI9SqRa8=", nil},
		{"path style lite", testAccount, "GET", "/devstoreaccount1/Tables", "SharedKeyLite devstoreaccount1:+h2xnslo9FsXiY/9/MMYBuBXotFTiDOVESwDg9spJ+g=", nil},
		{"host style post", "myaccount", "POST", "/Tables", "SharedKey myaccount:MJuclN8runulN2XUmVT9+L326F1yRdlBGPdw88yxrh0=", jsonType},
		{"batch", "myaccount", "POST", "/$batch", "SharedKeyLite myaccount:EqrSe7p8MBqc/DasGmG71eXrfC1Bf7eB7rOrlj9sJ8Y=", nil},
		{"comp", "myaccount", "GET", "/mytable?comp=acl&timeout=3", "SharedKeyLite myaccount:EmxDTU2Sc67ScIFoF5jw0pJQ+Rj7v52w2KlmTJxOFuM=", nil},
		{"root", "myaccount", "GET", "/?restype=service&comp=properties", "SharedKeyLite myaccount:BLYxW+yb9TK8bAmzQ2PYzjkMpX7jZ1C9O7N2tTE4Q/Y=", nil},
		{"escapes", "myaccount", "GET", "/mytable(PartitionKey='a%20b',RowKey='o''x')", "SharedKeyLite myaccount:utS3WVFEcRweI5kv/+Ge69Z9YvTI/pCxx40oHc77Nuc=", nil},
		{"other spelling of escapes", "myaccount", "GET", "/mytable(PartitionKey=%27a%20b%27,RowKey=%27o%27%27x%27)", "SharedKeyLite myaccount:utS3WVFEcRweI5kv/+Ge69Z9YvTI/pCxx40oHc77Nuc=", nil},
		{"Date instead of x-ms-date", "myaccount", "POST", "/$batch", "SharedKeyLite myaccount:EqrSe7p8MBqc/DasGmG71eXrfC1Bf7eB7rOrlj9sJ8Y=", http.Header{"Date": {testDate}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			grant, err := Authenticate(signedRequest(c.method, c.target, c.authorization, c.header), account(c.account), testNow)
			if err != nil {
				t.Fatal(err)
			}
			if err := grant.Check(Need{Type: NoSAS}, "mytable"); err != nil {
				t.Errorf("an account key reaches everything, got %v", err)
			}
		})
	}
}

func TestSharedKeyRefused(t *testing.T) {
	const good = "SharedKey devstoreaccount1:XHPWvZAlx/dnPps8oYYFM4aROPXy0zRPVRowI9SqRa8="
	for _, c := range []struct {
		name, method, target, authorization, date string
		now                                       time.Time
		want                                      error
	}{
		{"another method", "DELETE", "/devstoreaccount1/Tables", good, testDate, testNow, ErrAuthenticationFailed},
		{"another path", "GET", "/devstoreaccount1/Tables('x')", good, testDate, testNow, ErrAuthenticationFailed},
		{"another date", "GET", "/devstoreaccount1/Tables", good, "Tue, 26 Oct 2021 20:12:21 GMT", testNow, ErrAuthenticationFailed},
		{"too old", "GET", "/devstoreaccount1/Tables", good, testDate, testNow.Add(maxSkew + time.Second), ErrAuthenticationFailed},
		{"from the future", "GET", "/devstoreaccount1/Tables", good, testDate, testNow.Add(-maxSkew - time.Second), ErrAuthenticationFailed},
		{"no date", "GET", "/devstoreaccount1/Tables", good, "yesterday", testNow, ErrAuthenticationFailed},
		{"another account", "GET", "/devstoreaccount1/Tables", strings.Replace(good, "count1", "count2", 1), testDate, testNow, ErrAuthenticationFailed},
		{"not Base64", "GET", "/devstoreaccount1/Tables", "SharedKey devstoreaccount1:*", testDate, testNow, ErrAuthenticationFailed},
		{"no signature", "GET", "/devstoreaccount1/Tables", "SharedKey devstoreaccount1", testDate, testNow, ErrInvalidAuthenticationInfo},
		{"unknown scheme", "GET", "/devstoreaccount1/Tables", "Basic abc:def", testDate, testNow, ErrInvalidAuthenticationInfo},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := signedRequest(c.method, c.target, c.authorization, http.Header{"X-Ms-Date": {c.date}})
			open := account(testAccount)
			open.Open = true // credentials are still checked
			_, err := Authenticate(r, open, c.now)
			if !errors.Is(err, c.want) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
			if strings.Contains(err.Error(), testKeyText) {
				t.Error("the reason contains the key")
			}
		})
	}
}

func TestSharedKeyLiteSigns(t *testing.T) {
	r := signedRequest("GET", "/devstoreaccount1/Tables", "", nil)
	got := SharedKeyLite(r, testAccount, testKey)
	if want := "SharedKeyLite devstoreaccount1:+h2xnslo9FsXiY/9/MMYBuBXotFTiDOVESwDg9spJ+g="; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSecondKey(t *testing.T) {
	r := signedRequest("GET", "/devstoreaccount1/Tables", "SharedKeyLite devstoreaccount1:+h2xnslo9FsXiY/9/MMYBuBXotFTiDOVESwDg9spJ+g=", nil)
	if _, err := Authenticate(r, Account{Name: testAccount, Keys: [2][]byte{[]byte("other"), testKey}}, testNow); err != nil {
		t.Errorf("signed with the second key: %v", err)
	}
	if _, err := Authenticate(r, Account{Name: testAccount}, testNow); !errors.Is(err, ErrAuthenticationFailed) {
		t.Errorf("account without keys: %v", err)
	}
}

func TestNoCredentials(t *testing.T) {
	r := Request{Method: "GET", Path: "/Tables", Query: url.Values{}, Header: http.Header{}}
	if _, err := Authenticate(r, account(testAccount), testNow); !errors.Is(err, ErrNoCredentials) {
		t.Errorf("strict account: got %v", err)
	}
	open := account(testAccount)
	open.Open = true
	grant, err := Authenticate(r, open, testNow)
	if err != nil || grant.Check(Need{Type: Object, All: "raud"}, "any") != nil {
		t.Errorf("open account: %v", err)
	}
	if (Grant{}).Check(Need{Type: Object, All: "r"}, "any") == nil {
		t.Error("the zero grant allows something")
	}
}

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
	for name, value := range change {
		q.Set(name, value)
	}
	q.Set("sig", Sign(testKey, accountStringToSign(q, testAccount, q.Get("sv"))))
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
		{"https only over http", map[string]string{"spr": "https"}, true, ErrProtocolMismatch},
		{"unknown protocol", map[string]string{"spr": "ftp"}, false, ErrAuthenticationFailed},
		{"not yet", map[string]string{"st": "2021-10-27"}, false, ErrAuthenticationFailed},
		{"no dates", map[string]string{"se": ""}, false, ErrAuthenticationFailed},
		{"inside the address range", map[string]string{"sip": "10.0.0.1-10.0.0.9"}, false, nil},
		{"outside the address range", map[string]string{"sip": "10.0.0.6-10.0.0.9"}, false, ErrSourceIPMismatch},
		{"another address", map[string]string{"sip": "10.0.0.6"}, false, ErrSourceIPMismatch},
		{"no address", map[string]string{"sip": "localhost"}, false, ErrAuthenticationFailed},
		{"another service", map[string]string{"ss": "bqf"}, false, ErrServiceMismatch},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := resign(t, c.change)
			r.HTTPS = !c.http
			if _, err := Authenticate(r, account(testAccount), testNow); !errors.Is(err, c.want) {
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
	q := url.Values{"sv": {"2019-02-02"}, "tn": {"t12"}, "sp": {"r"}, "se": {"2030-01-01"}, "srk": {"2"}}
	q.Set("sig", Sign(testKey, tableStringToSign(q, testAccount, "2019-02-02")))
	if _, err := Authenticate(Request{Query: q, Header: http.Header{}}, account(testAccount), testNow); !errors.Is(err, ErrAuthenticationFailed) {
		t.Errorf("got %v", err)
	}
}

func FuzzAuthenticate(f *testing.F) {
	f.Add("SharedKey devstoreaccount1:XHPWvZAlx/dnPps8oYYFM4aROPXy0zRPVRowI9SqRa8=", testDate, "/devstoreaccount1/Tables", "")
	f.Add("", "", "/T", AccountSAS(testAccount, testKey, testNow.Add(time.Hour)))
	f.Add("SharedKeyLite a:b", "x", "/%zz%2", "sv=2019-02-02&tn=t&srk=1&sig=")
	f.Fuzz(func(t *testing.T, authorization, date, path, query string) {
		q, _ := url.ParseQuery(query)
		r := Request{Method: "GET", Path: path, Query: q, Header: http.Header{"Authorization": {authorization}, "X-Ms-Date": {date}}}
		strict := Account{Name: "fuzzaccount", Keys: [2][]byte{[]byte("a key that no input can guess")}}
		if grant, err := Authenticate(r, strict, testNow); err == nil {
			t.Errorf("accepted with %+v", grant)
		}
	})
}
