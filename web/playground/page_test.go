package playground

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/page"
	"sandtable/web/pagetest"
	"sandtable/web/remote"
)

func open(t *testing.T) *pagetest.Driver[*Page] {
	t.Helper()
	return pagetest.Open(t, pagetest.NewEndpoint(), page.Route{Page: "playground"}, func(p page.Props) *Page { return &Page{Props: p} })
}

func TestPageOfPrograms(t *testing.T) {
	d := open(t)
	d.Shows("First steps", "Console", "Node project", "Run the program", "Not run yet", "It cannot reach your tables")
	d.Do(func() { d.Page.console = sampleConsole() })
	d.Shows("Failed after 41 ms", "Amara is 21", "Go to line 9", "TableNotFound (404)", "createTable", "2 more", "(index)")
	d.Do(func() {
		d.Page.requests, d.Page.tab = remote.Of(sampleRequests()), requestsTab
	})
	d.Shows("2 requests · 1 table scan", "Requests 2", "table scan · 1 returned of 4 examined", "TableAlreadyExists")
	d.Do(func() {
		d.Page.changes, d.Page.tab = remote.Of(sampleChanges()), changesTab
	})
	d.Shows(`<span class="change-count added">`, "+1", "~1", "−1", "absent → true")
}

// TestChangesThatWereNotCounted: the numbers of a large run are not all that it has changed.
func TestChangesThatWereNotCounted(t *testing.T) {
	d := open(t)
	changes := sampleChanges()
	d.Do(func() { d.Page.changes, d.Page.tab = remote.Of(changes), changesTab })
	d.Hides("there are more")
	changes.Complete, changes.Go = false, 20_000
	d.Do(func() { d.Page.changes = remote.Of(changes) })
	d.Shows("Counting ended after 20,000 entities: there are more.")
	d.Shows("The first 3 of more than 20,002 entities.")
}

// TestUndoAfterComingBack: what brings replaced code back is shown by the page that is there by then.
func TestUndoAfterComingBack(t *testing.T) {
	defer clear(kept)
	left := open(t)
	left.Do(func() { left.Page.show("mine"); left.Page.replace("the answer's", "The answer replaced your code.") })
	left.Do(left.Page.OnDismount)
	back := open(t)
	back.Page.kept().page = back.Page // as it does where it is mounted, in a browser
	back.Do(left.Offers[0].Act)
	if got := back.Page.code; got != "mine" || back.Page.initial != got {
		t.Errorf("the code is %q", got)
	}
}

func TestLongOutput(t *testing.T) {
	d := open(t)
	d.Do(func() {
		for i := range 1000 {
			d.Page.console.lines = append(d.Page.console.lines, output{Level: "log", Text: fmt.Sprintf("is %d.", i)})
		}
	})
	d.Shows("The last 100 of 1,000 lines.", "is 900.", "is 999.")
	d.Hides("is 899.")
	d.Do(func() { d.Page.onShowAll(d.Context(), app.Event{}) })
	d.Shows("is 0.", "is 999.")
	d.Hides("The last 100")
}

func TestPageOfRequests(t *testing.T) {
	d := open(t)
	d.Do(func() { d.Page.http = true })
	d.Shows("Response", "Authorize", "Send all", "Send a request")
	d.Do(func() {
		d.Page.console, d.Page.requests = console{http: true, lines: sampleAnswers()}, remote.Of(sampleRequests())
	})
	d.Shows("200 OK", "/Orders()?$filter=total gt 100", "table scan", "409 Conflict", "The table exists already.", "Headers 2", "1.0 ms · 43 B", "&#34;total&#34;:", `<span class="is-number">`)
	d.Do(func() { d.Page.body = tableBody })
	d.Shows(`<th scope="col">`, "RowKey", `<td class="num is-number">`, "Headers 2")
	d.Hides("&#34;total&#34;")
	d.Do(func() { d.Page.body = rawBody })
	d.Shows("content-type: application/json", "&#34;total&#34;:125.5")
	d.Hides("Headers 2")
}

// TestTheEmptyConsoleNamesTheSandbox: narrow screens hide the words in the status
// bar, and a link may bring a stranger's program.
func TestTheEmptyConsoleNamesTheSandbox(t *testing.T) {
	d := open(t)
	for _, http := range []bool{false, true} {
		d.Do(func() { d.Page.http = http })
		_, console, _ := strings.Cut(d.HTML(), `class="playground-console"`)
		console, _, _ = strings.Cut(console, "</section>")
		if !strings.Contains(console, "It cannot reach your tables") {
			t.Errorf("http %v: the console is %s", http, console)
		}
		if !d.IsHidden(sandboxed + "</span>") {
			t.Errorf("http %v: the status bar repeats it", http)
		}
	}
}

// TestResettingClearsOnlyEarlierErrors: the account is deleted while the page goes on.
func TestResettingClearsOnlyEarlierErrors(t *testing.T) {
	d := open(t)
	d.Page.ctx = d.Context()
	reset := func(then func()) {
		d.Do(func() {
			d.Page.account, d.Page.failed = "devstoreaccount1", errors.New("earlier")
			d.Page.onReset(d.Page.ctx, app.Event{})
			then()
		})
	}
	reset(func() {})
	if d.Page.failed != nil {
		t.Errorf("after it is reset: %v", d.Page.failed)
	}
	later := errors.New("later")
	reset(func() { d.Page.fail(later) })
	if d.Page.failed != later {
		t.Errorf("after another error: %v", d.Page.failed)
	}
}
