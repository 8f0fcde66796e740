package bulkedit

import (
	"context"
	"fmt"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/bulk"
	"sandtable/web/client"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// Exhibit shows the dialog's content in each of its states.
func Exhibit() ui.Exhibit {
	return ui.Exhibit{Name: "Bulk edit", Draw: func() []app.UI {
		var all []app.UI
		for _, d := range samples() {
			all = append(all, ui.Div("bulk-edit", ui.Div("transfer", d.content()...)))
		}
		return all
	}}
}

func samples() []*Dialog {
	rows := make([]client.Entity, 3)
	keys := map[odata.Key]bool{}
	for i := range rows {
		e := *ui.Sample()
		e.RowKey = fmt.Sprintf("%08d", i)
		rows[i] = client.Entity{Entity: &e}
		keys[e.Key()] = true
	}
	route := page.Route{Account: "devstoreaccount1", Table: "Customers"}
	sample := func(x bulk.Edit, text string) *Dialog {
		d := &Dialog{Route: route, Keys: keys, rows: remote.Of(rows), edit: x, text: text}
		d.check()
		return d
	}
	set := bulk.Edit{Kind: bulk.Set, Property: "Tier", Type: odata.EdmString}
	running, ended := sample(set, "gold"), sample(set, "gold")
	running.run = &run{rows: 3, progress: bulk.Progress{Written: 1}}
	ended.run = running.run
	planned := ended.plan.Rows(false)
	ended.done = &Done{Plan: ended.plan, Report: bulk.Report{Err: context.Canceled, Written: []bulk.Written{{Row: planned[0]}},
		Refused: []bulk.Refused{{Row: planned[1], Err: &client.ServiceError{Status: 412, Code: client.CodeConditionNotMet}}}, Left: planned[2:]}}
	return []*Dialog{
		{Route: route, Keys: keys, rows: remote.Value[[]client.Entity]{}.Asked(), edit: set},
		{Route: route, Keys: keys, rows: remote.Value[[]client.Entity]{}.Answered(nil, client.ErrNoAnswer), edit: set},
		sample(bulk.Edit{Kind: bulk.Set, Type: odata.EdmString}, ""),
		sample(set, "gold"),
		sample(bulk.Edit{Kind: bulk.Set, Property: "Age", Type: odata.EdmInt32}, "old"),
		sample(bulk.Edit{Kind: bulk.Retype, Property: "Name", Type: odata.EdmInt32}, ""),
		running, ended,
	}
}
