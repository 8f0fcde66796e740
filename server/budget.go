package server

import "sync/atomic"

// bodyBudget bounds the bytes of all request bodies in memory.
type bodyBudget struct {
	limit int64
	used  atomic.Int64
}

// reserve takes n bytes, or reports false if the budget lacks them.
func (b *bodyBudget) reserve(n int64) bool {
	if b.used.Add(n) > b.limit {
		b.used.Add(-n)
		return false
	}
	return true
}
