package entities

import (
	"testing"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/grid"
	"sandtable/web/pagetest"
)

func TestColumnsAreFoundShownAndHidden(t *testing.T) {
	endpoint := pagetest.Filled(1)
	e := endpoint.Tables["Customers"][0]
	for _, name := range []string{"Aged", "Balance", "City"} {
		e.Properties = append(e.Properties, odata.Property{Name: name, Value: odata.Int32Value(1)})
	}
	d := open(t, endpoint)
	shown := func(want ...string) {
		t.Helper()
		columns, _ := grid.Shown(d.Page.columns())
		var names []string
		for _, c := range columns {
			names = append(names, c.Name)
		}
		if len(names) != len(want)+2 || names[0] != odata.PartitionKeyName {
			t.Errorf("columns %q, want the keys and %q", names, want)
		}
	}
	shown("Age", "Aged", "Balance", "City")
	d.Do(func() { d.Page.openMenu(columnsMenu); d.Page.onHideColumns(d.Page.ctx, app.Event{}) })
	shown()
	d.Do(func() { d.Page.bar.find = "age"; d.Page.onShowColumns(d.Page.ctx, app.Event{}) })
	shown("Age", "Aged")
	d.Do(func() { d.Page.openMenu(noMenu); d.Page.openMenu(columnsMenu) })
	if d.Page.bar.find != "" {
		t.Errorf("the menu still finds %q", d.Page.bar.find)
	}
}
