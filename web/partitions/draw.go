package partitions

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/control"
	"sandtable/web/humanize"
	"sandtable/web/keydesign"
	"sandtable/web/page"
	"sandtable/web/query"
	"sandtable/web/ui"
)

// exactness says how exact the numbers on screen are. It is empty while there are none.
func exactness(l control.Partitions, held bool) string {
	switch {
	case !held:
		return ""
	case l.All > len(l.List):
		return "the first " + humanize.Number(len(l.List)) + " of " + humanize.Number(l.All) + " partitions"
	case l.All == 0 || l.Exact:
		return "counted exactly"
	}
	return "partly estimated: some blocks are not in memory"
}

func drawSummary(l control.Partitions, groups []keydesign.Group) app.UI {
	most := 0
	for _, g := range groups {
		most = max(most, g.Requests)
	}
	about := ""
	if !l.Exact {
		about = "about "
	}
	legend := []app.UI{app.Span().Text("requests to a partition in the last minute: none")}
	if most > 0 {
		for i := range 5 {
			legend = append(legend, app.I().Class("heat", "heat-"+strconv.Itoa(i)).Aria("hidden", true))
		}
		legend = append(legend, app.Span().Text(humanize.Number(most)))
	}
	return ui.Div("partition-summary",
		app.H2().DataSet("testid", "partition-count").Text(about+humanize.Count(l.All, "partition", "partitions")),
		app.Span().Text("in key order · "+humanize.Count(l.Entities, "entity", "entities")+" · "+humanize.Bytes(l.Bytes)),
		app.Span().Class("grow"), app.Span().Class("legend").Body(legend...))
}

// drawMap draws partitions in key order: a bar as high as a partition is large, and below
// it a cell as dark as its traffic. The handler finds the first partition of a group
// with [ui.Data](e, "partition").
func drawMap(groups []keydesign.Group, chosen int, choose, key app.EventHandler) app.UI {
	largest, busiest := 1, 1
	for _, g := range groups {
		largest, busiest = max(largest, g.Entities), max(busiest, g.Requests)
	}
	var bars []app.UI
	names, class := keys(groups), "partition-map whole"
	if !fit(names) {
		names, class = labels(groups), "partition-map"
	}
	for i, g := range groups {
		bar := app.Button().Type("button").ID(groupID(i)).Class("partition").DataSet("partition", g.First().Key).Title(words(g)).
			Aria("label", words(g)).Aria("pressed", i == chosen).OnClick(choose)
		if i == chosen {
			bar = bar.Class("chosen")
		}
		bars = append(bars, bar.Body(
			app.Span().Class("bar").Body(app.I().Style("height", fmt.Sprintf("%.1f%%", max(2, 100*float64(g.Entities)/float64(largest))))),
			app.I().Class("heat", "heat-"+strconv.Itoa(heat(g.Requests, busiest))), ui.Span("key", names[i])))
	}
	return app.Div().Class(class).Role("group").Aria("label", "Partitions by size and traffic").DataSet("testid", "partition-map").OnKeyDown(key).Body(bars...)
}

// fit reports whether whole keys can stand below their bars, side by side.
func fit(keys []string) bool {
	const together, each = 90, 20 // bytes
	return len(strings.Join(keys, " ")) <= together && !slices.ContainsFunc(keys, func(key string) bool { return len(key) > each })
}

// keys returns the first key of each group.
func keys(groups []keydesign.Group) (all []string) {
	for _, g := range groups {
		all = append(all, orEmpty(g.First().Key))
	}
	return all
}

// labels returns what stands below many bars: of each key the first part that differs from the
// key before it, so that months read 2025, 02, 03. Parts end at what is no letter or digit.
func labels(groups []keydesign.Group) []string {
	if len(groups) == 1 {
		return keys(groups)
	}
	all := make([]string, len(groups))
	for i, g := range groups {
		other := 1 // the first has none before it
		if i > 0 {
			other = i - 1
		}
		all[i] = differing(g.First().Key, groups[other].First().Key)
	}
	common := len(commonPrefix(all))
	for i, label := range all {
		all[i] = orEmpty(label[min(common, len(label)):])
	}
	return all
}

// differing returns the first part of a key that the other key does not have.
func differing(key, other string) string {
	ends := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	others := strings.FieldsFunc(other, ends)
	for i, part := range strings.FieldsFunc(key, ends) {
		if i >= len(others) || part != others[i] {
			return part
		}
	}
	return key
}

// labelFits is how many characters of a label fit below a narrow bar.
const labelFits = 4

// commonPrefix returns what all labels begin with, the empty one apart, but leaves as much of
// each as fits: labels differ at their end.
func commonPrefix(labels []string) string {
	labels = slices.DeleteFunc(slices.Clone(labels), func(label string) bool { return label == "" })
	if len(labels) == 0 {
		return ""
	}
	prefix := []rune(labels[0])
	for _, label := range labels {
		text, n := []rune(label), 0
		for n < len(prefix) && n < len(text)-labelFits && prefix[n] == text[n] {
			n++
		}
		prefix = prefix[:n]
	}
	return string(prefix)
}

// heat returns how dark a cell is, from 0 for no traffic to 4.
func heat(requests, most int) int {
	if requests == 0 {
		return 0
	}
	return 1 + min(3, 4*requests/(most+1))
}

func words(g keydesign.Group) string {
	name := "partition " + inQuotes(g.First().Key)
	if n := len(g.Partitions); n > 1 {
		name = humanize.Number(n) + " partitions from " + inQuotes(g.First().Key) + " to " + inQuotes(g.Partitions[n-1].Key)
	}
	text := name + ": " + humanize.Count(g.Entities, "entity", "entities") + ", " + humanize.Bytes(g.Bytes) + ", " + humanize.Count(g.Requests, "request", "requests") + " in the last minute"
	if g.Hot {
		text += ", hot"
	}
	return text
}

// inQuotes puts a key that is not empty into typographic quotes: it becomes an attribute, in which
// go-app's static pages cannot have straight ones.
func inQuotes(key string) string {
	if key == "" {
		return orEmpty(key)
	}
	return "“" + key + "”"
}

func (p *Page) drawPanel(l control.Partitions) app.UI {
	if len(l.List) == 0 {
		return app.Aside().Hidden(true)
	}
	body := p.drawChosen(l)
	return app.Aside().Class("panel partition-panel").Aria("label", "Partition and cost").Body(ui.Div("body", append(body, p.drawCost(l)...)...))
}

func (p *Page) drawChosen(l control.Partitions) []app.UI {
	busiest := p.traffic.Busiest(p.now)
	key, picked := p.chosen, p.picked
	if !picked && len(busiest) > 0 {
		key, picked = busiest[0].Key, true
	}
	at := -1
	for i, one := range l.List {
		if picked && one.Key == key {
			at = i
		}
	}
	if at < 0 {
		return []app.UI{ui.P("hint", "Choose a partition in the map, with the pointer or the arrow keys, to see its traffic."), drawBusiest(busiest, p.onChoose)}
	}
	one := l.List[at]
	busy := keydesign.Busy{Key: key}
	for _, b := range busiest {
		if b.Key == key {
			busy = b
		}
	}
	title := []app.UI{app.H2().DataSet("testid", "chosen-partition").Text(orEmpty(one.Key))}
	if busy.Hot() {
		title = append(title, app.Span().Class("pill hot").DataSet("testid", "hot").Text("hot"))
	}
	link := page.Route{Account: p.Route.Account, Table: p.Route.Table}.With("filter", "PartitionKey eq "+query.Quote(one.Key))
	title = append(title, app.Span().Class("grow"), app.A().Class("btn").Href(link.Href()).Text("Show entities"))
	requests, entities := busy.PerSecond()
	body := []app.UI{
		ui.Div("row", title...), app.Small().Text(facts(one)),
		app.Dl().Class("figures").Body(figure(requests, "requests/s"), figureText(percent(busy.Share), "of the table's"), figure(entities, "entities/s")),
		ui.Track(percent(entities/keydesign.Target)+" of the target of 2,000 entities/s", min(1, entities/keydesign.Target)),
		app.Small().Text(percent(entities/keydesign.Target) + " of the target of 2,000 entities/s"),
		drawLine(p.traffic.Of(key), p),
	}
	if title, text := keydesign.Advice(busy, at, l.All); title != "" {
		body = append(body, ui.Notice(title, text).DataSet("testid", "partition-advice"))
	}
	return append(body, drawBusiest(busiest, p.onChoose))
}

func orEmpty(key string) string { return cmp.Or(key, "(empty key)") }

func facts(one control.Partition) string {
	text := humanize.Count(one.Entities, "entity", "entities") + " · " + humanize.Bytes(one.Bytes)
	switch {
	case one.Estimated:
		text += " · estimated, with neighbours that are not in memory"
	case one.LastRow != nil && one.Entities > 1:
		text += " · RowKey " + orEmpty(one.FirstRow) + " to " + *one.LastRow
	case one.LastRow != nil:
		text += " · RowKey " + orEmpty(one.FirstRow)
	}
	return text
}

func figure(n float64, name string) app.UI { return figureText(rate(n), name) }

func figureText(value, name string) app.UI {
	return app.Div().Body(app.Dt().Text(name), app.Dd().Text(value))
}

// rate returns a number with one decimal where that says more.
func rate(n float64) string {
	switch {
	case n == 0 || n >= 9.95: // it would be rounded to 10.0
		return humanize.Number(int(n + 0.5))
	case n < 0.05:
		return "< 0.1"
	}
	return strconv.FormatFloat(n, 'f', 1, 64)
}

func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 0, 64) + " %" }

// drawLine draws the entities of each second of the last minute.
func drawLine(l *keydesign.Load, p *Page) app.UI {
	line, peak := l.Line(p.now)
	points := ""
	for i, n := range line {
		points += fmt.Sprintf("%d,%.1f ", i, 30-28*float64(n)/float64(max(1, peak)))
	}
	return app.Raw(fmt.Sprintf(`<svg class="load-line" role="img" aria-label="Entities a second in the last minute, at most %d" viewBox="0 0 59 32" preserveAspectRatio="none"><polyline points="%s"/></svg>`, peak, points))
}

// shownBusiest is how many busy partitions are listed.
const shownBusiest = 4

func drawBusiest(busiest []keydesign.Busy, choose app.EventHandler) app.UI {
	if len(busiest) == 0 {
		return ui.P("hint", "Requests count while this page is open: none to a single partition in the last minute. Reads count when their keys name one partition, writes always.")
	}
	var rows []app.UI
	for _, b := range busiest[:min(len(busiest), shownBusiest)] {
		requests, _ := b.PerSecond()
		rows = append(rows, app.Tr().Body(
			app.Th().Scope("row").Body(app.Button().Type("button").Class("link").DataSet("partition", b.Key).OnClick(choose).Text(orEmpty(b.Key))),
			app.Td().Text(rate(requests)), app.Td().Text(percent(b.Share))))
	}
	return app.Table().Class("key-table").DataSet("testid", "busiest").Body(
		ui.Heads("Busiest", "requests/s", "share"),
		app.TBody().Body(rows...))
}
