package control

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sandtable/server/message"
)

// rootIn returns the control API's path for a page in a folder.
func rootIn(folder string) string {
	if decoded, err := url.PathUnescape(folder); err == nil {
		folder = decoded
	}
	return folder + "/_sandtable/"
}

// route is one method of one path.
type route struct {
	method string
	path   string // below the root; a star matches any one segment
	query  string // allowed query parameters besides the token, comma-separated
	// run returns a status and a document, nil for an empty body. It returns
	// status 0 if it has written the response itself.
	run func(*call) (status int, document []byte, err error)
}

var routes = []route{
	{message.MethodGet, "status", "", (*call).status},
	{message.MethodGet, "accounts", "", (*call).listAccounts},
	{message.MethodPost, "accounts", "", (*call).createAccount},
	{message.MethodGet, "accounts/*", "", (*call).getAccount},
	{message.MethodPatch, "accounts/*", "", (*call).changeAccount},
	{message.MethodDelete, "accounts/*", "", (*call).deleteAccount},
	{message.MethodGet, "accounts/*/tables", "", (*call).listTables},
	{message.MethodGet, "accounts/*/partitions", "table,from,limit", (*call).listPartitions},
	{message.MethodGet, "accounts/*/connection", "", (*call).connection},
	{message.MethodPost, "accounts/*/sas", "", (*call).issueSAS},
	{message.MethodGet, "accounts/*/keys", "", (*call).listKeys},
	{message.MethodPost, "accounts/*/keys", "", (*call).regenerateKey},
	{message.MethodGet, "accounts/*/faults", "", (*call).getFaults},
	{message.MethodPut, "accounts/*/faults", "", (*call).setFaults},
	{message.MethodPatch, "accounts/*/faults", "", (*call).changeFaults},
	{message.MethodDelete, "accounts/*/faults", "", (*call).clearFaults},
	{message.MethodPost, "accounts/*/faults/reset", "", (*call).resetFaults},
	{message.MethodGet, "accounts/*/snapshots", "", (*call).listSnapshots},
	{message.MethodPost, "accounts/*/snapshots", "", (*call).takeSnapshot},
	{message.MethodPatch, "accounts/*/snapshots", "id", (*call).renameSnapshot},
	{message.MethodDelete, "accounts/*/snapshots", "id", (*call).deleteSnapshot},
	{message.MethodGet, "accounts/*/differences", "id,limit", (*call).compareSnapshot},
	{message.MethodPost, "accounts/*/restore", "", (*call).restoreSnapshot},
	{message.MethodGet, "settings", "", (*call).getSettings},
	{message.MethodPatch, "settings", "", (*call).changeSettings},
	{message.MethodGet, "clock", "", (*call).getClock},
	{message.MethodPost, "clock", "", (*call).setClock},
	{message.MethodGet, "dump", "account,snapshot", (*call).dump},
	{message.MethodPost, "load", "account,snapshot,chunk,last,settings", (*call).load},
	{message.MethodPost, "reset", "", (*call).reset},
	{message.MethodPost, "verify", "", (*call).verify},
	{message.MethodGet, "compact", "", (*call).mergeable},
	{message.MethodPost, "compact", "", (*call).compact},
	{message.MethodGet, "requests", "after,limit", (*call).listRequests},
	{message.MethodGet, "requests/*", "", (*call).getRequest},
	{message.MethodGet, "events", "after,changes,joined,values", (*call).readEvents},
}

func (h *Handler) serveControl(w message.ResponseWriter, r *message.Request) {
	c := &call{Handler: h, http: r, writer: w}
	w.Header().Set("Cache-Control", "no-store")
	status, document, err := c.run()
	if err != nil {
		e := describe(err)
		if e.allow != "" {
			w.Header().Set("Allow", e.allow)
		}
		if e.status == message.StatusUnauthorized {
			w.Header().Set("Www-Authenticate", `Bearer realm="sandtable"`)
		}
		status, document = e.status, e.document()
	}
	if status == 0 {
		return
	}
	if document != nil {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Content-Type-Options", "nosniff")
	}
	w.WriteHeader(status)
	if document != nil {
		_, _ = w.Write(document) // an error means that the client has gone
	}
}

// run admits the request, finds its route and runs it.
func (c *call) run() (status int, document []byte, err error) {
	if err := c.admit(c.http); err != nil {
		return 0, nil, err
	}
	if c.query, err = url.ParseQuery(c.http.URL.RawQuery); err != nil {
		return 0, nil, invalidInput("The query is malformed.")
	}
	var allowed []string
	path := strings.TrimPrefix(c.http.URL.Path, c.root)
	for i := range routes {
		r := &routes[i]
		name, ok := matchPath(r.path, path)
		switch {
		case !ok:
		case r.method == c.http.Method:
			c.name = name
			if err := r.checkQuery(c.query); err != nil {
				return 0, nil, err
			}
			return r.run(c)
		default:
			allowed = append(allowed, r.method)
		}
	}
	if allowed == nil {
		return 0, nil, errNotFound
	}
	slices.Sort(allowed)
	return 0, nil, &controlError{405, "UnsupportedHttpVerb", "The path does not support this method.", strings.Join(allowed, ", ")}
}

// checkQuery refuses unknown parameters. Ignoring one could do more than the
// sender meant: dump all accounts instead of a misspelt one, for instance.
func (r *route) checkQuery(query url.Values) error {
	known := []string{"token"} // see admit
	if r.query != "" {
		known = append(strings.Split(r.query, ","), known...)
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		switch {
		case !slices.Contains(known, name):
			return invalidInput("Unknown query parameter " + strconv.Quote(name) + "; known here: " + strings.Join(known, ", ") + ".")
		case len(query[name]) > 1:
			return invalidInput("The query has " + name + " more than once.")
		}
	}
	return nil
}

// matchPath reports whether a path matches a pattern, and returns the segment
// that the pattern's star matches.
func matchPath(pattern, path string) (name string, ok bool) {
	for {
		want, wantRest, wantMore := strings.Cut(pattern, "/")
		got, gotRest, gotMore := strings.Cut(path, "/")
		switch {
		case wantMore != gotMore || got == "":
			return "", false
		case want == "*":
			name = got
		case want != got:
			return "", false
		}
		if !wantMore {
			return name, true
		}
		pattern, path = wantRest, gotRest
	}
}
