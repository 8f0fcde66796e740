package faults

import (
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/ui"
)

func exhibits() []ui.Exhibit {
	return []ui.Exhibit{{Name: "Faults", Draw: ruleExhibit}, {Name: "Fault rule", Draw: formExhibit}}
}

func sample() control.Faults {
	return control.Faults{On: true, Seed: 20261120, Requests: 382, Failed: 46, Rules: []control.FaultRule{
		{On: true, Operation: "any write", Effect: control.FaultBusy, Every: 10, Seen: 218, Hit: 21},
		{On: true, Operation: "Query Entities", Table: "Lesson3", Effect: control.FaultTimedOut, Share: 0.05, Seen: 164, Hit: 9},
		{On: true, Operation: "Insert Entity", Table: "Lesson3", Effect: control.FaultLost, Share: 0.02, Seen: 97, Hit: 2},
		{On: true, Operation: "any", Effect: control.FaultLatency, Every: 1, Median: 40, P99: 900, Seen: 382, Hit: 382},
		{On: true, Operation: "any", Table: "Lesson3", Effect: control.FaultThrottle, Rate: 200, Per: "partition", Seen: 382, Hit: 14},
		{Operation: "Entity Group Transaction", Effect: control.FaultCut, Share: 0.01},
	}}
}

func sampleHits() []control.Recorded {
	at := time.Date(2026, 11, 20, 18, 44, 21, 880e6, time.UTC)
	hit := func(id uint64, method, path string, rule, status int, effect string) control.Recorded {
		return control.Recorded{ID: id, Time: at, Method: method, URL: "https://classroom.table.core.windows.net/" + path, Account: "classroom", Status: status,
			Fault: &control.Fault{Rule: rule, Effect: effect}}
	}
	return []control.Recorded{
		hit(4, "POST", "Lesson3", 1, 503, control.FaultBusy), hit(3, "GET", "Lesson3()?$filter=PartitionKey%20eq%20'b'", 2, 500, control.FaultTimedOut),
		hit(2, "POST", "Lesson3", 3, 201, control.FaultLost), hit(1, "POST", "$batch", 6, 0, control.FaultCut),
	}
}

// samplePage is the page of an account in which one form is open.
func samplePage(open form) *Page {
	return &Page{Props: page.Props{Route: page.Route{Account: "classroom"}}, hits: sampleHits(), form: open}
}

func ruleExhibit() []app.UI {
	p, off := samplePage(form{open: true, index: 1}), sample()
	off.On = false
	return []app.UI{ui.Div("faults", p.drawBar(sample()), p.drawTable(sample()), p.drawHits()), p.drawBar(off)}
}

func formExhibit() []app.UI {
	latency, wrong := formOf(sample().Rules[3], 20261120), formOf(sample().Rules[4], 20261120)
	wrong.rate = "many"
	_, _, wrong.problems = wrong.rule(time.Time{})
	var all []app.UI
	for _, f := range []form{latency, wrong} {
		all = append(all, ui.Div("fault-form", samplePage(f).drawFields([]client.Table{{Name: "Lesson3"}})...))
	}
	return all
}
