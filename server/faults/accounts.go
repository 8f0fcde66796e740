package faults

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// MaxAccounts is how many accounts may have rules at a time.
const MaxAccounts = 1000

// ErrTooMany means that too many accounts have rules.
var ErrTooMany = errors.New("too many accounts have faults")

// Accounts has the rules of all accounts. It is safe for concurrent use, and
// without rules a look-up costs one atomic load.
type Accounts struct {
	used     atomic.Bool // whether any account has rules
	mu       sync.RWMutex
	accounts map[string]*Account
}

// Find returns the rules of an account, nil if it has none. A nil Accounts has
// none either.
func (a *Accounts) Find(name string) *Account {
	if a == nil || !a.used.Load() {
		return nil
	}
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.accounts[name]
}

// Used reports whether any account has rules. It costs one atomic load.
func (a *Accounts) Used() bool { return a.used.Load() }

// Names returns the accounts that have rules, in no order.
func (a *Accounts) Names() []string {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return slices.Collect(maps.Keys(a.accounts))
}

// Set replaces the rules of an account; State.Counts is ignored. With keep, rules
// that stay keep their counts; otherwise all counts restart.
func (a *Accounts) Set(name string, s State, keep bool) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	account := a.accounts[name]
	if account == nil {
		if len(a.accounts) >= MaxAccounts {
			return ErrTooMany
		}
		if a.accounts == nil {
			a.accounts = map[string]*Account{}
		}
		account = new(Account)
		a.accounts[name] = account
	}
	account.set(s, keep)
	a.used.Store(true)
	return nil
}

// Clear forgets the rules of an account, and reports whether it had any.
func (a *Accounts) Clear(name string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, had := a.accounts[name]
	delete(a.accounts, name)
	a.used.Store(len(a.accounts) > 0)
	return had
}

// ClearAll forgets all rules.
func (a *Accounts) ClearAll() {
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.accounts)
	a.used.Store(false)
}
