package entity

import (
	"slices"
	"testing"
	"testing/synctest"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/control"
	"sandtable/web/draft"
	"sandtable/web/pagetest"
)

// store writes another version of the first entity behind the panel's back.
func store(f *pagetest.Endpoint, properties string) {
	f.Write("Customers", []byte(`{"PartitionKey":"p","RowKey":"00000",`+properties+`}`), true)
}

func stored(f *pagetest.Endpoint) string { return members(f.Tables["Customers"][0]) }

// conflicting opens the first entity, with a Tier, changes it on both sides and
// saves.
func conflicting(t *testing.T, theirs string, mine func(*draft.Draft)) (*pagetest.Driver[*owner], *pagetest.Endpoint) {
	t.Helper()
	endpoint := pagetest.Filled(1)
	store(endpoint, `"Age":42,"Tier":"silver"`)
	d := open(t, endpoint, first())
	store(endpoint, theirs)
	d.Do(func() { mine(&d.Page.panel.draft); d.Page.panel.save() })
	return d, endpoint
}

func set(d *draft.Draft, id int, text string) {
	d.Set(id, func(p *draft.Property) { p.Text = text })
}

func TestConflictMergesWhatOneSideChanged(t *testing.T) {
	d, endpoint := conflicting(t, `"Age":43,"Tier":"silver"`, func(d *draft.Draft) { set(d, 2, "gold") })
	d.Shows("saved elsewhere while you were editing", "Everything is merged", `data-testid="save-merged"`, "saves only if it is still")
	if !slices.Equal(d.Page.changed, []string{"00000"}) {
		t.Errorf("the row is not marked: %q", d.Page.changed)
	}
	before := len(endpoint.Requests)
	d.Do(d.Page.panel.submit)
	if got := stored(endpoint); got != `"PartitionKey":"p","RowKey":"00000","Age":43,"Tier":"gold"` {
		t.Errorf("stored is %s", got)
	}
	if request := endpoint.Requests[before]; request[:6] != "MERGE " {
		t.Errorf("written by %s", request)
	}
	d.Notified("Saved p / 00000")
	d.Hides("Merged result")
}

func TestConflictWaitsForChoices(t *testing.T) {
	d, endpoint := conflicting(t, `"Age":43,"Tier":"gold"`, func(d *draft.Draft) { set(d, 2, "platinum") })
	p := d.Page.panel
	d.Shows("Tier", "was changed on both sides: choose one", "choose")
	before := len(endpoint.Requests)
	d.Do(p.submit)
	if len(endpoint.Requests) != before {
		t.Errorf("something was sent: %q", endpoint.Requests[before:])
	}
	d.Do(func() { p.choose("Age", draft.Mine); p.choose("Tier", draft.Mine); p.submit() })
	if got := stored(endpoint); got != `"PartitionKey":"p","RowKey":"00000","Age":42,"Tier":"platinum"` {
		t.Errorf("stored is %s", got)
	}
}

// TestSecondConflict keeps the choices when the entity is saved elsewhere again.
func TestSecondConflict(t *testing.T) {
	d, endpoint := conflicting(t, `"Age":43,"Tier":"gold"`, func(d *draft.Draft) { set(d, 2, "platinum") })
	p := d.Page.panel
	store(endpoint, `"Age":44,"Tier":"bronze"`)
	d.Do(func() { p.choose("Tier", draft.Mine); p.submit() })
	d.Shows("It was saved elsewhere once more. Your choices are kept.", "&#34;Age&#34;:44", "&#34;Tier&#34;:&#34;platinum&#34;")
	d.Do(p.submit)
	if got := stored(endpoint); got != `"PartitionKey":"p","RowKey":"00000","Age":44,"Tier":"platinum"` {
		t.Errorf("stored is %s", got)
	}
}

func TestConflictThatRemovesReplaces(t *testing.T) {
	d, endpoint := conflicting(t, `"Age":43,"Tier":"silver"`, func(d *draft.Draft) { d.Remove(2) })
	d.Do(d.Page.panel.submit)
	if got := stored(endpoint); got != `"PartitionKey":"p","RowKey":"00000","Age":43` {
		t.Errorf("stored is %s", got)
	}
}

func TestConflictDiscardMine(t *testing.T) {
	d, endpoint := conflicting(t, `"Age":43,"Tier":"silver"`, func(d *draft.Draft) { set(d, 2, "gold") })
	p := d.Page.panel
	d.Do(func() { p.onKeepTheirs(p.ctx, app.Event{}) })
	if p.merging != nil || p.unsaved() || p.draft.Properties[0].Text != "43" || p.draft.Tag != endpoint.Tables["Customers"][0].ETag() {
		t.Errorf("unsaved %v, shown %+v", p.unsaved(), p.draft.Properties)
	}
}

func TestConflictWithDeletion(t *testing.T) {
	d, endpoint := conflicting(t, `"Age":43,"Tier":"gold"`, func(d *draft.Draft) { set(d, 2, "platinum") })
	endpoint.Tables["Customers"] = nil
	d.Do(func() { d.Page.panel.choose("Tier", draft.Mine); d.Page.panel.submit() })
	d.Shows("Deleted in the meantime.", "Add entity")
}

// TestDeletedElsewhereCanBeAddedAgain: the event may name the table in other capitals.
func TestDeletedElsewhereCanBeAddedAgain(t *testing.T) {
	endpoint := pagetest.Filled(1)
	d := open(t, endpoint, first())
	endpoint.Tables["Customers"] = nil
	change := control.Change{Kind: "deleted", Account: pagetest.Account, Table: "customers", PartitionKey: "p", RowKey: "00000"}
	d.Do(func() { d.Page.panel.onChanges([]control.Change{change}) })
	d.Shows("Deleted in the meantime.", `data-testid="add-again"`)
	if d.Page.panel.unsaved() {
		t.Error("closing the panel asks")
	}
	d.Do(d.Page.panel.addAgain)
	d.Notified("Added p / 00000")
	d.Hides("Deleted in the meantime.")
	if len(endpoint.Tables["Customers"]) != 1 {
		t.Error("it was not added again")
	}
}

// TestDeletedTableIsNotWrittenTo: an entity cannot be added to it again.
func TestDeletedTableIsNotWrittenTo(t *testing.T) {
	endpoint := pagetest.Filled(1)
	d := open(t, endpoint, first())
	d.Do(func() { setAge(d, "77") })
	delete(endpoint.Tables, "Customers")
	for _, kind := range []string{"tableDeleted", "lost"} {
		d.Do(func() {
			d.Page.panel.onChanges([]control.Change{{Kind: kind, Account: pagetest.Account, Table: "Customers"}})
		})
		d.Hides("Deleted in the meantime.", "add-again")
	}
	if d.Page.panel.draft.Properties[0].Text != "77" {
		t.Error("what was entered is lost")
	}
}

// TestCheckThatIsAnsweredLate: what was stored before the panel saved is no change of
// somebody else.
func TestCheckThatIsAnsweredLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &pagetest.Slow{Transport: pagetest.Filled(1)}
		d := open(t, slow, first())
		p := d.Page.panel
		d.Do(func() {
			slow.During(p.checkTag)
			setAge(d, "77")
			p.submit()
		})
		d.Notified("Saved")
		d.Hides("changed-elsewhere")
	})
}

func TestSavedElsewhereIsMarked(t *testing.T) {
	endpoint := pagetest.Filled(1)
	d := open(t, endpoint, first())
	p := d.Page.panel
	change := []control.Change{{Kind: "updated", Account: pagetest.Account, Table: "Customers", PartitionKey: "p", RowKey: "00000"}}
	d.Do(func() { p.onChanges(change) })
	d.Hides("changed-elsewhere") // it was the panel's own write
	store(endpoint, `"Age":7`)
	d.Do(func() { p.onChanges(change) })
	d.Shows("changed-elsewhere", `data-testid="reload-entity"`)
	d.Do(func() { setAge(d, "77") })
	d.Shows(`data-testid="compare"`)
	d.Do(p.compare)
	d.Shows("Age", "was changed on both sides")
	d.Do(func() { p.choose("Age", draft.Mine); p.submit() })
	if age, _ := endpoint.Tables["Customers"][0].Property("Age"); !age.Equal(odata.Int32Value(77)) {
		t.Errorf("stored is %+v", age)
	}
}

// TestConflictKeepsNewKeys: keys that were entered are still there after the comparison.
func TestConflictKeepsNewKeys(t *testing.T) {
	for _, c := range []struct {
		name string
		age  string
	}{{"with other changes", "7"}, {"alone", "42"}} {
		t.Run(c.name, func(t *testing.T) {
			d, endpoint := conflicting(t, `"Age":42,"Tier":"gold"`, func(d *draft.Draft) { d.RowKey = "moved"; set(d, 1, c.age) })
			d.Shows("Saved elsewhere just now")
			d.Do(d.Page.panel.compare)
			d.Do(d.Page.panel.submit)
			if p := d.Page.panel; p.merging != nil || p.draft.RowKey != "moved" || !p.rekey || !p.unsaved() {
				t.Fatalf("RowKey is %q, a field %v, unsaved %v", p.draft.RowKey, p.rekey, p.unsaved())
			}
			d.Do(d.Page.panel.submit)
			if got := stored(endpoint); got != `"PartitionKey":"p","RowKey":"moved","Age":`+c.age+`,"Tier":"gold"` {
				t.Errorf("stored is %s", got)
			}
		})
	}
}
