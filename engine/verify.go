package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sandtable/engine/internal/block"
	"sandtable/odata"
)

// VerifyOptions are what [DB.Verify] can be told.
type VerifyOptions struct {
	// Progress is called now and then with what was counted and found so far;
	// nil for nobody. The findings are not to be kept.
	Progress func(Report)
	// Table is called with each table that was walked, and how many entities it
	// has that can be read; nil for nobody.
	Table func(account, table string, entities int)
	// Policies and Properties read the documents of tables and accounts, which
	// mean nothing to the engine; nil for not at all.
	Policies   func(document string) error
	Properties func(document string) error
}

// Report is what [DB.Verify] counted and found.
type Report struct {
	Problems []Problem // none in a sound store
	Accounts int
	Tables   int
	Entities int // walked
	Blocks   int // read
	Bytes    int64
	Records  int // of the log
	// Garbage counts blocks that belong to nothing any more, as after a crash in
	// a checkpoint, and wait to be deleted: nothing is wrong with them.
	Garbage int
}

// blockLister is a storage that can tell which texts of blocks it has,
// whatever its directory says.
type blockLister interface {
	BlockIDs() ([]BlockID, error)
}

// Verify reads everything that is stored as opening it would, the catalog, the
// log and every block of every table, and says what is not as it should be. It
// changes nothing, and holds on to half a MiB of blocks at a time, beside what an
// open store has. Others read and write meanwhile: it is about the moment at
// which it began. The error is the context's, [ErrClosed], or that of a
// storage that could not be read now (it wraps [ErrStorage]).
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

// verifier walks what is stored at one moment, and what opening it makes of it.
type verifier struct {
	ctx     context.Context
	options VerifyOptions
	db      *DB
	live    *version  // read meanwhile, so that its blocks stay
	stored  Directory // as the storage has it
	texts   []BlockID // of a blockLister
	version *version  // what is stored, opened again
	stamp   odata.DateTime
	report  Report
}

func (v *verifier) find(f Problem) { v.report.Problems = append(v.report.Problems, f) }

// begin takes the picture.
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
		if v.texts, err = l.BlockIDs(); err != nil {
			return fmt.Errorf("%w: list blocks: %w", ErrStorage, err)
		}
	}
	v.live = db.pin()
	return nil
}

// loadAgain treats a storage that panics as one that fails.
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

// picture is a storage as it was at one moment, but for its blocks.
type picture struct {
	Storage
	directory Directory
}

func (p picture) Load() (Directory, error) { return p.directory, nil }

// load opens what is stored once more, and takes over what that finds.
func (v *verifier) load() error {
	v.report.Records = len(v.stored.WAL)
	again := newDB(picture{v.db.storage, v.stored}, v.db.clock, aheadBytes)
	if err := again.load(); err != nil {
		return err
	}
	for _, d := range again.Corruption() {
		v.find(problemOf(d))
	}
	if n := v.stored.Rebuilt; n > 0 {
		v.find(Problem{Kind: BadDirectory, Err: fmt.Errorf("%w: %d entries were made again", ErrCorrupt, n)})
	}
	v.version = again.current.Load()
	v.readStamp()
	return nil
}

// readStamp finds the last Timestamp that was given, as it was written beside
// the entities.
func (v *verifier) readStamp() {
	if m, err := decodeMeta(v.stored.Meta); err == nil {
		v.stamp = odata.DateTime(m.stamp)
	} else if v.stored.Meta != nil {
		v.stamp = v.version.stamp // nobody knows
	}
	for _, record := range v.stored.WAL {
		if c, err := decodeWALRecord(record.Data, record.Seq); err == nil {
			v.stamp = max(v.stamp, c.stamp)
		}
	}
}

// directory looks for blocks that belong to nothing, or to two things.
func (v *verifier) directory() error {
	known := make(map[BlockID]bool, len(v.stored.Blocks))
	for _, info := range v.stored.Blocks {
		known[info.ID] = true
	}
	for _, id := range v.texts {
		if !known[id] {
			v.find(Problem{Kind: OrphanBlock, Block: id, Err: fmt.Errorf("%w: it is not in the directory", ErrCorrupt)})
		}
	}
	m, err := decodeMeta(v.stored.Meta)
	if err != nil {
		return nil // found before; or nothing was written yet
	}
	used := make(map[BlockID]bool)
	v.version.roots.Scan(func(r root) bool {
		if r.contents.blocks != nil {
			r.contents.blocks.Scan(func(ref *blockRef) bool {
				used[ref.ID] = true
				return true
			})
		}
		return true
	})
	for _, info := range v.stored.Blocks {
		switch {
		case used[info.ID] || slices.Contains(m.corrupt, info.ID) || info.Table == catalogID:
		case info.ID >= m.nextBlock || slices.Contains(m.garbage, info.ID):
			v.report.Garbage++
		case info.Table != asideTable && v.version.contents(info.Table) != nil:
			v.findBlock(BlocksOverlap, info, "another block begins with the same key")
		}
	}
	return nil
}

// findBlock notes something about a block.
func (v *verifier) findBlock(kind ProblemKind, info BlockInfo, format string, args ...any) {
	d := v.version.corruptBlock(info, fmt.Errorf("%w: %w", ErrCorrupt, fmt.Errorf(format, args...)))
	v.find(Problem{Kind: kind, Account: d.Account, Table: d.Table, Block: info.ID, Err: d.Err})
}

// catalog looks at the entries of accounts and tables.
func (v *verifier) catalog() error {
	account, ids := "", make(map[TableID]bool)
	v.version.contents(catalogID).changes.Scan(func(e *odata.Entity) bool {
		f := Problem{Kind: BadName, Account: e.PartitionKey, Table: e.RowKey}
		switch {
		case isTable(e):
			v.report.Tables++
			f.Err = v.checkTable(e, e.PartitionKey == account, ids)
		case isAccount(e):
			v.report.Accounts++
			account = e.PartitionKey
			if a := accountOf(e); !odata.CheckAccountName(a.Name) || a.Access > OpenAccess {
				f.Err = ErrAccountInvalid
			}
		}
		if f.Err == nil && e.Timestamp > v.stamp {
			f.Kind, f.Err = BadEntity, v.future(e)
		}
		if f.Err == nil {
			f.Kind, f.Err = BadDocument, v.checkDocument(e)
		}
		if f.Err != nil {
			v.find(f)
		}
		return true
	})
	return v.ctx.Err()
}

// checkTable reports what is wrong with a table's entry.
func (v *verifier) checkTable(e *odata.Entity, hasAccount bool, ids map[TableID]bool) error {
	name, id := tableNameOf(e), tableIDOf(e)
	if err := odata.CheckTableName(name); err != nil {
		return err
	}
	again := ids[id]
	ids[id] = true
	switch {
	case !hasAccount:
		return ErrAccountNotFound
	case strings.ToLower(name) != e.RowKey:
		return fmt.Errorf("%w: its entry is that of %q", ErrCorrupt, e.RowKey)
	case id == catalogID || id == asideTable || again:
		return fmt.Errorf("%w: identity %d is taken", ErrCorrupt, id)
	}
	return nil
}

func (v *verifier) checkDocument(e *odata.Entity) error {
	name, check := accountProperties, v.options.Properties
	if isTable(e) {
		name, check = tablePolicies, v.options.Policies
	}
	if text, _ := e.Property(name); check != nil && text.Text() != "" {
		return check(text.Text())
	}
	return nil
}

func (v *verifier) future(e *odata.Entity) error {
	return fmt.Errorf("%w: %v has the Timestamp %v, and the last that was given is %v", ErrCorrupt, e.Key(), e.Timestamp, v.stamp)
}

// tables walks every table.
func (v *verifier) tables() (err error) {
	v.version.contents(catalogID).changes.Scan(func(e *odata.Entity) bool {
		if c := v.version.contents(tableIDOf(e)); isTable(e) && c != nil {
			t := tableVerifier{verifier: v, account: e.PartitionKey, name: tableNameOf(e), contents: c}
			err = t.walk()
		}
		return err == nil
	})
	return err
}

// tableVerifier walks one table.
type tableVerifier struct {
	*verifier
	account, name string
	contents      *contents
	count         int
	bad           bool // blocks that cannot be read, so that nobody can count
}

func (t *tableVerifier) find(kind ProblemKind, block BlockID, err error) {
	t.verifier.find(Problem{Kind: kind, Account: t.account, Table: t.name, Block: block, Err: err})
}

// lose notes a block that cannot be read.
func (t *tableVerifier) lose(kind ProblemKind, r *blockRef, err error) {
	t.verifier.find(Problem{Kind: kind, Account: t.account, Table: t.name, Block: r.ID, Entities: r.Count, Err: err})
}

func (t *tableVerifier) walk() error {
	t.changes()
	var refs []*blockRef
	size := 0
	var failed error
	t.contents.blocks.Scan(func(r *blockRef) bool {
		refs = append(refs, r)
		if size += r.Size; size >= aheadBytes || len(refs) == aheadBlocks {
			failed = t.blocks(refs)
			refs, size = nil, 0
		}
		return failed == nil
	})
	if failed == nil {
		failed = t.blocks(refs)
	}
	if failed == nil && !t.bad && t.count != t.contents.count {
		t.find(BadCount, 0, fmt.Errorf("%w: there are %d entities, and it says %d", ErrCorrupt, t.count, t.contents.count))
	}
	if failed == nil && t.options.Table != nil {
		t.options.Table(t.account, t.name, t.count)
	}
	return failed
}

// changes looks at what stands beside the blocks. Entities that are in a block
// too are counted there.
func (t *tableVerifier) changes() {
	var found error
	t.contents.changes.Scan(func(e *odata.Entity) bool {
		if e.Timestamp != deleted {
			t.count++
			t.report.Entities++
			if found == nil {
				found = t.check(e)
			}
		}
		return true
	})
	if found != nil {
		t.find(BadEntity, 0, found)
	}
}

// check reports what is wrong with an entity.
func (t *tableVerifier) check(e *odata.Entity) error {
	if err := errors.Join(odata.CheckKey(odata.PartitionKeyName, e.PartitionKey), odata.CheckKey(odata.RowKeyName, e.RowKey)); err != nil {
		return fmt.Errorf("%v: %w", e.Key(), err)
	}
	if err := odata.CheckEntity(e.Properties, odata.CosmosLimits); err != nil {
		return fmt.Errorf("%v: %w", e.Key(), err)
	}
	if e.Timestamp > t.stamp {
		return t.future(e)
	}
	return nil
}

// blocks reads blocks that follow each other, past the cache: what is in memory
// says nothing about what is stored.
func (t *tableVerifier) blocks(refs []*blockRef) error {
	if len(refs) == 0 {
		return nil
	}
	if err := t.ctx.Err(); err != nil {
		return err
	}
	texts, err := t.db.cache.texts(refs)
	if errors.Is(err, ErrBlockNotFound) && len(refs) > 1 {
		for i := range refs {
			if err := t.blocks(refs[i : i+1]); err != nil {
				return err
			}
		}
		return nil
	}
	if errors.Is(err, ErrBlockNotFound) {
		return t.missing(refs[0], err)
	}
	if err != nil {
		return fmt.Errorf("%w: %w: %w", ErrStorage, ErrReading, err)
	}
	for i, r := range refs {
		t.block(r, texts[i])
	}
	if t.options.Progress != nil {
		t.options.Progress(t.report)
	}
	return nil
}

// missing notes a block that the storage does not have, unless a checkpoint has
// deleted it since: one that was written, though its answer was an error, can
// name blocks that the DB knows nothing of.
func (t *tableVerifier) missing(r *blockRef, cause error) error {
	t.bad = true
	t.db.queue.lead()
	defer t.db.queue.handOver(nil)
	if t.db.queue.closed.Load() {
		return ErrClosed // loading would open the storage again
	}
	now, err := loadAgain(t.db.storage)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(now.Blocks, func(i BlockInfo) bool { return i.ID == r.ID }) && !r.corrupt.Load() {
		t.lose(MissingBlock, r, cause)
	}
	return nil
}

func (t *tableVerifier) block(r *blockRef, text []byte) {
	if r.corrupt.Load() {
		t.bad = true // opening it has found that
		return
	}
	b, err := openBlock(text, r.BlockInfo)
	if err != nil {
		t.bad = true
		t.lose(BadBlock, r, err)
		return
	}
	t.report.Blocks++
	t.report.Bytes += int64(len(text))
	var probe blockRef
	if after := t.contents.blockAfter(&probe, r.First); after != nil && !b.Key(b.Len()-1).Less(after.First) {
		t.find(BlocksOverlap, r.ID, fmt.Errorf("%w: it has %v, and block %d begins with %v", ErrCorrupt, b.Key(b.Len()-1), after.ID, after.First))
	}
	t.entities(r, b)
}

// entities looks at each entity of a block, and notes the first that is wrong.
func (t *tableVerifier) entities(r *blockRef, b *block.Block) {
	var found error
	for i := range b.Len() {
		e := b.Entity(i)
		if c, changed := t.contents.changes.Get(e); changed && c.Timestamp != deleted {
			continue // counted there
		} else if !changed {
			t.count++
			t.report.Entities++
		}
		if found == nil {
			found = t.check(e)
		}
	}
	if found != nil {
		t.find(BadEntity, r.ID, found)
	}
}
