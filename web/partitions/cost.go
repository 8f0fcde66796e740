package partitions

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/control"
	"sandtable/web/humanize"
	"sandtable/web/keydesign"
	"sandtable/web/ui"
)

// multiples are how many times as large the table is taken to be.
var multiples = []int{1, 10, 100, 1000, 1_000_000}

func (p *Page) onTimes(_ app.Context, e app.Event) {
	if n, err := strconv.Atoi(ui.Text(e)); err == nil && n > 0 {
		p.scale = n
	}
}

func (p *Page) onPrice(_ app.Context, e app.Event) { p.price(ui.Data(e, "price"), ui.Text(e)) }

// price changes one of the prices, and remembers them.
func (p *Page) price(name, text string) {
	value, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64) // some write 0,045
	prices := p.prices
	switch name {
	case "gib":
		prices.GiB = value
	case "writes":
		prices.Writes = value
	case "reads":
		prices.Reads = value
	}
	if err != nil || !prices.Valid() {
		return // what is being typed
	}
	p.prices = prices
	browser.Save(pricesName, prices)
}

// usage is what a month would have if it continued like the last minute.
func (p *Page) usage(l control.Partitions) keydesign.Usage {
	requests, _ := p.traffic.All.Sum(p.now)
	writes, _ := p.traffic.Writes.Sum(p.now)
	return keydesign.Usage{
		Bytes: float64(l.Bytes), Writes: float64(writes) * keydesign.Month, Reads: float64(requests-writes) * keydesign.Month,
	}.Times(float64(max(1, p.scale)))
}

func (p *Page) drawCost(l control.Partitions) []app.UI {
	u := p.usage(l)
	cost := keydesign.CostOf(u, p.prices)
	var options []app.UI
	for _, n := range multiples {
		options = append(options, app.Option().Value(strconv.Itoa(n)).Selected(n == p.scale).Text("× "+humanize.Number(n)))
	}
	row := func(name, amount, price string, value, sum float64) app.UI {
		return app.Tr().Body(app.Th().Scope("row").Text(name), app.Td().Text(amount),
			app.Td().Body(app.Input().Class("input price").Type("text").Attr("inputmode", "decimal").Value(strconv.FormatFloat(value, 'f', -1, 64)).
				Aria("label", "Price: "+name).DataSet("price", price).DataSet("testid", "price-"+price).OnChange(p.onPrice)),
			app.Td().Text(money(sum)))
	}
	return []app.UI{
		ui.Div("row cost-title", app.H2().Text("Capacity and cost"), app.Span().Class("grow"), app.Text("this table"),
			app.Select().Class("input").Aria("label", "Size of the table").DataSet("testid", "times").OnChange(p.onTimes).Body(options...)),
		app.Table().Class("key-table cost").DataSet("testid", "cost").Body(
			ui.Heads(each(l), "amount", "price", "USD"),
			app.TBody().Body(
				row("Stored / GiB", humanize.Bytes(int(u.Bytes)), "gib", p.prices.GiB, cost.Stored),
				row("Writes / 10 k", short(u.Writes), "writes", p.prices.Writes, cost.Writes),
				row("Reads / 10 k", short(u.Reads), "reads", p.prices.Reads, cost.Reads),
				app.Tr().Class("total").Body(app.Th().Scope("row").ColSpan(3).Text("A month"), app.Td().DataSet("testid", "month").Text(money(cost.Total()))))),
		ui.P("hint", "If every minute were like the last one. Sizes are those of this store; the service counts the names of properties with each entity."),
	}
}

func each(l control.Partitions) string {
	if l.Entities == 0 {
		return ""
	}
	return humanize.Bytes(l.Bytes/l.Entities) + " each"
}

func money(n float64) string {
	if n > 0 && n < 0.005 {
		return "< 0.01"
	}
	cents := int(math.Round(n * 100))
	return humanize.Number(cents/100) + fmt.Sprintf(".%02d", cents%100)
}

// short returns a large number in a few characters.
func short(n float64) string {
	switch {
	case n >= 999.95e9:
		return humanize.Number(int(math.Round(n/1e9))) + " G"
	case n >= 999.95e6: // it would be rounded to 1000.0 M
		return strconv.FormatFloat(n/1e9, 'f', 1, 64) + " G"
	case n >= 1e6:
		return strconv.FormatFloat(n/1e6, 'f', 1, 64) + " M"
	}
	return humanize.Number(int(n))
}
