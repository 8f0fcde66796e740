package entities

import (
	"fmt"
	"slices"
	"strconv"
	"unicode/utf16"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/grid"
	"sandtable/web/humanize"
	"sandtable/web/query"
	"sandtable/web/ui"
)

const filterID = "filter-input"

// drawEditor draws the filter as text: a field whose own text is transparent,
// over the same text with colours.
func (p *Page) drawEditor(wrong bool, mistake *query.Problem) app.UI {
	class := "editor"
	if wrong {
		class += " invalid"
	}
	field := &ui.Keyed{Key: fmt.Sprint(filterID, p.bar.redraws), Draw: func() app.UI {
		return app.Textarea().ID(filterID).Rows(1).DataSet("testid", filterID).Placeholder("PartitionKey eq 'a' and Age ge 21    (empty: all entities)").
			Spellcheck(false).Attr("autocomplete", "off").Attr("autocapitalize", "off").Attr("enterkeyhint", "go").
			Role("combobox").Aria("label", "$filter").Aria("expanded", len(p.bar.suggestions) > 0).Aria("controls", "completion").Aria("autocomplete", "list").
			Aria("activedescendant", p.activeSuggestion()).Aria("invalid", wrong).
			Attr("value", p.bar.filter).OnInput(p.onFilter).OnKeyDown(p.onFilterKey).OnFocus(p.onFilterFocus).OnBlur(p.onFilterBlur)
	}}
	return app.Div().Class(class).Body(
		app.Label().For(filterID).Text("$filter"),
		ui.Div("code", app.Pre().Aria("hidden", true).Body(highlight(p.bar.filter, mistake)), field),
		app.Kbd().Text("F5"), ui.SubmitButton("Run", false).DataSet("testid", "run-filter"))
}

var wordClasses = map[query.Kind]string{query.Keyword: "keyword", query.Compare: "keyword", query.String: "string", query.Number: "number", query.Other: "number"}

// highlight draws a filter in colours, with what is wrong underlined.
func highlight(text string, mistake *query.Problem) app.UI {
	var words []app.UI
	for _, w := range query.Words(text) {
		class := wordClasses[w.Kind]
		if mistake != nil && w.At >= mistake.From && w.End() <= mistake.To {
			class += " wrong"
		}
		words = append(words, app.Span().Class(class).Text(w.Text))
	}
	return app.Code().Body(words...)
}

func (p *Page) onFilter(_ app.Context, event app.Event) {
	p.bar.filter = ui.Text(event)
	p.bar.parse()
	p.complete(event)
	p.onlyQuery()
}

// complete offers what can follow at the caret.
func (p *Page) complete(event app.Event) {
	p.bar.caret = len(p.bar.filter)
	if at := event.Get("target").Get("selectionStart"); at.Truthy() {
		p.bar.caret = query.BytesBefore(p.bar.filter, at.Int())
	}
	p.bar.suggestions = query.Complete(p.bar.filter, p.bar.caret, p.properties())
	p.bar.chosen = 0
}

// preview shows what can follow at the caret without choosing any of it: Tab
// leaves the field.
func (p *Page) preview(event app.Event) {
	p.complete(event)
	p.bar.chosen = -1
}

func (p *Page) onFilterFocus(_ app.Context, event app.Event) {
	if p.bar.filter == "" {
		p.preview(event)
	}
}

// onFilterBlur closes the completion, unless the keyboard went into it.
func (p *Page) onFilterBlur(ctx app.Context, event app.Event) {
	if to := event.Get("relatedTarget"); to.Truthy() && to.Call("closest", ".completion").Truthy() {
		return
	}
	p.bar.suggestions = nil
}

// onFilterKey runs the query on Enter, or chooses from the completion.
func (p *Page) onFilterKey(ctx app.Context, event app.Event) {
	key := event.Get("key").String()
	n, chosen := len(p.bar.suggestions), p.bar.choice() != nil
	control := event.Get("ctrlKey").Truthy() || event.Get("metaKey").Truthy()
	switch {
	case key == "Enter" && control, event.Get("isComposing").Truthy():
		return // the shell runs the query
	case key == " " && control:
		p.complete(event)
	case key == "ArrowDown" && n > 0:
		p.bar.chosen = (p.bar.chosen + 1) % n
		p.onlyQuery()
	case key == "ArrowUp" && n > 0:
		p.bar.chosen = (max(p.bar.chosen, 0) + n - 1) % n
		p.onlyQuery()
	case key == "Tab" && chosen, key == "Enter" && p.bar.typing():
		p.insert(p.bar.chosen)
	case key == "Escape" && n > 0:
		p.bar.suggestions = nil
		event.Call("stopPropagation")
	case key == "Enter":
		p.submitQuery()
	default:
		ctx.PreventUpdate()
		return
	}
	event.PreventDefault()
}

// choice returns the suggestion that Tab inserts, nil for none.
func (b *bar) choice() *query.Suggestion {
	if b.chosen < 0 || b.chosen >= len(b.suggestions) {
		return nil
	}
	return &b.suggestions[b.chosen]
}

// typing reports whether the caret is in a word that the choice completes:
// Enter inserts it then, and runs the query otherwise.
func (b *bar) typing() bool { s := b.choice(); return s != nil && s.From < b.caret }

// insert puts a suggestion into the filter.
func (p *Page) insert(i int) {
	s := p.bar.suggestions[i]
	text := p.bar.filter[:s.From] + s.Insert + p.bar.filter[s.To:]
	caret := s.From + len(s.Insert)
	if last := s.Insert[len(s.Insert)-1]; last == '\'' {
		caret-- // between the quotes
	}
	p.bar.filter, p.bar.caret = text, caret
	p.bar.parse()
	p.bar.suggestions = query.Complete(text, caret, p.properties())
	p.bar.chosen = -1
	// The field changes now, not when the page is drawn: the next key may come
	// before that.
	if field := app.Window().GetElementByID(filterID); field.Truthy() {
		units := len(utf16.Encode([]rune(text[:caret])))
		field.Set("value", text)
		field.Call("focus")
		field.Call("setSelectionRange", units, units)
	}
}

func (p *Page) activeSuggestion() string {
	if p.bar.choice() == nil {
		return ""
	}
	return "suggestion-" + strconv.Itoa(p.bar.chosen)
}

func (p *Page) drawCompletion() app.UI {
	if len(p.bar.suggestions) == 0 {
		return app.Div().Hidden(true)
	}
	var items []app.UI
	group := ""
	for i, s := range p.bar.suggestions {
		if s.Group != group {
			group = s.Group
			items = append(items, app.Div().Class("group").Role("presentation").Text(group))
		}
		items = append(items, p.suggestion(i, s))
	}
	hints := []app.UI{hint("choose", "↑", "↓"), hint("close", "Esc")}
	if p.bar.choice() != nil {
		hints = append(hints, hint("insert", "Tab"))
	}
	return ui.Div("completion",
		app.Div().ID("completion").Class("list").Role("listbox").TabIndex(-1).Aria("label", "Completion").OnMouseDown(p.onSuggestion).Body(items...),
		p.suggestionNote(p.bar.choice()),
		app.Footer().Body(hints...))
}

func hint(words string, keys ...string) app.UI {
	var body []app.UI
	for _, key := range keys {
		body = append(body, app.Kbd().Text(key))
	}
	return app.Span().Body(append(body, app.Text(" "+words))...)
}

func (p *Page) suggestion(i int, s query.Suggestion) app.UI {
	typ, class, detail := "", "type", s.Detail
	if s.Group == "Properties" {
		typ = "mixed"
		if s.Type != 0 {
			typ = grid.ShortType(s.Type)
			class += " " + typ
		}
		detail = "key"
		if stat, ok := p.schema.Property(s.Label); ok && s.Label != odata.PartitionKeyName && s.Label != odata.RowKeyName {
			detail = humanize.Number(stat.Count)
		}
	}
	row := app.Div().ID("suggestion-"+strconv.Itoa(i)).Class("row").Title(s.Label).Role("option").Aria("selected", i == p.bar.chosen).DataSet("suggestion", i).DataSet("testid", "suggestion")
	return row.Body(ui.Span(class, typ), ui.Span("label", s.Label), ui.Span("detail", detail))
}

// onSuggestion inserts what the pointer chose. It takes the press, not the
// click: the field keeps the keyboard.
func (p *Page) onSuggestion(_ app.Context, event app.Event) {
	event.PreventDefault()
	if i, err := strconv.Atoi(ui.Data(event, "suggestion")); err == nil && i < len(p.bar.suggestions) {
		p.insert(i)
	}
}

// suggestionNote says what is known of the property that is chosen.
func (p *Page) suggestionNote(s *query.Suggestion) app.UI {
	if s == nil || s.Group != "Properties" {
		return app.Div().Hidden(true)
	}
	stat, ok := p.schema.Property(s.Label)
	if !ok {
		return app.Div().Hidden(true)
	}
	example, words := "", "In "+humanize.Number(stat.Count)+" of "+humanize.Count(p.schema.Entities(), "loaded entity", "loaded entities")
	switch stat.Type {
	case odata.EdmString:
		example = s.Label + " eq 'value'"
	case odata.EdmInt32, odata.EdmInt64, odata.EdmDouble:
		example = s.Label + " ge " + query.Literal(stat.Type, "21")
	case odata.EdmBoolean:
		example = s.Label + " eq true"
	case odata.EdmDateTime:
		example = s.Label + " ge datetime'2026-11-20T00:00:00Z'"
	}
	body := []app.UI{app.B().Text(s.Label), app.Span().Text(words)}
	if counts := stat.Histogram(12); counts != nil {
		most := slices.Max(counts)
		var bars []app.UI
		for _, n := range counts {
			bars = append(bars, app.I().Style("height", strconv.Itoa(100*n/most)+"%"))
		}
		body = append(body, app.Div().Class("spread").Aria("hidden", true).Body(bars...))
	}
	if !stat.Min.IsZero() {
		body = append(body, app.Span().Text(query.LiteralOf(stat.Min)+" to "+query.LiteralOf(stat.Max)))
	}
	if example != "" {
		body = append(body, highlight(example, nil))
	}
	return ui.Div("side-note", body...)
}
