package web

import (
	"net/url"
	"strings"
)

// Place is where somebody is on the page: what a link carries, and what going
// back and reloading come back to.
type Place struct {
	Account string
	Table   string // "" for none
	Filter  string // $filter as it was written
	Select  string // $select as it was written
}

// PlaceOf reads the place from an address. What it does not know it passes
// over, so that no link can keep the page from opening.
func PlaceOf(u *url.URL) Place {
	q := u.Query()
	p := Place{Account: q.Get("account"), Table: q.Get("table"), Filter: q.Get("filter"), Select: q.Get("select")}
	if p.Account == "" {
		return Place{}
	}
	if p.Table == "" {
		return Place{Account: p.Account}
	}
	return p
}

// Query returns the place as the query of an address.
func (p Place) Query() string {
	var all []string
	for _, part := range [][2]string{{"account", p.Account}, {"table", p.Table}, {"filter", p.Filter}, {"select", p.Select}} {
		if part[1] != "" {
			all = append(all, part[0]+"="+url.QueryEscape(part[1]))
		}
	}
	return strings.Join(all, "&")
}

// On returns the address u with this place in its query.
func (p Place) On(u *url.URL) *url.URL {
	there := *u
	there.RawQuery, there.Fragment = p.Query(), ""
	return &there
}

// sameTable reports whether two places are in one table, whatever they ask of it.
func (p Place) sameTable(other Place) bool {
	return p.Account == other.Account && strings.EqualFold(p.Table, other.Table)
}
