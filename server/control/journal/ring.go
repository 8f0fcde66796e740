package journal

import (
	"bytes"
	"sync"
)

// Limits say how much a [Ring] keeps at most.
type Limits struct {
	Entries int
	Memory  int // about so many bytes
	Body    int // bytes of a body, whose rest is cut off
}

// DefaultLimits suit a page that shows the last requests.
var DefaultLimits = Limits{Entries: 200, Memory: 4 << 20, Body: 16 << 10}

// Ring keeps the last entries. It is safe for concurrent use.
type Ring struct {
	limits Limits

	mu      sync.Mutex
	entries []Entry // circular, of limits.Entries
	sizes   []int
	first   int // the oldest
	count   int
	memory  int    // sum of sizes
	last    uint64 // id
}

// NewRing returns an empty ring.
func NewRing(limits Limits) *Ring {
	return &Ring{limits: limits, entries: make([]Entry, limits.Entries), sizes: make([]int, limits.Entries)}
}

// Add keeps an entry and sets its ID. It cuts long bodies, and does not keep
// their memory, nor that of the response's body.
func (r *Ring) Add(e *Entry) {
	e.RequestBody, e.ResponseBody = r.cut(e.RequestBody), r.copied(e.ResponseBody)
	size := e.size()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	e.ID = r.last
	for r.count > 0 && (r.count == r.limits.Entries || r.memory+size > r.limits.Memory) {
		r.drop()
	}
	if size > r.limits.Memory {
		return
	}
	i := (r.first + r.count) % r.limits.Entries
	r.entries[i], r.sizes[i] = *e, size
	r.count++
	r.memory += size
}

// cut limits a body and the memory that it keeps.
func (r *Ring) cut(body []byte) []byte {
	n := min(len(body), r.limits.Body)
	if n == len(body) && cap(body) <= 2*n+1024 {
		return body
	}
	return r.copied(body)
}

// copied returns a copy of a body as far as it is kept.
func (r *Ring) copied(body []byte) []byte {
	return bytes.Clone(body[:min(len(body), r.limits.Body)])
}

func (r *Ring) drop() {
	r.memory -= r.sizes[r.first]
	r.entries[r.first] = Entry{}
	r.first = (r.first + 1) % r.limits.Entries
	r.count--
}

// After returns the entries after the one with this ID, in order; the last limit
// of them if there are more.
func (r *Ring) After(id uint64, limit int) []Entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.count
	if oldest := r.last - uint64(r.count) + 1; r.count > 0 && id >= oldest {
		n = int(r.last - min(id, r.last))
	}
	n = min(n, limit)
	found := make([]Entry, n)
	for i := range found {
		found[i] = r.entries[(r.first+r.count-n+i)%r.limits.Entries]
	}
	return found
}

// Get returns the entry with this ID, if it is still kept.
func (r *Ring) Get(id uint64) (Entry, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if id == 0 || id > r.last || r.last-id >= uint64(r.count) {
		return Entry{}, false
	}
	return r.entries[(r.first+r.count-1-int(r.last-id))%r.limits.Entries], true
}

// Clear drops all entries. IDs continue.
func (r *Ring) Clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.count > 0 {
		r.drop()
	}
}
