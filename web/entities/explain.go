package entities

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/humanize"
	"sandtable/web/page"
	"sandtable/web/query"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// loadPartitions reads how the table is spread over partitions. An endpoint that
// does not report them leaves the strip out.
func (p *Page) loadPartitions() {
	r := p.Route
	if p.Connected() {
		return // only the control API knows the partitions
	}
	page.Load(p.ctx, &p.partitions, func(c context.Context) (control.Partitions, error) {
		return p.Session.Control().Partitions(c, r.Account, r.Table)
	}, p.foresee)
}

func (p *Page) drawExplain() app.UI {
	r := &p.results
	if !r.held || r.refused || r.explain.Kind == "" {
		return app.Div().Hidden(true)
	}
	x := ui.Explanation{
		Kind: r.explain.Kind, Returned: r.explain.Returned, Examined: r.explain.Examined, Blocks: r.explain.Blocks,
		Elapsed: milliseconds(r.elapsed), Advice: advice(r.explain.Kind, r.asked.Arg(filterArg)),
	}
	if partitions, ok := p.partitions.Data(); ok {
		x.Strip, x.Read = strip(partitions.List, r.read())
		x.All = partitions.All
	}
	return ui.Explain(x)
}

// maxParts is how many parts a strip has at most.
const maxParts = 120

// strip returns the partitions as they are drawn, and how many of them have
// keys that were read. Partitions that are too small are drawn together.
func strip(partitions []control.Partition, keys odata.KeyRange) (parts []ui.Part, read int) {
	total := 0
	for _, p := range partitions {
		total += p.Entities
	}
	together, first := 0, "" // of the last part
	for _, p := range partitions {
		from := odata.Key{PartitionKey: p.Key}
		hit := !keys.Intersect(odata.KeyRange{From: from, To: from.NextPartition(), Bounded: true}).IsEmpty()
		if hit {
			read++
		}
		last := len(parts) - 1
		if len(partitions) > maxParts && last >= 0 && parts[last].Read == hit && together+p.Entities <= total/maxParts {
			together += p.Entities
			parts[last].Entities += p.Entities
			parts[last].Name = first + " to " + p.Key
			continue
		}
		together, first = p.Entities, p.Key
		parts = append(parts, ui.Part{Name: p.Key, Entities: p.Entities, Read: hit})
	}
	return parts, read
}

func milliseconds(d time.Duration) string {
	if d < 10*time.Millisecond {
		return fmt.Sprintf("%.1f ms", d.Seconds()*1000)
	}
	return fmt.Sprintf("%d ms", d.Milliseconds())
}

// advice says in one sentence which key would have made a query read less.
// Without a filter everything was wanted, and there is nothing to say.
func advice(kind, text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	switch kind {
	case client.PlanTableScan:
		return "The filter names no single PartitionKey, so more than one partition is searched. Add PartitionKey eq '…' to read only one."
	case client.PlanPartitionScan:
		return "The filter names no RowKey, so the whole partition is searched. Add RowKey eq '…', or RowKey ge '…' and RowKey lt '…', to read a part of it."
	}
	return ""
}

// drawProblem draws why the query failed. If the query is wrong it draws the place
// and the correction first, then the service's own words.
func (p *Page) drawProblem(wrong bool) app.UI {
	if !p.results.refused {
		return app.Div().Hidden(true)
	}
	if outage := p.outage.Draw(p.ctx, p.Session, p.seenBefore()); outage != nil {
		return outage
	}
	problem := query.Diagnose(p.results.asked.Arg(filterArg))
	if !wrong || problem == nil || problem.Text == "" {
		return ui.Failure(p.results.err, ui.Button(ui.Plain, "Try again", p.onReadAgain).DataSet("testid", "try-again")).DataSet("testid", "filter-error")
	}
	body := []app.UI{ui.Icon(ui.IconWarning),
		app.B().Text(problem.Where() + ":"), app.Span().Text(problem.Text)}
	if problem.Meant != "" {
		body = append(body, app.Span().Text("Did you mean:"),
			app.Button().Type("button").Class("link").DataSet("testid", "correct").OnClick(p.onCorrect).Text(problem.Meant))
	}
	service := problem.Service
	var refusal *client.ServiceError
	if errors.As(p.results.err, &refusal) {
		service = fmt.Sprint(refusal.Status, " ", refusal.Code, " · ", refusal.Message)
	}
	body = append(body, ui.Span("service", service))
	return app.Div().Class("query-problem").Role("alert").DataSet("testid", "filter-error").Body(body...)
}

// seenBefore says what is shown while the account does not answer, "" for nothing.
func (p *Page) seenBefore() string {
	r := &p.results
	if r.rows.Len() == 0 {
		return ""
	}
	at := r.at.UTC().Format("15:04 UTC")
	if p.settings.Local {
		at = r.at.Local().Format("15:04")
	}
	return "What you last saw of " + p.Route.Table + " is shown below, from " + at + "."
}

func (p *Page) onCorrect(app.Context, app.Event) {
	text, problem := p.bar.filter, p.mistake() // more may have been typed after it
	if problem == nil {
		text = p.results.asked.Arg(filterArg)
		problem = query.Diagnose(text)
	}
	if problem != nil && problem.Meant != "" {
		p.bar.set(problem.Correct(text))
		p.submitQuery()
	}
}

// drawRefused fills the place of the rows when there are none: the message above
// says what is wrong.
func (p *Page) drawRefused() app.UI {
	var actions []app.UI
	if p.results.asked.Arg(filterArg) != "" {
		actions = append(actions, ui.Button(ui.Plain, "Show all entities", p.onShowAll))
	}
	return ui.Empty(ui.IconTable, "No result", "The query failed. The message above says why.", actions...)
}

// drawNoEntities says why nothing is shown, from the data where possible.
func (p *Page) drawNoEntities() app.UI {
	r := &p.results
	text := r.asked.Arg(filterArg)
	switch {
	case !r.rows.Ended():
		return ui.Empty(ui.IconTable, "Nothing yet", "Looked at "+humanize.Count(r.looked, "row", "rows")+" so far; more follow.",
			ui.Button(ui.Primary, "Load more", p.onMore).DataSet("testid", "load-more"))
	case r.post.Text != "" && r.looked > 0:
		return ui.Empty(ui.IconTable, "No row contains “"+r.post.Text+"”", "The page looked at all "+humanize.Count(r.looked, "row", "rows")+" that the service returned.",
			ui.Button(ui.Plain, "Show all entities", p.onShowAll))
	case fromAKey(r.asked):
		return ui.Empty(ui.IconTable, "No entity from this key on", "The rows begin at the key that you have jumped to; those before it are not shown.",
			ui.Button(ui.Plain, "Back to the first row", p.onFirstRow))
	case text == "":
		return ui.Empty(ui.IconTable, "No entities in "+p.Route.Table, "An entity has a PartitionKey, a RowKey and up to 252 properties of any of eight types.",
			ui.AddButton(ui.Plain, "Entity", p.onNewEntity))
	}
	why := p.whyEmpty()
	if why == nil {
		return ui.Empty(ui.IconTable, "No entity matches", "Property names and values are compared exactly, including upper and lower case.",
			ui.Button(ui.Plain, "Show all entities", p.onShowAll))
	}
	var actions []app.UI
	if why.Try != "" {
		actions = append(actions, ui.Button(ui.Primary, "Try "+why.Try, p.onTry).DataSet("testid", "try"))
		if first := r.foreseen; first != nil && why.Try == r.tried {
			words := "would return " + humanize.Count(len(first.Entities), "entity", "entities")
			if first.Next != nil {
				words = "would return more than " + humanize.Number(len(first.Entities))
			}
			actions = append(actions, app.Span().Class("hint").DataSet("testid", "foreseen").Text(words))
		}
	}
	return ui.Empty(ui.IconTable, "No entity matches", why.Text, append(actions, ui.Button(ui.Plain, "Show all entities", p.onShowAll))...)
}

// known are the properties that the page has seen in this table. Without any
// nothing can be said about a filter.
func (p *Page) known() []query.Property {
	if p.schema.Entities() == 0 {
		return nil
	}
	return p.properties()
}

// whyEmpty explains why the query returned nothing, if it did and the data tells.
func (p *Page) whyEmpty() *query.Reason {
	r := &p.results
	if !r.rows.Ended() || r.rows.Len() > 0 || r.looked > 0 || fromAKey(r.asked) {
		return nil
	}
	return query.WhyEmpty(r.asked.Arg(filterArg), p.known(), p.allPartitions())
}

// allPartitions returns the keys of all partitions of the table, nil if the page does
// not know all of them: one may have been added since they were read last.
func (p *Page) allPartitions() []string {
	known, _ := p.partitions.Data()
	if p.partitions.State() != remote.Loaded || !known.Exact || len(known.List) < known.All {
		return nil
	}
	keys := make([]string, len(known.List))
	for i, partition := range known.List {
		keys[i] = partition.Key
	}
	return keys
}

func (p *Page) onTry(app.Context, app.Event) {
	if why := p.whyEmpty(); why != nil && why.Try != "" {
		p.bar.set(why.Try)
		p.submitQuery()
	}
}

func (p *Page) onShowAll(app.Context, app.Event) {
	p.Session.Navigate(p.Route.With(filterArg, "").With(containsArg, "").With(fromArg, "").With(fromRowArg, ""))
}
