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
	// Table is called with each table that was checked, and how many readable
	// entities it has; may be nil.
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
	// Garbage counts blocks that are no longer in use and wait to be deleted, as
	// after a crash in a checkpoint. They are no problem.
	Garbage int
}

// blockLister is a storage that can list the blocks that it has, whatever its
// directory says.
type blockLister interface {
	BlockIDs() ([]BlockID, error)
}

// Verify checks everything that is stored: it opens the store once more and reads
// the catalog, the WAL and every block. It changes nothing, and needs half a MiB
// more memory than an open store. Others read and write meanwhile: it checks the
// store as it was when Verify began. The error is the context's, [ErrClosed], or
// wraps [ErrStorage] if the storage could not be read now.
func (db *DB) Verify(ctx context.Context, options VerifyOptions) (Report, error) {
	v := verifier{ctx: ctx, options: options, db: db}
	if err := v.begin(); err != nil {
		return Report{}, err
	}
	defer v.live.epoch.readers.Add(-1)
	for _, step := range []func() error{v.load, v.directory, v.catalog, v.tables} {
		if err := step(); err != nil {
			return Report{}, err
		}
	}
	return v.report, nil
}

// verifier checks what is stored at one moment, and what opening makes of it.
type verifier struct {
	ctx     context.Context
	options VerifyOptions
	db      *DB
	live    *version  // pinned, so that its blocks stay
	stored  Directory // as the storage has it
	blocks  []BlockID // of a blockLister
	version *version  // what is stored, opened again
	stamp   odata.DateTime
	report  Report
}

func (v *verifier) find(f Problem) { v.report.Problems = append(v.report.Problems, f) }

// begin takes the snapshot.
func (v *verifier) begin() (err error) {
	db := v.db
	db.queue.lead()
	defer db.queue.handOver(nil)
	if db.queue.closed.Load() {
		return ErrClosed
	}
	if v.stored, err = loadAgain(db.storage); err != nil {
		return err
	}
	if l, ok := db.storage.(blockLister); ok {
		if v.blocks, err = l.BlockIDs(); err != nil {
			return fmt.Errorf("%w: list blocks: %w", ErrStorage, err)
		}
	}
	v.live = db.pin()
	return nil
}

// loadAgain loads the directory, turning a panic of the storage into an error.
func loadAgain(s Storage) (d Directory, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: load: panic: %v", ErrStorage, p)
		}
	}()
	if d, err = s.Load(); err != nil {
		err = fmt.Errorf("%w: load: %w", ErrStorage, err)
	}
	return d, err
}

// snapshot is a storage with the directory that it had at one moment.
type snapshot struct {
	Storage
	directory Directory
}

func (s snapshot) Load() (Directory, error) { return s.directory, nil }

// load opens the snapshot and reports what that finds.
func (v *verifier) load() error {
	v.report.Records = len(v.stored.WAL)
	again := newDB(snapshot{v.db.storage, v.stored}, v.db.clock, aheadBytes)
	if err := again.load(); err != nil {
		return err
	}
	for _, d := range again.Corruption() {
		v.find(problemOf(d))
	}
	if n := v.stored.Rebuilt; n > 0 {
		v.find(Problem{Kind: BadDirectory, Err: fmt.Errorf("%w: %d entries were rebuilt", ErrCorrupt, n)})
	}
	v.version = again.current.Load()
	v.readStamp()
	return nil
}

// readStamp finds the last Timestamp that was given, from the metadata and the
// WAL.
func (v *verifier) readStamp() {
	if m, err := decodeMeta(v.stored.Meta); err == nil {
		v.stamp = odata.DateTime(m.stamp)
	} else if v.stored.Meta != nil {
		v.stamp = v.version.stamp // unknown
	}
	for _, record := range v.stored.WAL {
		if c, err := decodeWALRecord(record.Data, record.Seq); err == nil {
			v.stamp = max(v.stamp, c.stamp)
		}
	}
}
