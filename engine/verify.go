package engine

import (
	"context"
	"fmt"

	"sandtable/odata"
)

// Verify checks everything that is stored: it opens the store a second time and reads
// the catalog, the WAL and every block. It changes nothing, and needs half a MiB more
// memory than an open store. Reads and writes continue meanwhile: Verify checks the
// store as it was at the beginning. One runs at a time, and others wait. The error is
// the context's, [ErrClosed], or wraps [ErrStorage] if the storage could not be read now.
func (db *DB) Verify(ctx context.Context, options VerifyOptions) (Report, error) {
	select {
	case db.verifying <- struct{}{}:
		defer func() { <-db.verifying }()
	case <-ctx.Done():
		return Report{}, ctx.Err()
	}
	v := verifier{ctx: ctx, options: options, db: db}
	if err := v.begin(); err != nil {
		return Report{}, err
	}
	defer v.live.epoch.readers.Add(-1)
	for _, step := range []func() error{v.load, v.directory, v.catalog, v.tables, v.missing} {
		if err := step(); err != nil {
			return Report{}, err
		}
	}
	return v.report, nil
}

// begin records what is stored at this moment.
func (v *verifier) begin() (err error) {
	if err := v.ctx.Err(); err != nil {
		return err
	}
	db := v.db
	db.queue.lead()
	defer db.queue.handOver(nil)
	if db.queue.closed.Load() {
		return ErrClosed
	}
	if v.stored, err = loadDirectory(db.storage); err != nil {
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

// frozenStorage is a storage with the directory that it had at one moment.
type frozenStorage struct {
	Storage
	directory Directory
}

func (s frozenStorage) Load() (Directory, error) { return s.directory, nil }

// load opens the frozen storage and reports the corruption that it finds.
func (v *verifier) load() error {
	v.report.Records = len(v.stored.WAL)
	again := newDB(frozenStorage{v.db.storage, v.stored}, v.db.clock, aheadBytes)
	if err := again.load(); err != nil {
		return err
	}
	for _, d := range again.Corruption() {
		v.find(problemOf(d))
	}
	if n := v.stored.Rebuilt; n > 0 {
		v.find(Problem{Kind: BadDirectory, Err: fmt.Errorf("%w: %d entries were rebuilt", ErrCorrupt, n)})
	}
	v.version, v.dropped = again.current.Load(), again.wal.dropped
	v.readStamp()
	return nil
}

// readStamp finds the last Timestamp of the store in the metadata and the WAL.
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
