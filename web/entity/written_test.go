package entity

import (
	"slices"
	"testing"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/client"
	"sandtable/web/draft"
	"sandtable/web/pagetest"
)

// TestWrittenButNotReadAgain: what was written counts as written if it cannot be read
// afterwards. Otherwise the user writes it again, and meets their own entity.
func TestWrittenButNotReadAgain(t *testing.T) {
	for _, c := range []struct {
		name   string
		key    *odata.Key
		change func(*draft.Draft)
		says   string
		want   []string
	}{
		{"added", nil, func(d *draft.Draft) { d.PartitionKey, d.RowKey = "p", "new" }, "Added p / new", []string{"p/00000", "p/new"}},
		{"saved", first(), func(d *draft.Draft) { set(d, 1, "77") }, "Saved p / 00000", []string{"p/00000"}},
		{"moved in its partition", first(), func(d *draft.Draft) { d.RowKey = "1" }, "Moved p / 00000 to p / 1", []string{"p/1"}},
		{"moved to another partition", first(), func(d *draft.Draft) { d.PartitionKey = "q" }, "Moved p / 00000 to q / 00000", []string{"q/00000"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			endpoint := pagetest.Filled(1)
			d := open(t, endpoint, c.key)
			p := d.Page.panel
			endpoint.Refuse = client.MethodGet
			d.Do(func() { c.change(&p.draft); p.save() })
			d.Notified(c.says)
			if p.err != nil || p.unsaved() {
				t.Errorf("it says %v, unsaved %v", p.err, p.unsaved())
			}
			if got := keys(endpoint); !slices.Equal(got, c.want) {
				t.Errorf("stored are %q, want %q", got, c.want)
			}
			endpoint.Refuse = ""
			d.Do(func() {
				p.draft.Set(p.draft.Add(), func(q *draft.Property) { q.Name, q.Text = "More", "x" })
				p.save()
			})
			if p.err != nil || p.merging != nil || p.unsaved() {
				t.Errorf("saved again: %v, compares %v, unsaved %v", p.err, p.merging != nil, p.unsaved())
			}
		})
	}
}

// TestRestoredButNotReadAgain: the same for an undo.
func TestRestoredButNotReadAgain(t *testing.T) {
	endpoint := pagetest.Filled(1)
	d := open(t, endpoint, first())
	d.Do(func() { d.Page.panel.onDelete(d.Page.panel.ctx, app.Event{}) })
	endpoint.Refuse = client.MethodGet
	d.Accept()
	d.Notified("Restored p / 00000")
}
