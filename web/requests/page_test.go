package requests

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/inspect"
	"sandtable/web/page"
	"sandtable/web/pagetest"
	"sandtable/web/snippet"
)

// recorder is an endpoint that has recorded requests.
type recorder struct {
	instance string
	requests []control.RecordedDetail
	sent     []client.Request // to the Table service
	fail     bool
	reads    int // of the list
}

func (e *recorder) Do(r client.Request) (client.Response, error) {
	u, err := url.Parse(r.URL)
	if err != nil {
		return client.Response{}, err
	}
	path, control := strings.CutPrefix(u.Path, "/_sandtable/")
	switch {
	case !control:
		e.sent = append(e.sent, r)
		return client.Response{Status: 200, Header: client.Header{{Name: "x-ms-request-id", Value: "again"}}}, nil
	case e.fail:
		return client.Response{Status: 500, Body: []byte(`{"error":{"code":"Broken","message":"It broke."}}`)}, nil
	case path == "requests":
		e.reads++
		return pagetest.JSON(map[string]any{"instance": e.instance, "requests": e.requests})
	case strings.HasSuffix(path, "/sas"):
		return pagetest.JSON(map[string]any{"sas": "sv=1&sig=secret"})
	}
	for _, d := range e.requests {
		if path == "requests/"+strconv.FormatUint(d.ID, 10) {
			return pagetest.JSON(d)
		}
	}
	return client.Response{Status: 404, Body: []byte(`{"error":{"code":"RequestNotFound","message":"No such request."}}`)}, nil
}

func queried(id uint64) control.RecordedDetail {
	empty, found := "", `{"value":[]}`
	return control.RecordedDetail{Recorded: control.Recorded{ID: id, Method: "GET", Account: "devstoreaccount1", Operation: inspect.QueryEntities, Status: 200, RequestID: fmt.Sprint("r", id),
		URL:        fmt.Sprintf("https://devstoreaccount1.table.core.windows.net/Orders()?$filter=Total%%20gt%%20%d", id),
		Statistics: &control.Statistics{Kind: "table scan", Blocks: 2, Examined: 18204, Returned: 12}},
		RequestHeaders: map[string]string{"Accept": "application/json", "x-ms-version": "2019-02-02"}, RequestBody: &empty, ResponseBody: &found}
}

func open(t *testing.T, e *recorder, route page.Route) *pagetest.Driver[*Page] {
	t.Helper()
	route.Page = "requests"
	return pagetest.Open(t, pagetest.Transport(e.Do), route, func(p page.Props) *Page { return &Page{Props: p} })
}

func filled() *recorder {
	refused := refusedSample()
	return &recorder{instance: "a", requests: []control.RecordedDetail{queried(1), refused, queried(3)}}
}

func TestListTabsAndFilter(t *testing.T) {
	d := open(t, filled(), page.Route{})
	d.Shows("3 requests · live", "Total gt 1", "Total gt 3", "table scan", "signature", `data-testid="show-Failed"`)
	d.Do(func() { d.Page.filter(showArg, showFailed) })
	d.Hides("Total gt 1")
	d.Shows("Sensors")
	d.Do(func() { d.Page.filter(showArg, showScans) })
	d.Hides("/Sensors")
	d.Do(func() { d.Page.filter(searchArg, "3") })
	d.Shows("Total gt 3")
	d.Hides("Total gt 1")
	d.Do(func() { d.Page.filter(onlyArg, "classroom") })
	d.Shows("No such request")
	d.Do(func() { d.Page.onShowAll(d.Context(), app.Event{}) })
	d.Shows("Total gt 1", "Total gt 3")
}

func TestArrivingRequests(t *testing.T) {
	d := open(t, filled(), page.Route{})
	arrive := func(id uint64) {
		data, _ := json.Marshal(queried(id).Recorded)
		d.Do(func() {
			d.Page.receive(control.RequestsOf([]control.Event{{Kind: "change", Data: data}, {Kind: "request", Data: data}}), false)
		})
	}
	arrive(4)
	d.Shows("4 requests", "Total gt 4")
	d.Do(d.Page.togglePause)
	arrive(5)
	d.Shows("paused", "1 new request")
	d.Hides("Total gt 5")
	d.Do(func() { d.Page.filter(searchArg, "status:404") })
	d.Hides("1 new request")
	d.Do(func() { d.Page.filter(searchArg, "") })
	d.Do(d.Page.togglePause)
	d.Shows("Total gt 5", "5 requests · live")
	d.Do(func() { d.Page.scrolled = true })
	arrive(6)
	d.Hides("Total gt 6")
	d.Do(d.Page.clear)
	d.Shows("No requests yet", "0 requests")
	arrive(6)
	d.Shows("0 requests")
	d.Do(func() { d.Page.scrolled = false })
	arrive(7)
	d.Shows("1 request · live", "Total gt 7")
}

// TestPausedListIsReadAgain: what the page has missed waits, too, and is counted once.
func TestPausedListIsReadAgain(t *testing.T) {
	e := filled()
	d := open(t, e, page.Route{})
	d.Do(d.Page.togglePause)
	e.requests = append(e.requests, queried(4), queried(5))
	d.Do(func() { d.Page.receive([]control.Recorded{queried(5).Recorded}, true) })
	d.Shows("2 new requests", "3 requests · paused")
	d.Hides("Total gt 4", "Total gt 5")
	d.Do(d.Page.togglePause)
	d.Shows("Total gt 4", "Total gt 5", "5 requests · live")
}

// TestStepsBeyondTheDrawnRows: the row that is opened with the keyboard is drawn.
func TestStepsBeyondTheDrawnRows(t *testing.T) {
	e := filled()
	for id := range uint64(rowsAtOnce + 5) {
		e.requests = append(e.requests, queried(100+id))
	}
	d := open(t, e, page.Route{})
	last := d.Page.rows()[rowsAtOnce-1].ID
	d.Do(func() { d.Page.choose(last) })
	d.Do(func() { d.Page.step(1) })
	next := d.Page.rows()[rowsAtOnce].ID
	if d.Page.chosen() != next {
		t.Fatalf("request %d is open, want %d", d.Page.chosen(), next)
	}
	d.Shows(fmt.Sprintf(`id="request-%d"`, next))
}

// TestCutConnection: it has no status.
func TestCutConnection(t *testing.T) {
	e := filled()
	cut := queried(9)
	cut.Status, cut.Fault = 0, &control.Fault{Rule: 1, Effect: control.FaultCut}
	e.requests = append(e.requests, cut)
	d := open(t, e, page.Route{}.With(idArg, "9"))
	d.Do(func() { d.Page.detail.tab = responseTab })
	d.Shows("<dd>–</dd>")
	d.Do(func() { d.Page.detail.raw = true })
	d.Hides("HTTP 0")
}

func TestMilliseconds(t *testing.T) {
	for ms, want := range map[float64]string{0: "0.0", 0.44: "0.4", 999.94: "999.9", 999.96: "1,000", 1999.7: "2,000"} {
		if got := milliseconds(ms); got != want {
			t.Errorf("%v ms are %q, want %q", ms, got, want)
		}
	}
}

// TestListIsReadOnce: the page reads its list once its events have started, so that no
// request is missed, and only then.
func TestListIsReadOnce(t *testing.T) {
	e := filled()
	open(t, e, page.Route{})
	if e.reads != 1 {
		t.Errorf("the list was read %d times", e.reads)
	}
}

// TestAnotherInstance: numbers start again with a new instance of the worker.
func TestAnotherInstance(t *testing.T) {
	e := filled()
	d := open(t, e, page.Route{})
	d.Do(d.Page.clear)
	e.instance, e.requests = "b", []control.RecordedDetail{queried(1)}
	d.Do(func() { d.Page.receive(nil, true) })
	d.Shows("1 request · live", "Total gt 1")
}

// TestRequestsDuringTheReadingOfAnotherInstance: those that arrive before the answer, which
// may lack them, are listed, too.
func TestRequestsDuringTheReadingOfAnotherInstance(t *testing.T) {
	e := filled()
	d := open(t, e, page.Route{})
	e.instance, e.requests = "b", []control.RecordedDetail{queried(1)}
	d.Do(func() {
		d.Page.receive(nil, true)
		d.Page.receive([]control.Recorded{queried(2).Recorded}, false)
	})
	d.Shows("2 requests · live", "Total gt 1", "Total gt 2")
	d.Do(func() { d.Page.receive([]control.Recorded{queried(3).Recorded}, false) })
	e.instance = "c"
	d.Do(func() { d.Page.receive(nil, true) })
	d.Shows("1 request · live", "Total gt 1")
}

// TestClearedIsKept: a list that is opened again does not show what was cleared.
func TestClearedIsKept(t *testing.T) {
	recent := func(instance string) control.Recent {
		return control.Recent{Instance: instance, Requests: []control.Recorded{{ID: 1}, {ID: 2}}}
	}
	var first list
	first.read(recent("a"))
	first.clear()
	for instance, want := range map[string]int{"a": 0, "b": 2} {
		var again list
		again.restore(first.mark())
		again.read(recent(instance))
		if len(again.rows) != want {
			t.Errorf("instance %s: %d requests, want %d", instance, len(again.rows), want)
		}
	}
}

func TestRefusedOpensOnWhy(t *testing.T) {
	d := open(t, filled(), page.Route{Args: "id=2"})
	d.Shows("403 AuthenticationFailed", "must be in lower case", "They signed", "We expected", "<mark>Sensors</mark>", "<mark>sensors</mark>",
		"What the token allows", "query in the table Sensors", "Make a correct token", "authorize-with-shared-key")
}

// TestRefusedFilter: the panel says once what is wrong with a filter, and marks the word.
func TestRefusedFilter(t *testing.T) {
	e, message := filled(), "Syntax error at position 7 in 'Age gte 21'."
	refused := queried(4)
	refused.Status, refused.Code, refused.URL = 400, "InvalidInput", strings.Split(refused.URL, "?")[0]+"?$filter=Age%20gte%2021"
	answer := `{"odata.error":{"code":"InvalidInput","message":{"lang":"en-US","value":"` + message + `"}}}`
	refused.ResponseBody = &answer
	e.requests = append(e.requests, refused)
	d := open(t, e, page.Route{Args: "id=4"})
	d.Shows("Column 5 of the filter: gte is not an operator.", "Write ge there.", "<mark>gte</mark>")
	if n := strings.Count(strings.ReplaceAll(d.HTML(), "&#39;", "'"), message); n != 1 {
		t.Errorf("the message is there %d times", n)
	}
}

func TestDetailsOfAQuery(t *testing.T) {
	d := open(t, filled(), page.Route{})
	d.Do(func() { d.Page.choose(3) })
	d.Shows(`data-testid="part-request"`, "Filter", "is greater than", "The version of the service")
	d.Hides("They signed")
	d.Do(func() { d.Page.detail.tab = planTab })
	d.Shows("18,204", "More than one partition was read")
	d.Do(func() { d.Page.detail.tab = responseTab })
	d.Shows("&#34;value&#34;")
	if d.Route.Arg(idArg) != "3" {
		t.Errorf("the address is %+v", d.Route)
	}
	d.Do(func() { d.Page.step(1) })
	d.Shows("403 AuthenticationFailed")
	d.Do(d.Page.onKey(page.Key{Name: "Escape"}))
	d.Hides(`data-testid="request-panel"`)
}

func TestNoLongerKept(t *testing.T) {
	e := filled()
	d := open(t, e, page.Route{})
	e.requests = nil
	d.Do(func() { d.Page.choose(3) })
	d.Shows("No longer kept", "Total gt 3")
}

func TestListFails(t *testing.T) {
	e := filled()
	e.fail = true
	d := open(t, e, page.Route{})
	d.Shows("Broken", "It broke.", "Try again")
	e.fail = false
	d.Do(func() { d.Page.onRetry(d.Context(), app.Event{}) })
	d.Shows("3 requests")
}

func TestReplay(t *testing.T) {
	e := filled()
	d := open(t, e, page.Route{Args: "id=3"})
	d.Do(func() { d.Page.onReplay(d.Context(), app.Event{}) })
	if len(e.sent) != 1 || e.sent[0].URL != "http://host/table/devstoreaccount1/Orders()?$filter=Total%20gt%203" {
		t.Fatalf("sent %+v", e.sent)
	}
	again := queried(9)
	again.RequestID = "again"
	d.Do(func() { d.Page.receive([]control.Recorded{again.Recorded}, false) })
	d.Shows("Sent again: 200", "id=9")
}

// TestReplayAsks before it writes, and signs for a strict account.
func TestReplayAsks(t *testing.T) {
	e := filled()
	body := `{"PartitionKey":"p"}`
	insert := queried(4)
	insert.Method, insert.Operation, insert.RequestBody, insert.URL = "POST", inspect.InsertEntity, &body, "https://devstoreaccount1.table.core.windows.net/Orders"
	e.requests = append(e.requests, insert)
	d := open(t, e, page.Route{Args: "id=4"})
	d.Do(func() { d.Page.onReplay(d.Context(), app.Event{}) })
	if d.Question == nil || len(e.sent) != 0 {
		t.Fatalf("question %v, sent %v", d.Question, e.sent)
	}
	d.Answer(true)
	if len(e.sent) != 1 || string(e.sent[0].Body) != body || e.sent[0].Method != "POST" {
		t.Errorf("sent %+v", e.sent)
	}
}

// TestCodeWithoutItsBody says that it is not the whole request.
func TestCodeWithoutItsBody(t *testing.T) {
	half := strings.Repeat("x", 16<<10)
	for _, c := range []struct {
		name, method string
		body         *string
		want         string
	}{
		{"not recorded", "POST", nil, "# Its body was not recorded.\n"},
		{"the beginning", "POST", &half, "# Only the beginning of its body was recorded.\n"},
		{"a read", "GET", nil, ""},
		{"a deletion", "DELETE", nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := queried(4)
			r.Method, r.RequestBody, r.Truncated = c.method, c.body, true
			d := open(t, &recorder{instance: "a", requests: []control.RecordedDetail{r}}, page.Route{Args: "id=4"})
			code, ok := d.Page.code(snippet.Languages[0])
			if got := strings.Contains(code, "recorded"); !ok || !strings.HasPrefix(code, c.want) || got != (c.want != "") {
				t.Errorf("got %.200s, want the note %q", code, c.want)
			}
		})
	}
}

var attribute = regexp.MustCompile(`="[^"]*"`)

// TestHTMLIsText puts markup into every field of a request.
func TestHTMLIsText(t *testing.T) {
	const evil = `<img src=x onerror=alert(1)>`
	body := `{"PartitionKey":"` + evil + `","RowKey":"r","` + evil + `":"` + evil + `"}`
	d := queried(1)
	d.Method, d.URL, d.Operation, d.Status, d.Code, d.RequestID, d.Reason = evil, "https://"+evil+"/"+evil+"?$filter="+evil+"&"+evil+"="+evil, evil, 400, evil, evil, evil
	d.RequestHeaders, d.ResponseHeaders = map[string]string{evil: evil, "User-Agent": evil}, map[string]string{evil: evil}
	d.RequestBody, d.ResponseBody, d.Signed, d.StringToSign = &body, &body, evil+"1", evil+"2"
	e := &recorder{instance: "a", requests: []control.RecordedDetail{d}}
	p := open(t, e, page.Route{Args: "id=1"})
	for _, tab := range []string{whyTab, requestTab, responseTab, planTab} {
		for _, raw := range []bool{false, true} {
			p.Do(func() { p.Page.detail.tab, p.Page.detail.raw = tab, raw })
			// Quoted attributes hold it as it is: only in text it would be an element.
			if text := attribute.ReplaceAllString(p.HTML(), ""); strings.Contains(text, "<img") {
				t.Errorf("an element in %s", text[max(0, strings.Index(text, "<img")-200):])
			}
		}
	}
}

func TestManyRowsAreDrawnInParts(t *testing.T) {
	e := &recorder{instance: "a"}
	for id := range uint64(450) {
		e.requests = append(e.requests, queried(id+1))
	}
	d := open(t, e, page.Route{})
	d.Shows("450 requests", "Total gt 450", "Show 200 more")
	d.Hides("Total gt 250<")
	d.Do(func() { d.Page.onMore(d.Context(), app.Event{}) })
	d.Shows("Show 50 more")
}

func TestMergeKeepsTheNewest(t *testing.T) {
	var rows []control.Recorded
	for id := range uint64(maxKept + 10) {
		rows = append(rows, control.Recorded{ID: id + 1}, control.Recorded{ID: id + 1})
	}
	rows = merge(merge(nil, rows[:200], 3), rows, 3)
	if len(rows) != maxKept || rows[0].ID != maxKept+10 || !slices.IsSortedFunc(rows, func(a, b control.Recorded) int { return int(b.ID) - int(a.ID) }) {
		t.Errorf("%d rows, the first is %d", len(rows), rows[0].ID)
	}
}
