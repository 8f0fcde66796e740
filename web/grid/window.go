package grid

// Window is the range of rows that is drawn, from From up to but without To.
type Window struct{ From, To int }

const (
	// spare is how many rows are drawn beyond each edge of what is visible.
	spare = 8
	// step is by how many rows a window moves at a time, so that scrolling
	// draws seldom.
	step = 8
	// firstWindow is how many rows are drawn before the height is known.
	firstWindow = 60
)

// maxPixels is how high a list is drawn at most: browsers limit the height of
// an element, Firefox to 17.9 million pixels. A longer list is scaled: each pixel
// of scrolling moves it by more than one.
const maxPixels = 15_000_000

// View is a list as it is scrolled.
type View struct {
	Top    int // how far it is scrolled, in pixels
	Height int // how much of it is visible, in pixels; 0 before that is known
	Row    int // the height of a row
	Total  int // the number of rows
}

// Pixels returns the height of the list as it is drawn.
func (v View) Pixels() int { return min(v.Total*v.Row, maxPixels) }

// offset returns how far the list would be scrolled without scaling.
func (v View) offset() int {
	if v.Total*v.Row <= maxPixels {
		return v.Top
	}
	return int(float64(v.Top) * float64(v.Total*v.Row-v.Height) / float64(maxPixels-v.Height))
}

// Window returns the rows to draw.
func (v View) Window() Window {
	if v.Row <= 0 || v.Height <= 0 {
		return Window{0, min(v.Total, firstWindow)}
	}
	top := v.offset()
	from := max(0, top/v.Row-spare) / step * step
	to := (top+v.Height)/v.Row + spare
	to = min((to+step)/step*step, v.Total)
	return Window{min(from, to), to}
}

// Before returns the height of the gap before the rows of a window, in pixels.
// The gap after them fills what remains of Pixels.
func (v View) Before(w Window) int { return max(0, v.Top-v.offset()+w.From*v.Row) }

// Scaled reports whether the gap before a window depends on how far the list is
// scrolled.
func (v View) Scaled() bool { return v.Total*v.Row > maxPixels }

// Reveal returns how far to scroll so that a row is visible: the present Top if
// it is already. The head of some pixels stays over the rows.
func (v View) Reveal(index, head int) int {
	top := v.offset()
	start, end := index*v.Row, (index+1)*v.Row
	switch {
	case start < top:
		top = start
	case end > top+v.Height-head:
		top = end - v.Height + head
	default:
		return v.Top
	}
	if !v.Scaled() {
		return top
	}
	return int(float64(top) * float64(maxPixels-v.Height) / float64(v.Total*v.Row-v.Height))
}

// Move returns the row to which a key of the keyboard leads from the row at
// index, of total rows with page of them visible. It reports false for keys
// that move nothing. An index of -1 is no row.
func Move(key string, index, total, page int) (int, bool) {
	if total == 0 {
		return -1, false
	}
	to := index
	switch key {
	case "ArrowDown":
		to++
	case "ArrowUp":
		to--
	case "PageDown":
		to += page
	case "PageUp":
		to -= page
	case "Home":
		to = 0
	case "End":
		to = total - 1
	default:
		return index, false
	}
	return min(max(to, 0), total-1), true
}
