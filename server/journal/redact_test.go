package journal

import (
	"net/url"
	"strings"
	"testing"

	"sandtable/server/message"
)

const (
	testKey       = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
	testSignature = "h2xns+lo9FsXiY/9/MMYBuBXotFTiDOVESwDg9spJ+g="
)

func TestRedactText(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"no secret", `{"design=":"assignment","Sigma":1,"a=b":"the bearer of this"}`, `{"design=":"assignment","Sigma":1,"a=b":"the bearer of this"}`},
		{"a query", "https://a.b/t?sv=1&sig=h2xns%2Blo9%2F%3D&se=2", "https://a.b/t?sv=1&sig=REDACTED&se=2"},
		{"at the end", "/t?sig=h2xns%2Blo9%2F%3D", "/t?sig=REDACTED"},
		{"alone", "sig=abc", "sig=REDACTED"},
		{"not escaped", "/t?sig=a+b/c=&se=2", "/t?sig=REDACTED&se=2"},
		{"its name escaped", "/t?%73i%67=abc&x=1", "/t?%73i%67=REDACTED&x=1"},
		{"its name in capitals", "/t?SIG=abc", "/t?SIG=REDACTED"},
		{"a semicolon before it", "/t?a=b;sig=abc;c", "/t?a=b;sig=REDACTED;c"},
		{"an address in an address", "/t?next=https%3A%2F%2Fa%2Ft%3Fsv%3D1%26sig%3Dabc%252B%26se%3D2", "/t?next=https%3A%2F%2Fa%2Ft%3Fsv%3D1%26sig%3DREDACTED%26se%3D2"},
		{"escaped twice", "x%2526sig%253Dabc%25252Bd%2526se", "x%2526sig%253DREDACTED%2526se"},
		{"in JSON", `{"u":"https://a/t?sv=1&sig=a\u002bb\/c=","v":2}`, `{"u":"https://a/t?sv=1&sig=REDACTED","v":2}`},
		{"behind an escape of JSON", `"t?sv=1\u0026sig=ab%2B\u0026se=2"`, `"t?sv=1\u0026sig=REDACTED\u0026se=2"`},
		{"behind a line's end in JSON", `"first line\nsig=abc\r\ntoken=abc\tAccountKey=abc\fsharedkey first1:abc"`, `"first line\nsig=REDACTED\r\ntoken=REDACTED\tAccountKey=REDACTED\fsharedkey first1:REDACTED"`},
		{"behind a line's end in JSON in JSON", `"{\"a\":\"first\\nsig=abc\\n\"}"`, `"{\"a\":\"first\\nsig=REDACTED\\n\"}"`},
		{"behind a line's end in JSON in an address", "a=first%5Cnsig%3Dabc%5cbBearer%20" + testSignature[:20], "a=first%5Cnsig%3DREDACTED%5cbBearer%20REDACTED"},
		{"known, with a line's end in JSON before it", `"a\n` + testKey + `\n"`, `"a\nREDACTED\n"`},
		{"behind a backslash that is no escape", `a\token=abc b\\bearer ` + testSignature + ` c\` + "sig=abc", `a\token=REDACTED b\\bearer REDACTED c\sig=REDACTED`},
		{"a backslash before a word", `C:\x\nothing\design=1`, `C:\x\nothing\design=1`},
		{"in XML", `<a>t?sv=1&amp;sig=a&#43;b&#x2F;c=&amp;se=2</a>`, `<a>t?sv=1&amp;sig=REDACTED&amp;se=2</a>`},
		{"in a batch", "GET https://a/t?sig=abc%3D HTTP/1.1\r\nAuthorization: SharedKey devstoreaccount1:abc=\r\n\r\n", "GET https://a/t?sig=REDACTED HTTP/1.1\r\nAuthorization: SharedKey devstoreaccount1:REDACTED\r\n\r\n"},
		{"Lite", "SharedKeyLite first1:abc=", "SharedKeyLite first1:REDACTED"},
		{"a Shared Key without account", "SharedKey abc=", "SharedKey REDACTED"},
		{"a connection string", "AccountName=first1;AccountKey=abc+/==;TableEndpoint=http://x", "AccountName=first1;AccountKey=REDACTED;TableEndpoint=http://x"},
		{"a connection string with a SAS", "SharedAccessSignature=sv=1&sig=abc%3D;X", "SharedAccessSignature=sv=1&sig=REDACTED;X"},
		{"a bearer token", "Authorization: Bearer eyJ0eXAiOiJKV1QiLCJh.bGci-Oi_J~", "Authorization: Bearer REDACTED"},
		{"a token in a query", "/_sandtable/status?token=abc&access_token=def", "/_sandtable/status?token=REDACTED&access_token=REDACTED"},
		{"a token of something else", "nextToken=abc", "nextToken=abc"},
		{"broken escapes", `sig=%&sig=%2&sig=\u00&sig=&#x;&sig=&#`, `sig=REDACTED&sig=REDACTED&sig=\u00&sig=&#x;&sig=&#`},
		{"known", "key " + testKey + ".", "key REDACTED."},
		{"known and in a word", "x" + testKey, "xREDACTED"},
		{"known, escaped", "k=" + url.QueryEscape(testKey), "k=REDACTED"},
		{"known, escaped twice", url.QueryEscape(url.QueryEscape(testKey)), "REDACTED"},
		{"known, in JSON", `"` + strings.NewReplacer("/", `\/`, "=", `\u003d`).Replace(testKey) + `"`, `"REDACTED"`},
		{"known, in XML", "<a>" + strings.ReplaceAll(testKey, "=", "&#61;") + "</a>", "<a>REDACTED</a>"},
		{"known, in JSON in JSON", `"{\"k\":\"` + strings.ReplaceAll(testKey, "/", `\\/`) + `\"}"`, `"{\"k\":\"REDACTED\"}"`},
		{"known, in JSON in an address", url.QueryEscape(strings.NewReplacer("/", `\/`, "=", `\u003D`).Replace(testKey)), "REDACTED"},
		{"known, in XML in an address", url.QueryEscape(url.QueryEscape(strings.ReplaceAll(testKey, "=", "&#61;"))), "REDACTED"},
		{"twice", testKey + testKey, "REDACTEDREDACTED"},
		{"almost known", testKey[:20] + "x", testKey[:20] + "x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := NewRedactor(testKey).Text(c.text, false); got != c.want {
				t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
			}
		})
	}
}

// TestRedactCut: the beginning of a secret at the end of a text that was cut.
func TestRedactCut(t *testing.T) {
	r := NewRedactor(testKey)
	for n := range len(testKey) {
		text := `{"key":"` + testKey[:n]
		want := text
		if n >= shortest {
			want = `{"key":"REDACTED`
		}
		if got := r.Text(text, true); got != want {
			t.Fatalf("%s became %s", text, got)
		}
	}
}

func TestRedactField(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"Authorization", "SharedKey devstoreaccount1:" + testSignature, "SharedKey devstoreaccount1:REDACTED"},
		{"Authorization", "SharedKeyLite first1:abc", "SharedKeyLite first1:REDACTED"},
		{"Authorization", "SharedKey " + testKey, "SharedKey REDACTED"},
		{"Authorization", "SharedKey " + testKey + ":abc", "SharedKey REDACTED"},
		{"Authorization", "Bearer a", "Bearer REDACTED"},
		{"Authorization", "Basic dXNlcjpwYXNz", "Basic REDACTED"},
		{"Authorization", testSignature, "REDACTED"},
		{"Authorization", testSignature + " x", "REDACTED"},
		{"Authorization", "", "REDACTED"},
		{"Proxy-Authorization", "Basic dXNlcjpwYXNz", "Basic REDACTED"},
		{"x-ms-copy-source-authorization", "Bearer x", "Bearer REDACTED"},
		{"Cookie", "session=abc", "REDACTED"},
		{"Set-Cookie", "session=abc", "REDACTED"},
		{"X-Api-Key", "abc", "REDACTED"},
		{"x-ms-encryption-key", "abc", "REDACTED"},
		{"X-Csrf-Token", "abc", "REDACTED"},
		{"Referer", "https://a/?sv=1&sig=abc", "https://a/?sv=1&sig=REDACTED"},
		{"x-ms-continuation-NextPartitionKey", "1!8!RXVyb3Bl", "1!8!RXVyb3Bl"},
		{"x-ms-date", "Tue, 26 Oct 2021 20:12:20 GMT", "Tue, 26 Oct 2021 20:12:20 GMT"},
		{"X-Odd", "the key " + testKey, "the key REDACTED"},
	} {
		h := message.Header{c.name: {c.value}}
		got := NewRedactor(testKey).Header(h)[c.name][0]
		if got != c.want {
			t.Errorf("%s: %s became %s, want %s", c.name, c.value, got, c.want)
		}
		if h[c.name][0] != c.value {
			t.Error("the header itself was changed")
		}
	}
}

// TestRedactCredentials: what a request was signed with is taken out wherever
// it stands.
func TestRedactCredentials(t *testing.T) {
	address, err := url.Parse("https://a/t?sv=1&s%69g=" + url.QueryEscape(testSignature))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []Entry{
		{URL: address},
		{URL: new(url.URL), RequestHeader: message.Header{"Authorization": {"SharedKey first1:" + testSignature}}},
		{URL: new(url.URL), RequestHeader: message.Header{"Authorization": {"Bearer " + testSignature}}},
	} {
		known := NewRedactor(testKey)
		r := known.With(&e)
		if got := r.Text("signed with "+testSignature+" and "+testKey, false); got != "signed with REDACTED and REDACTED" {
			t.Errorf("%+v: %s", e, got)
		}
		if got := known.Text(testSignature, false); got != testSignature {
			t.Error("another entry's redactor knows it, too")
		}
	}
}

// FuzzRedact: no text makes it panic, a known secret is never left, and what
// was taken out is not taken out again.
func FuzzRedact(f *testing.F) {
	for _, text := range []string{"", "sig=", "sig=%25", `\nsig=a\n`, `\\token=a`, `\u00`, "&#x2b;", testKey, "x?sig=a%252Bb&amp;", "Bearer ", "SharedKey a:", "%25252"} {
		f.Add(text, false)
		f.Add(text+testKey[:9], true)
	}
	r := NewRedactor(testKey)
	f.Fuzz(func(t *testing.T, text string, cut bool) {
		got := r.Text(text, cut)
		if strings.Contains(unescaped(got), testKey) {
			t.Errorf("%q became %q", text, got)
		}
		both := r.Text(text+testKey+text, cut)
		if strings.Contains(unescaped(both), testKey) {
			t.Errorf("%q became %q", text, both)
		}
		if cut {
			end := unescaped(got)
			for n := shortest; n < len(testKey); n++ {
				if strings.HasSuffix(end, testKey[:n]) {
					t.Errorf("%q became %q", text, got)
				}
			}
		}
	})
}
