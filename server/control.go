package server

import (
	"errors"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sandtable/engine"
	"sandtable/engine/archive"
	"sandtable/odata"
	"sandtable/server/auth"
	"sandtable/server/message"
)

// The control API is Sandtable's own: docs/control.md is its contract. Its
// bodies are small JSON documents, written without encoding/json: in a worker
// that package alone is a twentieth of what is downloaded.

const controlPrefix = "/_sandtable/"

// controlCall is a request of the control API on its way.
type controlCall struct {
	*Handler
	http   *message.Request
	writer message.ResponseWriter
	query  url.Values
	name   string // what stands for the star in the action's path
}

// controlAction is one thing that the control API does.
type controlAction struct {
	method string
	path   string // behind the prefix; a star is any one segment
	query  string // the members that the query may have beside the token, with commas between
	// run returns a status and a document, nil for none. One that has written
	// the answer itself returns the status 0.
	run func(*controlCall) (status int, document []byte, err error)
}

var controlActions = []controlAction{
	{message.MethodGet, "status", "", (*controlCall).status},
	{message.MethodGet, "accounts", "", (*controlCall).accounts},
	{message.MethodPost, "accounts", "", (*controlCall).createAccount},
	{message.MethodGet, "accounts/*", "", (*controlCall).account},
	{message.MethodPatch, "accounts/*", "", (*controlCall).changeAccount},
	{message.MethodDelete, "accounts/*", "", (*controlCall).deleteAccount},
	{message.MethodGet, "accounts/*/connection", "", (*controlCall).connection},
	{message.MethodPost, "accounts/*/sas", "", (*controlCall).issueSAS},
	{message.MethodGet, "settings", "", (*controlCall).settings},
	{message.MethodPatch, "settings", "", (*controlCall).changeSettings},
	{message.MethodGet, "dump", "account", (*controlCall).dump},
	{message.MethodPost, "load", "account,piece,last", (*controlCall).load},
	{message.MethodPost, "reset", "", (*controlCall).reset},
	{message.MethodPost, "verify", "", (*controlCall).verify},
	{message.MethodPost, "compact", "", (*controlCall).compact},
	{message.MethodGet, "requests", "after,limit", (*controlCall).requests},
	{message.MethodGet, "requests/*", "", (*controlCall).request},
	{message.MethodGet, "events", "after", (*controlCall).events},
}

// controlError is a request of the control API refused.
type controlError struct {
	status  int
	code    string
	message string
	allow   string // for status 405
}

func (e *controlError) Error() string { return e.message }

var (
	errAccountName  = &controlError{400, "AccountNameInvalid", "An account has a name of 3 to 24 lower-case letters and digits.", ""}
	errAccountTaken = &controlError{409, "AccountAlreadyExists", "There is an account of this name already.", ""}
	errNoControl    = &controlError{404, "ResourceNotFound", "There is nothing at this address.", ""}
	errNoAccountHas = &controlError{404, "ResourceNotFound", "There is no account of this name.", ""}
)

var errNoKey = &controlError{409, "NoKey", "The account does not have the key to sign with.", ""}

// invalidInput is a request whose parts are not what they have to be.
func invalidInput(message string) *controlError {
	return &controlError{400, "InvalidInput", message, ""}
}

// isControl reports whether a request is for the control API. On a page's origin
// it is not on the hosts of the service: who asks those means the cloud's.
// Elsewhere admit says which hosts it is for.
func (h *Handler) isControl(r *message.Request) bool {
	if !h.options.Control || !strings.HasPrefix(r.URL.Path, controlPrefix) {
		return false
	}
	_, service := serviceLabel(r.Host)
	return !service || !h.sameOrigin()
}

func (h *Handler) serveControl(w message.ResponseWriter, r *message.Request) {
	c := &controlCall{Handler: h, http: r, writer: w}
	w.Header().Set("Cache-Control", "no-store")
	status, document, err := c.answer()
	if err != nil {
		known := describeControl(err)
		if known.allow != "" {
			w.Header().Set("Allow", known.allow)
		}
		if known.status == message.StatusUnauthorized {
			w.Header().Set("Www-Authenticate", `Bearer realm="sandtable"`)
		}
		status, document = known.status, known.document()
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
		_, _ = w.Write(document) // the caller is gone, if this fails
	}
}

func (c *controlCall) answer() (status int, document []byte, err error) {
	if err := c.admit(c.http); err != nil {
		return 0, nil, err
	}
	if c.query, err = parseQuery(c.http.URL.RawQuery); err != nil {
		return 0, nil, invalidInput("The query of the address is malformed.")
	}
	var allowed []string
	path := strings.TrimPrefix(c.http.URL.Path, controlPrefix)
	for i := range controlActions {
		action := &controlActions[i]
		name, ok := matchPath(action.path, path)
		switch {
		case !ok:
		case action.method == c.http.Method:
			c.name = name
			if err := action.checkQuery(c.query); err != nil {
				return 0, nil, err
			}
			return action.run(c)
		default:
			allowed = append(allowed, action.method)
		}
	}
	if allowed == nil {
		return 0, nil, errNoControl
	}
	slices.Sort(allowed)
	return 0, nil, &controlError{405, "UnsupportedHttpVerb", "The address does not take this method.", strings.Join(allowed, ", ")}
}

// checkQuery refuses a query with a member that the action does not know. It
// would be done otherwise as if the member did not stand there: more than was
// meant, perhaps, such as all accounts where one was named.
func (a *controlAction) checkQuery(query url.Values) error {
	known := []string{"token"} // see admit
	if a.query != "" {
		known = append(strings.Split(a.query, ","), known...)
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		switch {
		case !slices.Contains(known, name):
			return invalidInput("The query has " + strconv.Quote(name) + ", and here it can have no more than " + strings.Join(known, ", ") + ".")
		case len(query[name]) > 1:
			return invalidInput("The query has " + name + " more than once.")
		}
	}
	return nil
}

// queryAccount reads the name of an account in the query, "" where there is none.
func (c *controlCall) queryAccount() (string, error) {
	name := c.query.Get("account")
	if c.query.Has("account") && !odata.CheckAccountName(name) {
		return "", errAccountName
	}
	return name, nil
}

// matchPath reports whether a path is one of a pattern, and what stands for
// the pattern's star.
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

// view answers from a view of the database.
func (c *controlCall) view(document func(*engine.Tx) ([]byte, error)) (status int, d []byte, err error) {
	err = c.db.View(func(tx *engine.Tx) (err error) {
		d, err = document(tx)
		return err
	})
	return message.StatusOK, d, err
}

// describeControl returns the words of the control API for an error.
func describeControl(err error) *controlError {
	known := &controlError{}
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, engine.ErrAccountNotFound):
		return errNoAccountHas
	case errors.Is(err, auth.ErrSAS):
		return invalidInput(err.Error() + ".")
	case errors.Is(err, archive.ErrPlace):
		return invalidInput("The piece does not go on where an earlier one ended.")
	}
	s := describe(err)
	return &controlError{s.status, s.code, s.message, ""}
}

func (e *controlError) document() []byte {
	var details, o object
	details.string("code", e.code)
	details.string("message", e.message)
	o.object("error", details)
	return o.end()
}
