package auth

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"sandtable/odata"
)

func text(s string) *string { return &s }

// use authenticates with a query string.
func use(t *testing.T, query string, change func(*Request)) (Grant, error) {
	t.Helper()
	q, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	r := Request{Method: "GET", Path: "/mytable", Query: q, Header: http.Header{}, HTTPS: true, IP: "10.0.0.5"}
	if change != nil {
		change(&r)
	}
	strict := account(testAccount)
	strict.Policy = func(table, id string) (Policy, bool) {
		until, _ := odata.ParseDateTime("2030-01-01T00:00:00Z")
		return Policy{Expiry: &until, Permission: "r"}, table == "MyTable" && id == "reader"
	}
	return Authenticate(r, strict, testNow)
}

// TestSASIssued: an issued SAS is accepted and grants what it names.
func TestSASIssued(t *testing.T) {
	soon := testNow.Add(time.Hour)
	read, add := Need{Type: Object, All: "r"}, Need{Type: Object, All: "a"}
	for _, c := range []struct {
		name   string
		sas    SAS
		change func(*Request)
		want   error // of its use
		need   Need
		check  error
	}{
		{"an account's", SAS{Permissions: "r", Expiry: soon}, nil, nil, read, nil},
		{"an account's, without the permission", SAS{Permissions: "r", Expiry: soon}, nil, nil, add, ErrPermissionMismatch},
		{"letters in another order", SAS{Permissions: "ucar", Expiry: soon}, nil, nil, add, nil},
		{"other resource types", SAS{Permissions: "r", ResourceTypes: "cs", Expiry: soon}, nil, nil, read, ErrResourceTypeMismatch},
		{"a table's", SAS{Table: "MyTable", Permissions: "daur", Expiry: soon}, nil, nil, add, nil},
		{"a table's, without the permission", SAS{Table: "MyTable", Permissions: "r", Expiry: soon}, nil, nil, add, ErrPermissionMismatch},
		{"another table's", SAS{Table: "Other", Permissions: "r", Expiry: soon}, nil, nil, read, ErrAuthorizationFailure},
		{"a policy's", SAS{Table: "MyTable", Policy: "reader"}, nil, nil, read, nil},
		{"an unknown policy's", SAS{Table: "MyTable", Policy: "writer"}, nil, ErrAuthenticationFailed, read, nil},
		{"a field that the policy sets too", SAS{Table: "MyTable", Policy: "reader", Expiry: soon}, nil, ErrPolicyConflict, read, nil},
		{"not yet", SAS{Permissions: "r", Start: testNow.Add(time.Minute), Expiry: soon}, nil, ErrAuthenticationFailed, read, nil},
		{"valid for a minute", SAS{Permissions: "r", Start: testNow.Add(-time.Minute), Expiry: soon}, nil, nil, read, nil},
		{"expired", SAS{Permissions: "r", Expiry: testNow}, nil, ErrAuthenticationFailed, read, nil},
		{"http", SAS{Permissions: "r", Expiry: soon}, func(r *Request) { r.HTTPS = false }, nil, read, nil},
		{"https only", SAS{Permissions: "r", Expiry: soon, Protocol: "https"}, func(r *Request) { r.HTTPS = false }, ErrProtocolMismatch, read, nil},
		{"another address", SAS{Permissions: "r", Expiry: soon, IP: "10.0.0.6"}, nil, ErrSourceIPMismatch, read, nil},
		{"a range of addresses", SAS{Permissions: "r", Expiry: soon, IP: "10.0.0.1-10.0.0.9"}, nil, nil, read, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			query, err := c.sas.Sign(testAccount, testKey)
			if err != nil {
				t.Fatal(err)
			}
			grant, err := use(t, query, c.change)
			if !errors.Is(err, c.want) {
				t.Fatalf("%s: %v, want %v", query, err, c.want)
			}
			if err != nil {
				return
			}
			if err := grant.Check(c.need, "mytable"); !errors.Is(err, c.check) {
				t.Errorf("%s: %v, want %v", query, err, c.check)
			}
		})
	}
}

func TestSASIssuedForKeys(t *testing.T) {
	query, err := SAS{
		Table: "MyTable", Permissions: "r", Expiry: testNow.Add(time.Hour),
		StartPartitionKey: text("B & Söhne"), StartRowKey: text(""), EndPartitionKey: text("C"), EndRowKey: text("5"),
	}.Sign(testAccount, testKey)
	if err != nil {
		t.Fatal(err)
	}
	grant, err := use(t, query, nil)
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[odata.Key]bool{
		{PartitionKey: "B"}: false, {PartitionKey: "B & Söhne"}: true, {PartitionKey: "C", RowKey: "5"}: true, {PartitionKey: "C", RowKey: "6"}: false,
	} {
		if got := grant.Keys().Contains(key); got != want {
			t.Errorf("%v in the range: %v, want %v", key, got, want)
		}
	}
}

func TestSASNotIssued(t *testing.T) {
	soon := testNow.Add(time.Hour)
	for _, c := range []struct {
		name     string
		sas      SAS
		contains string
	}{
		{"no permissions", SAS{Expiry: soon}, `permissions must be letters of "rwdlacu"`},
		{"an unknown permission", SAS{Permissions: "rx", Expiry: soon}, `not "rx"`},
		{"a permission twice", SAS{Permissions: "rr", Expiry: soon}, `not "rr"`},
		{"an account's permission for a table", SAS{Table: "abc", Permissions: "l", Expiry: soon}, `letters of "raud"`},
		{"no expiry", SAS{Permissions: "r"}, "expiry is required"},
		{"an end before the start", SAS{Permissions: "r", Start: soon, Expiry: testNow}, "before it starts"},
		{"another protocol", SAS{Permissions: "r", Expiry: soon, Protocol: "ftp"}, `not "ftp"`},
		{"a host's name", SAS{Permissions: "r", Expiry: soon, IP: "localhost"}, `"localhost" is not an IP address`},
		{"half a range", SAS{Permissions: "r", Expiry: soon, IP: "10.0.0.1-"}, `"" is not an IP address`},
		{"another resource type", SAS{Permissions: "r", ResourceTypes: "x", Expiry: soon}, "resource types"},
		{"an invalid table name", SAS{Table: "a-b", Permissions: "r", Expiry: soon}, "table name"},
		{"a first row without partition", SAS{Table: "abc", Permissions: "r", Expiry: soon, StartRowKey: text("x")}, "partition key"},
		{"a last row without partition", SAS{Table: "abc", Permissions: "r", Expiry: soon, EndRowKey: text("x")}, "partition key"},
		{"an empty last partition", SAS{Table: "abc", Permissions: "r", Expiry: soon, EndPartitionKey: text("")}, "empty key"},
		{"an empty last row", SAS{Table: "abc", Permissions: "r", Expiry: soon, EndPartitionKey: text("p"), EndRowKey: text("")}, "empty key"},
		{"keys of an account", SAS{Permissions: "r", Expiry: soon, StartPartitionKey: text("x")}, "need a table"},
		{"a last partition of an account", SAS{Permissions: "r", Expiry: soon, EndPartitionKey: text("x")}, "need a table"},
		{"a policy of an account", SAS{Policy: "x", Expiry: soon}, "need a table"},
		{"resource types of a table", SAS{Table: "abc", Permissions: "r", ResourceTypes: "o", Expiry: soon}, "for an account"},
	} {
		t.Run(c.name, func(t *testing.T) {
			query, err := c.sas.Sign(testAccount, testKey)
			if !errors.Is(err, ErrSAS) || !strings.Contains(err.Error(), c.contains) || query != "" {
				t.Errorf("%q, %v, want an error that contains %q", query, err, c.contains)
			}
		})
	}
}

// TestStringToSign: the refusal of a signature contains the expected string to sign.
func TestStringToSign(t *testing.T) {
	for _, c := range []struct {
		name string
		r    Request
		want string
	}{
		{"Shared Key", signedRequest("GET", "/devstoreaccount1/Tables", "SharedKey devstoreaccount1:AAAA", nil), "GET\n\n\n" + testDate + "\n/devstoreaccount1/devstoreaccount1/Tables"},
		{"account SAS", sasRequest("sv=2019-02-02&ss=t&srt=o&sp=r&se=2030-01-01&sig=AAAA"), "devstoreaccount1\nr\nt\no\n\n2030-01-01\n\n\n2019-02-02\n"},
		{"table SAS", sasRequest("sv=2019-02-02&tn=MyTable&sp=r&se=2030-01-01&sig=AAAA"), "r\n\n2030-01-01\n/table/devstoreaccount1/mytable\n\n\n\n2019-02-02\n\n\n\n"},
	} {
		_, err := Authenticate(c.r, account(testAccount), testNow)
		var refusal *Refusal
		if !errors.As(err, &refusal) || refusal.StringToSign != c.want {
			t.Errorf("%s: %+v, want %q", c.name, refusal, c.want)
		}
	}
}
