package requests

import (
	"cmp"
	"slices"

	"sandtable/web/control"
	"sandtable/web/inspect"
)

// maxKept is how many requests the page keeps; the endpoint keeps fewer.
const maxKept = 2000

// read takes in what the endpoint has recorded. Another instance counts from 1 again.
func (l *list) read(recent control.Recent) {
	if l.instance != "" && l.instance != recent.Instance {
		*l = list{paused: l.paused}
	}
	l.instance = recent.Instance
	l.add(recent.Requests)
}

// add takes in requests as they are answered.
func (l *list) add(arrived []control.Recorded) {
	if l.hold {
		arrived = slices.DeleteFunc(slices.Clone(arrived), func(r control.Recorded) bool { _, shown := l.find(r.ID); return shown })
		l.held = merge(l.held, arrived, l.cleared)
		return
	}
	l.rows = merge(l.rows, arrived, l.cleared)
}

// showHeld shows what has waited.
func (l *list) showHeld() {
	l.rows = merge(l.rows, l.held, l.cleared)
	l.held, l.hold = nil, false
}

// mark is where a list was cleared last, which this browser keeps for the next visit.
type mark struct {
	Instance string
	ID       uint64
}

func markName(base string) string { return "sandtable.cleared " + base }

func (l *list) mark() mark { return mark{l.instance, l.cleared} }

// restore makes the list begin at a mark. Another instance counts from 1 again.
func (l *list) restore(m mark) { l.instance, l.cleared = m.Instance, m.ID }

// clear empties the list. What the endpoint has recorded stays there.
func (l *list) clear() {
	for _, r := range append(l.rows[:len(l.rows):len(l.rows)], l.held...) {
		l.cleared = max(l.cleared, r.ID)
	}
	l.rows, l.held = nil, nil
}

// merge returns all requests after a number once, the newest first.
func merge(rows, more []control.Recorded, after uint64) []control.Recorded {
	all := slices.Concat(more, rows)
	slices.SortStableFunc(all, func(a, b control.Recorded) int { return cmp.Compare(b.ID, a.ID) })
	all = slices.CompactFunc(all, func(a, b control.Recorded) bool { return a.ID == b.ID })
	all = slices.DeleteFunc(all, func(r control.Recorded) bool { return r.ID <= after })
	return all[:min(len(all), maxKept)]
}

// find returns a request of the list.
func (l *list) find(id uint64) (control.Recorded, bool) {
	i := slices.IndexFunc(l.rows, func(r control.Recorded) bool { return r.ID == id })
	if i < 0 {
		return control.Recorded{}, false
	}
	return l.rows[i], true
}

// The values of showArg.
const (
	showFailed = "failed"
	showScans  = "scans"
	showFaults = "faults"
)

// shows reports whether a tab has a request.
func shows(tab string, r control.Recorded) bool {
	switch tab {
	case showFailed:
		return r.Failed()
	case showScans:
		return r.Scanned()
	case showFaults:
		return r.Fault != nil
	}
	return true
}

// rows are the requests of the list that are shown.
func (p *Page) rows() []control.Recorded { return p.shown(p.list.rows) }

// shown are those requests that the search, the account and the tab leave.
func (p *Page) shown(all []control.Recorded) []control.Recorded {
	var rows []control.Recorded
	tab := p.Route.Arg(showArg)
	for _, r := range p.found(all) {
		if shows(tab, r) {
			rows = append(rows, r)
		}
	}
	return rows
}

// found are those requests that the search and the account leave.
func (p *Page) found(all []control.Recorded) []control.Recorded {
	search, account := p.Route.Arg(searchArg), p.Route.Arg(onlyArg)
	if search == "" && account == "" {
		return all
	}
	var rows []control.Recorded
	for _, r := range all {
		if (account == "" || r.Account == account) && inspect.Matches(r, search) {
			rows = append(rows, r)
		}
	}
	return rows
}
