package server

import (
	"fmt"
	"slices"

	"sandtable/engine"
	"sandtable/server/auth"
)

// Mutation is one change of a constant of what the handler answers.
type Mutation struct {
	Name        string
	Apply, Undo func()
}

// elsewhere are errors that no request to one http endpoint with a sound store
// can cause: faults of ours, other accounts, secondary endpoints, and bearer tokens, which
// https alone may carry. Tests of their own pin them.
var elsewhere = []error{
	engine.ErrAccountNotFound, errNoAccount, errSecondaryWrite, errBusy, ErrBodyUnreadable, ErrUnavailable, ErrOutcomeUnknown,
	engine.ErrReading, engine.ErrClosed, engine.ErrStorage, auth.ErrBearerRefused, auth.ErrNotByBearer,
}

// ErrorMutations returns the mutations of all service errors: their status,
// code, message and phase, one at a time.
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

// OverEngine returns the store that [New] makes.
func OverEngine(db *engine.DB) Store { return engineStore{db} }
