package entity

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/browser"
	"sandtable/web/draft"
	"sandtable/web/grid"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// Render draws the panel.
func (p *Panel) Render() app.UI {
	body := []app.UI{p.header()}
	switch {
	case p.loaded.State() == remote.Failed:
		body = append(body, ui.Div("body", ui.Retry(p.loaded.Err(), p.onReload)))
	case p.loading():
		body = append(body, ui.Bones(6))
	case p.merging != nil:
		body = p.drawConflict()
	case p.json:
		body = append(body, ui.Div("body", p.drawJSON()), p.footer())
	default:
		body = append(body, &ui.Keyed{Key: "entity" + strconv.Itoa(p.redraws), Draw: p.drawFields}, p.footer())
	}
	label := "Entity"
	if !p.existing {
		label = "New entity"
	}
	class := "panel"
	if p.merging != nil {
		class = "panel wide"
	}
	return app.Aside().Class(class).Aria("label", label).Body(app.Form().OnSubmit(p.onSave).Body(body...))
}

func (p *Panel) header() app.UI {
	title := app.H2().ID(titleID).TabIndex(-1)
	small := "Properties without a name and a value are left out"
	if p.existing {
		title = titled(title, *p.Key)
		small = p.draft.Tag
	} else {
		title = title.Class("words").Text("New entity in " + p.Route.Table)
	}
	view := "form"
	if p.json {
		view = "json"
	}
	return app.Header().Body(
		ui.Div("row", title, app.Span().Class("grow"),
			ui.Segments("View", view, []ui.Choice{{Value: "form", Label: "Form"}, {Value: "json", Label: "JSON"}}, p.onView),
			ui.CloseButton(p.onClose)),
		app.Small().Text(small),
	)
}

func (p *Panel) drawFields() app.UI {
	problems := p.problems()
	notes := p.drawError()
	if whole := problems[draft.FieldWhole]; whole != "" {
		notes = append(notes, ui.Error("", whole))
	}
	// What comes and goes has an element of its own: otherwise it would move the
	// fields below into each other's elements.
	body := []app.UI{app.Div().Hidden(len(notes) == 0).Body(notes...)}
	body = append(body,
		p.keyField(partitionKeyID, odata.PartitionKeyName, p.draft.PartitionKey, problems[draft.FieldPartitionKey], p.onPartitionKey),
		p.keyField("entity-rk", odata.RowKeyName, p.draft.RowKey, problems[draft.FieldRowKey], p.onRowKey))
	body = append(body, p.drawRekey())
	for _, property := range p.draft.Properties {
		if property.Null {
			continue
		}
		body = append(body, &ui.Keyed{Key: strconv.Itoa(property.ID), Draw: func() app.UI {
			return ui.Property(property, problems[property.ID], ui.PropertyHandlers{Name: p.onPropertyName, Type: p.onPropertyType, Text: p.onPropertyText, Key: p.onPropertyKey, Remove: p.onRemoveProperty, Digits: p.onDigits})
		}})
	}
	body = append(body, p.drawAbsent())
	return ui.Div("body", body...)
}

// drawRekey draws the button that makes the keys fields, and what that means.
func (p *Panel) drawRekey() app.UI {
	switch {
	case !p.existing:
		return app.Div().Hidden(true)
	case p.rekey:
		return app.P().Class("hint").DataSet("testid", "rekey-words").Text(p.rekeyWords())
	}
	return ui.Div("field", ui.Button(ui.Small, "Change keys", p.onChangeKeys).Class("wide start").DataSet("testid", "change-keys"))
}

// drawAbsent offers a new property, and those that other entities of the table
// have.
func (p *Panel) drawAbsent() app.UI {
	body := []app.UI{ui.AddButton(ui.Quiet, "property", p.onAddProperty).DataSet("testid", "add-property")}
	for _, property := range p.draft.Properties {
		if property.Null {
			body = append(body, ui.AddButton(ui.Small, property.Name, p.onSetAbsent).Class("absent").DataSet("property", property.ID).
				DataSet("testid", "absent-property").Title("This entity has no "+property.Name+" of "+grid.ShortType(property.Type)+": add it"))
		}
	}
	return ui.Div("row absents", body...)
}

// keyField draws a key: a field for a new entity, a text for an existing one.
func (p *Panel) keyField(testid, name, value, problem string, h app.EventHandler) app.UI {
	label := app.Label().For(testid).Text(name)
	if p.existing && !p.rekey {
		return app.Div().Class("field").Title(grid.TicksOfText(value)).Body(label, app.Span().Class("wide fixed").ID(testid).DataSet("testid", testid).Text(keyWord(value)))
	}
	body := []app.UI{label, app.Input().ID(testid).Class("input code short wide").Type("text").DataSet("testid", testid).
		AutoComplete(false).Spellcheck(false).Attr("autocapitalize", "off").Aria("invalid", problem != "").Value(value).OnInput(h)}
	if problem != "" {
		body = append(body, ui.Problem(problem))
	}
	return ui.Div("field", body...)
}

// drawError draws why the last Save or Delete did not happen.
func (p *Panel) drawError() []app.UI {
	switch {
	case p.gone:
		return []app.UI{ui.Notice("Changed in the meantime.", "This entity was saved after you opened it. Look at it again, or delete it as it is now.",
			ui.Button(ui.Plain, "Reload", p.onReload).DataSet("testid", "conflict-reload"),
			ui.Button(ui.Danger, "Delete anyway", p.onDeleteAnyway).DataSet("testid", "conflict-delete"))}
	case p.err != nil:
		return []app.UI{ui.Failure(p.err).DataSet("testid", "entity-error")}
	}
	if p.left != nil {
		return []app.UI{p.drawLeft()}
	}
	if p.missing {
		return []app.UI{p.drawMissing()}
	}
	if p.changed {
		return []app.UI{p.drawChanged()}
	}
	return nil
}

// drawChanged says that the entity was saved elsewhere while it is shown.
func (p *Panel) drawChanged() app.UI {
	if p.draft.Changed() {
		return ui.Notice("Saved elsewhere just now.", "What you entered is kept. Compare it with what is stored before you save.",
			ui.Button(ui.Plain, "Compare", p.onCompare).DataSet("testid", "compare")).DataSet("testid", "changed-elsewhere")
	}
	return ui.Notice("Saved elsewhere just now.", "The panel shows the entity as it was before.",
		ui.Button(ui.Plain, "Reload", p.onReload).DataSet("testid", "reload-entity")).DataSet("testid", "changed-elsewhere")
}

func (p *Panel) footer() app.UI {
	label := "Save"
	if !p.existing {
		label = "Add entity"
	}
	body := []app.UI{ui.SubmitButton(label, p.busy).DataSet("testid", "save-entity")}
	if p.existing {
		body = append(body, ui.Button(ui.Plain, "Duplicate", p.onDuplicate).DataSet("testid", "duplicate-entity"),
			app.Span().Class("grow"),
			ui.Button(ui.Danger, "Delete", p.onDelete).DataSet("testid", "delete-entity").Disabled(p.busy))
	} else {
		body = append(body, ui.Button(ui.Quiet, "Cancel", p.onClose))
	}
	return app.Footer().Body(body...)
}

// drawJSON draws the entity as text, to be edited.
func (p *Panel) drawJSON() app.UI {
	_, problems := p.draft.Entity()
	notes := p.drawError()
	switch {
	case p.badText != "":
		notes = append(notes, ui.Problem(p.badText))
	case len(problems) > 0:
		notes = append(notes, ui.Problem("the form shows which fields have problems"))
	}
	icon, words := ui.IconCopy, "Copy"
	if p.copied {
		icon, words = ui.IconDone, "Copied"
	}
	return ui.Div("copyable",
		ui.Div("label", app.Label().For("entity-json").Text("As in a request"), app.Span().Class("grow"),
			app.Button().Type("button").Class("btn small quiet").Aria("label", words+" the JSON").OnClick(p.onCopy).Body(ui.Icon(icon), app.Text(words))),
		&ui.Keyed{Key: "json" + strconv.Itoa(p.redraws), Draw: func() app.UI {
			return app.Textarea().ID("entity-json").Class("input code whole").Rows(16).Spellcheck(false).Attr("autocapitalize", "off").
				Aria("invalid", p.badText != "").DataSet("testid", "json").Attr("value", p.text).OnInput(p.onJSON)
		}},
		app.Div().Hidden(len(notes) == 0).Body(notes...))
}

func (p *Panel) onView(_ app.Context, event app.Event) { p.view(ui.Data(event, "choice") == "json") }

// view changes between the form and the JSON, which must be right for that.
func (p *Panel) view(json bool) {
	if p.badText != "" || json == p.json {
		return
	}
	if json {
		e, problems := p.draft.Entity()
		if len(problems) > 0 {
			p.tried = true
			p.Session.Notify("There is no JSON yet: some fields have problems")
			return
		}
		p.text = indented(e)
	}
	p.json, p.copied = json, false
	p.redraws++
}

func (p *Panel) onJSON(_ app.Context, event app.Event) { p.setJSON(ui.Text(event)) }

func (p *Panel) setJSON(text string) {
	p.text, p.badText, p.copied = text, "", false
	if err := p.draft.SetJSON(text, !p.existing || p.rekey); err != nil {
		p.badText = err.Error()
	}
}

func (p *Panel) onCopy(ctx app.Context, _ app.Event) {
	page.Copy(ctx, p.Session, p.text, func() { p.copied = true })
}

func (p *Panel) onPartitionKey(_ app.Context, event app.Event) {
	p.draft.PartitionKey = ui.Text(event)
}

func (p *Panel) onRowKey(_ app.Context, event app.Event) { p.draft.RowKey = ui.Text(event) }

func (p *Panel) onPropertyName(_ app.Context, event app.Event) {
	p.setProperty(event, func(property *draft.Property) { property.Name = ui.Text(event) })
}

func (p *Panel) onPropertyText(_ app.Context, event app.Event) {
	p.setProperty(event, func(property *draft.Property) { property.Enter(ui.Text(event)) })
}

// onPropertyKey saves on Enter, as in every field of one line. A string can
// have several lines, and takes Enter for itself.
func (p *Panel) onPropertyKey(_ app.Context, event app.Event) {
	plain := !event.Get("ctrlKey").Truthy() && !event.Get("metaKey").Truthy() && !event.Get("isComposing").Truthy()
	if event.Get("key").String() == "Enter" && plain && ui.Data(event, "type") != odata.EdmString.String() {
		event.PreventDefault()
		p.save()
	}
}

func (p *Panel) onPropertyType(_ app.Context, event app.Event) {
	if t, ok := odata.ParseType(ui.Text(event)); ok {
		p.setProperty(event, func(property *draft.Property) { property.Type = t })
	}
}

func (p *Panel) setProperty(event app.Event, change func(*draft.Property)) {
	if id, err := strconv.Atoi(ui.Data(event, "property")); err == nil {
		p.draft.Set(id, change)
	}
}

func (p *Panel) onRemoveProperty(_ app.Context, event app.Event) {
	if id, err := strconv.Atoi(ui.Data(event, "property")); err == nil {
		p.draft.Remove(id)
	}
}

// onSetAbsent gives an absent property a value to be entered.
func (p *Panel) onSetAbsent(_ app.Context, event app.Event) {
	p.setProperty(event, func(property *draft.Property) {
		property.Null = false
		browser.Focus(p.ctx, ui.PropertyValueID(property.ID)) // the button is gone by then
	})
}

// onDigits shows a Binary in base64 or in hexadecimal digits.
func (p *Panel) onDigits(_ app.Context, event app.Event) {
	hex := ui.Data(event, "choice") == "hex"
	p.setProperty(event, func(property *draft.Property) { property.WriteHex(hex) })
	p.redraws++
}

func (p *Panel) onAddProperty(app.Context, app.Event) {
	browser.Focus(p.ctx, ui.PropertyNameID(p.draft.Add()))
}

func (p *Panel) onSave(_ app.Context, event app.Event) {
	event.PreventDefault()
	p.submit()
}

func (p *Panel) onDuplicate(app.Context, app.Event) {
	copied := p.draft.Duplicate()
	p.Session.Leave(func() { p.Owner.OpenNew(copied) })
}

func (p *Panel) onReload(app.Context, app.Event) { p.load() }

func (p *Panel) onDelete(app.Context, app.Event) { p.remove(false) }

func (p *Panel) onDeleteAnyway(app.Context, app.Event) { p.remove(true) }
