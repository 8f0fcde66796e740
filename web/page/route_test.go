package page

import (
	"net/url"
	"testing"
)

func TestRoute(t *testing.T) {
	query := Route{Account: "a", Table: "T"}.With("filter", "A eq 'b & c=d'").With("select", "A,B")
	tests := []struct {
		name  string
		route Route
		query string
	}{
		{"nowhere", Route{}, ""},
		{"an account", Route{Account: "a"}, "account=a"},
		{"a table", Route{Account: "a", Table: "T"}, "account=a&table=T"},
		{"a page of the store", Route{Page: "requests"}, "page=requests"},
		{"a query", query, "account=a&table=T&filter=A+eq+%27b+%26+c%3Dd%27&select=A%2CB"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := test.route.Query(); got != test.query {
				t.Errorf("query %q, want %q", got, test.query)
			}
			u, err := url.Parse("https://host/folder/?old=1#part")
			if err != nil {
				t.Fatal(err)
			}
			there := test.route.On(u)
			if there.Path != "/folder/" || there.Host != "host" || there.Fragment != "" {
				t.Errorf("the address is %v", there)
			}
			if got := RouteOf(there); got != test.route {
				t.Errorf("read back %+v, want %+v", got, test.route)
			}
		})
	}
}

// TestOtherSpellingOfATable: a link with another spelling shows the same page, with what the
// user has entered.
func TestOtherSpellingOfATable(t *testing.T) {
	here, there := Props{Route: Route{Account: "a", Table: "Orders"}}, Props{Route: Route{Account: "a", Table: "orders"}}
	if here.CompoID() != there.CompoID() {
		t.Errorf("%s is another page than %s", here.CompoID(), there.CompoID())
	}
}

func TestRouteOfStrangeAddresses(t *testing.T) {
	for query, want := range map[string]Route{
		"table=T":              {},
		"utm=1&%zz&account=a":  {Account: "a", Args: "utm=1"},
		"account=a&account=b":  {Account: "a"},
		"account=&table=T":     {},
		"account=a;table=T&x=": {},
	} {
		if got := RouteOf(&url.URL{RawQuery: query}); got != want {
			t.Errorf("%s: got %+v, want %+v", query, got, want)
		}
	}
}

func TestArguments(t *testing.T) {
	r := Route{Account: "a", Table: "T"}.With("filter", "x").With("select", "A").With("filter", "")
	if r.Arg("filter") != "" || r.Has("filter") || r.Arg("select") != "A" || !r.Has("select") {
		t.Errorf("arguments %q", r.Args)
	}
	if !r.SamePage(Route{Account: "a", Table: "t"}) || r.SamePage(r.At("access")) || r.Scope() != Table {
		t.Errorf("%+v", r)
	}
}

// TestLinksStayInTheNamedStore: the explorer of an embedding site may show several.
func TestLinksStayInTheNamedStore(t *testing.T) {
	NamedStore = "/demo/"
	t.Cleanup(func() { NamedStore = "" })
	r := Route{Account: "a", Table: "T"}.With("filter", "x")
	if want := "?account=a&table=T&store=%2Fdemo%2F&filter=x"; r.Href() != want {
		t.Errorf("got %s, want %s", r.Href(), want)
	}
	u, err := url.Parse("https://host/explorer/" + r.Href())
	if err != nil || RouteOf(u) != r {
		t.Errorf("%s is read as %+v, %v", u, RouteOf(u), err)
	}
}
