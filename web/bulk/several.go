package bulk

import (
	"context"
	"sync"
	"sync/atomic"
)

// parallel is how many requests are under way at once. More gain nothing: one
// worker answers them.
const parallel = 4

// Several calls f with the numbers from 0 to n-1, a few calls at once, and returns how
// many it has begun: fewer than n if ctx is done by then, or f has returned false.
func Several(ctx context.Context, n int, f func(i int) (more bool)) (begun int) {
	return several(ctx, n, parallel, f)
}

func several(ctx context.Context, n, parallel int, f func(i int) bool) int {
	var mu sync.Mutex // guards begun
	var ended atomic.Bool
	begun := 0
	next := func() (i int, ok bool) {
		mu.Lock()
		defer mu.Unlock()
		if begun == n || ended.Load() || ctx.Err() != nil {
			return 0, false
		}
		begun++
		return begun - 1, true
	}
	var workers sync.WaitGroup
	for range parallel {
		workers.Go(func() {
			for i, ok := next(); ok; i, ok = next() {
				if !f(i) {
					ended.Store(true)
				}
			}
		})
	}
	workers.Wait()
	return begun
}
