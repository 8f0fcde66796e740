package web

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/draft"
	"sandtable/web/grid"
	"sandtable/web/remote"
	"sandtable/web/tableclient"
	"sandtable/web/ui"
)

// gallery shows each piece of the page empty, full, loading and failed, in
// both themes side by side. Nothing links to it; its address is /gallery.
type gallery struct{ app.Compo }

// Render draws the gallery.
func (g *gallery) Render() app.UI {
	body := []app.UI{app.H1().Body(app.Text("Gallery"))}
	for _, piece := range exhibits() {
		body = append(body, app.Section().Body(
			app.H2().Body(app.Text(piece.name)),
			app.Div().Class("pair").Body(stage("light", piece.draw()), stage("dark", piece.draw()))))
	}
	return app.Main().Class("gallery").Body(body...)
}

func stage(theme string, pieces []app.UI) app.UI {
	return app.Div().Class("stage").DataSet("theme", theme).Body(pieces...)
}

type exhibit struct {
	name string
	draw func() []app.UI
}

func nothing(app.Context, app.Event) {}

func exhibits() []exhibit {
	return []exhibit{
		{"Buttons", galleryButtons},
		{"Pills", galleryPills},
		{"Notes", galleryNotes},
		{"Banners", galleryBanners},
		{"No engine", galleryBootErrors},
		{"Storage", galleryStorage},
		{"Empty", func() []app.UI {
			return []app.UI{ui.Empty(ui.IconTable, "No tables yet", "A table holds entities.", ui.AddButton(ui.Primary, "New table", nothing))}
		}},
		{"Loading", func() []app.UI { return []app.UI{ui.Bones(4), ui.Progress()} }},
		{"Explain", galleryExplain},
		{"Grid", galleryGrid},
		{"Properties", galleryProperties},
		{"Copyable", func() []app.UI {
			return []app.UI{ui.Copyable("one", "Endpoint", "https://devstoreaccount1.table.core.windows.net", false, nothing),
				ui.Copyable("two", "Endpoint", "https://devstoreaccount1.table.core.windows.net", true, nothing)}
		}},
		{"Toasts", func() []app.UI {
			return []app.UI{ui.Toast{ID: 1, Text: "Deleted EU-West / 0001", Action: "Undo"}.Draw(nothing, nothing), ui.Toast{ID: 2, Text: "Saved"}.Draw(nothing, nothing)}
		}},
	}
}

func galleryButtons() []app.UI {
	return []app.UI{app.Div().Class("row").Body(
		ui.AddButton(ui.Primary, "Entity", nothing), ui.Button(ui.Plain, "Duplicate", nothing), ui.Button(ui.Quiet, "Cancel", nothing),
		ui.Button(ui.Danger, "Delete", nothing), ui.IconButton(ui.Square, ui.IconRefresh, "Again", nothing),
		ui.SubmitButton("Save", true), ui.Button(ui.Plain, "Off", nothing).Disabled(true),
		ui.Segments("View", "form", []ui.Choice{{Value: "form", Label: "Form"}, {Value: "json", Label: "JSON"}}, nothing))}
}

func galleryPills() []app.UI {
	var pills []app.UI
	states := []remote.Value[tableclient.Status]{
		{}, remote.Of(tableclient.Status{Build: "1", Store: "indexeddb"}), remote.Of(tableclient.Status{Build: "1", Store: "memory"}),
		remote.Value[tableclient.Status]{}.Answered(tableclient.Status{}, errors.New("no answer")),
	}
	for _, state := range states {
		mood, words, details := pillOf(state)
		pills = append(pills, ui.Pill(mood, words, details))
	}
	return pills
}

func galleryNotes() []app.UI {
	return []app.UI{
		errorNote(&tableclient.ServiceError{Status: 400, Code: "InvalidInput", Message: "One of the request inputs is not valid."}),
		errorNote(tableclient.ErrNoAnswer, ui.Button(ui.Plain, "Try again", nothing)),
		ui.Notice("Changed meanwhile.", "Somebody saved this entity.", ui.Button(ui.Plain, "Reload", nothing), ui.Button(ui.Danger, "Overwrite", nothing)),
	}
}

func galleryBanners() []app.UI {
	var all []app.UI
	for _, l := range []life{
		{outside: errBypassed, full: true, emptied: true, mixed: true},
		{update: readyUpdate}, {update: takingOver}, {update: tookOver},
	} {
		all = append(all, (&explorer{life: l}).banners()...)
	}
	return []app.UI{ui.Banners(all)}
}

func galleryBootErrors() []app.UI {
	var all []app.UI
	for _, reason := range slices.Sorted(maps.Keys(troubles)) {
		all = append(all, new(explorer).drawBootError(&tableclient.ServiceError{Status: 503, Message: "What is so, and what can be done.", Reason: reason}))
	}
	return all
}

func galleryStorage() []app.UI {
	var all []app.UI
	saved := remote.Of(tableclient.Status{Build: "1", Store: "indexeddb", Durability: "relaxed", Tables: 3, Entities: 1204})
	for _, e := range []*explorer{
		{status: saved, life: life{persisted: remote.Of(persistence{Usage: 18 << 20, Quota: 10 << 30})}},
		{status: saved, life: life{persisted: remote.Of(persistence{Persisted: true, Usage: 18 << 20, Quota: 10 << 30})}},
		{status: saved, life: life{persisted: remote.Value[persistence]{}.Answered(persistence{}, errNoPersistence)}},
		{status: remote.Of(tableclient.Status{Build: "1", Store: "memory"})},
		{status: remote.Of(tableclient.Status{Build: "1", Store: "indexeddb", CheckpointFailure: &tableclient.CheckpointFailure{Error: "no room left in the browser's storage", Since: time.Unix(1795200000, 0), Attempts: 3}})},
		{status: saved, panel: panel{verified: remote.Value[tableclient.Verified]{}.Asked()}},
		{status: saved, panel: panel{verified: remote.Of(tableclient.Verified{Tables: 3, Entities: 1204, Blocks: 5, Records: 12, Bytes: 240 << 10})}},
		{status: saved, panel: panel{verified: remote.Of(tableclient.Verified{Found: 2, Findings: []string{
			"bad block (block 12) in devstoreaccount1/Customers: damaged: wrong checksum",
			"bad count in devstoreaccount1/Customers: damaged: it has 1,204 entities, and says 1,804"}})}},
		{status: saved, panel: panel{verified: remote.Value[tableclient.Verified]{}.Answered(tableclient.Verified{}, tableclient.ErrNoAnswer)}},
	} {
		all = append(all, e.drawStorage()...)
	}
	return all
}

func galleryExplain() []app.UI {
	return []app.UI{
		ui.Explain(ui.Explanation{Kind: "row range", Returned: 48, Examined: 52, Blocks: 2, Elapsed: "0.4 ms"}),
		ui.Explain(ui.Explanation{Kind: "table scan", Returned: 12, Examined: 18204, Blocks: 310, Elapsed: "41 ms", Advice: advice("table scan", "Age ge 21")}),
	}
}

func galleryEntity() *odata.Entity {
	return &odata.Entity{PartitionKey: "EU-West", RowKey: "00001020", Properties: []odata.Property{
		{Name: "Name", Value: odata.StringValue("Dmitri Volkov")},
		{Name: "Age", Value: odata.Int32Value(42)},
		{Name: "Balance", Value: odata.DoubleValue(1646)},
		{Name: "Active", Value: odata.BooleanValue(true)},
		{Name: "Since", Value: odata.DateTimeValue(odata.MinDateTime)},
		{Name: "Visits", Value: odata.Int64Value(9007199254740993)},
		{Name: "Device", Value: odata.GuidValue(odata.Guid{0xA4})},
		{Name: "Photo", Value: odata.BinaryValue([]byte("sand"))},
	}}
}

func galleryGrid() []app.UI {
	entities := []*odata.Entity{galleryEntity(), {PartitionKey: "EU-West", RowKey: "00001021"}}
	columns, _ := grid.Columns(entities, false)
	return []app.UI{ui.Grid(ui.Sheet{Columns: columns, Entities: entities, Window: grid.Window{To: 2}, Row: rowHeight, Active: 0,
		Open: func(e *odata.Entity) bool { return e.RowKey == "00001021" }}, nothing, nothing, nothing)}
}

func galleryProperties() []app.UI {
	d := draft.Of(galleryEntity(), "")
	id := d.Add()
	d.Set(id, func(p *draft.Property) { p.Name, p.Type, p.Text = "Born", odata.EdmDateTime, "yesterday" })
	var fields []app.UI
	for _, p := range d.Properties {
		problem := ""
		if _, err := p.Value(); err != nil {
			problem = err.Error()
		}
		fields = append(fields, ui.Property(p, problem, ui.PropertyHandlers{Name: nothing, Type: nothing, Text: nothing, Key: nothing, Remove: nothing}))
	}
	return fields
}
