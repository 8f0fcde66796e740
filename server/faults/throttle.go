package faults

import (
	"strings"
	"time"
)

// maxBuckets is how many partitions a throttle remembers.
const maxBuckets = 10_000

// throttle lets a number of entities a second pass, by a token bucket that holds
// those of one second, in each partition or in the account. A request that takes
// more than are there is refused; a transaction larger than the bucket passes when
// it is full, and what follows waits for longer.
type throttle struct {
	buckets map[string]*bucket
}

type bucket struct {
	tokens float64
	filled time.Time // when tokens was right
}

// at returns the bucket of a request, filled up to now. It is nil for a request
// that is about no partition, which a throttle of partitions lets pass.
func (t *throttle) at(r *Rule, q *Request, now time.Time) *bucket {
	key := ""
	if r.PerPartition {
		if !q.InPartition {
			return nil
		}
		key = strings.ToLower(q.Table) + "\x00" + q.Partition
	}
	b := t.buckets[key]
	if b == nil {
		if t.buckets == nil {
			t.buckets = map[string]*bucket{}
		}
		t.evict(r, now)
		b = &bucket{tokens: capacity(r), filled: now}
		t.buckets[strings.Clone(key)] = b
	}
	b.fill(r, now)
	return b
}

func (b *bucket) fill(r *Rule, now time.Time) {
	if passed := now.Sub(b.filled); passed > 0 {
		b.tokens = min(capacity(r), b.tokens+passed.Seconds()*r.Rate)
	}
	b.filled = now
}

// capacity is at least 1: otherwise a rate below one a second would let nothing pass.
func capacity(r *Rule) float64 { return max(1, r.Rate) }

// take reports whether a request of n entities passes.
func (b *bucket) take(r *Rule, n float64) bool {
	if b.tokens < min(n, capacity(r)) {
		return false
	}
	b.tokens -= n
	return true
}

// evict forgets partitions once there are too many: first those whose bucket is
// full again, which changes nothing.
func (t *throttle) evict(r *Rule, now time.Time) {
	if len(t.buckets) < maxBuckets {
		return
	}
	for key, b := range t.buckets {
		if b.fill(r, now); b.tokens == capacity(r) {
			delete(t.buckets, key)
		}
	}
	if len(t.buckets) >= maxBuckets {
		clear(t.buckets)
	}
}
