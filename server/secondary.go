package server

import (
	"context"
	"sync"
	"time"

	"sandtable/odata"
)

// secondaries are the states that secondary endpoints show while faults make them
// stale, by account.
type secondaries struct {
	mu       sync.Mutex
	accounts map[string]*pinnedState
}

// pinnedState is a state of a store in this process. Views that are running when it is
// unpinned end as usual.
type pinnedState struct {
	view  func(scope *Scope, f func(Tx) error) error
	unpin func()
}

// pinner is a [Store] that can keep a state readable. At is what its
// transactions return as Now.
type pinner interface {
	pin(at odata.DateTime) *pinnedState
}

// PinSecondary makes the present state the one that the secondary endpoint of an
// account shows to requests that a fault makes stale. It reports false for a
// store that cannot keep one.
func (h *Handler) PinSecondary(account string) bool {
	store, ok := h.store.(pinner)
	if !ok {
		return false
	}
	s := &h.secondaries
	s.mu.Lock()
	defer s.mu.Unlock()
	if before := s.accounts[account]; before != nil {
		before.unpin()
	}
	if s.accounts == nil {
		s.accounts = map[string]*pinnedState{}
	}
	s.accounts[account] = store.pin(odata.DateTimeOf(h.options.Now().Truncate(time.Second)))
	return true
}

// UnpinSecondary lets go of the state of an account's secondary endpoint, and
// reports whether there was one.
func (h *Handler) UnpinSecondary(account string) bool {
	s := &h.secondaries
	s.mu.Lock()
	defer s.mu.Unlock()
	state := s.accounts[account]
	if state != nil {
		state.unpin()
		delete(s.accounts, account)
	}
	return state != nil
}

// UnpinSecondaries lets go of the states of all accounts.
func (h *Handler) UnpinSecondaries() {
	s := &h.secondaries
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, state := range s.accounts {
		state.unpin()
	}
	clear(s.accounts)
}

// SecondaryPinned reports whether [Handler.PinSecondary] was called for an account.
func (h *Handler) SecondaryPinned(account string) bool {
	s := &h.secondaries
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.accounts[account] != nil
}

// view reads the store, or the state of a stale secondary. A view that has begun
// survives unpin, so the lock is held only until then.
func (x *exchange) view(ctx context.Context, scope *Scope, f func(Tx) error) error {
	if x.fault().Stale {
		s := &x.secondaries
		s.mu.Lock()
		unlock := sync.OnceFunc(s.mu.Unlock)
		defer unlock()
		if state := s.accounts[scope.Account]; state != nil {
			return state.view(scope, func(tx Tx) error {
				unlock()
				return f(tx)
			})
		}
		unlock()
	}
	return x.store.View(ctx, scope, f)
}
