package faults

import (
	"slices"
	"sync"
	"time"
)

// Account has the rules of one account and counts what they did. It is safe for
// concurrent use.
type Account struct {
	mu       sync.Mutex
	on       bool
	seed     uint64
	rules    []counted
	requests uint64
	failed   uint64
}

type counted struct {
	Rule
	Counts
	throttle throttle
	ended    time.Time // when Rule.MaxHits was reached
}

// Counts is how many requests a rule was about, and how many of them it failed
// or delayed. One that an earlier rule failed already is not a hit.
type Counts struct{ Seen, Hit uint64 }

// Decision is what happens to a request.
type Decision struct {
	// Rule is the number of the rule that fails the request or, if none does, of the
	// first that does something else to it; 0 if it passes untouched. The first rule
	// is 1.
	Rule   int
	Effect Effect
	Delay  time.Duration // before anything else
	Stale  bool          // the answer is that of an older state
}

// Fails reports whether the caller does not get the answer.
func (d Decision) Fails() bool { return d.Rule > 0 && d.Effect.fails() }

func (e Effect) fails() bool { return e != Latency && e != StaleSecondary }

// Decide tries the rules from the first to the last. The first that fails the
// request decides; delays add up.
func (a *Account) Decide(q *Request, now time.Time) (d Decision) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.on {
		return d
	}
	a.requests++
	for i := range a.rules {
		r := &a.rules[i]
		if !r.matches(q, now) || r.MaxHits > 0 && r.Hit >= uint64(r.MaxHits) {
			continue
		}
		r.Seen++
		if d.Fails() && r.Effect != Latency || !r.chooses(a.seed, i+1, q, now) {
			continue
		}
		r.Hit++
		if r.Hit == uint64(r.MaxHits) {
			r.ended = now
		}
		if r.Effect == Latency {
			u, angle := number(a.seed, i+1, r.Seen, toDelay), number(a.seed, i+1, r.Seen, toDelayAngle)
			d.Delay = min(MaxDelay, d.Delay+delay(r.Median, r.P99, u, angle))
		}
		d.Stale = d.Stale || r.Effect == StaleSecondary
		if d.Rule == 0 || r.Effect.fails() {
			d.Rule, d.Effect = i+1, r.Effect
		}
	}
	if d.Fails() {
		a.failed++
	}
	return d
}

// chooses reports whether a rule hits the request that it has just seen.
func (r *counted) chooses(seed uint64, place int, q *Request, now time.Time) bool {
	switch {
	case r.Effect == Throttle:
		b := r.throttle.at(&r.Rule, q, now)
		return b != nil && !b.take(&r.Rule, float64(max(1, q.Entities)))
	case r.Every > 0:
		return r.Seen%uint64(r.Every) == 0
	}
	return number(seed, place, r.Seen, toHit) < r.Share
}

// Charge counts entities against throttles that were not known when they
// decided: those that a query has returned.
func (a *Account) Charge(q *Request, entities int, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.on || entities <= 0 {
		return
	}
	for i := range a.rules {
		r := &a.rules[i]
		if r.Effect == Throttle && r.matches(q, now) {
			if b := r.throttle.at(&r.Rule, q, now); b != nil {
				b.tokens -= float64(entities)
			}
		}
	}
}

// staleGrace is how long a request that a rule made stale may take until it reads, at
// most: it may be delayed, too.
const staleGrace = 2 * MaxDelay

// Stale reports whether a rule that is on makes the secondary endpoint stale, or did so a
// minute ago, before it reached its limit.
func (a *Account) Stale(now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.on && slices.ContainsFunc(a.rules, func(r counted) bool {
		over := func(end time.Time) bool { return !end.IsZero() && !now.Before(end.Add(staleGrace)) }
		return r.On && r.Effect == StaleSecondary && !over(r.Until) && !over(r.ended)
	})
}

// State is a copy of an account's rules and counts.
type State struct {
	On       bool
	Seed     uint64
	Rules    []Rule
	Counts   []Counts // of each rule
	Requests uint64   // while the rules were on
	Failed   uint64
}

// State returns what there is now.
func (a *Account) State() State {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := State{On: a.on, Seed: a.seed, Requests: a.requests, Failed: a.failed}
	for i := range a.rules {
		s.Rules = append(s.Rules, a.rules[i].Rule)
		s.Counts = append(s.Counts, a.rules[i].Counts)
	}
	return s
}

// set replaces the rules. With keep, rules that were there before, switched on or
// off, keep their counts; otherwise all counts restart.
func (a *Account) set(s State, keep bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	before := a.rules
	a.on, a.seed, a.rules = s.On, s.Seed, make([]counted, len(s.Rules))
	for i, rule := range s.Rules {
		a.rules[i].Rule = rule
		if !keep {
			continue
		}
		for j := range before {
			if before[j].Operation != "" && same(before[j].Rule, rule) {
				a.rules[i].Counts, a.rules[i].throttle, a.rules[i].ended = before[j].Counts, before[j].throttle, before[j].ended
				before[j].Rule = Rule{} // each is kept once
				break
			}
		}
	}
	if !keep {
		a.requests, a.failed = 0, 0
	}
}

// same reports whether two rules differ in nothing but their switch.
func same(a, b Rule) bool {
	a.On = b.On
	return a == b
}

// Switch turns all rules on or off. They keep their counts.
func (a *Account) Switch(on bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.on = on
}

// Reset restarts the counts: the same requests then meet the same faults.
func (a *Account) Reset() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.requests, a.failed = 0, 0
	for i := range a.rules {
		a.rules[i].Counts, a.rules[i].throttle, a.rules[i].ended = Counts{}, throttle{}, time.Time{}
	}
}
