package lesson

import (
	"fmt"
	"slices"

	"sandtable/web/control"
)

// The limits of faults, which are the endpoint's: with others no run could start.
// TestLessonsFaults in server/cmd/sandtable compares both.
const (
	maxSeed  = 1 << 53
	maxCount = 1e9    // of a rule, also between two hits and entities per second
	maxDelay = 30_000 // milliseconds
)

// FaultRule is a rule of faults in which 0 differs from a missing member: the endpoint
// refuses 0, and takes a missing one as every request.
type FaultRule struct {
	control.FaultRule
	Share *float64 `json:"share"`
	Every *int     `json:"every"`
	Hits  *int     `json:"hits"`
}

// Rule returns the rule as the endpoint takes it.
func (f FaultRule) Rule() control.FaultRule {
	r := f.FaultRule
	r.On, r.Share, r.Every, r.Hits = true, orZero(f.Share), orZero(f.Every), orZero(f.Hits)
	return r
}

func orZero[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// problems returns what the endpoint would refuse.
func (f *Faults) problems() (all []string) {
	if f.Seed > maxSeed {
		all = append(all, fmt.Sprintf("the seed is above %d", uint64(maxSeed)))
	}
	for i, r := range f.Rules {
		if problem := r.problem(); problem != "" {
			all = append(all, fmt.Sprintf("rule %d of faults: %s", i+1, problem))
		}
	}
	return all
}

// problem says why the endpoint would refuse a rule, "" if it would not.
func (f FaultRule) problem() string {
	r := f.Rule()
	latency, throttle := r.Effect == control.FaultLatency, r.Effect == control.FaultThrottle
	switch {
	case !slices.Contains(control.FaultEffects, r.Effect):
		return fmt.Sprintf("there is no effect %q", r.Effect)
	case r.Operation != "" && !slices.Contains(control.FaultOperations, r.Operation):
		return fmt.Sprintf("there is no operation %q", r.Operation)
	case len(r.Table) > 64:
		return "the table's name is too long"
	case f.Every != nil && r.Every < 1 || r.Every > maxCount:
		return "every is a whole number from 1 to 1,000,000,000"
	case f.Share != nil && r.Share <= 0 || r.Share > 1:
		return "share is above 0 and at most 1"
	case f.Hits != nil && r.Hits < 1 || r.Hits > maxCount:
		return "hits is a whole number from 1 to 1,000,000,000"
	case throttle && (r.Every != 0 || r.Share != 0):
		return "a throttle has entitiesPerSecond, and neither share nor every"
	case r.Every != 0 && r.Share != 0:
		return "a rule has either share or every"
	case throttle && !(r.Rate > 0 && r.Rate <= maxCount):
		return "entitiesPerSecond is above 0 and at most 1,000,000,000"
	case throttle && !slices.Contains([]string{"", "partition", "account"}, r.Per):
		return fmt.Sprintf("per is partition or account, not %q", r.Per)
	case !throttle && (r.Rate != 0 || r.Per != ""):
		return "entitiesPerSecond and per are for throttle"
	case latency && (r.Median <= 0 || r.P99 != 0 && r.P99 < r.Median || max(r.Median, r.P99) > maxDelay):
		return "median is above 0, and p99 at least the median and at most 30,000 milliseconds"
	case !latency && (r.Median != 0 || r.P99 != 0):
		return "median and p99 are for latency"
	}
	return ""
}
