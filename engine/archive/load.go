package archive

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"

	"sandtable/engine"
	"sandtable/odata"
)

// LoadOptions say how a Load puts an archive into a store.
type LoadOptions struct {
	// Account is the name under which the archive's only account is loaded;
	// "" for the names that the archive has.
	Account string
	// Keys returns the keys of an account that the store does not have and that
	// the archive has no keys for. Where it is nil, or returns none, the keys
	// are random.
	Keys func(account string) [2][]byte
	// Policies and Properties read the documents of tables and accounts, as
	// those of [engine.VerifyOptions] do; what they cannot read is refused. Nil
	// takes them as they are.
	Policies   func(document string) error
	Properties func(document string) error
	// Progress is called now and then, and at the end; nil for nobody.
	Progress func(Progress)
}

// Report says what a Load did.
type Report struct {
	// Counts are of what was loaded, and is in the store for good.
	Counts
	// Unchanged counts those of the entities that the store had already, with
	// the same properties. They were left alone and keep their Timestamps.
	Unchanged int
	// Damage is how many blocks and records could not be read when the archive
	// was made: what was in them is not in it.
	Damage int
}

// Entities of one update; the bytes are of their lines.
const (
	updateEntities = 1000
	updateBytes    = 1 << 20
)

// Load puts an archive into a store, in updates of up to 1,000 entities or
// about a mebibyte. It adds and replaces, and removes nothing, so loading twice
// does no harm. Accounts and tables that are not there are made. An account
// that is there keeps its keys and its access; its service properties, and the
// policies of its tables, are replaced by those that the archive has.
//
// All that is written gets new Timestamps, those in the archive mean nothing.
//
// An error names the line. It wraps one of this package's, one of
// package odata about a limit, or one of the store's. What stood before that line
// is loaded and stays, but for a failed update, whose lines the error names;
// the Report counts what is there.
func Load(r io.Reader, db *engine.DB, options LoadOptions) (Report, error) {
	l := loader{r: bufio.NewReaderSize(r, 64<<10), db: db, options: options}
	err := l.load()
	if err != nil {
		err = errors.Join(err, l.flush())
	}
	l.report.Counts = l.at.Counts
	l.tell()
	return l.report, err
}

// Begin reads the first line of what should be an archive, and returns a reader
// of all of it: for whoever would make a store for it, and none for something
// else. The error is the one that Load would return.
func Begin(r io.Reader) (whole io.Reader, err error) {
	l := loader{r: bufio.NewReaderSize(r, 64<<10)}
	var read []byte
	for !l.begun {
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

	number int    // of the line
	text   []byte // of the line
	piece  bool   // other lines follow the text
	begun  bool   // the first line was read
	ended  bool   // the last line was read
	named  bool   // the account that gets another name was read

	pending []*odata.Entity // of at.Table
	bytes   int             // of their lines
	first   int             // their first line
}

func (l *loader) load() error {
	for {
		text, err := l.next()
		if err == io.EOF {
			if l.piece {
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
		l.tell()
	}
}

// next reads a line. It is good until the next call.
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
	case !l.begun:
		return ErrNotArchive
	case !l.ended:
		return fmt.Errorf("line %d: %w", l.number, ErrCut)
	}
	return nil
}

// take does what a line says, or puts it by.
func (l *loader) take(text []byte) error {
	line, err := decodeLine(text)
	switch {
	case err != nil && !l.begun:
		return fmt.Errorf("%w: %w", ErrNotArchive, err)
	case err != nil:
		return err
	case !l.begun:
		l.begun = true
		return line.version()
	case l.ended:
		return fmt.Errorf("%w: something stands behind the end", ErrSyntax)
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
		err = readable(propertiesMember, account.Properties, l.options.Properties)
	}
	if err != nil {
		return err
	}
	if l.options.Account != "" {
		if l.named {
			return ErrManyAccounts
		}
		l.named, account.Name = true, l.options.Account
	}
	if err := l.putAccount(account); err != nil {
		return fmt.Errorf("account %q: %w", account.Name, err)
	}
	l.at.Account, l.at.Table = account.Name, ""
	l.at.Accounts++
	return nil
}

// putAccount makes an account, or gives its service properties to the one that
// is there.
func (l *loader) putAccount(given engine.Account) error {
	return l.db.Update(func(tx *engine.Tx) error {
		account, err := tx.Account(given.Name)
		switch {
		case errors.Is(err, engine.ErrAccountNotFound):
			return tx.PutAccount(l.withKeys(given))
		case err != nil:
			return err
		case given.Properties == "" || given.Properties == account.Properties:
			return nil
		}
		account.Properties = given.Properties
		return tx.PutAccount(account)
	})
}

// keyLength is that of the service's keys, in bytes.
const keyLength = 64

func (l *loader) withKeys(a engine.Account) engine.Account {
	if a.Keys[0] == nil && a.Keys[1] == nil && l.options.Keys != nil {
		a.Keys = l.options.Keys(a.Name)
	}
	if a.Keys[0] == nil && a.Keys[1] == nil {
		for i := range a.Keys {
			a.Keys[i] = make([]byte, keyLength)
			rand.Read(a.Keys[i]) // it never fails
		}
	}
	return a
}

func (l *loader) takeTable(line *line) error {
	name, policies, err := line.table()
	if err == nil {
		err = readable(policiesMember, policies, l.options.Policies)
	}
	switch {
	case err != nil:
		return err
	case l.at.Account == "":
		return fmt.Errorf("%w: a table stands before the first account", ErrSyntax)
	}
	if err := l.putTable(name, policies); err != nil {
		return fmt.Errorf("table %q: %w", name, err)
	}
	l.at.Table = name
	l.at.Tables++
	return nil
}

// readable refuses a document that the store's users could not read.
func readable(name, document string, read func(string) error) error {
	if document == "" || read == nil {
		return nil
	}
	if err := read(document); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrSyntax, name, err)
	}
	return nil
}

func (l *loader) putTable(name, policies string) error {
	return l.db.Update(func(tx *engine.Tx) error {
		err := tx.CreateTable(l.at.Account, name)
		if err != nil && !errors.Is(err, engine.ErrTableExists) {
			return err
		}
		table, err := tx.Table(l.at.Account, name)
		if err != nil || policies == "" || policies == table.Policies() {
			return err
		}
		return table.SetPolicies(policies)
	})
}

func (l *loader) takeEntity(line *line, size int) error {
	if l.at.Table == "" {
		return fmt.Errorf("%w: an entity stands before the first table of an account", ErrSyntax)
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
	counts, damage, err := line.end()
	if err != nil {
		return err
	}
	l.ended, l.report.Damage = true, damage
	if counts != l.at.Counts {
		return fmt.Errorf("%w: it has %s, and there should be %s", ErrCounts, inWords(l.at.Counts), inWords(counts))
	}
	return nil
}

func inWords(c Counts) string {
	return fmt.Sprintf("accounts: %d, tables: %d, entities: %d", c.Accounts, c.Tables, c.Entities)
}

// flush writes what was put by. It forgets what it could not write, too.
func (l *loader) flush() error {
	entities := l.pending
	if len(entities) == 0 {
		return nil
	}
	unchanged := 0
	err := l.db.Update(func(tx *engine.Tx) (err error) {
		unchanged, err = putEntities(tx, l.at.Account, l.at.Table, entities)
		return err
	})
	l.pending, l.bytes = nil, 0
	if err != nil {
		return fmt.Errorf("%d entities from line %d on: %w", len(entities), l.first, err)
	}
	l.at.Entities += len(entities)
	l.report.Unchanged += unchanged
	return nil
}

// putEntities has the table have these entities, and returns how many of them
// it had. It inserts where it can, as that keeps the order of the properties.
func putEntities(tx *engine.Tx, account, name string, entities []*odata.Entity) (unchanged int, err error) {
	table, err := tx.Table(account, name)
	if err != nil {
		return 0, err
	}
	table.LimitEntities(odata.MaxCosmosEntitySize, odata.MaxCosmosProperties)
	for _, e := range entities {
		stored, err := table.Get(e.Key())
		switch {
		case errors.Is(err, engine.ErrEntityNotFound):
			_, err = table.Insert(e.Key(), e.Properties)
		case err != nil: // it is returned below
		case same(stored.Properties, e.Properties):
			unchanged++
		default:
			_, err = table.Replace(e.Key(), e.Properties, engine.Upsert)
		}
		if err != nil {
			return 0, err
		}
	}
	return unchanged, nil
}

func same(stored, given []odata.Property) bool {
	return slices.EqualFunc(stored, given, func(a, b odata.Property) bool {
		return a.Name == b.Name && a.Value.Equal(b.Value)
	})
}

func (l *loader) tell() {
	if l.options.Progress != nil {
		l.options.Progress(l.at)
	}
}
