package server_test

import (
	"context"
	"flag"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"sandtable/engine"
	"sandtable/server"
	"sandtable/server/nethttp"
	"sandtable/server/scenario"
)

var mutations = flag.Bool("mutations", false, "change each constant of the answers, one at a time, and see that a scenario fails")

// scenarioEndpoints serves a handler through around, and returns endpoints in both address
// styles.
func scenarioEndpoints(t *testing.T, around func(http.Handler) http.Handler) map[string]*scenario.Endpoint {
	f := newFixture(t)
	f.putAccount(engine.Account{Name: testAccount, Keys: [2][]byte{testKey}, Access: engine.StrictAccess})
	running := httptest.NewServer(around(nethttp.Handler(f.newHandler(server.Options{TableDeletion: time.Minute}))))
	t.Cleanup(running.Close)
	address := running.Listener.Addr().String()
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	client := &http.Client{Transport: &http.Transport{DialContext: dial}}
	t.Cleanup(client.CloseIdleConnections)
	return map[string]*scenario.Endpoint{
		"path": {URL: "http://" + address + "/" + testAccount, Account: testAccount, Key: testKey, Client: client},
		"host": {URL: "http://" + testAccount + ".table.localhost", Account: testAccount, Key: testKey, Client: client},
	}
}

func allScenarios(t *testing.T) []scenario.Scenario {
	t.Helper()
	all, err := scenario.All()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestScenarios plays our own scenarios in both address styles.
func TestScenarios(t *testing.T) {
	endpoints := scenarioEndpoints(t, func(h http.Handler) http.Handler { return h })
	for style, endpoint := range endpoints {
		for _, s := range allScenarios(t) {
			t.Run(style+"/"+s.Title, func(t *testing.T) {
				failures, err := endpoint.Run(t.Context(), s)
				if err != nil {
					t.Fatal(err)
				}
				for _, failure := range failures {
					t.Error(failure)
				}
			})
		}
	}
}

// TestScenariosCatchMutations shows how much of the protocol the scenarios pin
// down: of all changes of an error's constants, and of all headers that an answer
// lacks or has in addition, at least 95 % must fail a scenario.
func TestScenariosCatchMutations(t *testing.T) {
	if !*mutations {
		t.Skip("takes half a minute: run with -mutations, as make test does")
	}
	change := &headerChange{}
	endpoint := scenarioEndpoints(t, change.around)["path"]
	all := allScenarios(t)
	all = append(all[len(all)/2:], all[:len(all)/2]...)
	caught, tried := 0, 0
	for _, m := range append(server.ErrorMutations(), change.mutations()...) {
		m.Apply()
		tried++
		if anyFails(t, endpoint, all) {
			caught++
		} else {
			t.Log("not caught:", m.Name)
		}
		m.Undo()
	}
	t.Logf("%d of %d mutations are caught", caught, tried)
	if caught*100 < tried*95 {
		t.Errorf("%d of %d mutations are caught, want 95 %%", caught, tried)
	}
}

func anyFails(t *testing.T, endpoint *scenario.Endpoint, all []scenario.Scenario) bool {
	for _, s := range all {
		if failures, err := endpoint.Run(t.Context(), s); err != nil || failures != nil {
			return true
		}
	}
	return false
}

// headerChange takes a header out of all answers, or adds one where it is not.
type headerChange struct{ without, add string }

var answerHeaders = []string{
	"Cache-Control", "Content-Type", "DataServiceId", "Date", "ETag", "Location", "Preference-Applied", "Server", "WWW-Authenticate",
	"X-Content-Type-Options", "x-ms-client-request-id", "x-ms-continuation-NextPartitionKey", "x-ms-continuation-NextRowKey",
	"x-ms-continuation-NextTableName", "x-ms-error-code", "x-ms-request-id", "x-ms-version",
	"Access-Control-Allow-Origin", "Access-Control-Allow-Methods", "Access-Control-Allow-Headers", "Access-Control-Max-Age",
	"Access-Control-Expose-Headers", "Access-Control-Allow-Credentials", "Vary",
}

// everywhere are headers of every answer: nothing can be added.
var everywhere = map[string]bool{"Date": true, "Server": true, "x-ms-request-id": true, "x-ms-version": true}

func (c *headerChange) mutations() []server.Mutation {
	var all []server.Mutation
	for _, name := range answerHeaders {
		undo := func() { *c = headerChange{} }
		all = append(all, server.Mutation{Name: "no " + name, Apply: func() { c.without = name }, Undo: undo})
		if !everywhere[name] {
			all = append(all, server.Mutation{Name: "an additional " + name, Apply: func() { c.add = name }, Undo: undo})
		}
	}
	return all
}

func (c *headerChange) around(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, r)
		header := w.Header()
		for name, values := range answer.Header() {
			header[http.CanonicalHeaderKey(name)] = values
		}
		if c.add != "" && header.Get(c.add) == "" {
			header.Set(c.add, "added")
		}
		if c.without != "" {
			header[http.CanonicalHeaderKey(c.without)] = nil // also of those that net/http adds
		}
		w.WriteHeader(answer.Code)
		w.Write(answer.Body.Bytes())
	})
}
