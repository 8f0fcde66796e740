package listing

import (
	"slices"
	"sort"
	"strings"

	"sandtable/odata"
	"sandtable/web/client"
)

// Listing is the rows of one query. The zero Listing has none and expects the
// first page.
type Listing struct {
	// Resident is how many rows stay in memory at most, apart from those in use;
	// 0 for all. One of more than 4 KiB counts as several.
	Resident int

	pages []*part
	total int
	next  *client.Continuation
	ended bool
	clock int
	order []int32 // of a sorted listing: the row in key order for each place
}

// part is one page.
type part struct {
	from  *client.Continuation // where it begins, nil for the first
	start int                  // its first row
	count int
	first odata.Key
	rows  []client.Entity // nil while forgotten
	cost  int             // of the rows, as Resident counts them
	used  int
}

// costUnit is how many bytes, as the service counts them, cost as much as another row.
const costUnit = 4 << 10

// hold gives the page these rows. It copies the first one's key, which is a part of the
// whole response: that would stay in memory after the rows are forgotten.
func (p *part) hold(rows []client.Entity) {
	p.rows, p.count, p.cost = rows, len(rows), len(rows)
	for _, e := range rows {
		p.cost += e.Size() / costUnit
	}
	if len(rows) > 0 {
		k := rows[0].Key()
		p.first = odata.Key{PartitionKey: strings.Clone(k.PartitionKey), RowKey: strings.Clone(k.RowKey)}
	}
}

// Len returns the number of rows.
func (l *Listing) Len() int { return l.total }

// Ended reports whether all pages have been read.
func (l *Listing) Ended() bool { return l.ended }

// Next returns where the next page begins, nil for the first page.
func (l *Listing) Next() *client.Continuation { return l.next }

// Append adds the page that begins at Next.
func (l *Listing) Append(rows []client.Entity, next *client.Continuation) {
	p := &part{from: l.next, start: l.total}
	p.hold(rows)
	if len(rows) > 0 {
		l.pages = append(l.pages, p)
		l.total += len(rows)
		l.touch(p)
	}
	l.next, l.ended = next, next == nil
	l.order = nil
	l.forget()
}

func (l *Listing) touch(p *part) {
	l.clock++
	p.used = l.clock
}

// forget drops the rows of the pages that were not used for longest.
func (l *Listing) forget() {
	if l.Resident == 0 || l.order != nil {
		return
	}
	resident := 0
	var all []*part
	for _, p := range l.pages {
		if p.rows != nil {
			resident += p.cost
			all = append(all, p)
		}
	}
	if resident <= l.Resident {
		return
	}
	slices.SortFunc(all, func(a, b *part) int { return a.used - b.used })
	for _, p := range all[:len(all)-1] {
		if resident <= l.Resident {
			return
		}
		p.rows = nil
		resident -= p.cost
	}
}

// partOf returns the page of a row in key order.
func (l *Listing) partOf(i int) *part {
	n := sort.Search(len(l.pages), func(n int) bool { return l.pages[n].start > i })
	return l.pages[n-1]
}

// At returns the row in place i, or false while it is forgotten.
func (l *Listing) At(i int) (client.Entity, bool) {
	if i < 0 || i >= l.total {
		return client.Entity{}, false
	}
	if l.order != nil {
		i = int(l.order[i])
	}
	p := l.partOf(i)
	if p.rows == nil {
		return client.Entity{}, false
	}
	l.touch(p)
	return p.rows[i-p.start], true
}

// Page names a page that was forgotten.
type Page struct {
	From *client.Continuation // where it begins
	part *part
}

// Missing returns the first forgotten page among the rows from up to to.
func (l *Listing) Missing(from, to int) (Page, bool) {
	for i := max(from, 0); i < min(to, l.total); {
		p := l.partOf(i)
		if p.rows == nil {
			return Page{p.from, p}, true
		}
		i = p.start + p.count
	}
	return Page{}, false
}

// Fill gives a forgotten page its rows again, up to the first row of the next page: after
// deletions the same request reaches beyond it. It reports whether their number has
// changed, because others wrote meanwhile.
func (l *Listing) Fill(page Page, rows []client.Entity) (changed bool) {
	p := page.part
	if n := slices.Index(l.pages, p) + 1; n > 0 && n < len(l.pages) {
		if end := slices.IndexFunc(rows, func(e client.Entity) bool { return !e.Key().Less(l.pages[n].first) }); end >= 0 {
			rows = rows[:end]
		}
	}
	changed = p.count != len(rows)
	if rows == nil {
		rows = []client.Entity{}
	}
	p.hold(rows)
	l.touch(p)
	if changed {
		l.number()
	}
	l.forget()
	return changed
}

// number counts the rows again.
func (l *Listing) number() {
	l.total = 0
	l.pages = slices.DeleteFunc(l.pages, func(p *part) bool { return p.count == 0 })
	for _, p := range l.pages {
		p.start = l.total
		l.total += p.count
	}
}

// Complete reports whether all rows have been read and none is forgotten.
func (l *Listing) Complete() bool {
	return l.ended && l.HasAll()
}

// HasAll reports whether no row is forgotten.
func (l *Listing) HasAll() bool {
	return !slices.ContainsFunc(l.pages, func(p *part) bool { return p.rows == nil })
}

// Each calls f with the rows in memory in key order, until it returns false.
func (l *Listing) Each(f func(i int, e client.Entity) bool) {
	for _, p := range l.pages {
		for j, e := range p.rows {
			if !f(p.start+j, e) {
				return
			}
		}
	}
}

// find returns the page and the place in it of a key, or where it belongs. The
// page is nil where that is forgotten, or there is none.
func (l *Listing) find(k odata.Key) (p *part, at int, found bool) {
	n := sort.Search(len(l.pages), func(n int) bool { return k.Less(l.pages[n].first) })
	if n == 0 {
		if len(l.pages) == 0 {
			return nil, 0, false
		}
		n = 1
	}
	p = l.pages[n-1]
	if p.rows == nil {
		return nil, 0, false
	}
	at, found = slices.BinarySearchFunc(p.rows, k, func(e client.Entity, k odata.Key) int { return e.Key().Compare(k) })
	return p, at, found
}

// Index returns the place of a key.
func (l *Listing) Index(k odata.Key) (int, bool) {
	p, at, found := l.find(k)
	if !found {
		return 0, false
	}
	row := p.start + at
	if l.order == nil {
		return row, true
	}
	place := slices.Index(l.order, int32(row))
	return place, place >= 0
}

// Near returns the place of a key in key order, or of what follows it. It
// reports false beyond the last row that was read.
func (l *Listing) Near(k odata.Key) (int, bool) {
	n := sort.Search(len(l.pages), func(n int) bool { return k.Less(l.pages[n].first) })
	if n == 0 {
		return 0, len(l.pages) > 0
	}
	p := l.pages[n-1]
	if p.rows == nil {
		return p.start, true
	}
	at, _ := slices.BinarySearchFunc(p.rows, k, func(e client.Entity, k odata.Key) int { return e.Key().Compare(k) })
	return min(p.start+at, max(l.total-1, 0)), p.start+at < l.total || l.ended && l.total > 0
}

// Put replaces the row with the entity's key. Where there is none it adds one
// if add is set and the place is among the rows read.
func (l *Listing) Put(e client.Entity, add bool) bool {
	k := e.Key()
	p, at, found := l.find(k)
	switch {
	case found:
		p.cost += e.Size()/costUnit - p.rows[at].Size()/costUnit
		p.rows[at] = e
		return true
	case !add:
		return false
	case p == nil:
		if len(l.pages) > 0 || !l.ended {
			return false
		}
		p = &part{}
		p.hold([]client.Entity{e})
		l.pages = []*part{p}
		l.total = 1
		return true
	case p == l.pages[len(l.pages)-1] && at == p.count && !l.ended:
		return false // beyond what was read
	}
	p.hold(slices.Insert(slices.Clone(p.rows), at, e))
	l.changed()
	return true
}

// Take removes the rows with these keys, each page's at once: thousands of rows are
// deleted together.
func (l *Listing) Take(keys ...odata.Key) bool {
	gone := map[*part][]bool{} // by place
	for _, k := range keys {
		if p, at, found := l.find(k); found {
			if gone[p] == nil {
				gone[p] = make([]bool, p.count)
			}
			gone[p][at] = true
		}
	}
	for p, places := range gone {
		left := make([]client.Entity, 0, p.count)
		for i, e := range p.rows {
			if !places[i] {
				left = append(left, e)
			}
		}
		p.hold(left)
	}
	if len(gone) > 0 {
		l.changed()
	}
	return len(gone) > 0
}

// changed numbers the rows again; a sorted listing falls back to key order.
func (l *Listing) changed() {
	l.number()
	l.order = nil
}

// Sorted reports whether the rows are in another order than that of their keys.
func (l *Listing) Sorted() bool { return l.order != nil }

// Sort puts the rows into the order of compare; nil is the order of their keys.
// All rows that were read must be in memory.
func (l *Listing) Sort(compare func(a, b client.Entity) int) {
	l.order = nil
	if compare == nil {
		l.forget()
		return
	}
	rows := make([]client.Entity, 0, l.total)
	l.Each(func(_ int, e client.Entity) bool { rows = append(rows, e); return true })
	order := make([]int32, len(rows))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return compare(rows[a], rows[b]) })
	l.order = order
}
