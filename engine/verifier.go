package engine

import (
	"context"
	"fmt"

	"sandtable/odata"
)

// VerifyOptions are the options of [DB.Verify].
type VerifyOptions struct {
	// Progress is called now and then with the report so far; may be nil. It must
	// not keep the problems.
	Progress func(Report)
	// Table is called for each table that was checked, with its number of readable
	// entities; may be nil.
	Table func(account, table string, entities int)
	// Policies and Properties check the documents of tables and accounts, which
	// are opaque to the engine; nil skips them.
	Policies   func(document string) error
	Properties func(document string) error
}

// Report is the result of [DB.Verify].
type Report struct {
	Problems []Problem // none in a healthy store
	Accounts int
	Tables   int
	Entities int // checked
	Blocks   int // read
	Bytes    int64
	Records  int // of the WAL
	// Garbage counts blocks that are no longer in use and wait to be deleted, for
	// example after a crash during a checkpoint. They are not a problem.
	Garbage int
}

// verifier checks what is stored at one moment, and the version that opening it
// yields.
type verifier struct {
	ctx     context.Context
	options VerifyOptions
	db      *DB
	live    *version     // pinned, so that its blocks stay
	stored  Directory    // as the storage has it
	blocks  []BlockID    // of a blockLister
	version *version     // what is stored, opened again
	dropped []*blockTree // of tables that the WAL drops; their blocks may carry another table's identity
	stamp   odata.DateTime
	report  Report
	absent  []Problem // blocks that the storage did not have

	verified map[*blockRef]bool // blocks of tables that share some
}

func (v *verifier) find(f Problem) { v.report.Problems = append(v.report.Problems, f) }

func (v *verifier) future(e *odata.Entity) error {
	return fmt.Errorf("%w: %v has the Timestamp %v, after the last one given, %v", ErrCorrupt, e.Key(), e.Timestamp, v.stamp)
}

// missing reports the blocks that the storage did not have, unless a checkpoint has
// deleted them since: a checkpoint that was written although its answer was an error
// can refer to blocks that the DB does not know.
func (v *verifier) missing() error {
	if len(v.absent) == 0 {
		return nil
	}
	v.db.queue.lead()
	defer v.db.queue.handOver(nil)
	if v.db.queue.closed.Load() {
		return ErrClosed // loading would reopen the storage
	}
	directory, err := loadDirectory(v.db.storage)
	if err != nil {
		return err
	}
	has := make(map[BlockID]bool, len(directory.Blocks))
	for _, info := range directory.Blocks {
		has[info.ID] = true
	}
	for _, p := range v.absent {
		if has[p.Block] {
			v.find(p)
		}
	}
	return nil
}
