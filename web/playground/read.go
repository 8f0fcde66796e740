package playground

import (
	"fmt"
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/odata/filter"
	"sandtable/web/control"
	"sandtable/web/humanize"
	"sandtable/web/inspect"
	"sandtable/web/lesson"
	"sandtable/web/ui"
)

// part is a partition in the picture of what a run has read.
type part struct {
	name                   string
	entities, read, wanted int // wanted is 1 if the step needs it
}

// picture is a table, partition by partition.
type picture struct {
	table              string
	parts              []part
	examined, returned int
	partitions, most   int // partitions that were read, the largest
}

// drawn returns the picture of a table, which is sorted by its keys, after a run.
func drawn(t lesson.Table, requests []control.RecordedDetail, needs *lesson.Needs) picture {
	pic := picture{table: t.Name}
	touched := map[odata.Key]bool{}
	for _, q := range requests {
		keys, ok := reach(q.Recorded, t.Name)
		if !ok {
			continue
		}
		examined, returned := 1, 1
		if s := q.Statistics; s != nil {
			examined, returned = s.Examined, s.Returned
		}
		pic.examined, pic.returned = pic.examined+examined, pic.returned+returned
		for _, e := range t.Entities { // a page ends before the range does
			if examined == 0 {
				break
			}
			if keys.Contains(e.Key()) {
				touched[e.Key()] = true
				examined--
			}
		}
	}
	for _, e := range t.Entities {
		n := len(pic.parts)
		if n == 0 || pic.parts[n-1].name != e.PartitionKey {
			pic.parts = append(pic.parts, part{name: e.PartitionKey})
			n++
			if needs != nil && needs.Table == t.Name && slices.Contains(needs.Partitions, e.PartitionKey) {
				pic.parts[n-1].wanted = 1
			}
		}
		p := &pic.parts[n-1]
		p.entities++
		pic.most = max(pic.most, p.entities)
		if touched[e.Key()] {
			if p.read == 0 {
				pic.partitions++
			}
			p.read++
		}
	}
	return pic
}

// reach returns the keys that a request may have read in a table, from the first
// on; ok is false if it read nothing there.
func reach(q control.Recorded, table string) (keys odata.KeyRange, ok bool) {
	call := inspect.CallOf(control.RecordedDetail{Recorded: q})
	if q.Failed() || !strings.EqualFold(call.Path.Table, table) {
		return keys, false
	}
	if q.Operation == inspect.GetEntity {
		from := call.Path.Key
		return odata.KeyRange{From: from, To: from.Next(), Bounded: true}, true
	}
	if q.Operation != inspect.QueryEntities {
		return keys, false
	}
	if text := call.Option("$filter"); text != "" {
		x, err := filter.Parse(text)
		if err != nil {
			return keys, false
		}
		keys = filter.Bounds(x)
	}
	if next := call.Option("NextPartitionKey"); next != "" {
		keys = keys.Intersect(odata.KeyRange{From: odata.Key{PartitionKey: odata.DecodeToken(next), RowKey: odata.DecodeToken(call.Option("NextRowKey"))}})
	}
	return keys, true
}

// pictured returns the table to draw: the one that the step needs, or the one
// with the most partitions.
func (c *course) pictured() (t lesson.Table, ok bool) {
	tables := c.seen.tables
	if len(tables) == 0 {
		tables = c.Tables
	}
	needs := c.current().Needs
	for _, candidate := range tables {
		if needs != nil && candidate.Name == needs.Table {
			return candidate, true
		}
		if !ok || len(candidate.Entities) > len(t.Entities) {
			t, ok = candidate, true
		}
	}
	return t, ok && len(t.Entities) > 0
}

// picture returns what the last run has read of the table to draw.
func (c *course) picture() (picture, bool) {
	t, ok := c.pictured()
	if !ok {
		return picture{}, false
	}
	return drawn(t, c.seen.requests, c.current().Needs), true
}

// maxDrawn is how many partitions are drawn.
const maxDrawn = 60

// drawRead draws what the last run has read: each partition as a bar, teal where
// it was read, framed where the step needs it.
func (p *Page) drawRead() app.UI {
	c := &p.course
	if !c.on {
		return app.Div()
	}
	pic, ok := c.picture()
	if !ok {
		return ui.Empty(ui.IconTable, "Nothing to read yet", "The tables of the lesson appear here, partition by partition, and what your program reads is coloured.")
	}
	var rows []app.UI
	for _, part := range pic.parts[:min(len(pic.parts), maxDrawn)] {
		row := app.Li()
		words := humanize.Number(part.read) + " of " + humanize.Count(part.entities, "entity", "entities") + " read"
		if part.wanted > 0 {
			row = row.Class("wanted")
			words += ", needed"
		}
		width := func(n int) string { return fmt.Sprintf("%.1f%%", float64(n)/float64(pic.most)*100) }
		rows = append(rows, row.Title(words).Body(
			ui.Span("key", part.name),
			app.Span().Class("bar").Aria("hidden", true).Body(
				app.Span().Class("read").Style("width", width(part.read)),
				app.Span().Class("rest").Style("width", width(part.entities-part.read))),
			app.Span().Class("figure").Aria("label", words).Text(humanize.Number(part.entities))))
	}
	head := "Not read yet"
	if pic.examined > 0 {
		head = fmt.Sprintf("read %s of %s", humanize.Number(pic.partitions), humanize.Count(len(pic.parts), "partition", "partitions"))
	}
	return ui.Div("lesson-read",
		ui.Div("row", app.B().Text(pic.table), app.Span().DataSet("testid", "read-partitions").Text(head)),
		app.P().Class("figures").Hidden(pic.examined == 0).Body(app.B().Text(humanize.Number(pic.returned)), app.Text(" returned "), app.B().Text(humanize.Number(pic.examined)), app.Text(" examined")),
		app.Ol().Aria("label", "Partitions of "+pic.table).Body(rows...),
		app.Small().Hidden(len(pic.parts) <= maxDrawn).Text(humanize.Count(len(pic.parts)-maxDrawn, "more partition", "more partitions")),
		drawNeeds(c.current().Needs))
}

func drawNeeds(needs *lesson.Needs) app.UI {
	if needs == nil || needs.Say == "" {
		return app.Div().Hidden(true)
	}
	return app.P().Class("wanted-note").Body(app.Span().Class("mark").Aria("hidden", true), app.Span().Body(line(needs.Say)...))
}
