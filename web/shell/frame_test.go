package shell

import (
	"net/url"
	"testing"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/pagetest"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

func TestEndpointBase(t *testing.T) {
	for page, want := range map[string]string{
		"http://h:8080/":                 "http://h:8080/",
		"http://h/?account=a#x":          "http://h/",
		"https://h/sub/index.html":       "https://h/sub/",
		"https://h/sub/?account=a/b":     "https://h/sub/",
		"https://h/sub/gallery":          "https://h/sub/",
		"https://h/deeper/sub/?table=%2": "https://h/deeper/sub/",
	} {
		u, err := url.Parse(page)
		if err != nil {
			t.Fatal(err)
		}
		if got := endpointBase(u); got != want {
			t.Errorf("%s: %s", page, got)
		}
	}
}

func TestPill(t *testing.T) {
	failed := remote.Value[control.Status]{}.Answered(control.Status{}, client.ErrNoAnswer)
	stored := remote.Of(control.Status{Build: "b", Store: "indexeddb"})
	tests := []struct {
		name   string
		value  remote.Value[control.Status]
		health health
		mood   ui.Mood
		words  string
	}{
		{"not asked", remote.Value[control.Status]{}, health{}, ui.Wait, "Starting"},
		{"loading", remote.Value[control.Status]{}.Asked(), health{}, ui.Wait, "Starting"},
		{"failed", failed, health{}, ui.Bad, "Not answering"},
		{"saved", stored, health{}, ui.Good, "Saved in this browser"},
		{"evictable", stored, health{evictable: true}, ui.Wait, "Saved, not persistent yet"},
		{"memory", remote.Of(control.Status{Build: "b", Store: "memory"}), health{}, ui.Wait, "In memory only"},
		{"checked", stored, health{problems: 2, evictable: true}, ui.Bad, "The check found problems"},
		{"corruption", remote.Of(control.Status{Store: "indexeddb", Corruption: []string{"corrupt block"}}), health{problems: 2}, ui.Bad, "Stored data is corrupt"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if mood, words, _ := pillOf(test.value, test.health); mood != test.mood || words != test.words {
				t.Errorf("%s %q", mood, words)
			}
		})
	}
}

func TestTablesWith(t *testing.T) {
	all := []client.Table{{Name: "Customers"}, {Name: "Orders"}}
	if got := tablesWith(all, " ORD "); len(got) != 1 || got[0].Name != "Orders" {
		t.Errorf("found %v", got)
	}
	if got := tablesWith(all, ""); len(got) != 2 {
		t.Errorf("found %v", got)
	}
}

func TestThemes(t *testing.T) {
	theme := themes[0]
	for range themes {
		theme = nextTheme(theme)
	}
	if theme != themes[0] || nextTheme("sepia") != themes[0] {
		t.Error("the button does not go round")
	}
}

// TestConnect: on a page of the store it is about the first account.
func TestConnect(t *testing.T) {
	for _, test := range []struct {
		from page.Route
		want string
	}{
		{page.Route{}, "probe connect of devstoreaccount1/"},
		{page.Route{Page: "storage"}, "probe connect of devstoreaccount1/"},
		{customers.At("access"), "probe connect of devstoreaccount1/Customers"},
	} {
		d := open(t, pagetest.Filled(1), test.from)
		d.do(func() { d.onConnect(d.ctx, app.Event{}) })
		wantShown(t, d, test.want)
	}
}

// TestPillLeadsBack to the page before, and to the tables from a page that a link opened.
func TestPillLeadsBack(t *testing.T) {
	d := open(t, pagetest.Filled(1), page.Route{Page: "storage"})
	pill := func() { d.do(func() { d.onStorage(d.ctx, app.Event{}) }) }
	pill()
	wantShown(t, d, "probe  of devstoreaccount1/ ")
	d.do(func() { d.Navigate(customers.With("filter", "x")) })
	pill()
	wantShown(t, d, "probe storage of /")
	pill()
	wantShown(t, d, "probe  of devstoreaccount1/Customers filter=x")
}
