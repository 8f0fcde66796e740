package ui

import (
	"fmt"
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/humanize"
)

// Explanation is what a query did.
type Explanation struct {
	Kind     string // "row range"; "" if it is not known
	Returned int
	Examined int
	Blocks   int    // 0 where the store has none
	Elapsed  string // "3 ms"
	Advice   string // one sentence, or ""
	Strip    []Part // the partitions of the table in key order; nil draws a bar
	Read     int    // partitions that the query read
	All      int    // partitions of the table
}

// Part is one partition in the strip, or several that are too small to draw.
type Part struct {
	Name     string
	Entities int
	Read     bool
}

// Explain draws what a query did: of all that it examined, the bar shows what
// it returned.
func Explain(x Explanation) app.UI {
	figures := []app.UI{figure(x.Returned, "returned"), figure(x.Examined, "examined")}
	if x.Blocks > 0 {
		word := "blocks"
		if x.Blocks == 1 {
			word = "block"
		}
		figures = append(figures, figure(x.Blocks, word))
	}
	if x.All > 0 {
		figures = append(figures, app.Span().Body(app.B().Text(humanize.Number(x.Read)), app.Text(" of "+humanize.Count(x.All, "partition", "partitions"))))
	}
	figures = append(figures, app.Span().Text(x.Elapsed))
	picture := bar(x.Returned, x.Examined)
	if len(x.Strip) > 0 {
		picture = strip(x)
	}
	body := []app.UI{
		Span("kind", Sentence(x.Kind)),
		picture, Div("figures", figures...),
	}
	if x.Advice != "" {
		body = append(body, app.Div().Class("advice").Text(x.Advice))
	}
	return app.Div().Class("explain").Role("group").Aria("label", "What the query did").Body(body...)
}

func figure(n int, word string) app.UI {
	return app.Span().Body(app.B().Text(humanize.Number(n)), app.Text(" "+word))
}

// bar is a picture, so it is an image with a sentence for those who cannot see it.
func bar(returned, examined int) app.UI {
	width := 0.0
	if examined > 0 {
		width = min(100, 100*float64(returned)/float64(examined))
	}
	whole := 0
	if examined > 0 {
		whole = 100
	}
	words := fmt.Sprintf("%s of %s examined entities returned", humanize.Number(returned), humanize.Number(examined))
	return app.Raw(fmt.Sprintf(`<svg class="bar" role="img" aria-label="%s" viewBox="0 0 100 14" preserveAspectRatio="none"><title>%s</title><rect class="examined" width="%d" height="14"/><rect class="returned" width="%.2f" height="14"/></svg>`,
		words, words, whole, width))
}

// strip draws the table, partition by partition, with what was read coloured.
func strip(x Explanation) app.UI {
	var parts []app.UI
	for _, p := range x.Strip {
		part := app.I().Title(p.Name+": "+humanize.Count(p.Entities, "entity", "entities")).Style("flex-grow", strconv.Itoa(max(p.Entities, 1)))
		if p.Read {
			part = part.Class("read")
		}
		parts = append(parts, part)
	}
	words := fmt.Sprintf("%s of %s partitions read", humanize.Number(x.Read), humanize.Number(x.All))
	return app.Div().Class("strip").Role("img").Aria("label", words).Body(parts...)
}
