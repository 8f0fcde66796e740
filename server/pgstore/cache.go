package pgstore

import (
	"errors"
	"strings"
	"sync"
	"time"

	"sandtable/engine"
)

// cache keeps accounts and access policies for a bounded time. A change by this
// server counts at once, one by another server when the entry is too old. That an
// account does not exist is cached, too: every request to a host of one's own, such as
// tables.example.com, looks for an account of that name.
type cache struct {
	age time.Duration

	mu       sync.Mutex
	changes  int // counts invalidations
	accounts map[string]entry[engine.Account]
	policies map[string]entry[string]
}

type entry[T any] struct {
	value T
	err   error // nil or engine.ErrAccountNotFound
	until time.Time
}

// maxCached bounds each of the two maps.
const maxCached = 10_000

func policyKey(account, table string) string { return account + "/" + strings.ToLower(table) }

// cached returns the value of a key, from the cache or from read.
func cached[T any](c *cache, all *map[string]entry[T], key string, read func() (T, error)) (T, error) {
	now := time.Now()
	c.mu.Lock()
	found, ok := (*all)[key]
	changes := c.changes
	c.mu.Unlock()
	if ok && now.Before(found.until) {
		return found.value, found.err
	}
	value, err := read()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil && !errors.Is(err, engine.ErrAccountNotFound) {
		delete(*all, key)
		return value, err
	}
	if c.age <= 0 || changes != c.changes {
		return value, err // it may be older than the change
	}
	if *all == nil || len(*all) >= maxCached {
		*all = map[string]entry[T]{}
	}
	// Cloned, because the name of an account shares its memory with a request's line.
	(*all)[strings.Clone(key)] = entry[T]{value, err, now.Add(c.age)}
	return value, err
}

// clear forgets everything: a change of the catalog is rare.
func (c *cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes++
	c.accounts, c.policies = nil, nil
}
