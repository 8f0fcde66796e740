package archive

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"

	"sandtable/engine"
	"sandtable/odata"
)

// LoadOptions configure a Load.
type LoadOptions struct {
	// Account renames the only account of the archive; "" keeps its name.
	Account string
	// Snapshot is the identity of an incomplete snapshot of Account, to which the
	// archive is written instead, and which it then completes; "" for none.
	Snapshot string
	// KeepSettings leaves the service properties of existing accounts and the policies
	// of existing tables unchanged. Otherwise someone else's archive can change an
	// account's CORS rules, and so open it to their site.
	KeepSettings bool
	// Strict makes new accounts strict, whatever the archive says.
	Strict bool
	// Keys returns the keys of a new account without keys in the archive. If it
	// is nil or returns none, the keys are random.
	Keys func(account string) [2][]byte
	// Policies and Properties check the XML documents of tables and accounts, as
	// in [engine.VerifyOptions]. Nil accepts all.
	Policies   func(document string) error
	Properties func(document string) error
	// Progress, if not nil, is called from time to time and at the end.
	Progress func(Progress)
}

// Report is the result of a Load.
type Report struct {
	// Counts counts what was loaded and is durable.
	Counts
	// Unchanged counts the entities among them that the store had already, with
	// the same properties. They were not written and keep their Timestamps.
	Unchanged int
	// Corruption is the number of corrupt blocks and records that were left out
	// when the archive was dumped.
	Corruption int
}

// Limits of one update; the bytes are those of the lines.
const (
	updateEntities = 1000
	updateBytes    = 1 << 20
)

// Load writes an archive to a store, in updates of up to 1,000 entities or about
// 1 MiB. It inserts and replaces but never deletes, so loading is idempotent.
// Missing accounts and tables are created. An existing account keeps its keys
// and its access; its service properties, and the policies of its tables, are
// replaced by those in the archive, unless they are to be kept.
//
// Everything written gets a new Timestamp.
//
// An error names the line. It wraps an error of this package, of package odata
// for a limit, or of the store. Lines before it are loaded, except those of a
// failed update, which the error names; the Report counts what was loaded.
func Load(r io.Reader, db *engine.DB, options LoadOptions) (Report, error) {
	l := loader{r: bufio.NewReaderSize(r, 64<<10), db: db, options: options}
	err := l.load()
	if err != nil {
		err = errors.Join(err, l.flush())
	}
	l.report.Counts = l.at.Counts
	l.reportProgress()
	return l.report, err
}

// CheckHeader reads the first line of an archive and returns a reader of the
// whole archive, so that a caller can check the input before it creates a store.
// The error is the one that Load would return.
func CheckHeader(r io.Reader) (whole io.Reader, err error) {
	l := loader{r: bufio.NewReaderSize(r, 64<<10)}
	var read []byte
	for !l.started {
		text, err := l.next()
		if err == io.EOF {
			return nil, ErrNotArchive
		}
		if err == nil && len(bytes.TrimSpace(text)) > 0 {
			err = l.take(text)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", l.number, err)
		}
		if read = append(read, text...); len(read) > MaxLine {
			return nil, ErrNotArchive
		}
	}
	return io.MultiReader(bytes.NewReader(read), l.r), nil
}

type loader struct {
	r       *bufio.Reader
	db      *engine.DB
	options LoadOptions
	report  Report
	at      Progress

	number    int    // of the line
	text      []byte // of the line
	chunk     bool   // more lines follow in the next chunk
	mayRepeat bool   // the lines may have been loaded before
	started   bool   // the first line was read
	ended     bool   // the last line was read
	renamed   bool   // the account to be renamed was read

	pending []*odata.Entity // of at.Table
	bytes   int             // of their lines
	first   int             // their first line
}

func (l *loader) load() error {
	for {
		text, err := l.next()
		if err == io.EOF {
			if l.chunk {
				return nil
			}
			return l.checkEnd()
		}
		if err == nil && len(bytes.TrimSpace(text)) > 0 {
			err = l.take(text)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", l.number, err)
		}
		if len(l.pending) < updateEntities && l.bytes < updateBytes {
			continue
		}
		if err := l.flush(); err != nil {
			return err
		}
		l.reportProgress()
	}
}

// next reads a line, which is valid until the next call.
func (l *loader) next() ([]byte, error) {
	l.number++
	l.text = l.text[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		l.text = append(l.text, part...)
		l.at.Bytes += int64(len(part))
		switch {
		case len(l.text) > MaxLine:
			return nil, ErrLineTooLong
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && len(l.text) > 0:
			return l.text, nil
		}
		return l.text, err
	}
}

func (l *loader) checkEnd() error {
	switch {
	case !l.started:
		return ErrNotArchive
	case !l.ended:
		return fmt.Errorf("line %d: %w", l.number, ErrTruncated)
	}
	return nil
}

// take loads a line; entities are collected for the next update.
func (l *loader) take(text []byte) error {
	line, err := decodeLine(text)
	switch {
	case err != nil && !l.started:
		return fmt.Errorf("%w: %w", ErrNotArchive, err)
	case err != nil:
		return err
	case !l.started:
		l.started = true
		return line.version()
	case l.ended:
		return fmt.Errorf("%w: line after the end", ErrSyntax)
	case line.kind == "":
		return l.takeEntity(line, len(text))
	}
	if err := l.flush(); err != nil {
		return err
	}
	switch line.kind {
	case accountKind:
		return l.takeAccount(line)
	case tableKind:
		return l.takeTable(line)
	case endKind:
		return l.takeEnd(line)
	}
	return fmt.Errorf("%w: unknown kind of line %q", ErrSyntax, line.kind)
}

func (l *loader) takeAccount(line *line) error {
	account, err := line.account()
	if err == nil {
		err = checkDocument(propertiesMember, account.Properties, l.options.Properties)
	}
	if err != nil {
		return err
	}
	if l.options.Account != "" {
		if l.renamed {
			return ErrManyAccounts
		}
		l.renamed, account.Name = true, l.options.Account
	}
	put := l.putAccount
	if l.options.Snapshot != "" {
		put = l.putSnapshot
	}
	if err := put(account); err != nil {
		return fmt.Errorf("account %q: %w", account.Name, err)
	}
	l.at.Account, l.at.Table = account.Name, ""
	l.at.Accounts++
	return nil
}

// putAccount creates an account, or updates the service properties of an
// existing one.
func (l *loader) putAccount(given engine.Account) error {
	return l.db.Update(func(tx *engine.Tx) error {
		account, err := tx.Account(given.Name)
		switch {
		case errors.Is(err, engine.ErrAccountNotFound):
			if l.options.Strict {
				given.Access = engine.StrictAccess
			}
			return tx.PutAccount(l.withKeys(given))
		case err != nil:
			return err
		case l.options.KeepSettings, given.Properties == "", given.Properties == account.Properties:
			return nil
		}
		account.Properties = given.Properties
		return tx.PutAccount(account)
	})
}

// keyLength is the length of the service's keys, in bytes.
const keyLength = 64

func (l *loader) withKeys(a engine.Account) engine.Account {
	if a.Keys[0] == nil && a.Keys[1] == nil && l.options.Keys != nil {
		a.Keys = l.options.Keys(a.Name)
	}
	if a.Keys[0] == nil && a.Keys[1] == nil {
		for i := range a.Keys {
			a.Keys[i] = make([]byte, keyLength)
			rand.Read(a.Keys[i]) // documented never to fail
		}
	}
	return a
}

func (l *loader) takeTable(line *line) error {
	name, policies, err := line.table()
	if err == nil {
		err = checkDocument(policiesMember, policies, l.options.Policies)
	}
	switch {
	case err != nil:
		return err
	case l.at.Account == "":
		return fmt.Errorf("%w: table before the first account", ErrSyntax)
	}
	if err := l.putTable(name, policies); err != nil {
		return fmt.Errorf("table %q: %w", name, err)
	}
	l.at.Table = name
	l.at.Tables++
	return nil
}

// checkDocument refuses an XML document that check does not accept.
func checkDocument(name, document string, check func(string) error) error {
	if document == "" || check == nil {
		return nil
	}
	if err := check(document); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrSyntax, name, err)
	}
	return nil
}

func (l *loader) putTable(name, policies string) error {
	return l.update(l.at.Account, func(tx *engine.Tx) error {
		table, err := tx.Table(l.holder(), name)
		switch {
		case errors.Is(err, engine.ErrTableNotFound):
			if err = tx.CreateTable(l.holder(), name); err == nil {
				table, err = tx.Table(l.holder(), name)
			}
		case err == nil && l.options.KeepSettings:
			return nil
		}
		if err != nil || policies == "" || policies == table.Policies() {
			return err
		}
		return table.SetPolicies(policies)
	})
}

func (l *loader) takeEntity(line *line, size int) error {
	if l.at.Table == "" {
		return fmt.Errorf("%w: entity before the first table of an account", ErrSyntax)
	}
	entity, err := line.entity()
	if err != nil {
		return err
	}
	if len(l.pending) == 0 {
		l.first = l.number
	}
	l.pending = append(l.pending, entity)
	l.bytes += size
	return nil
}

func (l *loader) takeEnd(line *line) error {
	counts, corruption, err := line.end()
	if err != nil {
		return err
	}
	l.ended, l.report.Corruption = true, corruption
	if counts != l.at.Counts {
		return fmt.Errorf("%w: got %s, want %s", ErrCounts, formatCounts(l.at.Counts), formatCounts(counts))
	}
	if l.options.Snapshot != "" {
		return l.finishSnapshot(counts)
	}
	return nil
}

func formatCounts(c Counts) string {
	return fmt.Sprintf("accounts: %d, tables: %d, entities: %d", c.Accounts, c.Tables, c.Entities)
}

// flush writes the collected entities. It drops them if that fails.
func (l *loader) flush() error {
	entities := l.pending
	if len(entities) == 0 {
		return nil
	}
	unchanged := 0
	err := l.update(l.at.Account, func(tx *engine.Tx) (err error) {
		unchanged, err = putEntities(tx, l.holder(), l.at.Table, entities)
		return err
	})
	l.pending, l.bytes = nil, 0
	if err != nil {
		return fmt.Errorf("%d entities starting at line %d: %w", len(entities), l.first, err)
	}
	l.at.Entities += len(entities)
	l.report.Unchanged += unchanged
	return nil
}

func (l *loader) reportProgress() {
	if l.options.Progress != nil {
		l.options.Progress(l.at)
	}
}
