package transfer

import (
	"testing"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata/payload"
	"sandtable/web/browser"
	"sandtable/web/client"
)

func csvFiles(names ...string) []browser.File {
	files := make([]browser.File, len(names))
	for i, name := range names {
		files[i] = browser.FileOf(name, []byte(rows(i+1)))
	}
	return files
}

// TestSeveralFiles: an import takes one file, and the others wait for its end.
func TestSeveralFiles(t *testing.T) {
	d := open(t, 0, route)
	d.Files = csvFiles("a.csv", "b.csv", "c.csv")
	d.Do(func() {})
	d.Shows("Import a.csv into Customers", "Import 1 entity", "Skip this file", "next: b.csv and 1 more")
	d.Do(func() {
		d.Page.onStart(d.Context(), app.Event{})
		d.Page.take(csvFiles("d.csv")) // while the import is running
	})
	d.Shows("Imported a.csv into Customers", "Next file", "next: b.csv and 2 more")
	d.Hides("Import another file")
	if want := "Waiting for the import of a.csv: d.csv"; len(d.Notices) != 1 || d.Notices[0] != want {
		t.Errorf("messages %q, want %q", d.Notices, want)
	}

	d.press(d.Page.onNext)
	d.Shows("Import b.csv into Customers", "Import 2 entities", "Skip this file", "next: c.csv and 1 more")
	d.Do(func() { d.Files = csvFiles("e.csv") }) // takes the place of what was not started
	d.Shows("Import e.csv into Customers", "Skip this file", "next: c.csv and 1 more")
	d.press(d.Page.onNext)
	d.Shows("Import c.csv into Customers", "Skip this file", "next: d.csv")
	d.press(d.Page.onNext)
	d.Shows("Import d.csv into Customers")
	d.Hides("Skip this file")
	d.press(d.Page.onStart)
	d.Shows("Imported d.csv into Customers", "Import another file")
	d.Hides("Next file", "next:")
}

// TestFilesThatWaitOutlastAFault: a file that cannot be read, or of which rows are left,
// does not end the others.
func TestFilesThatWaitOutlastAFault(t *testing.T) {
	d := open(t, 0, route)
	d.Files = append([]browser.File{browser.FileOf("broken.json", []byte("{"))}, csvFiles("a.csv", "b.csv")...)
	d.Do(func() {})
	d.Shows("broken.json", "Skip this file", "next: a.csv and 1 more")
	d.press(d.Page.onNext)
	d.service.answer = func() *client.Response {
		return &client.Response{Status: 507, Body: payload.AppendError(nil, "InsufficientStorage", "The browser's storage is full.")}
	}
	d.press(d.Page.onStart)
	d.Shows("Import of a.csv stopped", "Import the 1 left", "Next file", "next: b.csv")
	d.service.answer = nil
	d.press(d.Page.onRest)
	d.Shows("Imported a.csv into Customers", "Next file", "next: b.csv")
}
