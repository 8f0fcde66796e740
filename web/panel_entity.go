package web

import (
	"fmt"
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/draft"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

func (e *explorer) drawEntityPanel() app.UI {
	p := &e.panel
	body := []app.UI{e.entityHeader()}
	switch {
	case p.loaded.State() == remote.Failed:
		body = append(body, app.Div().Class("body").Body(errorNote(p.loaded.Err(), ui.Button(ui.Plain, "Try again", e.onReload))))
	case p.loading():
		body = append(body, ui.Bones(6))
	case p.json:
		body = append(body, app.Div().Class("body").Body(e.drawJSON()), e.entityFooter())
	default:
		body = append(body, &ui.Keyed{Key: "entity" + strconv.Itoa(p.epoch), Draw: e.drawFields}, e.entityFooter())
	}
	label := "Entity"
	if !p.existing {
		label = "New entity"
	}
	return app.Aside().Class("panel").Aria("label", label).Body(app.Form().OnSubmit(e.onSave).Body(body...))
}

func (e *explorer) entityHeader() app.UI {
	p := &e.panel
	title := app.H2().ID("panel-title").TabIndex(-1)
	small := "Properties without a name and a value are left out"
	if p.existing {
		title = title.Title(p.key.PartitionKey + " / " + p.key.RowKey).Body(app.Text(p.key.PartitionKey + " / " + p.key.RowKey))
		small = p.draft.Tag
		if !p.place.sameTable(e.place) {
			small = "In " + p.place.Table + ", not saved"
		}
	} else {
		title = title.Class("words").Body(app.Text("New entity in " + p.place.Table))
	}
	view := "form"
	if p.json {
		view = "json"
	}
	return app.Header().Body(
		app.Div().Class("row").Body(title, app.Span().Class("grow"),
			ui.Segments("View", view, []ui.Choice{{Value: "form", Label: "Form"}, {Value: "json", Label: "JSON"}}, e.onView),
			ui.IconButton(ui.Square, ui.IconClose, "Close the panel (Escape)", e.onClosePanel)),
		app.Small().Body(app.Text(small)),
	)
}

func (e *explorer) drawFields() app.UI {
	p := &e.panel
	problems := p.problems()
	trouble := e.drawPanelError()
	if whole := problems[draft.FieldWhole]; whole != "" {
		trouble = append(trouble, ui.Error("", whole))
	}
	// What comes and goes has an element of its own, or it would move the
	// fields below into each other's elements.
	body := []app.UI{app.Div().Hidden(len(trouble) == 0).Body(trouble...)}
	body = append(body,
		e.keyField("entity-pk", odata.PartitionKeyName, p.draft.PartitionKey, problemOf(problems, draft.FieldPartitionKey), e.onPartitionKey),
		e.keyField("entity-rk", odata.RowKeyName, p.draft.RowKey, problemOf(problems, draft.FieldRowKey), e.onRowKey))
	for _, property := range p.draft.Properties {
		body = append(body, &ui.Keyed{Key: strconv.Itoa(property.ID), Draw: func() app.UI {
			return ui.Property(property, problems[property.ID], ui.PropertyHandlers{Name: e.onPropertyName, Type: e.onPropertyType, Text: e.onPropertyText, Key: e.onPropertyKey, Remove: e.onRemoveProperty})
		}})
	}
	body = append(body, app.Div().Body(ui.AddButton(ui.Quiet, "property", e.onAddProperty).DataSet("testid", "add-property")))
	return app.Div().Class("body").Body(body...)
}

// keyField draws a key: to be entered for a new entity, fixed for another.
func (e *explorer) keyField(testid, name, value, problem string, h app.EventHandler) app.UI {
	label := app.Label().For(testid).Body(app.Text(name))
	if e.panel.existing {
		return app.Div().Class("field").Body(label, app.Span().Class("wide fixed").ID(testid).DataSet("testid", testid).Body(app.Text(value)))
	}
	body := []app.UI{label, app.Input().ID(testid).Class("input code short wide").Type("text").DataSet("testid", testid).
		AutoComplete(false).Spellcheck(false).Attr("autocapitalize", "off").Aria("invalid", problem != "").Value(value).OnInput(h)}
	if problem != "" {
		body = append(body, ui.Problem(problem))
	}
	return app.Div().Class("field").Body(body...)
}

// drawPanelError draws why the last Save or Delete did not happen.
func (e *explorer) drawPanelError() []app.UI {
	p := &e.panel
	switch {
	case p.conflict == saveConflict:
		return []app.UI{ui.Notice("Changed meanwhile.", "Somebody saved this entity after you opened it. Reload it and lose what you entered, or put yours over it.",
			ui.Button(ui.Plain, "Reload", e.onReload).DataSet("testid", "conflict-reload"),
			ui.Button(ui.Danger, "Overwrite", e.onOverwrite).DataSet("testid", "conflict-overwrite"))}
	case p.conflict == deleteConflict:
		return []app.UI{ui.Notice("Changed meanwhile.", "Somebody saved this entity after you opened it. Look at it again, or delete it as it is now.",
			ui.Button(ui.Plain, "Reload", e.onReload).DataSet("testid", "conflict-reload"),
			ui.Button(ui.Danger, "Delete anyway", e.onDeleteAnyway).DataSet("testid", "conflict-delete"))}
	case p.err != nil:
		return []app.UI{errorNote(p.err).DataSet("testid", "entity-error")}
	}
	return nil
}

func (e *explorer) entityFooter() app.UI {
	p := &e.panel
	label := "Save"
	if !p.existing {
		label = "Add entity"
	}
	body := []app.UI{ui.SubmitButton(label, p.busy).DataSet("testid", "save-entity")}
	if p.existing {
		body = append(body, ui.Button(ui.Plain, "Duplicate", e.onDuplicate).DataSet("testid", "duplicate-entity"),
			app.Span().Class("grow"),
			ui.Button(ui.Danger, "Delete", e.onDelete).DataSet("testid", "delete-entity").Disabled(p.busy))
	} else {
		body = append(body, ui.Button(ui.Quiet, "Cancel", e.onClosePanel))
	}
	return app.Footer().Body(body...)
}

func (e *explorer) drawJSON() app.UI {
	entity, problems := e.panel.draft.Entity()
	if len(problems) > 0 {
		e.panel.tried = true
		return ui.Error("", "There is no JSON yet: some fields are not right. The form shows which.")
	}
	return ui.Copyable("json", "As a request carries it", indented(entity), e.panel.copied == "json", e.onCopy)
}

func (e *explorer) onView(_ app.Context, event app.Event) {
	e.panel.json = ui.Data(event, "choice") == "json"
	e.panel.epoch++
}

func (e *explorer) onPartitionKey(_ app.Context, event app.Event) {
	e.panel.draft.PartitionKey = ui.Text(event)
}

func (e *explorer) onRowKey(_ app.Context, event app.Event) { e.panel.draft.RowKey = ui.Text(event) }

func (e *explorer) onPropertyName(_ app.Context, event app.Event) {
	e.setProperty(event, func(p *draft.Property) { p.Name = ui.Text(event) })
}

func (e *explorer) onPropertyText(_ app.Context, event app.Event) {
	e.setProperty(event, func(p *draft.Property) { p.Text = ui.Text(event) })
}

// onPropertyKey saves on Enter, as in every field of one line. A string can
// have lines, and takes Enter for itself.
func (e *explorer) onPropertyKey(_ app.Context, event app.Event) {
	plain := !event.Get("ctrlKey").Truthy() && !event.Get("metaKey").Truthy() && !event.Get("isComposing").Truthy()
	if event.Get("key").String() == "Enter" && plain && ui.Data(event, "type") != odata.EdmString.String() {
		event.PreventDefault()
		e.save()
	}
}

func (e *explorer) onPropertyType(_ app.Context, event app.Event) {
	t, ok := odata.ParseType(ui.Text(event))
	if ok {
		e.setProperty(event, func(p *draft.Property) { p.Type = t })
	}
}

func (e *explorer) setProperty(event app.Event, change func(*draft.Property)) {
	if id, err := strconv.Atoi(ui.Data(event, "property")); err == nil {
		e.panel.draft.Set(id, change)
	}
}

func (e *explorer) onRemoveProperty(_ app.Context, event app.Event) {
	if id, err := strconv.Atoi(ui.Data(event, "property")); err == nil {
		e.panel.draft.Remove(id)
	}
}

func (e *explorer) onAddProperty(app.Context, app.Event) {
	e.focus(ui.PropertyNameID(e.panel.draft.Add()))
}

func (e *explorer) onSave(_ app.Context, event app.Event) {
	event.PreventDefault()
	e.save()
}

func (e *explorer) onDuplicate(app.Context, app.Event) {
	copied, place := e.panel.draft.Duplicate(), e.panel.place
	e.panel.reset(panelEntity)
	e.panel.place, e.panel.draft = place, copied
	e.focus("entity-rk")
}

func (e *explorer) onReload(app.Context, app.Event) { e.loadEntity(e.panel.key, true) }

func (e *explorer) onOverwrite(app.Context, app.Event) {
	e.panel.draft.Tag = "*"
	e.save()
}

func (e *explorer) onDelete(app.Context, app.Event) { e.deleteEntity(e.panel.draft.Tag) }

func (e *explorer) onDeleteAnyway(app.Context, app.Event) { e.deleteEntity("*") }

func (e *explorer) onNewEntity(app.Context, app.Event) {
	e.leave(func() {
		e.panel.reset(panelEntity)
		e.panel.place, e.panel.draft = e.place, draft.New("")
		e.measure()
		e.focus("entity-pk")
	})
}

func keyWords(k odata.Key) string { return fmt.Sprintf("%s / %s", k.PartitionKey, k.RowKey) }
