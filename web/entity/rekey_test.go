package entity

import (
	"slices"
	"strings"
	"testing"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/draft"
	"sandtable/web/page"
	"sandtable/web/pagetest"
)

// rekeyed opens the first entity, gives it other keys and saves.
func rekeyed(t *testing.T, endpoint *pagetest.Endpoint, key odata.Key) *pagetest.Driver[*owner] {
	t.Helper()
	d := open(t, endpoint, first())
	p := d.Page.panel
	d.Do(func() { p.onChangeKeys(p.ctx, app.Event{}) })
	d.Shows("Keys cannot be changed in place", `data-testid="entity-rk"`)
	d.Do(func() { p.draft.PartitionKey, p.draft.RowKey = key.PartitionKey, key.RowKey })
	if !p.unsaved() {
		t.Error("other keys are not a change")
	}
	return d
}

func keys(f *pagetest.Endpoint) (all []string) {
	for _, e := range f.Tables["Customers"] {
		all = append(all, e.PartitionKey+"/"+e.RowKey)
	}
	return all
}

func TestChangeKeysWithinAPartition(t *testing.T) {
	endpoint := pagetest.Filled(2)
	d := rekeyed(t, endpoint, odata.Key{PartitionKey: "p", RowKey: "9"})
	before := len(endpoint.Requests)
	d.Shows("in one transaction")
	d.Do(d.Page.panel.save)
	if got := keys(endpoint); !slices.Equal(got, []string{"p/00001", "p/9"}) {
		t.Errorf("stored are %q", got)
	}
	if sent := endpoint.Requests[before]; sent != "POST /table/devstoreaccount1/$batch" {
		t.Errorf("sent %s", sent)
	}
	d.Notified("Moved p / 00000 to p / 9")
	if !slices.Equal(d.Page.saved, []string{"9"}) || !slices.Equal(d.Page.deleted, []string{"00000"}) || d.Page.panel.unsaved() {
		t.Errorf("saved %q, deleted %q, unsaved %v", d.Page.saved, d.Page.deleted, d.Page.panel.unsaved())
	}
}

func TestChangeKeysToTakenOnes(t *testing.T) {
	endpoint := pagetest.Filled(2)
	d := rekeyed(t, endpoint, odata.Key{PartitionKey: "p", RowKey: "00001"})
	d.Do(d.Page.panel.save)
	d.Shows("EntityAlreadyExists")
	if len(keys(endpoint)) != 2 {
		t.Errorf("stored are %q", keys(endpoint))
	}
}

func TestChangeKeysToAnotherPartition(t *testing.T) {
	endpoint := pagetest.Filled(1)
	d := rekeyed(t, endpoint, odata.Key{PartitionKey: "q", RowKey: "00000"})
	before := len(endpoint.Requests)
	d.Shows("These are two requests")
	d.Do(d.Page.panel.save)
	if got := keys(endpoint); !slices.Equal(got, []string{"q/00000"}) {
		t.Errorf("stored are %q", got)
	}
	if first, second := endpoint.Requests[before], endpoint.Requests[before+1]; !strings.HasPrefix(first, "POST ") || !strings.HasPrefix(second, "DELETE ") {
		t.Errorf("sent %s, then %s", first, second)
	}
}

// TestChangeKeysLeavesTheOldEntity says so when the second request fails, and
// offers to delete it.
func TestChangeKeysLeavesTheOldEntity(t *testing.T) {
	for _, leave := range []bool{false, true} {
		changeKeysLeavesTheOldEntity(t, leave)
	}
}

func changeKeysLeavesTheOldEntity(t *testing.T, leave bool) {
	endpoint := pagetest.Filled(1)
	d := rekeyed(t, endpoint, odata.Key{PartitionKey: "q", RowKey: "00000"})
	endpoint.Refuse = "DELETE"
	d.Do(d.Page.panel.save)
	d.Shows("Both exist now.", "was added as q / 00000, but p / 00000 could not be deleted: InternalError", "Delete it now")
	endpoint.Refuse = ""
	store(endpoint, `"Age":7`)
	d.Do(d.Page.panel.deleteLeft)
	d.Shows("p / 00000 was saved elsewhere", "Delete it anyway")
	if leave {
		d.LeaveDuring(d.Page.panel.deleteLeft)
		d.Notified("Deleted p / 00000")
	} else {
		d.Do(d.Page.panel.deleteLeft)
		d.Hides("Both exist now.")
	}
	if got := keys(endpoint); !slices.Equal(got, []string{"q/00000"}) {
		t.Errorf("stored are %q", got)
	}
}

func TestPropertiesOfTheTableAreOffered(t *testing.T) {
	endpoint := pagetest.Filled(1)
	d := pagetest.Open(t, endpoint, page.Route{Account: pagetest.Account, Table: "Customers"}, func(p page.Props) *owner {
		return &owner{Props: p, key: first(), known: []draft.Known{{Name: "Age", Type: odata.EdmInt32}, {Name: "Photo", Type: odata.EdmBinary}, {Name: "Mixed"}}}
	})
	p := d.Page.panel
	d.In = p.ctx
	d.Shows("This entity has no Photo of Binary", "This entity has no Mixed of String")
	d.Hides("This entity has no Age")
	if p.unsaved() {
		t.Error("an offer is a change")
	}
	d.Do(func() {
		p.draft.Set(2, func(q *draft.Property) { q.Null, q.Text = false, "c2FuZA==" })
		p.draft.Set(2, func(q *draft.Property) { q.WriteHex(true) })
	})
	d.Shows("73616e64", "4 B in", `aria-label="Digits of Photo"`)
	d.Do(func() { p.draft.Set(2, func(q *draft.Property) { q.Text = "73 61 6e" }); p.save() })
	if got := stored(endpoint); !strings.Contains(got, `"Photo":"c2Fu"`) {
		t.Errorf("stored is %s", got)
	}
	d.Do(func() { p.draft.Remove(p.draft.Properties[1].ID) })
	d.Shows("This entity has no Photo of Binary")
	d.Do(p.save)
	if got := stored(endpoint); strings.Contains(got, "Photo") {
		t.Errorf("stored is %s", got)
	}
}

// TestChangeKeysOfDeleted: an old entity that is gone is not one that exists.
func TestChangeKeysOfDeleted(t *testing.T) {
	endpoint := pagetest.Filled(1)
	d := rekeyed(t, endpoint, odata.Key{PartitionKey: "q", RowKey: "00000"})
	endpoint.Tables["Customers"] = nil
	d.Do(d.Page.panel.save)
	d.Hides("Both exist now.")
	d.Notified("Moved p / 00000 to q / 00000")
}
