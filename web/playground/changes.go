package playground

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/control"
	"sandtable/web/humanize"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

const changesTab = "changes"

// shownChanges is how many entities the list of changes shows.
const shownChanges = 200

// beforeRun is the name of the snapshot to which an account is compared after a
// run.
const beforeRun = "before the run"

// readChanges returns what a run has changed, and deletes the snapshot from
// before it, which another run may need the space of.
func readChanges(c context.Context, api *control.Client, account, snapshot string) (control.Differences, error) {
	d, err := api.Differences(c, account, snapshot, shownChanges)
	d.Tables = slices.DeleteFunc(d.Tables, func(t control.TableDiffering) bool {
		return t.Differing == control.Differing{} && !t.Created && !t.Deleted && !t.Policies
	})
	return d, errors.Join(err, api.DeleteSnapshot(c, account, snapshot))
}

// count is a number of entities with its sign, such as +3, and the class of its colour.
type count struct{ class, text string }

// changeCounts counts what a run did: +3 ~1 −1. A snapshot's differences say what
// going back to it would do, so what would go was added.
func changeCounts(d control.Differing) []count {
	var all []count
	for _, of := range []struct {
		class, sign string
		n           int
	}{{"added", "+", d.Go}, {"changed", "~", d.Change}, {"deleted", "−", d.ComeBack}} {
		if of.n > 0 {
			all = append(all, count{of.class, of.sign + humanize.Number(of.n)})
		}
	}
	return all
}

// changed is a property of an entity, before and after a run: "" for none.
type changed struct{ name, edm, before, after string }

// changedProperties lists the properties that a run has changed. A difference is what going
// back would do: its After is what the entity was.
func changedProperties(d control.Difference) []changed {
	var all []changed
	for _, name := range d.Properties() {
		one := changed{name: name, before: string(d.After[name]), after: string(d.Before[name])}
		was, is := control.TypeOf(d.After, name), control.TypeOf(d.Before, name)
		if one.before == one.after && was == is {
			continue
		}
		if one.edm = is; is == "" {
			one.edm = was
		}
		if was != is && was != "" && is != "" {
			one.edm = was + " → " + is
		}
		all = append(all, one)
	}
	return all
}

func (p *Page) drawChanges() app.UI {
	d, read := p.changes.Data()
	switch {
	case p.changes.State() == remote.Failed:
		return ui.Failure(p.changes.Err(), app.Span().Text("The next run compares again."))
	case p.changes.State() == remote.Loading && !read:
		return ui.Bones(4)
	case !read:
		return ui.Empty(ui.IconHistory, "Nothing to compare yet", "After a run, this lists what it has added, changed and deleted.")
	case len(d.Tables) == 0:
		return ui.Empty(ui.IconHistory, "No changes", "The tables hold what they held before the run.")
	}
	var body []app.UI
	shown := 0
	for _, t := range d.Tables {
		body = append(body, drawChangedTable(t))
		for _, one := range d.First {
			if one.Table == t.Name {
				body = append(body, drawChange(one))
				shown++
			}
		}
	}
	note := "Compared with the account before this run, in the order of the keys."
	if total := d.ComeBack + d.Go + d.Change; shown < total {
		of := humanize.Number(total)
		if !d.Complete {
			of, note = "more than "+of, "Counting ended after 20,000 entities: there are more. "+note
		}
		note = "The first " + humanize.Number(shown) + " of " + of + " entities. " + note
	}
	return ui.Div("playground-changes", append(body, ui.P("hint", note))...)
}

func drawChangedTable(t control.TableDiffering) app.UI {
	what := ""
	switch {
	case t.Deleted:
		what = "created by this run"
	case t.Created:
		what = "deleted by this run"
	case t.Policies:
		what = "other access policies"
	}
	return app.H2().Body(ui.Icon(ui.IconTable), app.Span().Text(t.Name), app.Small().Text(what),
		app.Span().Class("grow"), app.Small().Body(drawCounts(t.Differing)...))
}

func drawCounts(d control.Differing) []app.UI {
	var all []app.UI
	for _, c := range changeCounts(d) {
		all = append(all, app.Text(" "), app.Span().Class("change-count", c.class).Text(c.text))
	}
	return all
}

// drawChange draws an entity that a run has changed. A difference is what going
// back would do: its Before is what the entity is now.
func drawChange(d control.Difference) app.UI {
	was, is := d.After, d.Before
	sign, word, class, entity := "~", "changed", "changed", is
	switch {
	case was == nil:
		sign, word, class = "+", "added", "back"
	case is == nil:
		sign, word, class, entity = "−", "deleted", "gone", was
	}
	rows := []app.UI{}
	for _, c := range changedProperties(d) {
		value := c.after
		switch {
		case is == nil:
			value = c.before
		case was != nil:
			value = orAbsent(c.before) + " → " + orAbsent(c.after)
		}
		rows = append(rows, app.Div().Body(
			app.Dt().Body(app.Text(c.name), app.Small().Text(c.edm)), app.Dd().Text(value)))
	}
	if len(rows) == 0 && was != nil && is != nil {
		rows = append(rows, app.Div().Body(app.Dt().Text("the same values"), app.Dd().Text("written again: a new ETag")))
	}
	return app.Div().Class("playground-change", class).Body(
		app.Span().Class("mark").Aria("hidden", true).Text(sign),
		app.Div().Body(ui.Span("sr-only", word),
			app.Code().Text(unquoted(entity[odata.PartitionKeyName])+" / "+unquoted(entity[odata.RowKeyName])),
			app.Dl().Body(rows...)))
}

func orAbsent(value string) string { return cmp.Or(value, "absent") }

func unquoted(value json.RawMessage) string {
	var text string
	_ = json.Unmarshal(value, &text) // a key is a string
	return text
}
