package ui

import (
	"fmt"
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Explanation is what a query did.
type Explanation struct {
	Kind     string // "row range"; "" if it is not known
	Returned int
	Examined int
	Blocks   int    // 0 where the store has none
	Elapsed  string // "3 ms"
	Advice   string // one sentence, or ""
}

// Explain draws what a query did: of all that it examined, the bar shows what
// it returned.
func Explain(x Explanation) app.UI {
	figures := []app.UI{figure(x.Returned, "returned"), figure(x.Examined, "examined")}
	if x.Blocks > 0 {
		figures = append(figures, figure(x.Blocks, plural(x.Blocks, "block")))
	}
	figures = append(figures, app.Span().Body(app.Text(x.Elapsed)))
	body := []app.UI{
		app.Span().Class("kind").Body(app.Text(Sentence(x.Kind))),
		bar(x.Returned, x.Examined), app.Div().Class("figures").Body(figures...),
	}
	if x.Advice != "" {
		body = append(body, app.Div().Class("advice").Body(app.Text(x.Advice)))
	}
	return app.Div().Class("explain").Role("group").Aria("label", "What the query did").Body(body...)
}

func figure(n int, word string) app.UI {
	return app.Span().Body(app.B().Body(app.Text(Number(n))), app.Text(" "+word))
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
	words := fmt.Sprintf("%s of %s examined entities returned", Number(returned), Number(examined))
	return app.Raw(fmt.Sprintf(`<svg class="bar" role="img" aria-label="%s" viewBox="0 0 100 14" preserveAspectRatio="none"><title>%s</title><rect class="examined" width="%d" height="14"/><rect class="returned" width="%.2f" height="14"/></svg>`,
		words, words, whole, width))
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// Count returns a number of things in words: "1 table", "2,000 entities".
func Count(n int, one, many string) string {
	if n == 1 {
		return Number(n) + " " + one
	}
	return Number(n) + " " + many
}

// Number returns n with commas between thousands.
func Number(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
