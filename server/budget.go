package server

import "sync/atomic"

// budget bounds the bytes of all request bodies in memory, or of all replies.
type budget struct {
	limit int64
	used  atomic.Int64
}

// reserve takes n bytes, or reports false if the budget lacks them.
func (b *budget) reserve(n int64) bool {
	if b.used.Add(n) > b.limit {
		b.used.Add(-n)
		return false
	}
	return true
}

// smallReply is how large a reply to a read may be, in bytes, without a share of
// Options.ReplyMemory: a server full of clients that do not read still answers them.
const smallReply = 256 << 10

// share is what a request has taken of a budget.
type share struct {
	of   *budget
	size int64
}

// resize makes a share n bytes large, or reports false if the budget lacks them.
func (s *share) resize(n int64) bool {
	more := n - s.size
	if more > 0 && !s.of.reserve(more) {
		return false
	}
	s.of.used.Add(min(more, 0))
	s.size = n
	return true
}

// reserveReply takes the memory of a reply to a read, or reports false if there is none.
func (s *share) reserveReply(body []byte) bool {
	n := int64(len(body))
	if n <= smallReply {
		n = 0
	}
	return s.resize(n)
}

func (s *share) release() { s.resize(0) }
