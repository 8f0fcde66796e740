package server

import (
	"context"
	"fmt"
	"slices"

	"sandtable/engine"
	"sandtable/server/auth"
	"sandtable/server/faults"
)

// Mutation changes one constant of the handler's responses.
type Mutation struct {
	Name        string
	Apply, Undo func()
}

// elsewhere lists errors that no request to one http endpoint with a sound store can
// cause: our own faults, other accounts, secondary endpoints, and bearer tokens,
// which need https. They have tests of their own.
var elsewhere = []error{
	engine.ErrAccountNotFound, errNoAccount, errSecondaryWrite, errBusy, ErrBodyUnreadable, ErrUnavailable, ErrOutcomeUnknown,
	engine.ErrReading, engine.ErrClosed, engine.ErrStorage, auth.ErrBearerRefused, auth.ErrNotByBearer,
}

// ErrorMutations returns mutations of every service error, one for each of its
// status, code, message and phase.
func ErrorMutations() []Mutation {
	var all []Mutation
	for i := range serviceErrors {
		e := &serviceErrors[i]
		if slices.Contains(elsewhere, e.err) {
			continue
		}
		original := *e
		add := func(what string, apply func()) {
			all = append(all, Mutation{fmt.Sprintf("%s of %q", what, e.err), apply, func() { *e = original }})
		}
		add("status", func() { e.status++ })
		if e.code == "" {
			continue // refused below HTTP's layers, without a body
		}
		add("code", func() { e.code += "X" })
		add("message", func() { e.message += "." })
		add("phase", func() {
			if e.phase = executing; original.phase == executing {
				e.phase = parsing
			}
		})
	}
	return all
}

// ViewStale reads what a request to an account that a fault makes stale does.
func (h *Handler) ViewStale(account string, f func(Tx) error) error {
	x := &exchange{Handler: h, injection: &injection{decision: faults.Decision{Stale: true}}}
	return x.view(context.Background(), &Scope{Account: account}, f)
}

// MaxBlocked is how many names are blocked at most.
const MaxBlocked = maxBlocked

// BlockedNames returns how many names of deleted tables are remembered.
func (h *Handler) BlockedNames() int { return len(h.deleted.until) }

// BlockNames blocks some names in an account, as if tables with them had been deleted.
func (h *Handler) BlockNames(account string, count int) {
	for i := range count {
		h.deleted.until[deletionKey(account, fmt.Sprintf("t%d", i))] = h.options.Now().Add(h.deleted.delay)
	}
}
