package page

import (
	"net/url"
	"strconv"
	"strings"
)

// NamedStore is the store that the address of the page names, "" for the usual one.
// The explorer of an embedding site can show several; all links stay in one.
// It is set once, before anything is drawn.
var NamedStore string

// EmbeddedEnv is set where the page is the explorer of an embedding site: it
// shows the tables of that site, and teaches nothing.
const EmbeddedEnv = "SANDTABLE_EMBEDDED"

// The names in an address that are not arguments of a page.
var reserved = map[string]bool{"account": true, "table": true, "page": true, "store": true}

// RouteOf reads the route from an address. It ignores what it cannot read, so
// that no link can keep the page from opening.
func RouteOf(u *url.URL) Route {
	q := u.Query()
	r := Route{Account: q.Get("account"), Page: q.Get("page")}
	if r.Account != "" {
		r.Table = q.Get("table")
	}
	args := url.Values{}
	for name, values := range q {
		if !reserved[name] && values[0] != "" {
			args.Set(name, values[0])
		}
	}
	r.Args = args.Encode()
	return r
}

// Arg returns an argument of the page, "" if there is none.
func (r Route) Arg(name string) string {
	values, _ := url.ParseQuery(r.Args)
	return values.Get(name)
}

// Has reports whether there is an argument, which may be empty.
func (r Route) Has(name string) bool {
	values, _ := url.ParseQuery(r.Args)
	return values.Has(name)
}

// With returns the route with an argument of the page changed; "" removes it.
func (r Route) With(name, value string) Route {
	values, _ := url.ParseQuery(r.Args)
	values.Del(name)
	if value != "" {
		values.Set(name, value)
	}
	r.Args = values.Encode()
	return r
}

// At returns the route of another page in the same account and table.
func (r Route) At(name string) Route { return Route{Account: r.Account, Table: r.Table, Page: name} }

// RequestRoute returns where a recorded request is shown.
func RequestRoute(id uint64) Route {
	return Route{Page: "requests"}.With("id", strconv.FormatUint(id, 10))
}

// Query returns the route as the query of an address.
func (r Route) Query() string {
	var all []string
	for _, part := range [][2]string{{"account", r.Account}, {"table", r.Table}, {"page", r.Page}, {"store", NamedStore}} {
		if part[1] != "" {
			all = append(all, part[0]+"="+url.QueryEscape(part[1]))
		}
	}
	if r.Args != "" {
		all = append(all, r.Args)
	}
	return strings.Join(all, "&")
}

// Href returns the route as a link. A static host knows one path only, so all
// of it is in the query.
func (r Route) Href() string { return "?" + r.Query() }

// On returns the address u with this route in its query.
func (r Route) On(u *url.URL) *url.URL {
	there := *u
	there.RawQuery, there.Fragment = r.Query(), ""
	return &there
}

// Place returns the account or the table that the route is about, without a page. Table
// names ignore case.
func (r Route) Place() Route {
	return Route{Account: r.Account, Table: strings.ToLower(r.Table)}
}

// SameTable reports whether two routes are in one table. Table names ignore case.
func (r Route) SameTable(other Route) bool {
	return r.Account == other.Account && strings.EqualFold(r.Table, other.Table)
}

// SamePage reports whether two routes differ in arguments at most.
func (r Route) SamePage(other Route) bool { return r.Page == other.Page && r.SameTable(other) }

// Scope is what the route is about.
func (r Route) Scope() Scope {
	switch {
	case r.Account == "":
		return Store
	case r.Table == "":
		return Account
	}
	return Table
}
