package pgstore

import (
	"sync"

	"sandtable/engine"
	"sandtable/odata"
)

// reported is which corrupt rows were reported.
type reported struct {
	mu   sync.Mutex
	rows map[rowName]bool
}

type rowName struct {
	account, table string
	key            odata.Key
}

// maxReported bounds the memory: of more rows, some are reported again.
const maxReported = 10_000

// report calls notify, unless it is nil, the first time that a row is found corrupt.
func (r *reported) report(notify func(engine.Corruption), c engine.Corruption) {
	if notify == nil {
		return
	}
	name := rowName{c.Account, string(tableKey(c.Table)), c.Block.First}
	r.mu.Lock()
	known := r.rows[name]
	if r.rows == nil || len(r.rows) >= maxReported {
		r.rows = map[rowName]bool{}
	}
	r.rows[name] = true
	r.mu.Unlock()
	if !known {
		notify(c)
	}
}
