package faults

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/pagetest"
)

// endpoint keeps faults as a Sandtable does.
type endpoint struct {
	*pagetest.Endpoint
	mu       sync.Mutex
	faults   control.Faults
	requests []control.Recorded
	refuse   bool
	kept     []bool // keepCounts of each PUT
}

func (e *endpoint) transport() pagetest.Transport {
	return func(r client.Request) (client.Response, error) {
		e.mu.Lock()
		defer e.mu.Unlock()
		switch {
		case strings.HasSuffix(r.URL, "/requests?after=0"):
			return pagetest.JSON(control.Recent{Instance: "a", Requests: e.requests})
		case !strings.Contains(r.URL, "/faults"):
			return e.Do(context.Background(), r)
		case e.refuse:
			return client.Response{Status: 500, Body: []byte(`{"error":{"code":"InternalError","message":"It does not work."}}`)}, nil
		case r.Method == "PUT":
			sent := struct {
				control.Faults
				Keep bool `json:"keepCounts"`
			}{}
			if err := json.Unmarshal(r.Body, &sent); err != nil {
				return client.Response{}, err
			}
			sent.Requests, sent.Failed = e.faults.Requests, e.faults.Failed
			e.faults, e.kept = sent.Faults, append(e.kept, sent.Keep)
		case r.Method == "PATCH":
			e.faults.On = strings.Contains(string(r.Body), "true")
		case strings.HasSuffix(r.URL, "/reset"):
			e.faults.Requests, e.faults.Failed = 0, 0
		}
		return pagetest.JSON(e.faults)
	}
}

func open(t *testing.T, e *endpoint) *pagetest.Driver[*Page] {
	t.Helper()
	e.Endpoint = pagetest.Filled(1)
	return pagetest.Open(t, e.transport(), page.Route{Account: pagetest.Account, Page: Name}, func(p page.Props) *Page { return &Page{Props: p} })
}

func TestPresetsWhenEmpty(t *testing.T) {
	e := &endpoint{}
	d := open(t, e)
	d.Shows("Nothing fails on purpose", "Busy service", "Bad network", "Lost answers")
	d.Hides("fault-switch")
	d.Do(func() { d.Page.add("busy") })
	d.Shows("Faults are on in devstoreaccount1", "20 %", "latency p50 40 ms, p99 900 ms", "2 rules, 2 on", "seed 1")
	if !e.faults.On || len(e.faults.Rules) != 2 || e.faults.Seed != 1 {
		t.Errorf("sent %+v", e.faults)
	}
}

// TestHitsDuringTheOpening: what is answered while the page opens, before its events start,
// is shown, and so is what arrives while the list is read.
func TestHitsDuringTheOpening(t *testing.T) {
	e := &endpoint{}
	d := open(t, e)
	e.faults = sample()
	before := control.Recorded{ID: 4, Account: pagetest.Account, Method: "POST", URL: "https://x/Lesson3", Fault: &control.Fault{Rule: 3, Effect: control.FaultLost}}
	after := before
	after.ID = 5
	e.requests = []control.Recorded{before}
	data, err := json.Marshal(after)
	if err != nil {
		t.Fatal(err)
	}
	d.Do(func() {
		d.Page.onEvents([]control.Event{{Kind: "start"}, {Kind: "request", Data: data}})
	})
	d.Shows("Faults are on in devstoreaccount1")
	for _, want := range []uint64{before.ID, after.ID} {
		if !slices.ContainsFunc(d.Page.hits, func(h control.Recorded) bool { return h.ID == want }) {
			t.Errorf("request %d is not among the hits %v", want, d.Page.hits)
		}
	}
}

func TestRulesAreShownAndCounted(t *testing.T) {
	e := &endpoint{faults: sample(), requests: append(sampleHits(), control.Recorded{ID: 9, Account: pagetest.Account, Method: "POST",
		URL: "https://x/Lesson3", Status: 201, Fault: &control.Fault{Rule: 3, Effect: control.FaultLost}})}
	d := open(t, e)
	d.Shows("46 of 382 have failed so far", "503", "every 10th", "throttle to 200 entities/s per partition", "6 rules, 5 on", "committed, answer lost · rule 3")
	d.Hides("/$batch") // of another account
	d.Do(d.Page.resetCounters)
	d.Shows("0 of 0 have failed so far")
	d.Do(func() { d.Page.switchAll(false) })
	d.Shows("Faults are off in")
	if e.faults.On {
		t.Error("still on")
	}
}

func TestRulesMove(t *testing.T) {
	e := &endpoint{faults: sample()}
	d := open(t, e)
	order := func() (all []string) {
		for _, r := range e.faults.Rules {
			all = append(all, r.Effect)
		}
		return all
	}
	d.Do(func() { d.Page.move(0, 2) })
	if got := strings.Join(order()[:3], " "); got != "OperationTimedOut answerLost ServerBusy" {
		t.Errorf("order %s", got)
	}
	for _, move := range [][2]int{{0, -1}, {5, 6}, {-1, 0}} {
		d.Do(func() { d.Page.move(move[0], move[1]) })
	}
	within := func(selector string) bool { return selector == ".fault-table" || selector == `[data-rule="5"]` }
	if act := d.Page.onKey(page.Key{Name: "ArrowUp", Alt: true, Within: within}); act == nil {
		t.Error("Alt+Up does nothing")
	} else {
		d.Do(act)
	}
	if got := e.faults.Rules[4].Effect; got != control.FaultCut {
		t.Errorf("the last but one is %s", got)
	}
	for _, keep := range e.kept {
		if !keep {
			t.Error("moving a rule starts the counts again")
		}
	}
	d.Do(func() { d.Page.toggle(4) })
	if !e.faults.Rules[4].On {
		t.Error("not switched")
	}
}

func TestDeletedRuleComesBack(t *testing.T) {
	e := &endpoint{faults: sample()}
	d := open(t, e)
	d.Do(func() { d.Page.remove(1) })
	d.Notified("Rule 2 was deleted")
	if len(e.faults.Rules) != 5 || e.faults.Rules[1].Effect != control.FaultLost {
		t.Fatalf("left %+v", e.faults.Rules)
	}
	d.Accept()
	if len(e.faults.Rules) != 6 || e.faults.Rules[1].Effect != control.FaultTimedOut || e.faults.Rules[1].Hit != 9 {
		t.Errorf("after undo %+v", e.faults.Rules)
	}
}

// TestDeletedRuleComesBackAfterAVisitElsewhere: what was added in the meantime stays.
func TestDeletedRuleComesBackAfterAVisitElsewhere(t *testing.T) {
	e := &endpoint{faults: control.Faults{Rules: sample().Rules[:2]}}
	d := open(t, e)
	load := func() { d.Do(d.Page.load) }
	load()
	d.Do(func() { d.Page.remove(0) })
	here := d.Route
	d.Do(func() { d.Navigate(page.Route{Account: pagetest.Account}) })
	d.In = d.Context()
	d.Do(func() { d.Navigate(here) })
	d.In = d.Page.ctx
	load()
	d.Do(func() { d.Page.add("busy") })
	added := len(e.faults.Rules)
	d.Accept()
	if got := len(e.faults.Rules); got != added+1 {
		t.Errorf("%d rules, want %d", got, added+1)
	}
}

func TestForm(t *testing.T) {
	e := &endpoint{faults: sample()}
	d := open(t, e)
	d.Do(func() { d.Page.edit(-1) })
	d.Shows("New rule", "tried last, after rule 6", "Add rule")
	if !d.IsHidden("Delete</button>") {
		t.Error("a rule that does not exist can be deleted")
	}
	d.Do(func() { d.Page.form.choose(control.FaultLatency) })
	d.Shows("Distribution", "half under 120 ms, 1 of 100 over 2,000 ms")
	d.Do(func() { d.Page.form.p99 = "20"; d.Page.save() })
	d.Shows("At least the median")
	d.Do(func() {
		d.Page.form.p99, d.Page.form.median = "900", "40"
		d.Page.form.table = "Customers"
		d.Page.save()
	})
	if last := e.faults.Rules[6]; last.Effect != control.FaultLatency || last.Every != 1 || last.P99 != 900 || last.Table != "Customers" || !last.On {
		t.Errorf("added %+v", last)
	}
	if !e.kept[0] {
		t.Error("adding a rule starts the counts again")
	}
	d.Do(func() { d.Page.edit(0); d.Page.form.seed = "7"; d.Page.save() })
	if e.faults.Seed != 7 || e.kept[1] {
		t.Errorf("another seed: %d, counts kept: %v", e.faults.Seed, e.kept[1])
	}
}

func TestAnswersInOrder(t *testing.T) {
	e := &endpoint{faults: sample()}
	d := open(t, e)
	d.Do(func() { d.Page.toggle(0); d.Page.toggle(1); d.Page.toggle(2) })
	if r := e.faults.Rules; r[0].On || r[1].On || r[2].On || len(e.kept) != 2 {
		t.Errorf("after three quick switches: %+v by %d requests", r[:3], len(e.kept))
	}
}

// TestRulesThatAreAnsweredLate: what was requested before a change does not replace its
// answer.
func TestRulesThatAreAnsweredLate(t *testing.T) {
	for name, change := range map[string]func(*Page){
		"a rule":    func(p *Page) { p.toggle(0) },
		"all rules": func(p *Page) { p.switchAll(false) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := &endpoint{faults: sample(), Endpoint: pagetest.Filled(1)}
				slow := &pagetest.Slow{Transport: e.transport()}
				d := pagetest.Open(t, slow, page.Route{Account: pagetest.Account, Page: Name}, func(p page.Props) *Page { return &Page{Props: p} })
				d.Do(func() {
					slow.During(d.Page.load)
					change(d.Page)
				})
				if f, _ := d.Page.state.Data(); f.On != e.faults.On || f.Rules[0].On != e.faults.Rules[0].On {
					t.Errorf("the page shows %v, %v, the endpoint has %v, %v", f.On, f.Rules[0].On, e.faults.On, e.faults.Rules[0].On)
				}
			})
		})
	}
}

// TestLeavingDuringAChange: what waits for an earlier change is still sent, and what fails is
// reported.
func TestLeavingDuringAChange(t *testing.T) {
	e := &endpoint{faults: sample()}
	d := open(t, e)
	d.LeaveDuring(func() { d.Page.toggle(0); d.Page.toggle(1) })
	if r := e.faults.Rules; r[0].On || r[1].On {
		t.Errorf("after two switches: %+v", r[:2])
	}
	e = &endpoint{faults: sample()}
	d = open(t, e)
	e.refuse = true
	d.LeaveDuring(func() { d.Page.toggle(0) })
	d.Notified("The rules were not changed")
}

func TestFailuresAreShown(t *testing.T) {
	e := &endpoint{faults: sample(), refuse: true}
	d := open(t, e)
	d.Shows("It does not work.", "Try again")
	e.refuse = false
	d.Do(func() { d.Page.load() })
	d.Shows("6 rules, 5 on")
	e.refuse = true
	d.Do(func() { d.Page.toggle(0) })
	d.Notified("The rules were not changed")
}

func TestConnectedAccountsHaveNone(t *testing.T) {
	e := &endpoint{}
	d := open(t, e)
	d.Remotes = map[string]client.Remote{"acc@host": {Account: "acc", Endpoint: "http://host/acc", SAS: "sig=x"}}
	d.Do(func() { d.Route = page.Route{Account: "acc@host", Page: Name} })
	d.Shows("Only for accounts of this browser")
}

func TestWords(t *testing.T) {
	for rule, want := range map[control.FaultRule]string{
		{Operation: "any", Effect: control.FaultBusy, Every: 1}:                           "any, any table, 503 ServerBusy, all",
		{Operation: "any read", Effect: control.FaultStale, Every: 1}:                     "any read, any table, stale secondary, all",
		{Operation: "any", Effect: control.FaultBusy, Every: 12}:                          "any, any table, 503 ServerBusy, every 12th",
		{Operation: "any", Effect: control.FaultBusy, Every: 21}:                          "any, any table, 503 ServerBusy, every 21st",
		{Operation: "any", Table: "T", Effect: control.FaultCut, Share: 0.005}:            "any, T, connection cut, 0.5 %",
		{Operation: "any", Effect: control.FaultLatency, Share: 1, Median: 1.5, P99: 1.5}: "any, any table, latency 1.5 ms, all",
		{Operation: "any", Effect: control.FaultThrottle, Rate: 20000, Per: "account"}:    "any, any table, throttle to 20,000 entities/s in the account, above it",
		{Operation: "Insert Entity", Effect: control.FaultLost, Share: 0.07}:              "Insert Entity, any table, answer lost after commit, 7 %",
		{Operation: "any write", Effect: control.FaultTimedOut, Every: 2}:                 "any write, any table, 500 OperationTimedOut, every 2nd",
	} {
		if got := describe(rule); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestFormReadsBack(t *testing.T) {
	end := time.Date(2026, 11, 20, 19, 0, 0, 0, time.UTC)
	rules := append(sample().Rules, control.FaultRule{On: true, Operation: "any", Effect: control.FaultBusy, Share: 0.29, Hits: 5},
		control.FaultRule{On: true, Operation: "any", Effect: control.FaultBusy, Share: 1, Until: &end})
	for _, rule := range rules {
		f := formOf(rule, 20261120)
		got, seed, problems := f.rule(end)
		if math.Abs(got.Share-rule.Share) < 1e-9 {
			got.Share = rule.Share
		}
		if got != rule || seed != 20261120 || len(problems) > 0 {
			t.Errorf("read %+v, %d, %v; want %+v", got, seed, problems, rule)
		}
	}
	for field, spoil := range map[string]func(*form){
		"share": func(f *form) { f.share = "101" }, "every": func(f *form) { f.often, f.every = "every", "1.5" },
		"rate": func(f *form) { f.effect, f.rate = control.FaultThrottle, "0" }, "median": func(f *form) { f.effect, f.median = control.FaultLatency, "" },
		"p99": func(f *form) { f.effect, f.p99 = control.FaultLatency, "60000" }, "hits": func(f *form) { f.until, f.hits = "hits", "-1" },
		"minutes": func(f *form) { f.until, f.minutes = "time", "soon" }, "seed": func(f *form) { f.seed = "NaN" },
	} {
		f := newForm(1)
		spoil(&f)
		if _, _, problems := f.rule(end); problems[field] == "" {
			t.Errorf("%s: no problem in %v", field, problems)
		}
	}
}

func TestCode(t *testing.T) {
	got := code("classroom", control.Faults{Seed: 7, Rules: sample().Rules[:2]})
	want := "await sandtable.faults.set(\"classroom\", { seed: 7, rules: [\n" +
		`  {"operation":"any write","effect":"ServerBusy","every":10},` + "\n" +
		`  {"operation":"Query Entities","table":"Lesson3","effect":"OperationTimedOut","share":0.05},` + "\n] });\n"
	if got != want {
		t.Errorf("got %s", got)
	}
}

func TestBars(t *testing.T) {
	heights := bars(120, 2000, 24)
	most := 0
	for i, h := range heights {
		if h < 0 || h > 1 || math.IsNaN(h) {
			t.Fatalf("height %v", h)
		}
		if h > heights[most] {
			most = i
		}
	}
	if most > 3 || heights[23] > 0.1 {
		t.Errorf("heights %v", heights)
	}
	for _, h := range bars(5, 5, 4) {
		if h != 0 {
			t.Error("a constant delay has a distribution")
		}
	}
}
