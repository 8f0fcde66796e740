package playground

import (
	"encoding/json"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/control"
	"sandtable/web/lesson"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// exhibits are pages without a session, so only parts that need none are shown.
func exhibits() []ui.Exhibit {
	return []ui.Exhibit{
		{Name: "Playground: console", Draw: func() []app.UI {
			return []app.UI{(&Page{console: sampleConsole()}).drawConsole()}
		}},
		{Name: "Playground: answers", Draw: func() []app.UI {
			p := &Page{http: true, console: console{http: true, lines: sampleAnswers()}, requests: remote.Of(sampleRequests()),
				signed: &signed{account: "playgroundabcdefgh", method: "GET /Orders()", text: "GET\n\n\nFri, 20 Nov 2026 18:46:31 GMT\n/playgroundabcdefgh/Orders()"}}
			return []app.UI{p.drawAnswers()}
		}},
		{Name: "Playground: requests and changes", Draw: func() []app.UI {
			p := &Page{requests: remote.Of(sampleRequests()), changes: remote.Of(sampleChanges())}
			return []app.UI{p.drawRequests(), p.drawChanges()}
		}},
		{Name: "Playground: before a run", Draw: func() []app.UI {
			p := &Page{}
			return []app.UI{p.drawConsole(), p.drawChanges(), (&Page{http: true}).drawConsole(), (&Page{tables: remote.Value[[]contents]{}.Asked()}).drawTables()}
		}},
		{Name: "Lesson: a step", Draw: func() []app.UI {
			p := &Page{course: sampleCourse()}
			return []app.UI{app.Ol().Class("lesson-steps").Body(p.drawStep(p.course.current()))}
		}},
	}
}

func sampleConsole() console {
	entity := &shown{Text: `{ partitionKey: "2026-11", rowKey: "0002", total: 90.25, shipped: true, … }`, open: true, More: 2, Members: []*shown{
		{Name: "partitionKey", Text: `"2026-11"`, Kind: "string"}, {Name: "total", Text: "90.25", Kind: "number"}, {Name: "shipped", Text: "true", Kind: "boolean"},
		{Name: "at", Text: "2026-11-20T16:05:00.000Z", Kind: "date"}, {Name: "note", Text: "null", Kind: "none"},
		{Name: "lines", Text: "[{…}, {…}]", Members: []*shown{{Name: "0", Text: "{…}"}, {Name: "1", Text: "{…}"}}},
	}}
	return console{
		lines: []output{
			{Level: "log", Text: "Amara is 21", Line: 9}, {Level: "log", Trees: []*shown{{Text: "found"}, entity}, Line: 12},
			{Level: "table", Columns: []string{"(index)", "rowKey", "total"}, Rows: [][]string{{"0", "0002", "90.25"}, {"1", "0003", "310.75"}}, Line: 14},
			{Level: "warn", Text: "slow", Line: 15}, {Level: "error", Text: "refused", Line: 16},
		},
		end: &end{Outcome: "failed", Milliseconds: 41, Failure: &failure{Name: "RestError", Code: "TableNotFound", Status: 404, Message: "The table specified does not exist.", Line: 21}},
	}
}

func sampleAnswers() []output {
	return []output{
		{Text: `H{"method":"GET","url":"` + origin + `/Orders()?$filter=total%20gt%20100","status":200,"headers":[["content-type","application/json"],["x-ms-request-id","1"]],"bytes":43}` +
			"\n" + `{"value":[{"RowKey":"0001","total":125.5}]}`, Line: 17},
		{Text: `H{"method":"POST","url":"` + origin + `/Tables","status":409,"headers":[["x-ms-request-id","2"]],"bytes":0}` + "\n", Line: 24},
	}
}

func sampleRequests() []control.Recorded {
	return []control.Recorded{
		{ID: 1, RequestID: "1", Method: "GET", URL: origin + "/Orders()?$filter=total%20gt%20100", Operation: "Query Entities", Status: 200, Milliseconds: 1, Statistics: &control.Statistics{Kind: "table scan", Examined: 4, Returned: 1}},
		{ID: 2, RequestID: "2", Method: "POST", URL: origin + "/Tables", Operation: "Create Table", Status: 409, Code: "TableAlreadyExists"},
	}
}

func sampleChanges() control.Differences {
	entity := func(text string) (e map[string]json.RawMessage) {
		_ = json.Unmarshal([]byte(text), &e)
		return e
	}
	return control.Differences{
		Differing: control.Differing{ComeBack: 1, Go: 1, Change: 1}, Complete: true,
		Tables: []control.TableDiffering{{Name: "Orders", Differing: control.Differing{ComeBack: 1, Go: 1, Change: 1}}},
		First: []control.Difference{
			{Table: "Orders", Before: entity(`{"PartitionKey":"2026-11","RowKey":"0001","total":125.5}`)},
			{Table: "Orders", Before: entity(`{"PartitionKey":"2026-11","RowKey":"0002","shipped":true}`), After: entity(`{"PartitionKey":"2026-11","RowKey":"0002"}`)},
			{Table: "Orders", After: entity(`{"PartitionKey":"2026-11","RowKey":"0003","total":310.75}`)},
		},
	}
}

func sampleCourse() course {
	return course{
		Lesson: lesson.Lesson{Name: "scans", Title: "Point, range, partition and table scan", Steps: []lesson.Step{{
			Title:  "List the November orders above 100, reading only their partition",
			Checks: []lesson.Check{{Want: "Returns the 31 orders"}, {Want: "Reads one partition"}, {Want: "Prints them"}},
		}}},
		results: []lesson.Result{
			{Want: "Returns the 31 orders", Passed: true},
			{Want: "Reads one partition", Found: "your query read all 24", Hints: []string{"`Month` is an ordinary property.", "Use `PartitionKey`."}},
		},
	}
}
