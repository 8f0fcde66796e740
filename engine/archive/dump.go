package archive

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"

	"sandtable/engine"
)

// DumpOptions configure a Dump.
type DumpOptions struct {
	// Account is the only account to be dumped; "" means all.
	Account string
	// Snapshot is the identity of the account's snapshot to be dumped instead; ""
	// means its present state.
	Snapshot string
	// Keys includes the account keys. Anybody with such an archive can sign
	// requests.
	Keys bool
	// Missing is the number of corrupt blocks and records that the store lacks because
	// it was filled from a corrupt one. It is added to that of the dump itself.
	Missing int
	// Progress, if not nil, is called from time to time and at the end. It must
	// not wait for an update of the store.
	Progress func(Progress)
}

// reportEvery is after how many entities Dump reports its progress.
const reportEvery = 100

// Dump writes the store, or one account of it, as an archive. The archive is a
// consistent snapshot, and writers are not blocked. Corrupt blocks and records
// are left out and returned in missing; the last line has their number.
//
// The error is from w, [engine.ErrAccountNotFound], or wraps
// [engine.ErrStorage]. What was written before it is a truncated archive, which
// Load refuses.
func Dump(w io.Writer, db *engine.DB, options DumpOptions) (missing []engine.Corruption, err error) {
	d := dumper{w: bufio.NewWriterSize(w, 64<<10), db: db, options: options}
	err = db.View(func(tx *engine.Tx) error {
		d.tx = tx
		return d.dump()
	})
	return d.missing, err
}

type dumper struct {
	w       *bufio.Writer
	db      *engine.DB
	tx      *engine.Tx
	options DumpOptions
	line    []byte // buffer
	at      Progress
	missing []engine.Corruption
}

func (d *dumper) dump() error {
	if err := d.write(appendArchive(d.line[:0])); err != nil {
		return err
	}
	if err := d.accounts(); err != nil {
		return err
	}
	d.findMissing()
	if err := d.write(appendEnd(d.line[:0], d.at.Counts, d.options.Missing+len(d.missing))); err != nil {
		return err
	}
	if err := d.w.Flush(); err != nil {
		return err
	}
	d.report()
	return nil
}

// findMissing adds the corruption without a known table, which may affect any.
func (d *dumper) findMissing() {
	for _, c := range d.db.Corruption() {
		if c.Account == "" {
			d.missing = append(d.missing, c)
		}
	}
}

func (d *dumper) accounts() error {
	if d.options.Account != "" {
		account, err := d.tx.Account(d.options.Account)
		if err != nil {
			return fmt.Errorf("dump account %q: %w", d.options.Account, err)
		}
		holder := account.Name
		if d.options.Snapshot != "" {
			s, err := d.tx.Snapshot(account.Name, d.options.Snapshot)
			if err == nil && s.Incomplete {
				err = engine.ErrSnapshotIncomplete
			}
			if err != nil {
				return fmt.Errorf("dump a snapshot of %q: %w", account.Name, err)
			}
			holder, account.Properties = s.Holder(), s.Properties
		}
		return d.account(account, holder)
	}
	for account := range d.tx.Accounts() {
		if err := d.account(account, account.Name); err != nil {
			return err
		}
	}
	return nil
}

// account dumps an account with the tables of holder: the account or a snapshot.
func (d *dumper) account(a engine.Account, holder string) error {
	if !d.options.Keys {
		a.Keys = [2][]byte{}
	}
	if err := d.write(appendAccount(d.line[:0], a)); err != nil {
		return err
	}
	d.at.Account, d.at.Table = a.Name, ""
	d.at.Accounts++
	for info := range d.tx.Tables(holder, "") {
		if err := d.table(holder, info); err != nil {
			return fmt.Errorf("dump table %s/%s: %w", a.Name, info.Name, err)
		}
	}
	return nil
}

func (d *dumper) table(account string, info engine.TableInfo) error {
	table, err := d.tx.Table(account, info.Name)
	if err != nil {
		return err
	}
	if err := d.write(appendTable(d.line[:0], info.Name, table.Policies())); err != nil {
		return err
	}
	d.at.Table = info.Name
	d.at.Tables++
	before := d.at.Entities
	if err := d.entities(table.Query(engine.Query{})); err != nil {
		return err
	}
	// Corruption that was cleared meanwhile, as by a reset, shows as a table that is short.
	found := table.Corruption()
	if lost := info.Entities - (d.at.Entities - before); lost > 0 && len(found) == 0 {
		found = append(found, engine.Corruption{
			Kind: engine.CorruptBlock, Account: account, Table: info.Name, Block: engine.BlockInfo{Count: lost}, Err: engine.ErrCorrupt,
		})
	}
	d.missing = append(d.missing, found...)
	return nil
}

func (d *dumper) entities(rows *engine.Cursor) error {
	defer rows.Close()
	for rows.Next() {
		if err := d.write(appendEntity(d.line[:0], rows.Row())); err != nil {
			return err
		}
		d.at.Entities++
		if d.at.Entities%reportEvery == 0 {
			d.report()
		}
	}
	d.report()
	return rows.Err()
}

// write writes a line and keeps its buffer for the next one.
func (d *dumper) write(line []byte) error {
	line = append(line, '\n')
	d.line = line
	if len(line) > MaxLine {
		return ErrLineTooLong // Load would refuse it
	}
	n, err := d.w.Write(line)
	d.at.Bytes += int64(n)
	return err
}

func (d *dumper) report() {
	if d.options.Progress != nil {
		d.options.Progress(d.at)
	}
}

func encodeKey(key []byte) string { return base64.StdEncoding.EncodeToString(key) }
