package entity

import (
	"slices"
	"strings"
	"testing"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/client"
	"sandtable/web/draft"
	"sandtable/web/page"
	"sandtable/web/pagetest"
)

// owner is a page that notes what its panel does.
type owner struct {
	app.Compo
	page.Props
	key   *odata.Key
	start draft.Draft
	known []draft.Known
	panel *Panel

	saved   []string
	deleted []string
	changed []string
	opened  []draft.Draft
	closed  int
}

func (o *owner) Render() app.UI {
	next := &Panel{Session: o.Session, Route: o.Route, Acts: o.Revision, Owner: o, Key: o.key, Start: o.start, Known: o.known}
	if o.panel == nil {
		o.panel = next
	}
	return app.Div().Body(next)
}

func (o *owner) EntityRestored(e client.Entity) { o.EntitySaved(e) }

func (o *owner) EntitySaved(e client.Entity) bool {
	key := e.Key()
	o.key = &key
	o.saved = append(o.saved, e.RowKey)
	return true
}
func (o *owner) EntityRead(client.Entity)                 {}
func (o *owner) EntityChanged(key odata.Key)              { o.changed = append(o.changed, key.RowKey) }
func (o *owner) EntityDeleted(key odata.Key)              { o.deleted = append(o.deleted, key.RowKey) }
func (o *owner) OfferUndo(text, title string, run func()) { o.Session.Offer(text, title, run) }
func (o *owner) EntityMoved(from odata.Key, to client.Entity) {
	o.EntityGone(from)
	o.EntitySaved(to)
}
func (o *owner) EntityGone(key odata.Key)  { o.deleted = append(o.deleted, key.RowKey) }
func (o *owner) OpenNew(start draft.Draft) { o.opened = append(o.opened, start) }
func (o *owner) ClosePanel()               { o.closed++ }

// open opens the panel of an entity of Customers, or of a new one.
func open(t *testing.T, endpoint client.Transport, key *odata.Key) *pagetest.Driver[*owner] {
	t.Helper()
	d := pagetest.Open(t, endpoint, page.Route{Account: pagetest.Account, Table: "Customers"}, func(p page.Props) *owner {
		return &owner{Props: p, key: key, start: draft.New()}
	})
	d.In = d.Page.panel.ctx
	return d
}

func first() *odata.Key { return &odata.Key{PartitionKey: "p", RowKey: "00000"} }

func setAge(d *pagetest.Driver[*owner], text string) {
	d.Page.panel.draft.Set(1, func(p *draft.Property) { p.Text = text })
}

func TestInsert(t *testing.T) {
	endpoint := pagetest.Filled(2)
	d := open(t, endpoint, nil)
	p := d.Page.panel
	d.Do(func() {
		p.draft.PartitionKey, p.draft.RowKey = "p", "a/b"
		p.draft.Set(1, func(property *draft.Property) { property.Name, property.Text = "Name", "Amara" })
		p.save()
	})
	d.Shows("A RowKey has no /")
	if slices.Contains(endpoint.Requests, "POST /table/devstoreaccount1/Customers") {
		t.Error("a bad key was sent")
	}
	d.Do(func() { p.draft.RowKey = "00000"; p.save() })
	d.Shows(`data-testid="entity-error"`, "EntityAlreadyExists")
	d.Do(func() { p.draft.RowKey = "00000a"; p.save() })
	d.Notified("Added p / 00000a")
	if !p.existing || p.unsaved() || !slices.Equal(d.Page.saved, []string{"00000a"}) || d.Writes != 1 {
		t.Errorf("saved %q, %d writes, unsaved %v", d.Page.saved, d.Writes, p.unsaved())
	}
}

// TestInsertOfNothing: empty keys are allowed, but seldom meant.
func TestInsertOfNothing(t *testing.T) {
	endpoint := pagetest.Filled(1)
	d := open(t, endpoint, nil)
	d.Do(d.Page.panel.save)
	if d.Question == nil || d.Question.Title != "Add an entity with empty keys?" {
		t.Fatalf("%+v", d.Question)
	}
	d.Answer(false)
	if len(endpoint.Tables["Customers"]) != 1 {
		t.Error("it was added without a yes")
	}
	d.Do(d.Page.panel.save)
	d.Answer(true)
	d.Notified("Added (empty) / (empty)")
	d.Shows("<bdi>(empty)</bdi>")
	if n := strings.Count(d.HTML(), ">(empty)<"); n != 4 {
		t.Errorf("%d keys are shown as empty, want 2 in the title and 2 among the fields", n)
	}
}

func TestReplace(t *testing.T) {
	endpoint := pagetest.Filled(2)
	d := open(t, endpoint, first())
	d.Do(func() { setAge(d, "77"); d.Page.panel.save() })
	if age, _ := endpoint.Tables["Customers"][0].Property("Age"); !age.Equal(odata.Int32Value(77)) {
		t.Errorf("stored is %+v", age)
	}
	d.Notified("Saved p / 00000")
}

// TestReplaceOfDeleted keeps what was entered when the entity is gone.
// TestTypingWhileSaving: what is entered before the answer is there stays, as a change
// of what was stored.
func TestTypingWhileSaving(t *testing.T) {
	endpoint := pagetest.Filled(2)
	d := open(t, endpoint, first())
	p := d.Page.panel
	d.Do(func() {
		setAge(d, "43")
		p.save()
		setAge(d, "44")
	})
	d.Notified("Saved p / 00000")
	if !p.unsaved() || p.busy || p.draft.Properties[0].Text != "44" {
		t.Errorf("unsaved %v, busy %v, the field has %q", p.unsaved(), p.busy, p.draft.Properties[0].Text)
	}
	d.Do(p.save)
	if v, _ := endpoint.Tables["Customers"][0].Property("Age"); v.Int() != 44 || p.unsaved() {
		t.Errorf("Age is %d, unsaved %v", v.Int(), p.unsaved())
	}
	d.Do(func() {
		p.rekey = true
		p.draft.RowKey = "moved"
		p.save()
		setAge(d, "45")
	})
	d.Notified("Moved p / 00000 to p / moved")
	if !p.unsaved() || p.draft.Properties[0].Text != "45" {
		t.Errorf("after the move: unsaved %v, the field has %q", p.unsaved(), p.draft.Properties[0].Text)
	}
}

func TestReplaceOfDeleted(t *testing.T) {
	endpoint := pagetest.Filled(1)
	d := open(t, endpoint, first())
	endpoint.Tables["Customers"] = nil
	d.Do(func() { setAge(d, "77"); d.Page.panel.save() })
	d.Shows("Deleted in the meantime.", "Add entity")
	d.Hides("ResourceNotFound")
	d.Do(d.Page.panel.save)
	if len(endpoint.Tables["Customers"]) != 1 {
		t.Error("it was not added again")
	}
}

func TestDeleteAndUndo(t *testing.T) {
	endpoint := pagetest.Filled(2)
	d := open(t, endpoint, first())
	d.Do(func() { d.Page.panel.onDelete(d.Page.panel.ctx, app.Event{}) })
	d.Notified("Deleted p / 00000")
	if !slices.Equal(d.Page.deleted, []string{"00000"}) {
		t.Errorf("deleted %q", d.Page.deleted)
	}
	d.Accept()
	d.Notified("Restored p / 00000")
	if len(endpoint.Tables["Customers"]) != 2 || !slices.Equal(d.Page.saved, []string{"00000"}) {
		t.Errorf("%d entities, restored %q", len(endpoint.Tables["Customers"]), d.Page.saved)
	}
}

// TestDeleteAndLeave: what is deleted after the user has left can be restored as well, and
// what is not is named.
func TestDeleteAndLeave(t *testing.T) {
	for _, c := range []struct {
		refuse, says, then string
	}{
		{"", "Deleted p / 00000", "Restored p / 00000"},
		{client.MethodDelete, "Not deleted: p / 00000. ", ""},
	} {
		endpoint := pagetest.Filled(2)
		endpoint.Refuse = c.refuse
		d := open(t, endpoint, first())
		d.LeaveDuring(func() { d.Page.panel.onDelete(d.Page.panel.ctx, app.Event{}) })
		d.Notified(c.says)
		if d.In = d.Context(); c.then != "" {
			d.Accept()
			d.Notified(c.then)
		}
		if n := len(endpoint.Tables["Customers"]); n != 2 {
			t.Errorf("%d entities are stored", n)
		}
	}
}

// TestSaveAndLeave: who leaves before the answer comes is told what became of the entity, and
// stays where they are by then.
func TestSaveAndLeave(t *testing.T) {
	for _, c := range []struct {
		name, refuse, says string
		change             func(*Panel)
	}{
		{"saved", "", "Saved p / 00000", func(p *Panel) { p.draft.Set(0, func(q *draft.Property) { q.Text = "7" }) }},
		{"not saved", client.MethodPut, "Not saved: p / 00000. InternalError", func(p *Panel) { p.draft.Set(0, func(q *draft.Property) { q.Text = "7" }) }},
		{"moved", "", "Moved p / 00000 to q / 00000", func(p *Panel) { p.draft.PartitionKey = "q" }},
		{"not moved", client.MethodPost, "Not moved: p / 00000 to q / 00000. InternalError", func(p *Panel) { p.draft.PartitionKey = "q" }},
		{"only copied", client.MethodDelete, "Copied p / 00000 to q / 00000, but the old one was not deleted: InternalError", func(p *Panel) { p.draft.PartitionKey = "q" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			endpoint := pagetest.Filled(1)
			endpoint.Refuse = c.refuse
			d := open(t, endpoint, first())
			d.LeaveDuring(func() { c.change(d.Page.panel); d.Page.panel.save() })
			d.Notified(c.says)
			if d.Route != pagetest.Elsewhere || len(d.Page.saved) > 0 || !slices.Equal(d.Changed, []string{pagetest.Account}) {
				t.Errorf("at %+v, saved %q, changed accounts %q", d.Route, d.Page.saved, d.Changed)
			}
		})
	}
}

func TestUndoRefused(t *testing.T) {
	endpoint := pagetest.Filled(1)
	d := open(t, endpoint, first())
	d.Do(func() { d.Page.panel.onDelete(d.Page.panel.ctx, app.Event{}) })
	endpoint.Refuse = "POST"
	d.Accept()
	d.Notified("Not restored")
	endpoint.Refuse = ""
	d.Accept()
	if len(endpoint.Tables["Customers"]) != 1 {
		t.Error("it is not stored again")
	}
}

func TestDeleteConflict(t *testing.T) {
	endpoint := pagetest.Filled(1)
	d := open(t, endpoint, first())
	p := d.Page.panel
	store(endpoint, `"Age":500`)
	d.Do(func() { p.onDelete(p.ctx, app.Event{}) })
	d.Shows("Changed in the meantime", "Delete anyway")
	d.Do(func() { p.onDeleteAnyway(p.ctx, app.Event{}) })
	if len(endpoint.Tables["Customers"]) != 0 {
		t.Error("it is still there")
	}
	d.Accept()
	if got := stored(endpoint); !strings.Contains(got, `"Age":500`) {
		t.Errorf("the undo restores %s, not what was deleted", got)
	}
}

func TestCloseAsksFirst(t *testing.T) {
	d := open(t, pagetest.Filled(1), first())
	d.Do(func() { setAge(d, "77"); d.Page.panel.close() })
	d.Answer(false)
	if d.Page.closed != 0 || d.Page.panel.draft.Properties[0].Text != "77" {
		t.Error("the changes are gone without a yes")
	}
	d.Do(d.Page.panel.close)
	d.Answer(true)
	if d.Page.closed != 1 {
		t.Error("the panel is still open")
	}
}

func TestDuplicate(t *testing.T) {
	d := open(t, pagetest.Filled(1), first())
	d.Do(func() { d.Page.panel.onDuplicate(d.Page.panel.ctx, app.Event{}) })
	if len(d.Page.opened) != 1 || d.Page.opened[0].Loaded || d.Page.opened[0].RowKey != "00000" {
		t.Errorf("opened %+v", d.Page.opened)
	}
}

func TestJSONIsEdited(t *testing.T) {
	endpoint := pagetest.Filled(1)
	d := open(t, endpoint, first())
	p := d.Page.panel
	d.Do(func() { p.view(true) })
	d.Shows("As in a request")
	if !strings.Contains(p.text, `"Age": 0`) {
		t.Errorf("the text is %s", p.text)
	}
	d.Do(func() { p.setJSON(`{"Age":1,`); p.save(); p.view(false) })
	d.Shows("This is not an entity in JSON", `data-testid="json"`)
	d.Do(func() {
		p.setJSON(`{"PartitionKey":"p","Name":"Amara","Visits@odata.type":"Edm.Int64","Visits":"7"}`)
		p.view(false)
	})
	d.Shows("Amara", `data-testid="absent-property"`, "Edm.Int64")
	d.Do(p.save)
	if got := stored(endpoint); got != `"PartitionKey":"p","RowKey":"00000","Name":"Amara","Visits@odata.type":"Edm.Int64","Visits":"7"` {
		t.Errorf("stored is %s", got)
	}
}

func TestMissingEntity(t *testing.T) {
	d := open(t, pagetest.NewEndpoint(), first())
	d.Shows("Try again")
}
