package transfer

import (
	"strings"
	"testing"
	"time"

	"sandtable/odata/payload"
	"sandtable/web/client"
	"sandtable/web/page"
	"sandtable/web/pagetest"
)

// TestImportOfATableNamedTables: the page says what is wrong with the name.
func TestImportOfATableNamedTables(t *testing.T) {
	d := open(t, 0, page.Route{Account: pagetest.Account, Page: "import"})
	d.choose("tables.csv", rows(1))
	d.Shows("“tables” is the service&#39;s own name.")
	d.Hides("A table&#39;s name has 3 to 63 letters")
}

func TestExactly(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0.0 s", 1240 * time.Millisecond: "1.2 s", 59_940 * time.Millisecond: "59.9 s", 59_960 * time.Millisecond: "1 min 0 s",
		119_900 * time.Millisecond: "2 min 0 s", 90 * time.Second: "1 min 30 s", 3 * time.Hour: "180 min 0 s",
	} {
		if got := exactly(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

// TestImportOfTheRestAddsUp: the report of the rows that were left is about the whole file.
func TestImportOfTheRestAddsUp(t *testing.T) {
	d := open(t, 0, route)
	d.service.refused = "00000"
	d.choose("a.csv", rows(300))
	requests := 0
	d.service.answer = func() *client.Response {
		if requests++; requests <= 3 { // that of the refused row is sent again without it
			return nil
		}
		return &client.Response{Status: 507, Body: payload.AppendError(nil, "InsufficientStorage", "The browser's storage is full.")}
	}
	d.press(d.Page.onStart)
	if r := d.Page.run().report; len(r.Refused) != 1 || len(r.Left) == 0 || len(r.Written) == 0 {
		t.Fatalf("%d refused, %d left, %d written", len(r.Refused), len(r.Left), len(r.Written))
	}
	d.service.answer = nil
	d.press(d.Page.onRest)
	d.Shows("Imported 299 entities into Customers, skipped 1", "Download the 1 row not imported")
	d.press(d.Page.onDownloadRest)
	if got := d.files[0].text; !strings.Contains(got, "\np,00000,0,Int32") {
		t.Errorf("the file of the rows that were not imported is %q", got)
	}
}
