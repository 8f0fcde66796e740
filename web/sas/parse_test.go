package sas

import (
	"strings"
	"testing"
)

func TestParseLink(t *testing.T) {
	key := []byte("secret")
	made := Token{Account: "acc", Table: "Customers", Permissions: "ra", Start: "2026-11-20", Expiry: "2026-11-27 12:00", Protocol: "https", FromPartition: "EU <+&>", ToPartition: "z"}
	account := Token{Account: "acc", Permissions: "rl", ResourceTypes: "co", Expiry: "2026-11-27"}
	for name, text := range map[string]string{
		"a URL":                "https://acc.table.core.windows.net/Customers?" + Query(made.Signed(key)),
		"parameters":           "  " + Query(made.Signed(key)) + "\n",
		"a connection string":  "TableEndpoint=https://x/;SharedAccessSignature=" + Query(made.Signed(key)) + ";",
		"a URL of the account": "https://acc.table.core.windows.net/?" + Query(account.Signed(key)),
	} {
		link, problem := ParseLink(text)
		if problem != "" || !link.SignedWith("acc", key) {
			t.Errorf("%s: got %q, signed %v", name, problem, link.SignedWith("acc", key))
		}
		if link.SignedWith("other", key) || link.SignedWith("acc", []byte("another")) || link.SignedWith("acc", nil) {
			t.Errorf("%s: every key or account made it", name)
		}
		want := made
		if strings.Contains(name, "account") {
			want = account
		}
		if Order(link.Permissions, link.Known()) != Order(want.Permissions, want.Known()) || link.FromPartition != want.FromPartition {
			t.Errorf("%s: got %+v", name, link.Token)
		}
	}
}

func TestParseLinkProblems(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "no signature",
		"https://x/?sv=1":                 "no signature",
		"%zz&sig=x":                       "no signature",
		"sig=x&tn=a":                      "no version",
		"sv=2019-02-02&sig=x":             "neither a table",
		"sv=2019-02-02&ss=bq&sig=x":       "other services",
		"sv=2019-02-02&sr=b&sp=r&sig=%00": "neither a table",
	} {
		if _, problem := ParseLink(text); !strings.Contains(problem, want) {
			t.Errorf("%q: got %q, want %q", text, problem, want)
		}
	}
}

func TestSummaryOfAPolicyThatIsNotKnown(t *testing.T) {
	link, _ := ParseLink("sv=2019-02-02&tn=customers&si=sync&sig=x")
	text := ""
	for _, s := range link.Summary() {
		text += s.Text
	}
	if text != "The policy sync of the table customers decides what this link allows." {
		t.Errorf("got %q", text)
	}
}
