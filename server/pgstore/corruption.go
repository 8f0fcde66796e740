package pgstore

import (
	"errors"
	"slices"
	"sync"

	"sandtable/engine"
	"sandtable/odata"
)

// decode decodes what a row has. Of a row that fails its check it returns an entity
// without content, and the corruption, which it reports.
func (t *tx) decode(value []byte, key odata.Key) (e *odata.Entity, corrupt, err error) {
	e, err = engine.DecodeEntity(slices.Clone(value), key)
	if !errors.Is(err, engine.ErrCorrupt) {
		return e, nil, err
	}
	t.store.reported.report(t.store.options.OnCorruption, engine.Corruption{
		Kind: engine.CorruptEntity, Account: t.scope.Account, Table: t.scope.Table, Block: engine.BlockInfo{First: key, Count: 1}, Err: err,
	})
	return &odata.Entity{PartitionKey: key.PartitionKey, RowKey: key.RowKey}, err, nil
}

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
