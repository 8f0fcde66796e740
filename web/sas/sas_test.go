package sas

import (
	"strings"
	"testing"
	"time"
)

const wellKnownKey = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="

func key(t *testing.T) []byte {
	t.Helper()
	k, err := DecodeKey(wellKnownKey)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestStringToSign holds signatures to vectors that were computed elsewhere.
func TestStringToSign(t *testing.T) {
	for _, c := range []struct {
		name  string
		token Token
		text  string
		sig   string
	}{
		{"table", Token{Table: "MyTable", Permissions: "dura", Expiry: "2030-01-01T00:00:00Z"},
			"raud\n\n2030-01-01T00:00:00Z\n/table/devstoreaccount1/mytable\n\n\n\n2019-02-02\n\n\n\n", "VH1kJ2dMcGJPJnFMefVZ3HMd1fedSci/031kWIgJz0w="},
		{"range", Token{Table: "mytable", Permissions: "r", Start: "2021-01-01", Expiry: "2030-01-01 00:00:00 UTC", IP: "10.0.0.1-10.0.0.9", Protocol: "https,http",
			FromPartition: "A", FromRow: "1", ToPartition: "B", ToRow: "9"},
			"r\n2021-01-01T00:00:00Z\n2030-01-01T00:00:00Z\n/table/devstoreaccount1/mytable\n\n10.0.0.1-10.0.0.9\nhttps,http\n2019-02-02\nA\n1\nB\n9",
			"XpTlzUSLK76MFxAkH9aO0niEwEDkMz6xZ7PqLnvYgoc="},
		{"policy with everything", Token{Table: "mytable", Permissions: "r", Expiry: "2031-01-01", Start: "2020-01-01",
			Policy: Policy{ID: "read-policy", Permissions: "r", Start: "2021-01-01", Expiry: "2030-01-01"}},
			"\n\n\n/table/devstoreaccount1/mytable\nread-policy\n\n\n2019-02-02\n\n\n\n", "tT07KSqD7x8No5xPonlMPDmeYNIzhCR6iFkisPHepoA="},
		{"account", Token{Permissions: "ucaldwr", ResourceTypes: "ocs", Expiry: "2030-01-01", Protocol: "https,http", FromPartition: "not signed"},
			"devstoreaccount1\nrwdlacu\nt\nsco\n\n2030-01-01T00:00:00Z\n\nhttps,http\n2019-02-02\n", "dKEa4zPUq/dWdOLrCYusn1Jnz45OJCCdBPi+hMWeijk="},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.token.Account = "devstoreaccount1"
			if got := c.token.StringToSign(); got != c.text {
				t.Errorf("string to sign %q, want %q", got, c.text)
			}
			signed := c.token.Signed(key(t))
			if last := signed[len(signed)-1]; last != (Parameter{"sig", c.sig}) {
				t.Errorf("got %v, want the signature %s", last, c.sig)
			}
		})
	}
}

func TestSharedKey(t *testing.T) {
	const date = "Tue, 26 Oct 2021 20:12:20 GMT"
	for name, c := range map[string]struct {
		account string
		request Request
		want    string
	}{
		"path style": {"devstoreaccount1", Request{Method: "GET", Path: "/devstoreaccount1/Tables", Date: date}, "XHPWvZAlx/dnPps8oYYFM4aROPXy0zRPVRowI9SqRa8="},
		"host style": {"myaccount", Request{Method: "post", Path: "/Tables", ContentType: "application/json", Date: date}, "MJuclN8runulN2XUmVT9+L326F1yRdlBGPdw88yxrh0="},
	} {
		t.Run(name, func(t *testing.T) {
			if got, want := SharedKey(c.account, key(t), c.request), "SharedKey "+c.account+":"+c.want; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
	text := Request{Method: "GET", Path: "/", Comp: "properties", Date: date}.StringToSign("myaccount")
	if want := "GET\n\n\n" + date + "\n/myaccount/?comp=properties"; text != want {
		t.Errorf("got %q, want %q", text, want)
	}
}

func TestDecodeKey(t *testing.T) {
	for _, text := range []string{"", "AAAA*", "not Base64!", "  "} {
		if _, err := DecodeKey(text); err != ErrKey {
			t.Errorf("%q: got %v, want %v", text, err, ErrKey)
		}
	}
}

func TestQueryEscapes(t *testing.T) {
	got := Query([]Parameter{{"st", "2026-11-20T18:40:00Z"}, {"spk", "a b&c+d"}, {"sig", "/+="}})
	if want := "st=2026-11-20T18%3A40%3A00Z&spk=a%20b%26c%2Bd&sig=%2F%2B%3D"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func sentence(spans []Span) string {
	text := ""
	for _, s := range spans {
		text += s.Text
	}
	return text
}

func TestSummary(t *testing.T) {
	for _, c := range []struct {
		token Token
		want  string
	}{
		{Token{Table: "Customers", Permissions: "ra", Protocol: "https", FromPartition: "EU-West", ToPartition: "EU-West"},
			"Anyone with this link can query and add entities in Customers, only in partition EU-West, over HTTPS only, from any address."},
		{Token{Table: "Customers", Permissions: "raud", Protocol: "https,http", IP: " 203.0.113.7"},
			"Anyone with this link can query, add, update and delete entities in Customers, over HTTPS and HTTP, from 203.0.113.7."},
		{Token{Table: "T", Permissions: "r", FromPartition: "a", FromRow: "1", ToPartition: "c"},
			"Anyone with this link can query entities in T, from partition a, row 1, up to partition c, over HTTPS and HTTP, from any address."},
		{Token{Table: "T", Permissions: "r", FromPartition: "a"},
			"Anyone with this link can query entities in T, from partition a, over HTTPS and HTTP, from any address."},
		{Token{Table: "T", Permissions: "r", ToPartition: "c", ToRow: "9"},
			"Anyone with this link can query entities in T, up to partition c, row 9, over HTTPS and HTTP, from any address."},
		{Token{Table: "T", Permissions: "r", FromPartition: "a", ToPartition: "a", FromRow: "1", ToRow: "9"},
			"Anyone with this link can query entities in T, only in partition a, from row 1, up to row 9, over HTTPS and HTTP, from any address."},
		{Token{Table: "T", Permissions: "d", Policy: Policy{ID: "sync", Permissions: "ru"}},
			"Anyone with this link can query and update entities in T, as long as the policy sync allows it, over HTTPS and HTTP, from any address."},
		{Token{Account: "acc", Permissions: "rwdlacu", ResourceTypes: "sco"},
			"Anyone with this link can query, add, update and delete entities in all tables; list, create and delete tables; read and change the service properties of acc, over HTTPS and HTTP, from any address."},
		{Token{Account: "acc", Permissions: "a", ResourceTypes: "s"}, "This link allows nothing yet: choose what it may do, and on what."},
		{Token{Table: "T"}, "This link allows nothing yet: choose what it may do."},
	} {
		if got := sentence(c.token.Summary()); got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
}

func TestProblems(t *testing.T) {
	good := Token{Table: "T", Permissions: "r", Expiry: "2030-01-01"}
	change := func(f func(*Token)) Token { c := good; f(&c); return c }
	for _, c := range []struct {
		name, parameter, says string
		token                 Token
	}{
		{"nothing wrong", "", "", good},
		{"a policy has the rest", "", "", Token{Table: "T", Policy: Policy{ID: "p", Permissions: "r", Expiry: "2030-01-01"}}},
		{"no permission", "sp", "at least one", change(func(t *Token) { t.Permissions = "" })},
		{"an account's letters for a table", "sp", "at least one", change(func(t *Token) { t.Permissions = "wl" })},
		{"no resource type", "srt", "at least one", change(func(t *Token) { t.Table = "" })},
		{"no expiry", "se", "required", change(func(t *Token) { t.Expiry = " " })},
		{"no date", "se", "Not a time", change(func(t *Token) { t.Expiry = "tomorrow" })},
		{"a start that is no date", "st", "Not a time", change(func(t *Token) { t.Start = "13:00" })},
		{"a start before the end", "", "", change(func(t *Token) { t.Start = "2029-12-31" })},
		{"an end before the start", "se", "before it starts", change(func(t *Token) { t.Start = "2031-01-01" })},
		{"an end in the second of the start", "se", "before it starts", change(func(t *Token) { t.Start, t.Expiry = "2030-01-01 00:00:00.2", "2030-01-01 00:00:00.9" })},
		{"the policy's start after the end", "se", "before it starts", change(func(t *Token) { t.Policy = Policy{ID: "p", Start: "2031-01-01"} })},
		{"no address", "sip", "Not an address", change(func(t *Token) { t.IP = "localhost" })},
		{"half a range", "sip", "after the hyphen", change(func(t *Token) { t.IP = "10.0.0.1-" })},
		{"a range backwards", "sip", "ends before", change(func(t *Token) { t.IP = "10.0.0.9-10.0.0.1" })},
		{"a row without its partition", "spk", "needs its PartitionKey", change(func(t *Token) { t.FromRow = "1" })},
		{"a last row without its partition", "epk", "needs its PartitionKey", change(func(t *Token) { t.ToRow = "1" })},
		{"a last partition before the first", "epk", "To is before From", change(func(t *Token) { t.FromPartition, t.ToPartition = "z", "a" })},
		{"a last row before the first", "epk", "To is before From", change(func(t *Token) { t.FromPartition, t.FromRow, t.ToPartition, t.ToRow = "a", "2", "a", "1" })},
		{"one row", "", "", change(func(t *Token) { t.FromPartition, t.FromRow, t.ToPartition, t.ToRow = "a", "1", "a", "1" })},
		{"a partition from a row on", "", "", change(func(t *Token) { t.FromPartition, t.FromRow, t.ToPartition = "a", "1", "a" })},
		{"no last partition", "", "", change(func(t *Token) { t.FromPartition = "z" })},
		{"keys that an account's token does not have", "", "", Token{Permissions: "r", ResourceTypes: "o", Expiry: "2030-01-01", FromPartition: "z", ToPartition: "a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := c.token.Problems()
			if c.parameter == "" && len(got) > 0 {
				t.Errorf("got %v, want no problem", got)
			}
			if !strings.Contains(got[c.parameter], c.says) {
				t.Errorf("got %v, want %s: %s", got, c.parameter, c.says)
			}
		})
	}
}

func TestParseTime(t *testing.T) {
	want := time.Date(2026, 11, 20, 18, 40, 0, 0, time.UTC)
	for _, text := range []string{"2026-11-20 18:40:00 UTC", "2026-11-20 18:40", "2026-11-20T18:40:00Z", " 2026-11-20 18:40:00.0UTC ", "2026-11-20T20:40:00+02:00", FormatTime(want)} {
		if got, ok := ParseTime(text); !ok || !got.Equal(want) {
			t.Errorf("%q: got %v, %v", text, got, ok)
		}
	}
	const exact = "2026-11-20 18:40:00.1234567 UTC"
	if got := NormalizeTime("soon"); got != "soon" {
		t.Errorf("no time: got %s", got)
	}
	if got := NormalizeTime(exact); got != exact {
		t.Errorf("%s becomes %s", exact, got)
	}
	if got := WireTime(exact); got != "2026-11-20T18:40:00Z" {
		t.Errorf("%s is signed as %s", exact, got)
	}
	if got, ok := ParseTime("2026-11-20 UTC"); !ok || !got.Equal(want.Truncate(24*time.Hour)) {
		t.Errorf("a date alone: got %v, %v", got, ok)
	}
	for _, text := range []string{"", "AAAA*", "UTC", "now", "18:40", "2026-13-01"} {
		if got, ok := ParseTime(text); ok {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

func TestValidity(t *testing.T) {
	now := time.Date(2026, 11, 20, 18, 44, 26, 0, time.UTC)
	for _, c := range []struct {
		start, expiry string
		want          Validity
		words         string
	}{
		{"2026-11-20 18:40", "2026-11-27 18:40", Valid, "valid now, expires in 6 d 23 h 55 min 34 s"},
		{"", "2026-11-20 19:44:26", Ending, "valid now, expires in 1 h 0 min 0 s"},
		{"", "2026-11-20 18:44:27", Ending, "valid now, expires in 1 s"},
		{"", "2026-11-20 18:44:26", Expired, "expired 0 s ago"},
		{"2026-11-20 18:45:26", "2026-11-27", NotYet, "starts in 1 min 0 s"},
		{"", " ", Unknown, "no expiry: a link needs one "},
		{"", "soon", Unknown, "the expiry is not a time "},
	} {
		v, words, left := Token{Start: c.start, Expiry: c.expiry}.Validity(now)
		if got := words + " " + left; v != c.want || got != c.words {
			t.Errorf("%s to %s: got %d %q, want %d %q", c.start, c.expiry, v, got, c.want, c.words)
		}
	}
}

func TestValidityByThePolicy(t *testing.T) {
	token := Token{Policy: Policy{ID: "p", Expiry: "2026-11-20"}}
	if v, _, _ := token.Validity(time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)); v != Expired {
		t.Errorf("got %d, want %d", v, Expired)
	}
}

func TestToggleKeepsTheOrder(t *testing.T) {
	letters := ""
	for _, letter := range []string{"d", "u", "r", "a"} {
		letters = Toggle(letters, letter, TablePermissions)
	}
	if letters != "raud" {
		t.Errorf("got %s, want raud", letters)
	}
	if got := Toggle(letters, "u", TablePermissions); got != "rad" {
		t.Errorf("got %s, want rad", got)
	}
}
