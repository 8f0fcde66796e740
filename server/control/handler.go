package control

import (
	"context"
	"strings"
	"time"

	"sandtable/engine"
	"sandtable/server"
	"sandtable/server/control/journal"
	"sandtable/server/faults"
	"sandtable/server/message"
)

// Options say where a [Handler] runs.
type Options struct {
	// Token protects the control API of a handler behind a network address:
	// requests must present it and name this machine as their host. A handler
	// without a token must be reachable by its own page alone, whose origin it
	// shares: the control API hands out signatures.
	Token string
	// AnyHost lets requests with the token name any host: for a server that other
	// machines reach by names that it does not know.
	AnyHost bool
	// Folder is the escaped path of the folder that holds the page whose origin the
	// handler shares, such as "/folder"; "" for the root.
	Folder string
	// Build, Store and Durability are reported in the status. Durability is also
	// the setting's first value.
	Build      string
	Store      string
	Durability engine.Durability
	// RecordBodies is the first value of the setting: whether recent requests are
	// kept with their bodies.
	RecordBodies bool
	// SetDurability changes the durability of later writes; nil if there is no
	// choice.
	SetDurability func(engine.Durability) error
	// Overrides are names of settings, such as "durability", that were chosen for
	// this start: the value kept with the store is ignored until it is changed.
	Overrides []string
	// Accounts are those that a reset of everything leaves; nil for all that there are.
	Accounts []engine.Account
	// StrictAccounts makes new accounts strict if the request does not say.
	StrictAccounts bool
	// Space reports the space for the data; nil if nobody knows.
	Space func(context.Context) Space
	// EventTime limits how long a response of events lasts; 0 is no limit. A
	// browser keeps a worker alive for as long as a response lasts.
	EventTime time.Duration
}

// Handler answers the control API and the Table service. It is safe for
// concurrent use.
type Handler struct {
	db      *engine.DB
	service *server.Handler
	options Options
	now     func() time.Time // the service's clock, see clock.go
	clock   *clock
	current currentSettings
	journal *journal.Ring
	feed    *feed
	faults  *faults.Accounts
	pins    pins
	root    string // the control API's path
}

// New returns a handler over a database. It creates the handler of the service
// itself, whose requests it observes and whose options the settings change.
func New(db *engine.DB, service server.Options, options Options) *Handler {
	if service.Now == nil {
		service.Now = time.Now
	}
	clock := &clock{real: service.Now}
	service.Now = clock.now
	h := &Handler{
		db: db, options: options, now: service.Now, clock: clock, journal: journal.NewRing(journal.DefaultLimits), feed: newFeed(db),
		faults: new(faults.Accounts),
		root:   rootIn(options.Folder),
	}
	service.Faults = h.faults
	if options.Token == "" {
		service.SameOrigin = options.Folder + "/table"
	}
	service.Observers = append([]server.Observer{h}, service.Observers...)
	h.service = server.New(db, service)
	h.beginSettings(service)
	return h
}

// Serve answers one request.
func (h *Handler) Serve(w message.ResponseWriter, r *message.Request) {
	h.unpinEnded()
	if h.isControl(r) {
		h.serveControl(w, r)
		return
	}
	h.service.Serve(w, r)
}

// isControl reports whether a request is for the control API. On a page's
// origin the hosts of the service do not have it: they stand for the cloud's.
// Elsewhere admit decides which hosts may be named.
func (h *Handler) isControl(r *message.Request) bool {
	if !strings.HasPrefix(r.URL.Path, h.root) {
		return false
	}
	return h.options.Token != "" || !server.IsServiceHost(r.Host)
}

// Close ends subscriptions and responses of events. Call it when no more
// requests come.
func (h *Handler) Close() { h.feed.close() }
