package ui

import (
	"html"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/grid"
)

// Rows draws the rows of a grid without go-app, which would compare every cell
// of every row at each step of scrolling: several frames' time. It remembers what
// the document shows and changes what differs; an element stays as long as its
// row is drawn. The zero Rows has drawn nothing.
type Rows struct {
	body  app.Value // nil before it is mounted
	drawn drawing
}

// drawing is what the document shows.
type drawing struct {
	columns       int
	window        grid.Window
	rows          []row
	before, after int // the heights of the gaps
}

// row is a row as HTML.
type row struct {
	class    string
	selected bool
	cells    string
}

// Draw shows the rows of a sheet now.
func (r *Rows) Draw(s Sheet) {
	if r.body == nil {
		return // it will be mounted
	}
	before, next := r.drawn, s.drawing()
	r.drawn = next
	from, to := max(before.window.From, next.window.From), min(before.window.To, next.window.To)
	if before.columns != next.columns || from >= to {
		r.body.Set("innerHTML", strings.Join(next.html(), ""))
		return
	}
	for i := from; i < to; i++ {
		was, is := before.rows[i-before.window.From], next.rows[i-next.window.From]
		if was != is {
			r.change(i-before.window.From+1, was, is)
		}
	}
	r.remove(to-before.window.From+1, before.window.To-to)
	r.remove(1, from-before.window.From)
	r.resize("firstElementChild", before.before, next.before).Call("insertAdjacentHTML", "afterend", next.part(next.window.From, from))
	r.resize("lastElementChild", before.after, next.after).Call("insertAdjacentHTML", "beforebegin", next.part(to, next.window.To))
}

// change updates the element of a row.
func (r *Rows) change(child int, was, is row) {
	element := r.body.Get("children").Index(child)
	if was.class != is.class {
		element.Set("className", is.class)
	}
	if was.selected != is.selected {
		element.Call("setAttribute", "aria-selected", strconv.FormatBool(is.selected))
	}
	if was.cells != is.cells {
		element.Set("innerHTML", is.cells)
	}
}

// remove removes n elements.
func (r *Rows) remove(child, n int) {
	if n <= 0 {
		return
	}
	some := app.Window().Get("document").Call("createRange")
	some.Call("setStart", r.body, child)
	some.Call("setEnd", r.body, child+n)
	some.Call("deleteContents")
}

// resize updates the height of a gap, and returns its element.
func (r *Rows) resize(name string, was, is int) app.Value {
	gap := r.body.Get(name)
	if was != is {
		gap.Get("firstElementChild").Get("style").Set("height", px(is))
	}
	return gap
}

// drawing returns what the document has to show.
func (s Sheet) drawing() drawing {
	w := s.window()
	before := s.View.Before(w)
	d := drawing{columns: s.width(), window: w, before: before, after: max(0, s.View.Pixels()-before-(w.To-w.From)*s.View.Row)}
	for i := w.From; i < w.To; i++ {
		d.rows = append(d.rows, s.row(i))
	}
	return d
}

// html returns the elements in the body of the table.
func (d drawing) html() []string {
	all := []string{gap(d.before, d.columns)}
	for i := range d.rows {
		all = append(all, d.part(d.window.From+i, d.window.From+i+1))
	}
	return append(all, gap(d.after, d.columns))
}

// part returns the rows from up to to.
func (d drawing) part(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		r := d.rows[i-d.window.From]
		b.WriteString(`<tr role="row" data-testid="grid-row" id="` + rowID(i) + `" data-row="` + strconv.Itoa(i) + `" aria-rowindex="` + strconv.Itoa(i+2) +
			`" aria-selected="` + strconv.FormatBool(r.selected) + `" class="` + r.class + `">`)
		b.WriteString(r.cells)
		b.WriteString("</tr>")
	}
	return b.String()
}

func gap(height, columns int) string {
	return `<tr class="gap" aria-hidden="true"><td colspan="` + strconv.Itoa(columns) + `" style="height:` + px(height) + `"></td></tr>`
}

// row draws a row.
func (s Sheet) row(i int) row {
	var classes []string
	if i == s.Active {
		classes = append(classes, "active")
	}
	e := s.At(i)
	if e == nil {
		return row{class: strings.Join(append(classes, "waiting"), " "), cells: `<td role="gridcell" colspan="` + strconv.Itoa(s.width()) + `"><i></i></td>`}
	}
	open, selected, marked := s.Open != nil && s.Open(e), s.Selected != nil && s.Selected(e), s.Marked != nil && s.Marked(e)
	if open {
		classes = append(classes, "on")
	}
	if selected {
		classes = append(classes, "selected")
	}
	if marked {
		classes = append(classes, "marked")
	}
	var b strings.Builder
	if s.Selected != nil {
		b.WriteString(`<td role="gridcell" class="check-cell" data-testid="select-row" data-check="` + strconv.Itoa(i) + `"><span class="tick" aria-hidden="true"></span></td>`)
	}
	for _, c := range s.Columns {
		writeCell(&b, grid.CellOf(e, c.Name, s.Format), c.Name, marked && c.Name == odata.RowKeyName)
	}
	return row{strings.Join(classes, " "), selected || s.Selected == nil && open, b.String()}
}

func writeCell(b *strings.Builder, cell grid.Cell, column string, marked bool) {
	b.WriteString(`<td role="gridcell" class="` + cell.Class)
	switch {
	case cell.Class == "absent":
		b.WriteString(`" aria-label="absent" title="This entity has no ` + html.EscapeString(column))
	case cell.Title != "":
		b.WriteString(`" title="` + html.EscapeString(cell.Title))
	}
	b.WriteString(`">` + html.EscapeString(cell.Text))
	if marked {
		b.WriteString(`<span class="sr-only"> (changed elsewhere since it was read)</span>`)
	}
	b.WriteString("</td>")
}

// rowsBody is the body of a grid's table. Its rows are not go-app's, except
// where a page is drawn without a browser.
type rowsBody struct {
	app.Compo
	Sheet Sheet
	Click app.EventHandler
}

// OnMount draws the rows.
func (b *rowsBody) OnMount(ctx app.Context) {
	b.draw()
	ctx.PreventUpdate()
}

// OnUpdate draws the rows that have changed.
func (b *rowsBody) OnUpdate(app.Context) { b.draw() }

func (b *rowsBody) draw() {
	r := b.Sheet.Rows
	if body := b.JSValue(); r.body == nil || !r.body.Equal(body) {
		*r = Rows{body: body}
	}
	r.Draw(b.Sheet)
}

// Render draws the element.
func (b *rowsBody) Render() app.UI {
	body := app.TBody().Role("rowgroup").OnClick(b.Click)
	if app.IsClient {
		return body
	}
	var rows []app.UI
	for _, html := range b.Sheet.drawing().html() {
		rows = append(rows, app.Raw(html))
	}
	return body.Body(rows...)
}
