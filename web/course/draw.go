package course

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/lesson"
	"sandtable/web/ui"
)

// Text draws the text of a lesson. All of it is text nodes: a lesson of a
// stranger's cannot bring HTML.
func Text(blocks []lesson.Block) []app.UI {
	var all []app.UI
	for _, b := range blocks {
		switch {
		case b.Heading:
			all = append(all, app.H3().Body(Line(b.Text)...))
		case b.Items != nil && b.Ordered:
			all = append(all, app.Ol().Body(items(b.Items)...))
		case b.Items != nil:
			all = append(all, app.Ul().Body(items(b.Items)...))
		case b.Rows != nil:
			all = append(all, drawTable(b.Rows))
		case b.Code != "":
			all = append(all, app.Pre().TabIndex(0).Body(app.Code().Text(b.Code)))
		default:
			all = append(all, app.P().Body(Line(b.Text)...))
		}
	}
	return all
}

// Line draws spans.
func Line(spans []lesson.Span) []app.UI {
	var all []app.UI
	for _, s := range spans {
		text := app.Text(s.Text)
		switch s.Kind {
		case lesson.Code:
			all = append(all, app.Code().Body(text))
		case lesson.Strong:
			all = append(all, app.Strong().Body(text))
		case lesson.Emphasis:
			all = append(all, app.Em().Body(text))
		case lesson.Link:
			all = append(all, app.A().Href(s.Href).Target("_blank").Rel("noopener noreferrer").Body(text))
		default:
			all = append(all, text)
		}
	}
	return all
}

func items(list [][]lesson.Span) []app.UI {
	var all []app.UI
	for _, text := range list {
		all = append(all, app.Li().Body(Line(text)...))
	}
	return all
}

func drawTable(rows [][][]lesson.Span) app.UI {
	var head []app.UI
	var body []app.UI
	for i, row := range rows {
		var cells []app.UI
		for _, cell := range row {
			if i == 0 {
				head = append(head, app.Th().Scope("col").Body(Line(cell)...))
			} else {
				cells = append(cells, app.Td().Body(Line(cell)...))
			}
		}
		if i > 0 {
			body = append(body, app.Tr().Body(cells...))
		}
	}
	return app.Div().Class("lesson-table").Body(app.Table().Body(app.THead().Body(app.Tr().Body(head...)), app.TBody().Body(body...)))
}

// Dashes draws the steps of a lesson, filled where they are done.
func Dashes(d Done, total int) app.UI {
	var all []app.UI
	for i := range total {
		dash := app.Span()
		if i < len(d.Steps) && d.Steps[i] {
			dash = dash.Class("done")
		}
		all = append(all, dash)
	}
	return app.Span().Class("dashes").Aria("hidden", true).Body(all...)
}

// Unkept draws a warning if the browser does not keep the progress.
func Unkept() app.UI {
	if unkept == nil {
		return app.Div().Hidden(true)
	}
	return ui.Banner(ui.Wait, "Your progress is not kept.", "This browser has no space for it, or does not let this site store anything. It is lost when you close this page; “Export progress” in the list of lessons saves it as a file.")
}
