package auth

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func refusalOf(t *testing.T, r Request, name string) *Refusal {
	t.Helper()
	_, err := Authenticate(r, account(name), testNow)
	var refusal *Refusal
	if !errors.As(err, &refusal) || !errors.Is(err, ErrAuthenticationFailed) {
		t.Fatalf("got %v, want a refused signature", err)
	}
	return refusal
}

func TestSharedKeyMistakesAreNamed(t *testing.T) {
	const full = "GET\n\napplication/json\n" + testDate + "\n"
	tests := []struct{ name, scheme, target, signed, reason string }{
		{"no account", SchemeSharedKey, "https://acc.table.core.windows.net/Tables", full + "/Tables", "account is missing"},
		{"account twice", SchemeSharedKey, "https://acc.table.core.windows.net/Tables", full + "/acc/acc/Tables", "twice"},
		{"account once, path style", SchemeSharedKey, "http://127.0.0.1/acc/Tables", full + "/acc/Tables", "only once"},
		{"decoded path", SchemeSharedKey, "https://acc.table.core.windows.net/T(PartitionKey='a%20b',RowKey='')", full + "/acc/T(PartitionKey='a b',RowKey='')", "decoded"},
		{"no comp", SchemeSharedKey, "https://acc.table.core.windows.net/T?comp=acl", full + "/acc/T", "comp"},
		{"query", SchemeSharedKeyLite, "https://acc.table.core.windows.net/T()?$top=1", testDate + "\n/acc/T()?%24top=1", "query"},
		{"no date", SchemeSharedKeyLite, "https://acc.table.core.windows.net/T()", "\n/acc/T()", "date is missing"},
		{"the other scheme", SchemeSharedKey, "https://acc.table.core.windows.net/T()", testDate + "\n/acc/T()", "SharedKeyLite"},
		{"unknown", SchemeSharedKey, "https://acc.table.core.windows.net/T()", "something else", "is not that of"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			header := http.Header{"X-Ms-Date": {testDate}, "Content-Type": {"application/json"}}
			refusal := refusalOf(t, signedRequest("GET", test.target, test.scheme+" acc:"+Sign(testKey, test.signed), header), "acc")
			want := test.signed
			if test.name == "unknown" {
				want = ""
			}
			if refusal.Signed != want || !strings.Contains(refusal.Reason, test.reason) || refusal.StringToSign == "" {
				t.Errorf("got %q for %q, want %q for %q", refusal.Reason, refusal.Signed, test.reason, want)
			}
		})
	}
}

func TestSASMistakesAreNamed(t *testing.T) {
	table := url.Values{"sv": {"2019-02-02"}, "sp": {"r"}, "se": {"2030-01-01T00:00:00Z"}, "tn": {"Sensors"}}
	whole := url.Values{"sv": {"2019-02-02"}, "ss": {"t"}, "srt": {"o"}, "sp": {"r"}, "se": {"2030-01-01T00:00:00Z"}}
	tableText, wholeText := tableStringToSign(table, "acc", "2019-02-02"), accountStringToSign(whole, "acc", "2019-02-02")
	tests := []struct {
		name   string
		query  url.Values
		signed string
		reason string
	}{
		{"table name", table, strings.Replace(tableText, "sensors", "Sensors", 1), "lower case"},
		{"no /table", table, strings.Replace(tableText, "/table/", "/", 1), "begin with /table"},
		{"no account", table, strings.Replace(tableText, "/acc/", "/", 1), "account is missing"},
		{"no key lines", table, strings.TrimSuffix(tableText, "\n\n\n\n"), "partition and row keys"},
		{"no sip and spr", table, strings.Replace(tableText, "\n\n\n\n2019", "\n\n2019", 1), "sip and spr"},
		{"no last line end", whole, strings.TrimSuffix(wholeText, "\n"), "line end"},
		{"ses too early", whole, wholeText + "\n", "ses"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.query.Set("sig", Sign(testKey, test.signed))
			refusal := refusalOf(t, sasRequest(test.query.Encode()), "acc")
			if refusal.Signed != test.signed || !strings.Contains(refusal.Reason, test.reason) {
				t.Errorf("got %q for %q, want %q for %q", refusal.Reason, refusal.Signed, test.reason, test.signed)
			}
		})
	}
}
