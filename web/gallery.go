package web

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/client"
	"sandtable/web/draft"
	"sandtable/web/editor"
	"sandtable/web/shell"
	"sandtable/web/ui"
)

// gallery shows each part of the page empty, full, loading and failed, in both
// themes side by side. Nothing links to it; its address is /gallery.
type gallery struct {
	app.Compo
	release func()
}

// OnMount keeps events from the handlers of exhibits: exhibits have no session or
// endpoint to act on. What the browser does by itself still works, such as opening
// details.
func (g *gallery) OnMount(app.Context) {
	stop := app.FuncOf(func(_ app.Value, args []app.Value) any {
		if event := args[0]; event.Get("target").Get("closest").Truthy() && event.Get("target").Call("closest", ".stage").Truthy() {
			event.Call("stopImmediatePropagation")
			if event.Get("type").String() == "submit" {
				event.Call("preventDefault")
			}
		}
		return nil
	})
	events := []string{"click", "dblclick", "input", "change", "submit", "keydown", "keyup", "pointerdown", "dragstart", "drop", "scroll", "focusin", "focusout"}
	for _, name := range events {
		app.Window().Call("addEventListener", name, stop, true)
	}
	g.release = func() {
		for _, name := range events {
			app.Window().Call("removeEventListener", name, stop, true)
		}
		stop.Release()
	}
}

// OnDismount lets events through again.
func (g *gallery) OnDismount() {
	g.release()
}

// Render draws the gallery.
func (g *gallery) Render() app.UI {
	body := []app.UI{app.H1().Text("Gallery")}
	for _, piece := range exhibits() {
		body = append(body, app.Section().Body(
			app.H2().Text(piece.Name),
			ui.Div("pair", stage("light", piece.Draw()), stage("dark", piece.Draw()))))
	}
	return app.Main().Class("gallery").Body(body...)
}

func stage(theme string, pieces []app.UI) app.UI {
	return app.Div().Class("stage").DataSet("theme", theme).Body(pieces...)
}

// exhibits are those of ui, of the shell and of each page.
func exhibits() []ui.Exhibit {
	all := append([]ui.Exhibit{
		{Name: "Buttons", Draw: buttonExhibit},
		{Name: "Notes", Draw: noteExhibit},
		{Name: "Empty", Draw: func() []app.UI {
			return []app.UI{ui.Empty(ui.IconTable, "No tables yet", "A table holds entities.", ui.AddButton(ui.Primary, "Table", ui.Nothing))}
		}},
		{Name: "Loading", Draw: func() []app.UI { return []app.UI{ui.Bones(4), ui.Progress()} }},
		{Name: "Editor", Draw: editorExhibit},
		{Name: "Properties", Draw: propertyExhibit},
		{Name: "Copyable", Draw: func() []app.UI {
			return []app.UI{ui.Copyable("one", "Endpoint", "https://devstoreaccount1.table.core.windows.net", false, ui.Nothing),
				ui.Copyable("two", "Endpoint", "https://devstoreaccount1.table.core.windows.net", true, ui.Nothing)}
		}},
		{Name: "Toasts", Draw: func() []app.UI {
			return []app.UI{ui.Toast{ID: 1, Text: "Deleted EU-West / 0001", Action: "Undo"}.Draw(ui.Nothing, ui.Nothing), ui.Toast{ID: 2, Text: "Saved"}.Draw(ui.Nothing, ui.Nothing)}
		}},
	}, shell.Exhibits()...)
	for _, d := range pages() {
		if d.Exhibits != nil {
			all = append(all, d.Exhibits()...)
		}
	}
	return all
}

func editorExhibit() []app.UI {
	program := editor.Editor{Text: "// Two keys\nconst total = 12.5;\nconst = \"a\";\n", Language: editor.JavaScript, Label: "Program", ErrorLine: 3}
	requests := editor.Editor{Text: "### One month\nGET https://playground.table.core.windows.net/Orders()\n    ?$top=50\n", Language: editor.HTTP, Label: "Requests"}
	return []app.UI{program.Draw(ui.Nothing), requests.Draw(ui.Nothing)}
}

func buttonExhibit() []app.UI {
	return []app.UI{ui.Div("row",
		ui.AddButton(ui.Primary, "Entity", ui.Nothing), ui.Button(ui.Plain, "Duplicate", ui.Nothing), ui.Button(ui.Quiet, "Cancel", ui.Nothing),
		ui.Button(ui.Danger, "Delete", ui.Nothing), ui.IconButton(ui.Square, ui.IconRefresh, "Again", ui.Nothing),
		ui.SubmitButton("Save", true), ui.Button(ui.Plain, "Off", ui.Nothing).Disabled(true),
		ui.Segments("View", "form", []ui.Choice{{Value: "form", Label: "Form"}, {Value: "json", Label: "JSON"}}, ui.Nothing))}
}

func noteExhibit() []app.UI {
	return []app.UI{
		ui.Failure(&client.ServiceError{Status: 400, Code: "InvalidInput", Message: "One of the request inputs is not valid."}),
		ui.Retry(client.ErrNoAnswer, ui.Nothing),
		ui.Notice("Changed in the meantime.", "This entity was saved after you opened it.", ui.Button(ui.Plain, "Reload", ui.Nothing), ui.Button(ui.Danger, "Overwrite", ui.Nothing)),
	}
}

func propertyExhibit() []app.UI {
	d := draft.Of(ui.Sample(), "")
	id := d.Add()
	d.Set(id, func(p *draft.Property) { p.Name, p.Type, p.Text = "Born", odata.EdmDateTime, "yesterday" })
	var fields []app.UI
	for _, p := range d.Properties {
		problem := ""
		if _, err := p.Value(); err != nil {
			problem = err.Error()
		}
		fields = append(fields, ui.Property(p, problem, ui.PropertyHandlers{Name: ui.Nothing, Type: ui.Nothing, Text: ui.Nothing, Key: ui.Nothing, Remove: ui.Nothing, Digits: ui.Nothing}))
	}
	return fields
}
