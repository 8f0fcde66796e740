package partitions

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/keydesign"
	"sandtable/web/page"
	"sandtable/web/pagetest"
	"sandtable/web/remote"
)

// endpoint answers with partitions, besides what every endpoint does.
type endpoint struct {
	*pagetest.Endpoint
	partitions control.Partitions
	recent     []control.Recorded
	instance   string
	fail       bool
	hold       bool // requests wait until they are cancelled
}

func (e *endpoint) Do(c context.Context, r client.Request) (client.Response, error) {
	if e.hold {
		<-c.Done()
		return client.Response{}, c.Err()
	}
	var document any
	switch {
	case strings.Contains(r.URL, "/partitions?") && e.fail:
		return client.Response{Status: 404, Body: []byte(`{"error":{"code":"TableNotFound","message":"No such table."}}`)}, nil
	case strings.Contains(r.URL, "/partitions?"):
		document = e.partitions
	case strings.Contains(r.URL, "/_sandtable/requests"):
		document = map[string]any{"instance": "i" + e.instance, "requests": e.recent}
	default:
		return e.Endpoint.Do(c, r)
	}
	return pagetest.JSON(document)
}

func open(t *testing.T, e *endpoint) *pagetest.Driver[*Page] {
	t.Helper()
	e.Endpoint = pagetest.NewEndpoint()
	for i, customer := range []string{"acme", "acme", "contoso"} {
		e.Tables["Orders"] = append(e.Tables["Orders"], &odata.Entity{PartitionKey: "2026-12", RowKey: string(rune('1' + i)), Properties: []odata.Property{{Name: "Customer", Value: odata.StringValue(customer)}}})
	}
	copies := map[page.Route]*copying{}
	return pagetest.Open(t, e, page.Route{Account: "devstoreaccount1", Table: "Orders", Page: Name}, func(p page.Props) *Page { return &Page{Props: p, copies: copies} })
}

func TestMap(t *testing.T) {
	d := open(t, &endpoint{partitions: samplePartitions()})
	d.Shows("24 partitions", "in key order", "counted exactly", "2026-12", "2025-01", ": 428 entities, 107 KiB, 0 requests in the last minute", "none to a single partition in the last minute", "Capacity and cost")
	d.Hides("hot")
	now := time.Now()
	d.Do(func() {
		for range 100 {
			d.Page.onChanges([]control.Change{{Kind: "inserted", Account: "devstoreaccount1", Table: "Orders", PartitionKey: "2026-12", RowKey: "1"}}, now)
		}
		d.Page.now = now
	})
	d.Shows(`data-testid="hot"`, "The last partition gets the traffic.", "503 ServerBusy", "100 %", "RowKey 0017039 to 0018204")
	d.Do(func() {
		l := samplePartitions()
		l.All = 1000
		d.Page.partitions = remote.Of(l)
	})
	d.Shows("One partition gets most of the traffic.") // there are more after it
	d.Do(func() { d.Page.step(-1) })                   // from none to the first
	if d.Page.chosen != "2025-01" || d.Route.Arg("partition") != "2025-01" {
		t.Errorf("the arrow key chose %q", d.Page.chosen)
	}
	d.Do(func() { d.Page.step(1) })
	d.Shows("2025-02", "460 entities")
	d.Hides(`data-testid="hot"`)
}

// TestSteadyWrites: the partitions are shown although something is written before each
// answer.
func TestSteadyWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{partitions: samplePartitions(), Endpoint: pagetest.NewEndpoint()}
		slow := &pagetest.Slow{Transport: e}
		d := pagetest.Open(t, slow, page.Route{Account: "devstoreaccount1", Table: "Orders", Page: Name}, func(p page.Props) *Page { return &Page{Props: p} })
		e.partitions = control.Partitions{Exact: true}
		d.Do(func() {
			slow.During(d.Page.read)
			d.Page.stale = true
			d.Page.readAgain()
			if !d.Page.stale {
				t.Error("the partitions were read again before the answer")
			}
		})
		d.Shows("No partitions yet")
		e.partitions = samplePartitions()
		d.Do(d.Page.readAgain)
		d.Shows("24 partitions")
	})
}

func TestEmptyEstimatedAndFailing(t *testing.T) {
	d := open(t, &endpoint{partitions: control.Partitions{Exact: true}})
	d.Shows("No partitions yet")
	d = open(t, &endpoint{partitions: control.Partitions{All: 3000, Entities: 9000, List: []control.Partition{{Key: "", Entities: 3, Estimated: true}}}})
	d.Shows("about 3,000 partitions", "the first 1 of 3,000 partitions")
	d.Do(func() { d.Page.choose("") })
	d.Shows("(empty key)", "partition (empty key): 3 entities", "estimated, with neighbours")
	e := &endpoint{fail: true}
	d = open(t, e)
	d.Shows("TableNotFound", "Try again")
	d.Hides("counted exactly")
	e.fail, e.partitions = false, samplePartitions()
	d.Do(func() { d.Page.onAgain(d.Context(), app.Event{}) })
	d.Shows("24 partitions")
}

// TestWholeKeysBelowFewBars: parts of keys are for bars that are narrow.
func TestWholeKeysBelowFewBars(t *testing.T) {
	for _, c := range []struct{ keys, shows string }{
		{"AP-South EU-North EU-West", `class="key">EU-West<`},
		{"a-very-long-key-of-a-customer-1 a-very-long-key-of-a-customer-2", `class="key">2<`},
		{strings.Repeat("AP-South EU-West ", 6) + "last", `class="key">EU<`},
	} {
		partitions := control.Partitions{Exact: true}
		for _, key := range strings.Fields(c.keys) {
			partitions.List = append(partitions.List, control.Partition{Key: key, Entities: 1})
		}
		open(t, &endpoint{partitions: partitions}).Shows(c.shows)
	}
}

func TestLabelsOfBars(t *testing.T) {
	for _, c := range []struct{ name, keys, want string }{
		{"months", "2024-11 2024-12 2025-01 2025-02 2026-01", "11 12 2025 02 2026"},
		{"one year", "2026-01 2026-02", "01 02"},
		{"years", "2025 2026", "2025 2026"},
		{"long numbers", "device-000123 device-000124", "0123 0124"},
		{"no separator", "device000123 device000124", "0123 0124"},
		{"one within the other", "Orders Orders-2025 Orders-2026", "Orders 2025 2026"},
		{"short ones", "a b c", "a b c"},
		{"letters of two bytes", "äöüß1 äöüß2", "öüß1 öüß2"},
		{"only separators", "- --", "- --"},
		{"one", "2026-12", "2026-12"},
		{"the empty key", " 000123 000124", "(empty key) 0123 0124"},
	} {
		var groups []keydesign.Group
		for _, key := range strings.Split(c.keys, " ") {
			groups = append(groups, keydesign.Group{Partitions: []control.Partition{{Key: key}}})
		}
		if got := strings.Join(labels(groups), " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestRequestsDuringTheOpening: each request counts once, also one that is answered while
// the page opens, before its events start, or while the recent ones are read.
func TestRequestsDuringTheOpening(t *testing.T) {
	read := func(id uint64) control.Recorded {
		return control.Recorded{ID: id, Method: "GET", Account: "devstoreaccount1", Time: time.Now(), Status: 200, Operation: "Get Entity",
			URL: "https://devstoreaccount1.table.core.windows.net/Orders(PartitionKey='2026-12',RowKey='1')"}
	}
	event := func(id uint64) control.Event {
		data, _ := json.Marshal(read(id))
		return control.Event{Kind: "request", Data: data}
	}
	e := &endpoint{partitions: samplePartitions(), recent: []control.Recorded{read(1)}}
	d := open(t, e)
	counts := func(want int) {
		t.Helper()
		if got, _ := d.Page.traffic.All.Sum(time.Now()); got != want {
			t.Errorf("%d requests, want %d", got, want)
		}
	}
	counts(1)
	e.recent = []control.Recorded{read(1), read(2), read(3)}
	d.Do(func() { d.Page.onEvents([]control.Event{{Kind: "start"}, event(3), event(4)}) })
	counts(4)
	d.Do(func() { d.Page.onEvents([]control.Event{event(5)}) })
	counts(5)
	e.recent = []control.Recorded{read(5), read(6)}
	d.Do(func() { d.Page.onEvents([]control.Event{{Kind: "lost"}, event(7)}) })
	counts(7)
	e.instance, e.recent = "another", []control.Recorded{read(1)}
	d.Do(func() { d.Page.onEvents([]control.Event{{Kind: "lost"}, event(2)}) })
	counts(9)
}

// TestManyPartitions: a map has a bounded number of bars.
func TestManyPartitions(t *testing.T) {
	partitions := control.Partitions{All: 2000}
	for i := range 2000 {
		partitions.List = append(partitions.List, control.Partition{Key: string(rune('a'+i%26)) + string(rune(i)), Entities: 1})
	}
	d := open(t, &endpoint{partitions: partitions})
	if n := strings.Count(d.HTML(), `class="partition"`); n != len(keydesign.Groups(partitions.List, &keydesign.Traffic{}, time.Now())) || n > keydesign.MaxGroups {
		t.Errorf("%d bars", n)
	}
	d.Shows("42 partitions from")
}

func TestWhatIf(t *testing.T) {
	query := control.Recorded{ID: 1, Method: "GET", Account: "devstoreaccount1", Time: time.Now(), Status: 200, Statistics: &control.Statistics{Kind: "table scan", Examined: 3},
		URL: "https://devstoreaccount1.table.core.windows.net/Orders()?$filter=Customer%20eq%20'acme'"}
	d := open(t, &endpoint{partitions: samplePartitions(), recent: []control.Recorded{query, query}})
	d.Do(func() {
		d.Page.onChanges([]control.Change{{Kind: "inserted", Account: "devstoreaccount1", Table: "Orders", PartitionKey: "2026-12", RowKey: "1"}}, time.Now())
		d.Page.readSample()
	})
	d.Shows("add a part…", "hash of Customer")
	d.Hides("with this key", "Batches of 100")
	d.Do(func() {
		d.Page.addPart(keydesign.Part{Property: "Customer"})
		d.Page.addPart(keydesign.Part{Property: "Customer"})
	})
	d.Shows("Batches of 100", "Entities per partition", "Busiest share of recent writes", "Customer eq &#39;acme&#39;", "table scan", "partition scan", "1.5× less", "1 recent query reads less.")
	if len(d.Page.parts) != 1 || len(d.Page.queries) != 1 {
		t.Errorf("parts are %v, queries %v", d.Page.parts, d.Page.queries)
	}
}

// TestWhatIfComparesLikeWithLike: a recorded query examined the whole table, or no more than
// a page of it; the plan with other keys is of the entities that were read.
func TestWhatIfComparesLikeWithLike(t *testing.T) {
	for _, examined := range []int{1, 1_000_000} {
		query := control.Recorded{ID: 1, Method: "GET", Account: "devstoreaccount1", Time: time.Now(), Status: 200, Statistics: &control.Statistics{Kind: "table scan", Examined: examined},
			URL: "https://devstoreaccount1.table.core.windows.net/Orders()?$filter=Total%20gt%205"}
		d := open(t, &endpoint{partitions: samplePartitions(), recent: []control.Recorded{query}})
		d.Do(func() {
			d.Page.readSample()
			d.Page.addPart(keydesign.Part{Property: "Customer"})
		})
		d.Shows("Total gt 5", ">the same<", "0 recent queries read less.")
	}
}

func TestCopyIntoNewTable(t *testing.T) {
	d := open(t, &endpoint{partitions: control.Partitions{Exact: true, All: 1, Entities: 3, List: []control.Partition{{Key: "2026-12", Entities: 3}}}})
	e := d.Session.Transport.(*endpoint)
	d.Do(func() {
		d.Page.readSample()
		d.Page.addPart(keydesign.Part{Property: "Customer"})
	})
	d.Shows("Copy into a new table…")
	d.Do(d.Page.askCopy)
	d.Shows("RowKey = PartitionKey + &#39;_&#39; + RowKey")
	copyInto(d, "Orders")
	d.Shows("TableAlreadyExists", "Choose another name")
	d.Do(d.Page.askCopy)
	copyInto(d, "ByCustomer")
	d.Shows("3 of 3 entities written.", "Open ByCustomer")
	var keys []string
	for _, e := range e.Tables["ByCustomer"] {
		keys = append(keys, e.PartitionKey+"/"+e.RowKey)
	}
	if got, want := strings.Join(keys, " "), "acme/2026-12_1 acme/2026-12_2 contoso/2026-12_3"; got != want || len(e.Tables["Orders"]) != 3 {
		t.Errorf("the copy has %s, want %s", got, want)
	}
	d.Do(func() {
		d.Page.parts = []keydesign.Part{{Property: "Customer"}, {Property: "PartitionKey"}}
		d.Page.askCopy()
	})
	d.Shows("RowKey stays as it is")
	e.hold = true
	d.Do(func() {
		d.Page.copyName = "Both"
		d.Page.copy()
		d.Page.onStopCopy(d.Context(), app.Event{})
	})
	d.Shows("Cancelled.", "0 of 3 entities written, and kept.")
	if len(d.Notices) > 0 {
		t.Errorf("messages: %q", d.Notices)
	}
}

func copyInto(d *pagetest.Driver[*Page], name string) {
	d.Do(func() {
		d.Page.copyName = name
		d.Page.copy()
	})
}

// TestCopyWithoutThePage: a copy continues when the user leaves the page, a message says
// how it ended, and so does the table's next page.
func TestCopyWithoutThePage(t *testing.T) {
	for into, want := range map[string]struct{ message, shown string }{
		"ByCustomer": {"Copied Orders into ByCustomer: 3 of 3 entities written.", "3 of 3 entities written."},
		"Orders":     {"Orders was not copied completely: 0 of 3 entities written, and kept.", "TableAlreadyExists"},
	} {
		t.Run(into, func(t *testing.T) {
			d := open(t, &endpoint{partitions: control.Partitions{Exact: true, All: 1, Entities: 3, List: []control.Partition{{Key: "2026-12", Entities: 3}}}})
			d.Do(func() {
				d.Page.parts = []keydesign.Part{{Property: "Customer"}}
				d.Page.copyName = into
				d.Page.copy()
				d.Page.OnDismount()
			})
			d.Notified(want.message)
			d.Do(func() { d.Route.Table = "Another" })
			d.Hides(want.shown)
			d.Do(func() { d.Route.Table = "Orders" })
			d.Shows(want.shown)
			d.Hides("Choose another name")
			d.Do(func() { d.Page.onCloseCopy(d.Context(), app.Event{}) })
			d.Hides(want.shown)
		})
	}
}

// TestCopyOfATableInAnotherCase: table names ignore case.
func TestCopyOfATableInAnotherCase(t *testing.T) {
	d := open(t, &endpoint{partitions: samplePartitions()})
	d.Do(func() {
		d.Page.parts, d.Page.copyName = []keydesign.Part{{Property: "Customer"}}, "ByCustomer"
		d.Page.copy()
	})
	d.Do(func() { d.Route.Table = "orders" })
	d.Shows("entities written.", "Open ByCustomer")
}

// TestMessageAboutRefusedEntities: a copy without the page does not hide what it left out.
func TestMessageAboutRefusedEntities(t *testing.T) {
	j := &copying{from: "Orders", into: "ByCustomer", all: 3, copied: outcome{refused: 1, problem: errors.New("no")}}
	j.written.Store(2)
	if got, want := j.message(), "Copied Orders into ByCustomer: 2 of 3 entities written, 1 refused."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestEmptyRowKeys(t *testing.T) {
	last := ""
	if got, want := facts(control.Partition{Entities: 1, Bytes: 10, LastRow: &last}), "1 entity · 10 B · RowKey (empty key)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	last = "b"
	if got, want := facts(control.Partition{Entities: 2, Bytes: 10, LastRow: &last}), "2 entities · 10 B · RowKey (empty key) to b"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPrices(t *testing.T) {
	d := open(t, &endpoint{partitions: control.Partitions{Exact: true, All: 1, Entities: 1 << 20, Bytes: 1 << 30, List: []control.Partition{{Key: "a", Entities: 1 << 20}}}})
	d.Do(func() {
		d.Page.price("gib", "2,5")
		d.Page.price("writes", "-1")
		d.Page.price("reads", "x")
		d.Page.scale = 1000
	})
	d.Shows("1000 GiB", "2,500.00", "1.0 KiB each")
	if d.Page.prices.Writes != keydesign.DefaultPrices.Writes || d.Page.prices.Reads != keydesign.DefaultPrices.Reads {
		t.Errorf("prices are %+v", d.Page.prices)
	}
	for n, want := range map[float64]string{0: "0.00", 0.001: "< 0.01", 1.371: "1.37", 1234.5: "1,234.50"} {
		if got := money(n); got != want {
			t.Errorf("%v is %q, want %q", n, got, want)
		}
	}
}

func TestRoundedNumbers(t *testing.T) {
	for n, want := range map[float64]string{0: "0", 0.01: "< 0.1", 9.94: "9.9", 9.96: "10", 1234.6: "1,235"} {
		if got := rate(n); got != want {
			t.Errorf("%v a second are %q, want %q", n, got, want)
		}
	}
	for n, want := range map[float64]string{999_999: "999,999", 1e6: "1.0 M", 999_940_000: "999.9 M", 999_960_000: "1.0 G", 2.592e15: "2,592,000 G"} {
		if got := short(n); got != want {
			t.Errorf("%v is %q, want %q", n, got, want)
		}
	}
}

func TestMoney(t *testing.T) {
	for n, want := range map[float64]string{0: "0.00", 0.004: "< 0.01", 0.005: "0.01", 2.25: "2.25", 2.996: "3.00", 999.999: "1,000.00"} {
		if got := money(n); got != want {
			t.Errorf("money(%v) is %q, want %q", n, got, want)
		}
	}
}
