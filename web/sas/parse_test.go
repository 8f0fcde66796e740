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
		"a URL":                 "https://acc.table.core.windows.net/Customers?" + Query(made.Signed(key)),
		"a URL with a fragment": "https://acc.table.core.windows.net/Customers?" + Query(made.Signed(key)) + "#top",
		"parameters":            "  " + Query(made.Signed(key)) + "\n",
		"a connection string":   "TableEndpoint=https://x/;SharedAccessSignature=" + Query(made.Signed(key)) + ";",
		"a URL of the account":  "https://acc.table.core.windows.net/?" + Query(account.Signed(key)),
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

// TestParseLinkOfOtherVersions: the form of what is signed depends on sv. The vectors
// were computed elsewhere.
func TestParseLinkOfOtherVersions(t *testing.T) {
	for name, text := range map[string]string{
		"account, 2020": "sv=2020-12-06&ss=t&srt=sco&sp=rwdlacu&se=2030-01-01T00:00:00Z&spr=https,http&sig=aQbb1uM9CNZPJhjuzMWpvrja5t6VW2FlvCUFVvjctAk%3D",
		"table, 2013":   "sv=2013-08-15&tn=mytable&sp=r&se=2030-01-01T00:00:00Z&sig=c00v2CQEAVbFrIq2ft%2BGYjp3/UOs0dKAQ%2BX/Kda/D3k%3D",
	} {
		if link, problem := ParseLink(text); problem != "" || !link.SignedWith("devstoreaccount1", key(t)) {
			t.Errorf("%s: not signed with its key, %q", name, problem)
		}
	}
}

// TestStringToSignOfATable: the versions that added lines to it, and the version before them.
func TestStringToSignOfATable(t *testing.T) {
	for version, want := range map[string]string{
		"2014-02-14": "r\n\n\n/acc/customers\n\n2014-02-14\n\n\n\n",
		"2015-02-21": "r\n\n\n/table/acc/customers\n\n2015-02-21\n\n\n\n",
		"2015-04-05": "r\n\n\n/table/acc/customers\n\n\n\n2015-04-05\n\n\n\n",
	} {
		if got := stringToSign("acc", "Customers", map[string]string{"sv": version, "sp": "r"}); got != want {
			t.Errorf("%s: %q, want %q", version, got, want)
		}
	}
}

// TestAccountLinkThatNamesATable: a signature of the whole account covers neither tn nor si,
// so a table or a policy in it limits nothing.
func TestAccountLinkThatNamesATable(t *testing.T) {
	made := Token{Account: "acc", Permissions: "rd", ResourceTypes: "o", Expiry: "2030-01-01"}
	link, problem := ParseLink(Query(made.Signed([]byte("secret"))) + "&tn=Customers&si=sync")
	if got := sentence(link.Summary()); problem != "" || got != "Anyone with this link can query and delete entities in all tables of its account, over HTTPS and HTTP, from any address." {
		t.Errorf("got %q %q", got, problem)
	}
	if !link.SignedWith("acc", []byte("secret")) {
		t.Error("its key has not made it")
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
		"sv=2019-02-02&ss=b&tn=a&sig=x":   "other services",
		"sv=2019-02-02&sr=b&sp=r&sig=%00": "neither a table",
	} {
		if _, problem := ParseLink(text); !strings.Contains(problem, want) {
			t.Errorf("%q: got %q, want %q", text, problem, want)
		}
	}
}

func TestSummaryOfAPolicyThatIsNotKnown(t *testing.T) {
	link, _ := ParseLink("sv=2019-02-02&tn=customers&si=sync&sig=x")
	if text := sentence(link.Summary()); text != "The policy sync of the table customers decides what this link allows." {
		t.Errorf("got %q", text)
	}
}
