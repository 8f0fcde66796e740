package entities

import (
	"slices"
	"strings"
	"testing"

	"sandtable/web/client"
	"sandtable/web/pagetest"
)

// TestOutage: an account that does not answer keeps its last rows, and is tried again.
func TestOutage(t *testing.T) {
	endpoint := pagetest.Filled(3)
	var err error
	tries := 0
	d := open(t, pagetest.Transport(func(r client.Request) (client.Response, error) {
		if err != nil && strings.Contains(r.URL, "/Customers?") {
			tries++
			return client.Response{}, err
		}
		return endpoint.Do(t.Context(), r)
	}))
	err = &client.Unreachable{Reason: client.Down, Endpoint: "https://contoso.example"}
	d.Do(d.Page.run)
	d.Shows("Nothing answers at contoso.example", "Next try", "in 5 s", "Try now", "Stop trying", "What you last saw of Customers is shown below, from ", `class="results previous"`)
	if tries != 1 {
		t.Errorf("%d tries, want 1", tries)
	}
	d.Do(func() { d.Page.outage.Online() })
	d.Shows("in 10 s")
	if tries != 2 {
		t.Errorf("%d tries once there is a network, want 2", tries)
	}
	d.Do(d.Page.outage.Stop)
	d.Hides("Next try", "Stop trying")
	d.Do(func() { d.Page.outage.Online() })
	if tries != 2 {
		t.Errorf("%d tries after “Stop trying”, want 2", tries)
	}
	err = nil
	d.Do(d.Page.outage.Try)
	d.Shows("All 3 loaded", `class="results"`)
	d.Hides("outage")
	if !slices.Contains(d.Changed, pagetest.Account) {
		t.Error("the list of tables is not read again")
	}
}

// TestMissingRule: waiting does not help an account that has no CORS rule for the page.
func TestMissingRule(t *testing.T) {
	d := open(t, pagetest.Transport(func(client.Request) (client.Response, error) {
		return client.Response{}, &client.Unreachable{Reason: client.CORSBlocked, Endpoint: "https://contoso.example", Origin: "https://sandtable.example"}
	}))
	d.Shows("no CORS rule", "https://sandtable.example", "Copy rule", "Try again")
	d.Hides("Next try", "What you last saw")
}

// TestOutageDuringATry: a try that is under way can be stopped, and another one takes its
// place.
func TestOutageDuringATry(t *testing.T) {
	endpoint := pagetest.Filled(3)
	down := &client.Unreachable{Reason: client.Down, Endpoint: "https://contoso.example"}
	d := open(t, pagetest.Transport(func(r client.Request) (client.Response, error) {
		if strings.Contains(r.URL, "/Customers?") {
			return client.Response{}, down
		}
		return endpoint.Do(t.Context(), r)
	}))
	d.Shows("in 5 s")
	d.Do(func() { d.Page.outage.Try(); d.Page.outage.Try() })
	d.Shows("in 10 s")
	d.Do(func() { d.Page.outage.Try(); d.Page.outage.Stop() })
	d.Shows("Nothing answers at contoso.example", "Try again")
	d.Hides("Next try", "Stop trying")
	d.Do(d.Page.outage.Try)
	d.Shows("Next try", "Stop trying")
}
