package auth

import (
	"bytes"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
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

// TestSharedKeyAtTheSecondary: the path of an emulator's secondary endpoint is signed as it
// is sent, or as the primary's: clients for .NET remove the suffix, as the emulator did.
//
// Source: GetAbsolutePathWithoutSecondarySuffix in azure-storage-net.
func TestSharedKeyAtTheSecondary(t *testing.T) {
	for _, c := range []struct {
		name, sent, signed string
		want               error
	}{
		{"as sent", "/devstoreaccount1-secondary/Tables", "/devstoreaccount1-secondary/Tables", nil},
		{"as the primary's", "/devstoreaccount1-secondary/Tables", "/devstoreaccount1/Tables", nil},
		{"with other escapes", "/devstoreaccount1-secondary/Tables(%27x%27)", "/devstoreaccount1/Tables('x')", nil},
		{"the account", "/devstoreaccount1-secondary", "/devstoreaccount1", nil},
		{"a name that only begins so", "/devstoreaccount1-secondary2/Tables", "/devstoreaccount12/Tables", ErrAuthenticationFailed},
		{"the other direction", "/devstoreaccount1/Tables", "/devstoreaccount1-secondary/Tables", ErrAuthenticationFailed},
	} {
		t.Run(c.name, func(t *testing.T) {
			signature := Sign(testKey, testDate+"\n/"+testAccount+c.signed)
			_, err := Authenticate(signedRequest("GET", c.sent, "SharedKeyLite "+testAccount+":"+signature, nil), account(testAccount), testNow)
			if !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}

func TestSharedKeyChecked(t *testing.T) {
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
		{"as old as allowed", "GET", "/devstoreaccount1/Tables", good, testDate, testNow.Add(maxSkew), nil},
		{"as far in the future as allowed", "GET", "/devstoreaccount1/Tables", good, testDate, testNow.Add(-maxSkew), nil},
		{"from the future", "GET", "/devstoreaccount1/Tables", good, testDate, testNow.Add(-maxSkew - time.Second), ErrAuthenticationFailed},
		{"no date", "GET", "/devstoreaccount1/Tables", good, "yesterday", testNow, ErrAuthenticationFailed},
		{"another account", "GET", "/devstoreaccount1/Tables", strings.Replace(good, "count1", "count2", 1), testDate, testNow, ErrAuthenticationFailed},
		{"another path in another spelling", "GET", "/devstoreaccount1/Tables(%27x%27)", good, testDate, testNow, ErrAuthenticationFailed},
		{"a signature and more", "GET", "/devstoreaccount1/Tables", good + "*", testDate, testNow, ErrAuthenticationFailed},
		{"not Base64", "GET", "/devstoreaccount1/Tables", "SharedKey devstoreaccount1:*", testDate, testNow, ErrAuthenticationFailed},
		{"an empty signature", "GET", "/devstoreaccount1/Tables", "SharedKey devstoreaccount1:", testDate, testNow, ErrInvalidAuthenticationInfo},
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
			if err != nil && strings.Contains(err.Error(), testKeyText) {
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

// TestEmptyComp: a comp parameter is signed if there is one, whatever it says.
func TestEmptyComp(t *testing.T) {
	r := signedRequest("GET", "/mytable?comp=", "SharedKeyLite myaccount:"+Sign(testKey, testDate+"\n/myaccount/mytable?comp="), nil)
	if _, err := Authenticate(r, account("myaccount"), testNow); err != nil {
		t.Error(err)
	}
}

func TestTwoKeys(t *testing.T) {
	r := signedRequest("GET", "/devstoreaccount1/Tables", "SharedKeyLite devstoreaccount1:+h2xnslo9FsXiY/9/MMYBuBXotFTiDOVESwDg9spJ+g=", nil)
	for name, keys := range map[string][2][]byte{"first": {testKey, NewKey()}, "second": {NewKey(), testKey}} {
		if _, err := Authenticate(r, Account{Name: testAccount, Keys: keys}, testNow); err != nil {
			t.Errorf("signed with the %s key: %v", name, err)
		}
	}
	r = signedRequest("GET", "/devstoreaccount1/Tables", SharedKeyLite(r, testAccount, nil), nil)
	for name, keys := range map[string][2][]byte{"no key": {}, "one key": {testKey}} {
		if _, err := Authenticate(r, Account{Name: testAccount, Keys: keys}, testNow); !errors.Is(err, ErrAuthenticationFailed) {
			t.Errorf("signed with an empty key, account with %s: %v", name, err)
		}
	}
}

func TestNewKeysDiffer(t *testing.T) {
	if bytes.Equal(NewKey(), NewKey()) {
		t.Error("two new keys are equal")
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
