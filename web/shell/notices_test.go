package shell

import (
	"context"
	"testing"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/page"
	"sandtable/web/pagetest"
	"sandtable/web/ui"
)

func TestToasts(t *testing.T) {
	d := open(t, pagetest.NewEndpoint(), page.Route{})
	done := 0
	d.do(func() {
		d.Notify("Saved")
		d.Offer("Deleted", "Undo", func() { done++ })
		d.Notify("Copied")
	})
	wantShown(t, d, "Deleted", "Undo", "Copied")
	wantHidden(t, d, ">Saved<")
	d.do(func() { d.act(d.notices.toasts[0].ID) })
	if done != 1 {
		t.Errorf("undone %d times", done)
	}
	wantHidden(t, d, "Undo")
}

// TestActsOfPages: what a page does can be seen when its offer is taken, its question is
// answered, its work in the background has ended, or its command was chosen.
func TestActsOfPages(t *testing.T) {
	d := open(t, pagetest.NewEndpoint(), page.Route{})
	var shown *probe
	for i := range d.pages {
		d.pages[i].New = func(p page.Props) app.Composer {
			next := &probe{Props: p}
			if shown == nil || shown.CompoID() != p.CompoID() {
				shown = next
			}
			return next
		}
	}
	d.do(func() { d.Navigate(page.Route{Page: "requests"}) })
	tell := func(text string) func() { return func() { shown.told = text } }
	d.do(func() { d.Offer("Deleted", "Undo", tell("undone")) })
	d.do(func() { d.act(d.notices.toasts[0].ID) })
	wantShown(t, d, "undone")
	d.do(func() { d.Ask(ui.Question{Title: "Delete it?"}, tell("confirmed")) })
	d.do(func() { d.answer(true) })
	wantShown(t, d, "confirmed")
	d.do(func() { d.Background(func(context.Context) func() { return tell("worked") }) })
	wantShown(t, d, "worked")
	d.Commands(func() []page.Command { return []page.Command{{Title: "Do it", Run: tell("commanded")}} })
	d.do(func() {
		d.palette.text = "Do it"
		d.runEntry(0)
	})
	wantShown(t, d, "commanded")
}
