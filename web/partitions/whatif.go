package partitions

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/odata/filter"
	"sandtable/web/humanize"
	"sandtable/web/keydesign"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// drawWhatIf draws what another partition key would change.
func (p *Page) drawWhatIf() app.UI {
	s, held := p.entities.Data()
	line := []app.UI{app.H2().Text("What if"), app.Code().Text("PartitionKey =")}
	if !held {
		return ui.Div("what-if", ui.Div("row", append(line,
			ui.Button(ui.Plain, "Choose other keys…", p.onSample).Disabled(p.entities.State() == remote.Loading).DataSet("testid", "what-if"))...), p.drawSampleState())
	}
	for i, part := range p.parts {
		if i > 0 {
			line = append(line, app.Code().Text("+ '_' +"))
		}
		line = append(line, app.Button().Type("button").Class("chip").DataSet("part", part.String()).Aria("label", "Remove "+part.String()).
			Title("Remove").OnClick(p.onRemovePart).Body(app.Text(part.String()), ui.Icon(ui.IconClose)))
	}
	options := []app.UI{app.Option().Value("").Text("add a part…")}
	for _, part := range p.choices() {
		options = append(options, app.Option().Value(part.String()).Text(part.String()))
	}
	line = append(line, app.Select().Class("input").Aria("label", "Add a part of the key").DataSet("testid", "add-part").OnChange(p.onPart).Body(options...))
	body := []app.UI{ui.Div("row", line...), p.drawSampleState()}
	if len(p.parts) > 0 {
		body = append(body, p.drawComparison(s), p.drawQueries(s), p.drawCopyForm())
	}
	return ui.Div("what-if", body...)
}

func (p *Page) drawSampleState() app.UI {
	s, _ := p.entities.Data()
	switch {
	case p.entities.State() == remote.Loading:
		return ui.Bones(2)
	case p.entities.State() == remote.Failed:
		return ui.Retry(p.entities.Err(), p.onSample)
	case s.more:
		return ui.P("hint", "Computed from the first "+humanize.Number(len(s.entities))+" entities of the table.")
	}
	return app.Div().Hidden(true)
}

// keysOf returns the keys that the entities have and would have, and those of the
// recent writes among them.
func (p *Page) keysOf(s sample) (today, then, writtenToday, writtenThen []string) {
	next := make(map[odata.Key]string, len(s.entities))
	for _, e := range s.entities {
		key := keydesign.Key(p.parts, e)
		today, then = append(today, e.PartitionKey), append(then, key)
		next[e.Key()] = key
	}
	for _, k := range p.written {
		if key, ok := next[k]; ok {
			writtenToday, writtenThen = append(writtenToday, k.PartitionKey), append(writtenThen, key)
		}
	}
	return today, then, writtenToday, writtenThen
}

func (p *Page) drawComparison(s sample) app.UI {
	today, then, writtenToday, writtenThen := p.keysOf(s)
	before, after := keydesign.SpreadOf(today, writtenToday), keydesign.SpreadOf(then, writtenThen)
	row := func(name string, a, b int, less bool) app.UI {
		class := ""
		if a != b {
			class = map[bool]string{true: "back", false: "gone"}[b < a == less]
		}
		return app.Tr().Body(app.Th().Scope("row").Text(name), app.Td().Text(humanize.Number(a)), app.Td().Class(class).Text(humanize.Number(b)))
	}
	rows := []app.UI{
		row("Partitions", before.Partitions, after.Partitions, false), row("Median size", before.Median, after.Median, true),
		row("Largest", before.Largest, after.Largest, true), row("Batches of 100", before.Batches, after.Batches, true),
	}
	if before.BusiestShare >= 0 {
		rows = append(rows, app.Tr().Body(app.Th().Scope("row").Text("Busiest share of recent writes"),
			app.Td().Text(percent(before.BusiestShare)), app.Td().Text(percent(after.BusiestShare))))
	}
	return ui.Div("comparison", drawHistogram(after.Sizes),
		app.Table().Class("key-table").DataSet("testid", "comparison").Body(
			app.THead().Body(app.Tr().Body(app.Td(), app.Th().Scope("col").Text("today"), app.Th().Scope("col").Text("with this key"))),
			app.TBody().Body(rows...)))
}

func drawHistogram(sizes []keydesign.Size) app.UI {
	most := 1
	for _, s := range sizes {
		most = max(most, s.Count)
	}
	var bars []app.UI
	for _, s := range sizes {
		bars = append(bars, app.Div().Body(app.Span().Text(humanize.Number(s.Count)),
			app.I().Style("height", strconv.Itoa(1+79*s.Count/most)+"px"), app.Small().Text(s.Label)))
	}
	return app.Figure().Class("histogram").Body(app.FigCaption().Text("Entities per partition"), app.Div().Body(bars...))
}

// drawQueries draws how the recent queries would be answered.
func (p *Page) drawQueries(s sample) app.UI {
	if len(p.queries) == 0 {
		return ui.P("hint", "Queries with a filter that this table answers from now on appear here, with how they would be answered.")
	}
	var rows []app.UI
	less, more := 0, 0
	for _, r := range p.queries {
		text := p.traffic.Filter(r)
		x, err := filter.Parse(text)
		if err != nil || x == nil {
			continue
		}
		plan, today := keydesign.PlanOf(p.parts, x, s.entities), examined(x, s.entities)
		verdict, class := factor(today, plan.Examined)
		switch class {
		case "back":
			less++
		case "gone":
			more++
		}
		rows = append(rows, app.Tr().Body(
			app.Th().Scope("row").Body(app.Code().Text(text)), app.Td().Body(app.B().Text(r.Statistics.Kind), app.Text(" "+humanize.Number(today))),
			app.Td().Body(app.B().Text(plan.Kind), app.Text(" "+humanize.Number(plan.Examined))), app.Td().Class(class).Text(verdict)))
	}
	words := humanize.Count(less, "recent query reads", "recent queries read") + " less"
	if more > 0 {
		words += ", " + humanize.Number(more) + " more: for those keep a second table, with its own key"
	}
	return app.Div().Body(app.Table().Class("key-table queries").DataSet("testid", "plans").Body(
		app.THead().Body(app.Tr().Body(app.Th().Scope("col").Text("Recent queries"), app.Th().Scope("col").Text("today"),
			app.Th().Scope("col").Text("with this key"), app.Td())),
		app.TBody().Body(rows...)), ui.P("hint", words+"."))
}

// examined returns how many of the entities a filter examines today, in all of its pages.
func examined(x filter.Expr, entities []*odata.Entity) (n int) {
	keys := filter.Bounds(x)
	for _, e := range entities {
		if keys.Contains(e.Key()) {
			n++
		}
	}
	return n
}

// factor says how many times less or more is read.
func factor(today, then int) (words, class string) {
	a, b := max(1, today), max(1, then)
	switch {
	case b*10 < a*9:
		return rate(float64(a)/float64(b)) + "× less", "back"
	case a*10 < b*9:
		return rate(float64(b)/float64(a)) + "× more", "gone"
	}
	return "the same", ""
}
