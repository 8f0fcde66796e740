package archive

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"slices"

	"sandtable/engine"
	"sandtable/odata"
)

// DumpOptions say what a Dump writes.
type DumpOptions struct {
	// Account is the name of the only account to be written; "" for all.
	Account string
	// Keys has the accounts' keys written too. Whoever has such an archive can
	// sign requests.
	Keys bool
	// Progress is called now and then, and at the end; nil for nobody. It must
	// not wait for an update of the store.
	Progress func(Progress)
}

// pageSize bounds the entities that are in memory at a time.
const pageSize = 100

// Dump writes the store, or one account of it, as an archive. It is a picture
// of one moment, and holds up no writer. What is damaged is not in it: it is
// returned, whether it was known before or noticed only now, and the archive's
// last line says how much it is.
//
// The error is one of w's, [engine.ErrAccountNotFound] for an account that is
// not there, or one that wraps [engine.ErrStorage]. What was written before is
// then an archive without an end, which Load refuses.
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
	line    []byte // of the last write, for the next
	at      Progress
	missing []engine.Corruption
	short   []engine.Corruption // tables with fewer entities than they say
}

func (d *dumper) dump() error {
	if err := d.write(appendArchive(d.line[:0])); err != nil {
		return err
	}
	if err := d.accounts(); err != nil {
		return err
	}
	d.findMissing()
	if err := d.write(appendEnd(d.line[:0], d.at.Counts, len(d.missing))); err != nil {
		return err
	}
	if err := d.w.Flush(); err != nil {
		return err
	}
	d.report()
	return nil
}

// findMissing lists the damage that left something out. All blocks that count
// have been read by now. Damage that was forgotten meanwhile, as by a reset,
// shows in the tables that are short.
func (d *dumper) findMissing() {
	for _, damage := range d.db.Corruption() {
		if d.lacks(damage) {
			d.missing = append(d.missing, damage)
		}
	}
	for _, short := range d.short {
		explains := func(m engine.Corruption) bool { return m.Account == short.Account && m.Table == short.Table }
		if !slices.ContainsFunc(d.missing, explains) {
			d.missing = append(d.missing, short)
		}
	}
}

// lacks reports whether something of the dump may have been lost with a damage:
// where nobody knows whose it was, it may be anybody's.
func (d *dumper) lacks(damage engine.Corruption) bool {
	switch {
	case damage.Kind == engine.CorruptMeta:
		return false
	case damage.Account == "":
		return true
	case d.options.Account != "" && d.options.Account != damage.Account:
		return false
	}
	_, err := d.tx.Table(damage.Account, damage.Table)
	return err == nil // else it was deleted since
}

func (d *dumper) accounts() error {
	if d.options.Account != "" {
		account, err := d.tx.Account(d.options.Account)
		if err != nil {
			return fmt.Errorf("dump account %q: %w", d.options.Account, err)
		}
		return d.account(account)
	}
	for account := range d.tx.Accounts() {
		if err := d.account(account); err != nil {
			return err
		}
	}
	return nil
}

func (d *dumper) account(a engine.Account) error {
	if !d.options.Keys {
		a.Keys = [2][]byte{}
	}
	if err := d.write(appendAccount(d.line[:0], a)); err != nil {
		return err
	}
	d.at.Account, d.at.Table = a.Name, ""
	d.at.Accounts++
	for info := range d.tx.Tables(a.Name, "") {
		if err := d.table(a.Name, info); err != nil {
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
	for from := new(odata.Key); from != nil; {
		page, err := table.Query(engine.Query{From: *from, Limit: pageSize})
		if err != nil {
			return err
		}
		if err := d.entities(page.Entities); err != nil {
			return err
		}
		from = page.Next
	}
	if lost := info.Entities - (d.at.Entities - before); lost > 0 {
		d.short = append(d.short, engine.Corruption{
			Kind: engine.CorruptBlock, Account: account, Table: info.Name, Block: engine.BlockInfo{Count: lost}, Err: engine.ErrCorrupt,
		})
	}
	return nil
}

func (d *dumper) entities(entities []*odata.Entity) error {
	for _, e := range entities {
		if err := d.write(appendEntity(d.line[:0], e)); err != nil {
			return err
		}
		d.at.Entities++
	}
	d.report()
	return nil
}

// write writes a line and keeps its memory for the next one.
func (d *dumper) write(line []byte) error {
	line = append(line, '\n')
	d.line = line
	if len(line) > MaxLine {
		return ErrLineTooLong // Load would not read it
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
