package transfer

import (
	"fmt"
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/humanize"
	"sandtable/web/ui"
)

// sheet draws the frame of an import or an export: what it is about, its
// content, and its buttons.
func sheet(icon ui.IconName, title, facts string, onClose app.EventHandler, content, buttons []app.UI) app.HTMLElem {
	return app.Elem("section").Class("transfer").Attr("tabindex", "-1").Body(
		app.Header().Body(
			ui.Icon(icon),
			app.H2().ID("transfer-title").Text(title),
			ui.CloseButton(onClose).DataSet("testid", "close"),
			app.P().DataSet("testid", "facts").Text(facts)),
		ui.Div("body", content...),
		app.Footer().Body(buttons...))
}

// caption is a small heading.
func caption(text string) app.UI { return app.H3().Class("caption").Text(text) }

// figure is a number with a word.
func figure(n int, word string) app.UI {
	return app.Span().Body(app.B().Text(humanize.Number(n)), app.Text(" "+word))
}

// tile draws one measured thing.
func tile(name, value, note string, more ...app.UI) app.UI {
	return app.Div().Body(append([]app.UI{
		ui.Span("caption", name),
		app.B().Text(value),
		ui.Span("hint", note)}, more...)...)
}

// spark draws rates as a line.
func spark(rates []float64) app.UI {
	if len(rates) < 2 {
		return app.Span().Hidden(true)
	}
	top := 1.0
	for _, r := range rates {
		top = max(top, r)
	}
	var path strings.Builder
	for i, r := range rates {
		fmt.Fprintf(&path, "%.1f,%.1f ", 120*float64(i)/float64(len(rates)-1), 24-22*r/top)
	}
	return app.Raw(`<svg class="spark" aria-hidden="true" viewBox="0 0 120 26" preserveAspectRatio="none"><polyline points="` + path.String() + `"/></svg>`)
}

// mostDrawn is how many partitions are drawn one by one.
const mostDrawn = 120

// strip draws the partitions in their order, as wide as they are large, and how
// much of each is written.
func strip(partitions []partition, parts []float64) app.UI {
	var b strings.Builder
	group := (len(partitions) + mostDrawn - 1) / mostDrawn
	for i := 0; i < len(partitions); i += group {
		rows, done := 0, 0.0
		for j := i; j < min(len(partitions), i+group); j++ {
			rows += partitions[j].rows
			done += parts[j] * float64(partitions[j].rows)
		}
		fmt.Fprintf(&b, `<i style="flex-grow:%d"><b style="width:%.0f%%"></b></i>`, rows, 100*done/float64(max(1, rows)))
	}
	return app.Raw(`<div class="parts" aria-hidden="true">` + b.String() + `</div>`)
}

// about says how long something takes, rounded as people would.
func about(d time.Duration) string {
	switch {
	case d <= 0:
		return "–"
	case d < time.Second:
		return "less than 1 s"
	case d < 10*time.Second:
		return fmt.Sprintf("%d s", int(d.Round(time.Second).Seconds()))
	case d < 100*time.Second:
		return fmt.Sprintf("%d s", 5*int((d+2500*time.Millisecond)/(5*time.Second)))
	case d < 100*time.Minute:
		return fmt.Sprintf("%d min", int(d.Round(time.Minute).Minutes()))
	}
	return fmt.Sprintf("%d h", int(d.Round(time.Hour).Hours()))
}

// exactly says how long something took.
func exactly(d time.Duration) string {
	if d = d.Round(100 * time.Millisecond); d < time.Minute {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	d = d.Round(time.Second)
	return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
}
