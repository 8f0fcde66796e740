package grid

// Window is the run of rows that is drawn, from From up to but without To.
type Window struct{ From, To int }

const (
	// spare is how many rows are drawn beyond each edge of what is in sight.
	spare = 16
	// step is the grain of a window: it moves by this many rows at a time, so
	// that scrolling draws seldom.
	step = 8
	// FirstWindow is how many rows are drawn before the height is known.
	FirstWindow = 60
)

// WindowAt returns the rows to draw when the list is scrolled down by top
// pixels and height pixels are in sight. All rows are row pixels high, and
// there are total of them.
func WindowAt(top, height, row, total int) Window {
	if row <= 0 || height <= 0 {
		return Window{0, min(total, FirstWindow)}
	}
	from := max(0, top/row-spare) / step * step
	to := (top+height)/row + spare
	to = (to + step) / step * step
	to = min(to, total)
	return Window{min(from, to), to}
}

// Reveal returns how far to scroll so that a row is in sight: the present top
// if it is already. The head of height pixels stays over the rows.
func Reveal(index, top, height, row, head int) int {
	start, end := index*row, (index+1)*row
	switch {
	case start < top:
		return start
	case end > top+height-head:
		return end - height + head
	}
	return top
}

// Move returns the row to which a key of the keyboard leads from the row at
// index, of total rows with page of them in sight. It reports false for keys
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
